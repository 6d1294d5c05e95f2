# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling, and reading what came out."""

import pathlib
import re

import coda
import pytest


def test_version_is_three_numbers() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", coda.version())


def test_report_counts_passes(linear: str) -> None:
    function = coda.compile(linear).report["functions"][0]
    assert function["name"] == "linear"
    assert function["before"]["passes"] == 1
    assert function["after"]["passes"] == 0
    assert function["after"]["traffic"]["bytes"] < function["before"]["traffic"]["bytes"]
    assert function["fused"], "the fusion of the bias is a remark"


def test_report_for_people(linear: str) -> None:
    assert re.search(r"memory-bound passes +1 -> 0", coda.compile(linear).report_text)


def test_without_rewrite_nothing_changes(linear: str) -> None:
    program = coda.compile(linear, rewrite=False)
    assert program.report["functions"][0]["after"]["passes"] == 1
    assert "coda.gemm" not in program.ir("coda")


def test_stages(linear: str) -> None:
    program = coda.compile(linear)
    assert "linalg.matmul" in program.ir("source")
    assert "coda.gemm" in program.ir()
    assert "coda." not in program.ir("linalg")
    assert "llvm.func" in program.ir("llvm")


def test_signature(linear: str) -> None:
    function = coda.compile(linear).functions["linear"]
    assert function.arguments[0] == coda.TensorType("tensor", "bf16", (None, 64))
    assert function.results == (coda.TensorType("tensor", "bf16", (None, 32)),)


def test_file(tmp_path: pathlib.Path, linear: str) -> None:
    path = tmp_path / "linear.mlir"
    path.write_text(linear)
    assert coda.compile(path).report["input"] == str(path)
    assert coda.compile(str(path)).functions.keys() == {"linear"}


def test_syntax_error_has_a_location() -> None:
    with pytest.raises(coda.CompileError) as caught:
        coda.compile("func.func @f(", name="broken.mlir")
    assert caught.value.diagnostic.startswith("broken.mlir:1:")


def test_missing_file() -> None:
    with pytest.raises(coda.CompileError, match="cannot read 'missing.mlir'"):
        coda.compile("missing.mlir")


def test_unknown_names(linear: str) -> None:
    with pytest.raises(coda.ArgumentError, match="unknown numerics 'fast'"):
        coda.compile(linear, numerics="fast")
    with pytest.raises(coda.ArgumentError, match="unknown target 'sm_70'"):
        coda.compile(linear, target="sm_70")
    with pytest.raises(coda.ArgumentError, match="unknown stage 'assembly'"):
        coda.compile(linear).ir("assembly")


def test_ptx(linear: str) -> None:
    ptx = coda.compile(linear).ptx
    assert ".target sm_90a" in ptx
    assert ".visible .entry linear_gemm(" in ptx
