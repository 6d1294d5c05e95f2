# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the emulator with what an H200 gave.

`--record FILE` runs every opcode on the GPU of this machine and keeps the
results; without it, they are compared with the emulator's: bit by bit, or within
the documented error where the hardware approximates. NaNs are one value.
"""

from __future__ import annotations

import argparse
import ctypes as C
import pathlib
import sys

import numpy as np

from opcodes import ARRAYS, COUNT, OPCODES, SIZES, Opcode, inputs, module

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks"))
import coda_kernels as ck  # noqa: E402


class Buffer:
    """Device memory with a copy of an array."""

    def __init__(self, runtime: ck.Runtime, array: np.ndarray) -> None:
        self._runtime, self._array = runtime, array
        self.address = C.c_uint64()
        self._call("coda_rt_alloc", C.c_size_t(array.nbytes), C.byref(self.address))
        pointer, size = array.ctypes.data_as(C.c_void_p), C.c_size_t(array.nbytes)
        self._call("coda_rt_copy_to_device", self.address, pointer, size, None)

    def _call(self, name: str, *args: object) -> None:
        self._runtime.call(name, self._runtime.device, *args)

    def read(self) -> np.ndarray:
        result = np.empty_like(self._array)
        pointer, size = result.ctypes.data_as(C.c_void_p), C.c_size_t(result.nbytes)
        self._call("coda_rt_copy_to_host", pointer, self.address, size, None)
        self._call("coda_rt_device_synchronize")
        return result

    def free(self) -> None:
        self._call("coda_rt_free", self.address)


def run_opcode(runtime: ck.Runtime, opcode: Opcode, number: int) -> np.ndarray:
    name = f"opcode_{number}"
    image = module([(opcode, name)]).encode()
    loaded, kernel = C.c_void_p(), C.c_void_p()
    runtime.call("coda_rt_module_load", runtime.device, image, C.c_size_t(len(image)), C.byref(loaded))
    runtime.call("coda_rt_module_get_kernel", loaded, name.encode(), C.byref(kernel))
    arrays = inputs(opcode, number)
    arrays.append(np.zeros(COUNT, ARRAYS[SIZES[opcode.result]]))
    buffers = [Buffer(runtime, a) for a in arrays]
    args = (ck._Arg * len(buffers))()
    for arg, buffer in zip(args, buffers):
        arg.kind = 1
        arg.u.pointer = ck._Pointer(buffer.address.value, 8)
    config = ck._LaunchConfig()
    config.grid[:] = (1, 1, 1)
    config.block[:] = (COUNT, 1, 1)
    runtime.call("coda_rt_launch", kernel, C.byref(config), args, C.c_size_t(len(buffers)), None)
    result = buffers[-1].read()
    for buffer in buffers:
        buffer.free()
    return result


def as_floats(opcode: Opcode, bits: np.ndarray) -> np.ndarray | None:
    """Values, where results are floats of 32 or 64 bits."""
    type_ = opcode.name.split(".")[-2 if opcode.name.startswith("cvt") else -1]
    if opcode.result == "pred" or type_ not in ("f32", "f64"):
        return None
    return bits.view(np.float32 if type_ == "f32" else np.float64)


def compare(opcode: Opcode, found: np.ndarray, expected: np.ndarray) -> str:
    """Empty if they agree."""
    found_values, values = as_floats(opcode, found), as_floats(opcode, expected)
    same = found == expected
    if values is not None:
        same |= np.isnan(found_values) & np.isnan(values)
        if opcode.ulps is not None:
            with np.errstate(all="ignore"):
                # Hardware may flush what is subnormal.
                unit = np.spacing(np.maximum(np.abs(values), np.float32(2.0**-126)))
                error = np.abs(found_values.astype(np.float64) - values)
                bound = opcode.ulps * unit.astype(np.float64)
                same |= error <= np.maximum(bound, opcode.error)
    if same.all():
        return ""
    at = int(np.argmin(same))
    operands = [hex(int(a[at])) for a in inputs(opcode, OPCODES.index(opcode))]
    return (
        f"{opcode.name} {', '.join(operands)} is {int(found[at]):#x}, the hardware has "
        f"{int(expected[at]):#x}; {int((~same).sum())} of {COUNT} differ"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--libraries", required=True, type=pathlib.Path)
    parser.add_argument("--recorded", type=pathlib.Path)
    parser.add_argument("--record", type=pathlib.Path)
    args = parser.parse_args()
    if args.record:
        runtime = ck.Runtime(str(args.libraries / "libcoda_runtime.so"), "cuda")
        results = {}
        for number, opcode in enumerate(OPCODES):
            try:
                results[opcode.name] = run_opcode(runtime, opcode, number)
            except RuntimeError as error:
                print(f"{opcode.name}: {error}")
        np.savez_compressed(args.record, device=runtime.info.name.decode(), **results)
        return
    from emulation import Emulator

    emulator = Emulator(str(args.libraries))
    recorded = np.load(args.recorded)
    failed = 0
    for number, opcode in enumerate(OPCODES):
        found = run_opcode(emulator.runtime, opcode, number)
        if difference := compare(opcode, found, recorded[opcode.name]):
            failed += 1
            print(difference)
    print(f"{len(OPCODES) - failed} of {len(OPCODES)} opcodes are as on {recorded['device']}")
    raise SystemExit(failed != 0)


if __name__ == "__main__":
    main()
