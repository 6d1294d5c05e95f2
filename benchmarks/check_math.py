#!/usr/bin/env python3
# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the error of functions in a region on a GPU, in f32 against f64.

Prints the table of docs/numerics.md. As with hopper_gemm.py, --compile and
--kernels split the work over two machines.
"""

from __future__ import annotations

import argparse
import pathlib
import tempfile
from typing import Any, Callable

import coda_kernels as ck

HERE = pathlib.Path(__file__).resolve().parent
ROWS, COLUMNS = 4096, 2048

# Function, ops on %x and %y, f64 definition, range of x as (low, high), whether
# x is drawn by magnitude, and the bound in ulp that is asserted.
Function = tuple[str, Callable[..., Any], tuple[float, float], bool, float]


BIG, TINY = 2.0**120, 2.0**-120
FUNCTIONS: dict[str, Function] = {
    "exp": ("%r = math.exp %x : f32", lambda t, x: t.exp(x), (-87.0, 88.0), False, 100),
    "exp, |x| < 4": ("%r = math.exp %x : f32", lambda t, x: t.exp(x), (-4.0, 4.0), False, 6),
    "exp2": ("%r = math.exp2 %x : f32", lambda t, x: t.exp2(x), (-125.0, 127.0), False, 3),
    "log": ("%r = math.log %x : f32", lambda t, x: t.log(x), (2.0, BIG), True, 4),
    "log2": ("%r = math.log2 %x : f32", lambda t, x: t.log2(x), (2.0, BIG), True, 4),
    "sqrt": ("%r = math.sqrt %x : f32", lambda t, x: t.sqrt(x), (TINY, BIG), True, 2),
    "rsqrt": ("%r = math.rsqrt %x : f32", lambda t, x: t.rsqrt(x), (TINY, BIG), True, 2),
    "tanh": ("%r = math.tanh %x : f32", lambda t, x: t.tanh(x), (2.0**-60, 16.0), True, 10),
    "1 / x": (
        "%one = arith.constant 1.0 : f32\n    %r = arith.divf %one, %x : f32",
        lambda t, x: t.reciprocal(x),
        (TINY, BIG),
        True,
        2,
    ),
    "x / y": ("%r = arith.divf %x, %y : f32", lambda t, x, y: x / y, (2.0**-60, 2.0**60), True, 3),
    "powf(x, 2.5)": (
        "%c = arith.constant 2.5 : f32\n    %r = math.powf %x, %c : f32",
        lambda t, x: x.pow(2.5),
        (2.0**-40, 2.0**40),
        True,
        250,
    ),
    "powf(x, -0.5)": (
        "%c = arith.constant -0.5 : f32\n    %r = math.powf %x, %c : f32",
        lambda t, x: t.rsqrt(x),
        (TINY, BIG),
        True,
        2,
    ),
}


def program(ops: str) -> str:
    """The function of a tile; the product beside it is not used."""
    return f"""
func.func @f(%a: memref<?x64xbf16>, %w: memref<{COLUMNS}x64xbf16>,
             %p: memref<?x{COLUMNS}xf32>, %q: memref<?x{COLUMNS}xf32>,
             %o: memref<?x{COLUMNS}xf32>) {{
  coda.gemm rows(m) columns(n) contracts(k)
      lhs(%a at (m, k) : memref<?x64xbf16>) rhs(%w at (n, k) : memref<{COLUMNS}x64xbf16>)
      ins(%p at (m, n) : memref<?x{COLUMNS}xf32>, %q at (m, n) : memref<?x{COLUMNS}xf32>)
      outs(%o at (m, n) : memref<?x{COLUMNS}xf32>) {{
  ^bb0(%acc: f32, %x: f32, %y: f32):
    {ops}
    coda.yield %r : f32
  }}
  return
}}
"""


def sample(low: float, high: float, by_magnitude: bool) -> Any:
    import torch

    u = torch.rand(ROWS, COLUMNS, device="cuda", dtype=torch.float64)
    if by_magnitude:
        import math

        x = torch.exp2(math.log2(low) + u * (math.log2(high) - math.log2(low)))
    else:
        x = low + u * (high - low)
    return x.float()


def ulps(found: Any, expected: Any) -> Any:
    import torch

    exponent = torch.frexp(expected)[1].clamp_min(-125)
    return (found.double() - expected).abs() / torch.exp2((exponent - 24).double())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--coda-opt", default=str(HERE.parent / "build/bin/coda-opt"))
    parser.add_argument(
        "--runtime", default=str(HERE.parent / "build/lib/libcoda_runtime.so")
    )
    parser.add_argument("--compile", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--kernels", type=pathlib.Path, metavar="FOLDER")
    args = parser.parse_args()
    folder = args.compile or args.kernels
    if not args.kernels:
        folder = folder or pathlib.Path(tempfile.mkdtemp(prefix="coda-"))
        for number, function in enumerate(FUNCTIONS.values()):
            compiled = ck.compile_program(program(function[0]), args.coda_opt)
            ck.write_kernel(folder, f"f{number}", *compiled)
    if args.compile:
        return

    import torch

    runtime = ck.Runtime(args.runtime)
    stream = torch.cuda.current_stream().cuda_stream
    product = [
        torch.zeros(rows, 64, device="cuda", dtype=torch.bfloat16)
        for rows in (ROWS, COLUMNS)
    ]
    failed = 0
    print("| function | x | worst ulp | mean ulp | f(0) | f(inf) | f(nan) |")
    print("|---|---|---|---|---|---|---|")
    for number, (name, function) in enumerate(FUNCTIONS.items()):
        _, exact, (low, high), by_magnitude, bound = function
        kernel = ck.read_kernel(runtime, folder, f"f{number}")
        x = sample(low, high, by_magnitude)
        y = sample(low, high, by_magnitude)
        x[0, :3] = torch.tensor([0.0, float("inf"), float("nan")])
        out = torch.full_like(x, float("nan"))
        kernel.bind([*product, x, y, out], stream)()
        torch.cuda.synchronize()
        binary = name == "x / y"
        right = (
            exact(torch, x.double(), y.double())
            if binary
            else exact(torch, x.double())
        )
        error = ulps(out, right).flatten()[3:]
        special = [f"{v:g}" for v in out[0, :3].tolist()]
        worst = error.max().item()
        failed += not worst <= bound
        print(
            f"| {name} | {low:.3g} .. {high:.3g} | {worst:.2f} | {error.mean().item():.2f} "
            f"| {' | '.join(special)} |" + ("" if worst <= bound else " ABOVE BOUND"),
            flush=True,
        )
    raise SystemExit(failed != 0)


if __name__ == "__main__":
    main()
