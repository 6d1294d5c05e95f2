# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes .npy files without NumPy: make-npy.py OUT DESCR SHAPE [VALUE] [OPTION].

VALUE is a struct format and a number, as in `f=1.5`; every element gets it.
Options: `v2`, `v3` (format), `fortran`, `short` (half of the data).
"""

import struct
import sys


def main() -> None:
    path, descr, shape_text, value, *options = sys.argv[1:]
    shape = tuple(int(size) for size in shape_text.split("x") if size)
    count = 1
    for size in shape:
        count *= size
    code, number = value.split("=")
    element = struct.pack("<" + code, float(number) if code in "efd" else int(number))
    data = element * (count // 2 if "short" in options else count)
    header = str({"descr": descr, "fortran_order": "fortran" in options, "shape": shape})
    header = header.ljust(117) + "\n"
    version = 3 if "v3" in options else 2 if "v2" in options else 1
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY" + bytes([version, 0]) + length + header.encode() + data)


main()
