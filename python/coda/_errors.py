# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions of the package."""


class CodaError(Exception):
    """Base of every exception of this package."""


class LibraryError(CodaError):
    """libcoda could not be loaded."""


class ArgumentError(CodaError, ValueError):
    """An option or an array does not fit; nothing was run."""


class CompileError(CodaError):
    """A program could not be parsed or compiled.

    `diagnostic` is the compiler's text, with file, line and column.
    """

    def __init__(self, diagnostic: str) -> None:
        super().__init__(diagnostic)
        self.diagnostic = diagnostic


class RunError(CodaError):
    """A function could not be run."""
