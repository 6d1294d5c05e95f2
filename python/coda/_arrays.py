# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy arrays as buffers of the library, and back."""

from __future__ import annotations

import ctypes
import functools
from typing import Any, Dict, List, Tuple

import numpy as np

from coda._errors import ArgumentError
from coda._library import Buffer, library

_NUMPY_TYPES = {
    "i1": "bool",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "index": "int64",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
}
_ML_DTYPES = {"bf16": "bfloat16", "f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2"}


@functools.lru_cache(maxsize=None)
def numpy_type(dtype: str) -> np.dtype:
    """The NumPy type for an element type as MLIR writes it."""
    if dtype in _NUMPY_TYPES:
        return np.dtype(_NUMPY_TYPES[dtype])
    if dtype not in _ML_DTYPES:
        raise ArgumentError(f"there is no NumPy type for {dtype}")
    try:
        import ml_dtypes
    except ImportError as error:
        raise ImportError(f"arrays of {dtype} need the package ml_dtypes") from error
    return np.dtype(getattr(ml_dtypes, _ML_DTYPES[dtype]))


def _fits(found: np.dtype, expected: np.dtype) -> bool:
    """Whether elements can be taken as they are: MLIR's integers have no sign."""
    if found.newbyteorder("=") == expected:
        return True
    return found.kind == "u" and expected.kind == "i" and found.itemsize == expected.itemsize


def _prepare(value: Any, position: int, dtype: str, kind: str) -> np.ndarray:
    """An array that the library can read, without a copy when there is a way."""
    expected = numpy_type(dtype)
    if kind == "scalar" and not isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value, dtype=expected)
    array = np.asarray(value)
    if not _fits(array.dtype, expected):
        raise ArgumentError(f"argument {position} has dtype {array.dtype}, expected {expected}")
    usable = array.dtype.isnative and array.flags.aligned
    usable = usable and all(stride % array.itemsize == 0 for stride in array.strides)
    if kind == "memref" and not (usable and array.flags.writeable):
        raise ArgumentError(f"argument {position} may be written to: a writeable, aligned array is needed")
    return array if usable else np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))


class InputBuffers:
    """Buffers for the arguments of a call; keeps everything they point to."""

    def __init__(self, values: Tuple[Any, ...], types: List[Dict[str, Any]]) -> None:
        self.count = len(values)
        self.buffers = (Buffer * max(self.count, 1))()
        self._keep: List[Any] = []
        for position, (value, type_) in enumerate(zip(values, types)):
            array = _prepare(value, position, type_["dtype"], type_["kind"])
            shape = (ctypes.c_int64 * array.ndim)(*array.shape)
            strides = (ctypes.c_int64 * array.ndim)(*(s // array.itemsize for s in array.strides))
            self._keep += [array, shape, strides]
            self.buffers[position] = Buffer(type_["dtype"].encode(), array.ndim, shape, strides, array.ctypes.data)


class _ResultsHandle:
    """Owns what a call returned."""

    def __init__(self, handle: ctypes.c_void_p) -> None:
        self.handle = handle

    def __del__(self) -> None:
        library().codaResultsDestroy(self.handle)


class _ResultMemory:
    """Memory of one result, for NumPy to refer to."""

    def __init__(self, owner: _ResultsHandle, buffer: Buffer, dtype: np.dtype) -> None:
        self._owner = owner
        shape = tuple(buffer.shape[i] for i in range(buffer.rank))
        strides = tuple(buffer.strides[i] * dtype.itemsize for i in range(buffer.rank))
        self.__array_interface__ = {
            "version": 3,
            "typestr": f"|V{dtype.itemsize}",
            "shape": shape,
            "strides": strides,
            "data": (buffer.data or 0, False),
        }


def take_results(handle: ctypes.c_void_p) -> List[np.ndarray]:
    """Arrays over the memory of results, which lives as long as they do."""
    owner = _ResultsHandle(handle)
    arrays = []
    for index in range(library().codaResultsGetCount(handle)):
        buffer = Buffer()
        library().codaResultsGet(handle, index, ctypes.byref(buffer))
        dtype = numpy_type(buffer.dtype.decode())
        if 0 in (buffer.shape[i] for i in range(buffer.rank)):
            arrays.append(np.empty([buffer.shape[i] for i in range(buffer.rank)], dtype))
            continue
        memory = np.asarray(_ResultMemory(owner, buffer, dtype))
        arrays.append(memory.view(dtype))
    return arrays
