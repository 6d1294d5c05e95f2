#!/usr/bin/env python3
# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares kernels of coda, epilogue included, with the bare cuBLAS product.

    python3 benchmarks/hopper_gemm.py

compiles the programs beside this file, checks every kernel against f64 and
times it. Where the compiler and the GPU are not on one machine, --compile
leaves kernels in a folder and --kernels takes them from there.
"""

from __future__ import annotations

import argparse
import pathlib
import random
import statistics
import tempfile
import time
from typing import Any, Callable

import coda_kernels as ck

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = ["plain", "swiglu", "residual"]
WIDTH, HIDDEN = 4096, 11008
COLUMN_BLOCK = 64


def compile_all(folder: pathlib.Path, coda_opt: str) -> None:
    """Every program with its own sizes, and with all sizes dynamic."""
    for name in PROGRAMS:
        text = (HERE / f"{name}.mlir").read_text()
        ck.write_kernel(folder, name, *ck.compile_program(text, coda_opt))
        for size in (WIDTH, HIDDEN):
            text = text.replace(str(size), "?")
        ck.write_kernel(
            folder, f"{name}_dynamic", *ck.compile_program(text, coda_opt)
        )


# ---------------------------------------------------------------------------
# Programs on tensors
# ---------------------------------------------------------------------------


class Case:
    """Operands of a program and the f64 value of its results on some rows."""

    def __init__(self, name: str, rows: int, columns: int, contracts: int) -> None:
        import torch

        self.name, self.shape = name, (rows, columns, contracts)

        def normal(*shape: int, dtype: Any = torch.bfloat16, scale: float = 1.0):
            return (torch.randn(*shape, device="cuda") * scale).to(dtype)

        def poison(*shape: int, dtype: Any = torch.bfloat16):
            return torch.full(shape, float("nan"), device="cuda", dtype=dtype)

        scale = contracts**-0.5
        self.lhs = normal(rows, contracts)
        f32 = torch.float32
        if name == "swiglu":
            self.rhs = normal(2, columns, contracts, scale=scale)
            self.ins = [torch.rand(rows, device="cuda") + 0.5]
            self.outs = [poison(rows, 2, columns), poison(rows, columns)]
        elif name == "residual":
            self.rhs = normal(columns, contracts, scale=scale)
            self.ins = [normal(rows, columns), normal(columns, dtype=f32)]
            self.outs = [
                poison(rows, columns),
                poison(rows, columns),
                poison(rows, dtype=f32),
            ]
        else:
            self.rhs = normal(columns, contracts, scale=scale)
            self.ins, self.outs = [], [poison(rows, columns)]

    @property
    def operands(self) -> list[Any]:
        return [self.lhs, self.rhs, *self.ins, *self.outs]

    def reference(self, rows: Any) -> list[Any]:
        """Results in f64, on some rows, from unrounded products. What the
        program computes from rounded values is computed from those it stored."""
        import torch

        weight = self.rhs.double().reshape(-1, self.lhs.shape[1])
        product = self.lhs[rows].double() @ weight.T
        if self.name == "swiglu":
            product *= self.ins[0][rows].double()[:, None]
            pre = product.reshape(len(rows), 2, -1)
            gate, up = self.outs[0][rows].double().unbind(1)
            return [pre, torch.nn.functional.silu(gate) * up]
        if self.name == "residual":
            total = product + self.ins[0][rows].double()
            scaled = total * self.ins[1].double()
            return [total, scaled, (total * total).sum(1)]
        return [product]


def check(case: Case) -> str:
    """Compares all columns of sampled rows; the worst block of columns and the
    last tile of rows are held to the same bound as everything else."""
    import torch

    num_rows = case.shape[0]
    sampled = torch.randint(0, num_rows, (96,), device="cuda")
    last = torch.arange(max(0, num_rows - 32), num_rows, device="cuda")
    rows = torch.unique(torch.cat([sampled, last]))
    for out in case.outs:
        assert not torch.isnan(out).any(), f"{case.name}: unwritten elements"
    worst = []
    for out, expected in zip(case.outs, case.reference(rows)):
        error = (out[rows].double() - expected).reshape(len(rows), -1)
        expected = expected.reshape(len(rows), -1)
        if out.dtype == torch.float32:
            relative = (error.abs() / expected.abs().clamp_min(1e-30)).max().item()
            assert relative < 1e-4, f"{case.name}: sums differ by {relative:.2e}"
        else:
            # Half a unit of bf16 is 2^-8 at most; the order of f32 sums shifts
            # values by far less than 2^-14 of a row's typical size.
            typical = expected.pow(2).mean(1, keepdim=True).sqrt()
            bound = 2.0**-8 * expected.abs() * 1.01 + 2.0**-14 * typical
            assert (error.abs() <= bound).all(), f"{case.name}: element differs"
            relative = max(
                (e.norm() / x.norm()).item()
                for e, x in zip(
                    error.split(COLUMN_BLOCK, 1), expected.split(COLUMN_BLOCK, 1)
                )
            )
            assert relative < 5e-3, f"{case.name}: block differs by {relative:.2e}"
        worst.append(f"{relative:.1e}")
    return " ".join(worst)


# ---------------------------------------------------------------------------
# Measurement
# ---------------------------------------------------------------------------


def time_alternating(
    functions: list[Callable[[], Any]], repeats: int, pause: float
) -> list[list[float]]:
    """Milliseconds of each function, taken in random order. A read of more than
    L2 holds comes before each; it also keeps the GPU busy until the launch is
    queued, so that no time of the host is counted."""
    import torch

    times: list[list[float]] = [[] for _ in functions]
    order = list(range(len(functions)))
    flush = torch.zeros(2**27, device="cuda", dtype=torch.int32)
    for function in functions * 3:
        function()
    torch.cuda.synchronize()
    events = []
    for _ in range(repeats):
        random.shuffle(order)
        for index in order:
            if pause:
                torch.cuda.synchronize()
                time.sleep(pause)
            flush.max()
            start, end = (torch.cuda.Event(enable_timing=True) for _ in "se")
            start.record()
            functions[index]()
            end.record()
            events.append((index, start, end))
    torch.cuda.synchronize()
    for index, start, end in events:
        times[index].append(start.elapsed_time(end))
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--coda-opt", default=str(HERE.parent / "build/bin/coda-opt"))
    parser.add_argument(
        "--runtime", default=str(HERE.parent / "build/lib/libcoda_runtime.so")
    )
    parser.add_argument("--compile", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--kernels", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--rows", type=int, default=16384)
    parser.add_argument("--repeats", type=int, default=40)
    parser.add_argument("--check-only", action="store_true")
    args = parser.parse_args()
    if args.compile:
        compile_all(args.compile, args.coda_opt)
        return
    folder = args.kernels
    if not folder:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="coda-"))
        compile_all(folder, args.coda_opt)

    import torch

    runtime = ck.Runtime(args.runtime)
    print(f"{runtime.info.name.decode()}, driver {runtime.info.driver_version}")
    stream = torch.cuda.current_stream().cuda_stream

    print("worst relative error of 64 columns, by result; f64 reference")
    for name in PROGRAMS:
        kernel = ck.read_kernel(runtime, folder, f"{name}_dynamic")
        for shape in [
            (1000, 1016, 1000),
            (129, 264, 72),
            (1, 256, 64),
            (4097, 4104, 520),
            (300, 8, 8),
        ]:
            case = Case(name, *shape)
            kernel.bind(case.operands, stream)()
            torch.cuda.synchronize()
            print(f"  {name:9} {'x'.join(map(str, shape)):18} {check(case)}", flush=True)

    shapes = {
        "plain": (WIDTH, WIDTH),
        "swiglu": (HIDDEN, WIDTH),
        "residual": (WIDTH, HIDDEN),
    }
    for name in PROGRAMS:
        kernel = ck.read_kernel(runtime, folder, name)
        case = Case(name, args.rows - 37, *shapes[name])
        kernel.bind(case.operands, stream)()
        torch.cuda.synchronize()
        print(f"  {name:9} {'x'.join(map(str, case.shape)):18} {check(case)}", flush=True)
    if args.check_only:
        return

    print("median milliseconds; ratio = bare cuBLAS / coda with its epilogue")
    for name in PROGRAMS:
        kernel = ck.read_kernel(runtime, folder, name)
        case = Case(name, args.rows, *shapes[name])
        launch = kernel.bind(case.operands, stream)
        weight = case.rhs.reshape(-1, case.lhs.shape[1])
        out = torch.empty(
            args.rows, weight.shape[0], device="cuda", dtype=torch.bfloat16
        )

        def bare() -> None:
            torch.mm(case.lhs, weight.T, out=out)

        launch()
        torch.cuda.synchronize()
        errors = check(case)
        flops = 2 * args.rows * weight.numel()
        # The chip is power-limited: with pauses it keeps its clock.
        for regime, pause in (("cool", 0.01), ("hot", 0.0)):
            times = time_alternating([bare, launch], args.repeats, pause)
            cublas, coda = (statistics.median(t) for t in times)
            spread = [
                (statistics.quantiles(t, n=4)[2] - statistics.quantiles(t, n=4)[0])
                / statistics.median(t)
                for t in times
            ]
            print(
                f"  {name:9} {args.rows}x{weight.shape[0]}x{weight.shape[1]} {regime:4} "
                f"cuBLAS {cublas:.3f} (+-{spread[0]:.1%}) coda {coda:.3f} "
                f"(+-{spread[1]:.1%}) ratio {cublas / coda:.3f} "
                f"{flops / coda / 1e9:.0f} TFLOP/s registers {kernel.info.registers} "
                f"local {kernel.info.local_memory} error {errors}",
                flush=True,
            )


if __name__ == "__main__":
    main()
