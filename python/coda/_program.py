# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled programs."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import json
import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Union

from coda._errors import ArgumentError
from coda._library import CompileOptions, call, call_for_text, encode, library

if TYPE_CHECKING:
    import numpy as np


@dataclasses.dataclass(frozen=True)
class TensorType:
    """Type of an argument or a result; None in `shape` is a dynamic size."""

    kind: str
    dtype: str
    shape: Tuple[Optional[int], ...]


@dataclasses.dataclass(frozen=True)
class Function:
    """A public function of a program."""

    name: str
    arguments: Tuple[TensorType, ...]
    results: Tuple[TensorType, ...]


def _read_types(types: List[Dict[str, Any]]) -> Tuple[TensorType, ...]:
    return tuple(TensorType(t["kind"], t["dtype"], tuple(t["shape"])) for t in types)


class Program:
    """A compiled program. Made by `coda.compile`."""

    def __init__(self, handle: ctypes.c_void_p) -> None:
        self._handle = handle

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            library().codaProgramDestroy(self._handle)

    @functools.cached_property
    def report(self) -> Dict[str, Any]:
        """What was fused, what was refused and why, and what it saves."""
        return json.loads(call_for_text(library().codaProgramGetReport, self._handle, b"json"))

    @functools.cached_property
    def report_text(self) -> str:
        """The report for people."""
        return call_for_text(library().codaProgramGetReport, self._handle, b"text")

    @functools.cached_property
    def functions(self) -> Dict[str, Function]:
        """The public functions by name."""
        functions = json.loads(call_for_text(library().codaProgramGetSignatures, self._handle))
        return {
            f["name"]: Function(f["name"], _read_types(f["arguments"]), _read_types(f["results"])) for f in functions
        }

    @property
    def ptx(self) -> str:
        """The kernels as PTX."""
        return self.ir("ptx")

    def ir(self, stage: str = "coda") -> str:
        """The program at a stage: source, coda, linalg, nvvm, llvm or ptx."""
        return call_for_text(library().codaProgramGetIR, self._handle, encode(stage))

    def run(self, *arrays: Any, entry: Optional[str] = None) -> Union[np.ndarray, Tuple[np.ndarray, ...]]:
        """Runs a function on the CPU with NumPy arrays, bf16 through ml_dtypes.

        Returns one array, or a tuple when the function has no or several
        results. `entry` names the function when there is more than one.
        """
        from coda import _arrays

        function = self._find(entry)
        if len(arrays) != len(function.arguments):
            raise ArgumentError(
                f"function '{function.name}' has {len(function.arguments)} arguments, {len(arrays)} were given"
            )
        types = [dataclasses.asdict(argument) for argument in function.arguments]
        inputs = _arrays.InputBuffers(arrays, types)
        handle = call(
            library().codaProgramRun, self._handle, encode(function.name), inputs.buffers, inputs.count
        )
        results = _arrays.take_results(handle)
        return results[0] if len(results) == 1 else tuple(results)

    __call__ = run

    def _find(self, entry: Optional[str]) -> Function:
        names = ", ".join(self.functions) or "none"
        if entry is None and len(self.functions) == 1:
            return next(iter(self.functions.values()))
        if entry is None:
            raise ArgumentError(f"choose a function with entry=...: {names}")
        if entry not in self.functions:
            raise ArgumentError(f"there is no public function '{entry}', expected one of: {names}")
        return self.functions[entry]


def _is_path(source: Union[str, os.PathLike]) -> bool:
    """A string without a line break that names a file, or looks as if it did."""
    if not isinstance(source, str):
        return True
    return "\n" not in source and (source.endswith(".mlir") or os.path.exists(source))


def compile(
    source: Union[str, os.PathLike],
    *,
    numerics: str = "algebraic",
    target: str = "sm_90a",
    rewrite: bool = True,
    name: str = "<text>",
) -> Program:
    """Compiles MLIR text or a file.

    `numerics` says what the rewrite may change: bitwise, algebraic or relaxed;
    `rewrite=False` leaves the program as it is. `name` stands for the file in
    diagnostics of a text. Raises `CompileError` with the diagnostic.
    """
    options = CompileOptions()
    library().codaCompileOptionsInit(ctypes.byref(options))
    options.numerics, options.target = encode(numerics), encode(target)
    options.rewrite = int(rewrite)
    if _is_path(source):
        path = os.fsencode(source)
        return Program(call(library().codaCompileFile, path, ctypes.byref(options)))
    text = str(source).encode()
    return Program(call(library().codaCompileText, text, len(text), encode(name), ctypes.byref(options)))
