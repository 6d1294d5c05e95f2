# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C interface of coda (include/coda-c/Coda.h) through ctypes."""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
from typing import Any, Callable, List, Optional

from coda._errors import ArgumentError, CodaError, CompileError, LibraryError, RunError

# CodaStatus, in order.
_ERRORS = {1: ArgumentError, 2: CompileError, 3: CompileError, 4: RunError}


class CompileOptions(ctypes.Structure):
    """CodaCompileOptions."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("numerics", ctypes.c_char_p),
        ("target", ctypes.c_char_p),
        ("rewrite", ctypes.c_int),
    ]


class Buffer(ctypes.Structure):
    """CodaBuffer."""

    _fields_ = [
        ("dtype", ctypes.c_char_p),
        ("rank", ctypes.c_int64),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("data", ctypes.c_void_p),
    ]


def _candidates() -> List[str]:
    """Where libcoda may be, best first."""
    named = os.environ.get("CODA_LIBRARY")
    if named:
        return [named]
    package = pathlib.Path(__file__).resolve().parent
    places = [package / "libcoda.so", package.parent.parent / "build" / "lib" / "libcoda.so"]
    return [str(place) for place in places if place.exists()] + ["libcoda.so.0"]


def _declare(library: ctypes.CDLL) -> None:
    text, handle, size = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t
    out = ctypes.POINTER(ctypes.c_void_p)
    options = ctypes.POINTER(CompileOptions)
    buffers = ctypes.POINTER(Buffer)
    status = ctypes.c_int
    signatures: dict[str, tuple[Any, List[Any]]] = {
        "codaGetVersion": (text, []),
        "codaStringFree": (None, [handle]),
        "codaCompileOptionsInit": (None, [options]),
        "codaCompileText": (status, [text, size, text, options, out, out]),
        "codaCompileFile": (status, [text, options, out, out]),
        "codaProgramDestroy": (None, [handle]),
        "codaProgramGetIR": (status, [handle, text, out, out]),
        "codaProgramGetReport": (status, [handle, text, out, out]),
        "codaProgramGetSignatures": (status, [handle, out, out]),
        "codaProgramRun": (status, [handle, text, buffers, size, out, out]),
        "codaResultsGetCount": (size, [handle]),
        "codaResultsGet": (None, [handle, size, buffers]),
        "codaResultsDestroy": (None, [handle]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """The loaded library; the environment variable CODA_LIBRARY names another."""
    problems = []
    for candidate in _candidates():
        try:
            loaded = ctypes.CDLL(candidate)
        except OSError as error:
            problems.append(str(error))
            continue
        _declare(loaded)
        return loaded
    raise LibraryError("cannot load libcoda, set CODA_LIBRARY to its path: " + "; ".join(problems))


def version() -> str:
    """Version of the library."""
    return library().codaGetVersion().decode()


def _take_string(pointer: ctypes.c_void_p) -> str:
    """The text of a string that the library gave out, which is then freed."""
    if not pointer.value:
        return ""
    try:
        return ctypes.string_at(pointer.value).decode(errors="replace")
    finally:
        library().codaStringFree(pointer)


def call(function: Callable[..., int], *arguments: Any) -> ctypes.c_void_p:
    """Calls a function whose last two parameters are an output and an error.

    Returns the output; raises the exception that belongs to the status.
    """
    output, error = ctypes.c_void_p(), ctypes.c_void_p()
    status = function(*arguments, ctypes.byref(output), ctypes.byref(error))
    message = _take_string(error)
    if status != 0:
        raise _ERRORS.get(status, CodaError)(message)
    return output


def call_for_text(function: Callable[..., int], *arguments: Any) -> str:
    """`call` for a function whose output is a string."""
    return _take_string(call(function, *arguments))


def encode(value: Optional[str]) -> Optional[bytes]:
    """A string for the library; None stays None."""
    return None if value is None else value.encode()
