# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares kernels of the family in the emulator with what an H200 gave.

    hardware_kernels.py prepare FOLDER             compiles, writes PTX and inputs
    hardware_kernels.py record FOLDER FILE         launches them on this machine's GPU
    hardware_kernels.py compare FILE               does the same in the emulator

The first and the last need coda-opt, the second a GPU and NumPy only. Results
must have the same bits, sums of wgmma and approximations included.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks"))
import coda_kernels as ck  # noqa: E402

SIZES = dict(M=72, N=136, K=136)
NAMES = ["plain", "half", "f32", "residual", "swiglu", "two_rhs", "reductions", "update", "index"]
NAMES += ["transposed_rhs", "transposed_lhs", "transposed_both"]
SEED = 7


class RawTensor:
    """Device memory for elements that NumPy knows as bits only."""

    def __init__(self, runtime: ck.Runtime, bits: np.ndarray, dtype: str) -> None:
        from hardware import Buffer

        self._buffer, self._bits = Buffer(runtime, bits), bits
        self.shape, self.dtype = bits.shape, dtype

    def data_ptr(self) -> int:
        return self._buffer.address.value

    def element_size(self) -> int:
        return self._bits.itemsize

    def stride(self, dim: int) -> int:
        return self._bits.strides[dim] // self._bits.itemsize

    def read(self) -> np.ndarray:
        return self._buffer.read()


def prepare(folder: pathlib.Path, coda_opt: str) -> None:
    from cases import CASES, compile_case

    folder.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        case = CASES[name]
        ck.write_kernel(folder, name, *compile_case(case, coda_opt))
        arrays = case.arrays(SIZES, SEED)
        types = [str(a.dtype) for a in arrays]
        bits = {str(i): a.view(f"u{a.itemsize}") for i, a in enumerate(arrays)}
        np.savez(folder / f"{name}.npz", **bits)
        first_out = 1 + len(case.rhs) + len(case.ins)
        (folder / f"{name}.types.json").write_text(json.dumps([first_out, types]))


def record(folder: pathlib.Path, file: pathlib.Path, library: str) -> None:
    runtime = ck.Runtime(library, "cuda")
    results = {}
    for name in NAMES:
        first_out, types = json.loads((folder / f"{name}.types.json").read_text())
        inputs = np.load(folder / f"{name}.npz")
        tensors = [RawTensor(runtime, inputs[str(i)], t) for i, t in enumerate(types)]
        ck.read_kernel(runtime, folder, name).bind(tensors)()
        for at, tensor in enumerate(tensors[first_out:]):
            results[f"{name}.{at}"] = tensor.read()
    np.savez_compressed(file, device=runtime.info.name.decode(), **results)


def compare(file: pathlib.Path, libraries: str, coda_opt: str) -> int:
    from cases import CASES, compile_case, launch
    from emulation import Emulator

    emulator = Emulator(libraries)
    recorded = np.load(file)
    wrong = 0
    for name in NAMES:
        case = CASES[name]
        kernel = ck.Kernel(emulator.runtime, *compile_case(case, coda_opt))
        results = launch(emulator, case, kernel, case.arrays(SIZES, SEED))
        for at, found in enumerate(results):
            expected = recorded[f"{name}.{at}"].reshape(found.shape)
            different = int((found.view(expected.dtype) != expected).sum())
            if different:
                wrong += 1
                print(f"{name}, result {at}: {different} of {found.size} differ")
    print(f"{wrong} results are not as on {recorded['device']}")
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=["prepare", "record", "compare"])
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--coda-opt", default="coda-opt")
    parser.add_argument("--libraries", required=True)
    args = parser.parse_args()
    if args.step == "prepare":
        prepare(args.files[0], args.coda_opt)
    elif args.step == "record":
        library = str(pathlib.Path(args.libraries) / "libcoda_runtime.so")
        record(args.files[0], args.files[1], library)
    else:
        raise SystemExit(compare(args.files[0], args.libraries, args.coda_opt) != 0)


if __name__ == "__main__":
    main()
