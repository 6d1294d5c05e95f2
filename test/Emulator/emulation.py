# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of coda on the emulated GPU, with NumPy arrays."""

from __future__ import annotations

import ctypes as C
import pathlib
import sys
from typing import Any

import ml_dtypes
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks"))
import coda_kernels as ck  # noqa: E402

TYPES: dict[str, Any] = {
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f32": np.float32,
    "i32": np.int32,
}


class Emulator:
    """The emulated GPU behind the runtime of a build tree."""

    def __init__(self, libraries: str, multiprocessors: int = 3) -> None:
        folder = pathlib.Path(libraries)
        # The driver must find the runtime that is used here.
        C.CDLL(str(folder / "libcoda_runtime.so"), mode=C.RTLD_GLOBAL)
        self._emulator = C.CDLL(str(folder / "libcoda_emulator.so"))
        self._emulator.coda_emulator_register(multiprocessors, 1)
        self.runtime = ck.Runtime(str(folder / "libcoda_runtime.so"), "emulator")

    def set_schedule(self, seed: int, number: int) -> None:
        self._emulator.coda_emulator_set_schedule(C.c_uint64(seed), number)


class Tensor:
    """A copy of an array on the device; what Kernel.bind wants of a tensor."""

    def __init__(
        self, emulator: Emulator, array: np.ndarray, initialized: bool = True
    ) -> None:
        self.array, self.shape, self.dtype = array, array.shape, array.dtype
        self._runtime = emulator.runtime
        self._address = C.c_uint64()
        self._call("coda_rt_alloc", C.c_size_t(max(array.nbytes, 1)), C.byref(self._address))
        if initialized and array.nbytes:
            self._call(
                "coda_rt_copy_to_device",
                self._address,
                array.ctypes.data_as(C.c_void_p),
                C.c_size_t(array.nbytes),
                None,
            )

    def _call(self, name: str, *args: Any) -> None:
        self._runtime.call(name, self._runtime.device, *args)

    def data_ptr(self) -> int:
        return self._address.value

    def element_size(self) -> int:
        return self.array.itemsize

    def stride(self, dim: int) -> int:
        return self.array.strides[dim] // self.array.itemsize

    def read(self) -> np.ndarray:
        """What the device has now."""
        result = np.empty_like(self.array)
        if result.nbytes:
            self._call(
                "coda_rt_copy_to_host",
                result.ctypes.data_as(C.c_void_p),
                self._address,
                C.c_size_t(result.nbytes),
                None,
            )
        return result

    def free(self) -> None:
        self._call("coda_rt_free", self._address)
