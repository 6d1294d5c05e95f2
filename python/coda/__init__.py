# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile linear algebra with fused epilogues, read what was fused, run it.

    import coda

    program = coda.compile("mlp.mlir")
    print(program.report["functions"][0]["after"]["passes"])
    y = program(x, w)
"""

from coda._errors import ArgumentError, CodaError, CompileError, LibraryError, RunError
from coda._library import version
from coda._program import Function, Program, TensorType, compile

__all__ = [
    "ArgumentError",
    "CodaError",
    "CompileError",
    "Function",
    "LibraryError",
    "Program",
    "RunError",
    "TensorType",
    "compile",
    "version",
]
