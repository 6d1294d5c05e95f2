#!/usr/bin/env python3
# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what the epilogue of coda.gemm can say on a GPU, against f64.

Each case is a program, sizes for its dynamic dims, and what its results are.
As with hopper_gemm.py, --compile and --kernels split the work over two machines.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import tempfile
from dataclasses import dataclass
from typing import Any, Callable

import coda_kernels as ck

HERE = pathlib.Path(__file__).resolve().parent


@dataclass
class Case:
    """`operands` are `name type at (dims)`, lhs first; `rhs` of them follow it.

    Letters in types stand for sizes; a `?` before one keeps it dynamic. Results
    are the operands after the `:`."""

    dims: str
    operands: str
    body: str
    sizes: dict[str, int]
    expected: Callable[..., list[Any]]
    rhs: int = 1
    attributes: str = ""
    tolerance: float = 2.0**-8

    def parse(self) -> tuple[list[tuple[str, str, str]], int]:
        """(name, type, suffix) of each operand, and where results start."""
        parts = [p.split(";") for p in self.operands.split(":")]
        found = [
            re.match(r"\s*(\w+) (\S+) ?(.*)", o).groups() for p in parts for o in p
        ]
        return found, len(parts[0])

    def program(self, name: str) -> str:
        operands, first_out = self.parse()

        def clause(index: int) -> str:
            n, t, suffix = operands[index]
            update = ""
            if suffix.startswith("update "):
                update, suffix = "update ", suffix[7:]
            return f"{update}%{n} {suffix} : {self._type(t)}"

        def clauses(first: int, last: int) -> str:
            return ", ".join(clause(i) for i in range(first, last))

        ins = clauses(1 + self.rhs, first_out)
        return (
            f"func.func @{name}("
            + ", ".join(f"%{n}: {self._type(t)}" for n, t, _ in operands)
            + f") {{\n  coda.gemm {self.dims}\n    lhs({clause(0)})"
            + f" rhs({clauses(1, 1 + self.rhs)})"
            + (f" ins({ins})" if ins else "")
            + f"\n    outs({clauses(first_out, len(operands))})"
            + (f" attributes {self.attributes}" if self.attributes else "")
            + f" {{\n{self.body}\n  }}\n  return\n}}\n"
        )

    def _type(self, text: str) -> str:
        if "x" not in text and "memref" not in text:
            return text
        dims = text.split("x")
        shape = [
            "?" if d[0] == "?" else str(self.sizes.get(d, d)) for d in dims[:-1]
        ]
        return f"memref<{'x'.join([*shape, dims[-1]])}>"

    def tensors(self) -> list[Any]:
        import torch

        kinds = {
            "bf16": torch.bfloat16,
            "f16": torch.float16,
            "f32": torch.float32,
            "i32": torch.int32,
        }
        operands, first_out = self.parse()
        made = []
        for index, (_, text, suffix) in enumerate(operands):
            if "x" not in text and "memref" not in text:
                made.append(0.75)
                continue
            dims = text.replace("memref<", "").replace(">", "").split("x")
            shape = [int(self.sizes.get(d.strip("?"), d.strip("?"))) for d in dims[:-1]]
            dtype = kinds[dims[-1]]
            if index >= first_out and "update" not in suffix:
                made.append(torch.full(shape, float("nan"), device="cuda", dtype=dtype))
            elif dtype == torch.int32:
                made.append(torch.randint(0, 50, shape, device="cuda", dtype=dtype))
            else:
                scale = self.sizes["K"] ** -0.5 if 1 <= index <= self.rhs else 1.0
                made.append((torch.randn(shape, device="cuda") * scale).to(dtype))
        return made

    def run(self, kernel: ck.Kernel, stream: int) -> str:
        import torch

        operands, first_out = self.parse()
        tensors = self.tensors()
        inputs = [t.clone().double() if hasattr(t, "clone") else t for t in tensors]
        kernel.bind(tensors, stream)()
        torch.cuda.synchronize()
        lhs = inputs[0].reshape(-1, self.sizes["K"])
        products = [lhs @ w.reshape(-1, self.sizes["K"]).T for w in inputs[1 : 1 + self.rhs]]
        expected = self.expected(*products, *inputs[1 + self.rhs :])
        text = []
        for (name, _, _), out, right in zip(operands[first_out:], tensors[first_out:], expected):
            right = right.reshape(out.shape)
            typical = right[right.isfinite()].abs().mean()
            error = (out.double() - right).abs()
            error[out.double() == right] = 0  # Infinities.
            relative = (error / (right.abs() + typical)).max().item()
            if not relative <= self.tolerance:
                at = (error / (right.abs() + typical)).flatten().argmax().item()
                raise AssertionError(
                    f"{name} differs by {relative:.2e} at {at}: "
                    f"{out.flatten()[at].item()} instead of {right.flatten()[at].item()}"
                )
            text.append(f"{name} {relative:.1e}")
        return ", ".join(text)


def _torch() -> Any:
    import torch

    return torch


PLAIN = """  ^bb0(%a: f32):
    %r = arith.truncf %a : f32 to T
    coda.yield %r : T"""

CASES: dict[str, Case] = {
    "f16": Case(
        "rows(m) columns(n) contracts(k)",
        "x ?MxKxf16 at (m, k); w NxKxf16 at (n, k) : y ?MxNxf16 at (m, n)",
        PLAIN.replace("T", "f16"),
        dict(M=333, N=504, K=264),
        lambda p, y: [p],
    ),
    # Rows of two dims, bf16 arithmetic, an old value that is overwritten.
    "update": Case(
        "rows(b, t) columns(n) contracts(k)",
        "x Bx?TxKxbf16 at (b, t, k); w NxKxbf16 at (n, k); r BxTxNxbf16 at (b, t, n)"
        ": y Bx?TxNxbf16 update at (b, t, n)",
        """  ^bb0(%a: f32, %r: bf16, %old: bf16):
    %a16 = arith.truncf %a : f32 to bf16
    %s = arith.addf %a16, %r : bf16
    %m = arith.mulf %s, %old : bf16
    coda.yield %m : bf16""",
        dict(B=3, T=111, N=520, K=320),
        lambda p, r, y: [(p + r.reshape(p.shape)) * y.reshape(p.shape)],
        tolerance=2.0**-5,
    ),
    # Two weights, f32 results written element by element, odd columns.
    "two_rhs": Case(
        "rows(m) columns(n) contracts(k)",
        "x ?MxKxbf16 at (m, k); g NxKxbf16 at (n, k); u NxKxbf16 at (n, k)"
        ": y ?MxNxf32 at (m, n); z ?MxNxbf16 at (m, n)",
        """  ^bb0(%g: f32, %u: f32):
    %y = arith.mulf %g, %u : f32
    %d = arith.subf %g, %u : f32
    %z = arith.truncf %d : f32 to bf16
    coda.yield %y, %z : f32, bf16""",
        dict(M=257, N=333, K=128),
        lambda g, u, y, z: [g * u, g - u],
        rhs=2,
    ),
    "reductions": Case(
        "rows(m) columns(n) members(p) contracts(k)",
        "x ?MxKxbf16 at (m, k); w 2xNxKxbf16 at (p, n, k) : s ?Mx2xf32 update at (m, p) by add;"
        "t ?Mxf32 at (m) by max; h ?Mxbf16 at (m) by add",
        """  ^bb0(%a: f32, %b: f32):
    %one = arith.constant 1.0 : f32
    %c = arith.addf %a, %one : f32
    %d = arith.addf %b, %one : f32
    %q = arith.mulf %a, %a : f32
    coda.yield %c, %d, %a, %q : f32, f32, f32, f32""",
        dict(M=300, N=1003, K=192),
        lambda p, s, t, h: [
            s + (p + 1).reshape(len(p), 2, -1).sum(2),
            p.chunk(2, 1)[0].max(1)[0],
            p.chunk(2, 1)[0].pow(2).sum(1),
        ],
    ),
    "index": Case(
        "rows(b, t) columns(h, j) contracts(k)",
        "x Bx?TxKxbf16 at (b, t, k); w HxJxKxbf16 at (h, j, k); c ?TxJxf32 at (t, j);"
        "l Bx?Txi32 at (b, t) : y Bx?TxHxJxbf16 at (b, t, h, j); z ?TxBxHxJxf32 at (t, b, h, j)",
        """  ^bb0(%a: f32, %c: f32, %l: i32):
    %t = coda.index t : index
    %j = coda.index j : index
    %h = coda.index h : index
    %l64 = arith.index_cast %l : i32 to index
    %eq = arith.cmpi eq, %j, %l64 : index
    %le = arith.cmpi ule, %j, %t : index
    %zero = arith.constant 0.0 : f32
    %m = arith.mulf %a, %c : f32
    %s = arith.select %le, %m, %zero : f32
    %r = arith.truncf %s : f32 to bf16
    %hi = arith.index_cast %h : index to i32
    %hf = arith.sitofp %hi : i32 to f32
    %v = arith.addf %m, %hf : f32
    %u = arith.select %eq, %v, %zero : f32
    coda.yield %r, %u : bf16, f32""",
        dict(B=2, T=77, H=6, J=40, K=64),
        lambda p, c, l, y, z: _index(p, c, l),
    ),
    # A statistic turned into a factor once for each row, a scalar and a bias.
    "rows_once": Case(
        "rows(m) columns(n) contracts(k)",
        "x ?MxKxbf16 at (m, k); w NxKxbf16 at (n, k); ss ?Mxf32 at (m); bias Nxbf16 at (n);"
        "scale f32 at (); one 1xf32 at (0) : y ?MxNxbf16 at (m, n)",
        """  ^bb0(%a: f32, %ss: f32, %b: bf16, %scale: f32, %eps: f32):
    %n = arith.constant 4096.0 : f32
    %e = arith.constant -5.0e-01 : f32
    %sq = arith.mulf %ss, %ss : f32
    %ms = arith.divf %sq, %n : f32
    %eps2 = arith.mulf %eps, %eps : f32
    %me = arith.addf %ms, %eps2 : f32
    %r = math.powf %me, %e : f32
    %v = arith.mulf %a, %r : f32
    %w = arith.mulf %v, %scale : f32
    %bf = arith.extf %b : bf16 to f32
    %y = arith.addf %w, %bf : f32
    %y16 = arith.truncf %y : f32 to bf16
    coda.yield %y16 : bf16""",
        dict(M=130, N=272, K=96),
        lambda p, ss, b, scale, eps, y: [
            p * (ss * ss / 4096 + eps * eps).rsqrt()[:, None] * scale + b
        ],
    ),
    # More tiles than shared memory holds: the last is read in place.
    "many_tiles": Case(
        "rows(m) columns(n) contracts(k)",
        "x ?MxKxbf16 at (m, k); w NxKxbf16 at (n, k); a ?MxNxbf16 at (m, n); b ?MxNxbf16 at (m, n);"
        "c ?MxNxbf16 at (m, n); d ?MxNxf32 at (m, n) : y ?MxNxbf16 at (m, n)",
        """  ^bb0(%p: f32, %a: bf16, %b: bf16, %c: bf16, %d: f32):
    %af = arith.extf %a : bf16 to f32
    %bf = arith.extf %b : bf16 to f32
    %cf = arith.extf %c : bf16 to f32
    %0 = arith.mulf %p, %af : f32
    %1 = arith.addf %0, %bf : f32
    %2 = arith.addf %1, %cf : f32
    %3 = arith.addf %2, %d : f32
    %y = arith.truncf %3 : f32 to bf16
    coda.yield %y : bf16""",
        dict(M=400, N=776, K=576),
        lambda p, a, b, c, d, y: [p * a + b + c + d],
    ),
    "tall_tile": Case(
        "rows(m) columns(n) contracts(k)",
        "x ?MxKxbf16 at (m, k); w NxKxbf16 at (n, k); r ?MxNxbf16 at (m, n)"
        ": y ?MxNxbf16 at (m, n); s ?Mxf32 at (m) by add",
        """  ^bb0(%a: f32, %r: bf16):
    %rf = arith.extf %r : bf16 to f32
    %v = arith.addf %a, %rf : f32
    %y = arith.truncf %v : f32 to bf16
    %q = arith.mulf %v, %v : f32
    coda.yield %y, %q : bf16, f32""",
        dict(M=1000, N=520, K=200),
        lambda p, r, y, s: [p + r, (p + r).pow(2).sum(1)],
        attributes="{schedule = #coda.schedule<tile = [256, 128, 64], stages = 3,"
        " cluster = 1, mode = cooperative>}",
    ),
    "functions": Case(
        "rows(m) columns(n) contracts(k)",
        "x ?MxKxbf16 at (m, k); w NxKxbf16 at (n, k); r ?MxNxf32 at (m, n)"
        ": a ?MxNxf32 at (m, n); b ?MxNxf32 at (m, n); c ?MxNxf32 at (m, n); d ?MxNxf32 at (m, n);"
        "e ?MxNxf32 at (m, n); f ?MxNxf32 at (m, n); g ?MxNxf32 at (m, n); h ?MxNxf32 at (m, n)",
        """  ^bb0(%p: f32, %r: f32):
    %ten = arith.constant 10.0 : f32
    %half = arith.constant 0.25 : f32
    %x = arith.mulf %p, %ten : f32
    %abs = math.absf %x : f32
    %pos = arith.addf %abs, %half : f32
    %a = math.exp %x : f32
    %b = math.log %pos : f32
    %c = math.tanh %p : f32
    %d = math.rsqrt %pos : f32
    %e = math.sqrt %pos : f32
    %f = math.powf %pos, %r : f32
    %g = arith.divf %r, %pos : f32
    %h = arith.maximumf %p, %r : f32
    coda.yield %a, %b, %c, %d, %e, %f, %g, %h : f32, f32, f32, f32, f32, f32, f32, f32""",
        dict(M=200, N=264, K=64),
        lambda p, r, *_: _functions(p, r),
        tolerance=2e-5,
    ),
}


def _index(p: Any, c: Any, l: Any) -> list[Any]:
    torch = _torch()
    b, t, h, j = 2, 77, 6, 40
    m = p.reshape(b, t, h, j) * c[None, :, None, :]
    ti = torch.arange(t, device="cuda")[None, :, None, None]
    ji = torch.arange(j, device="cuda")[None, None, None, :]
    hi = torch.arange(h, device="cuda")[None, None, :, None]
    y = torch.where(ji <= ti, m, 0.0)
    z = torch.where(ji == l[:, :, None, None], m + hi, 0.0)
    return [y, z.transpose(0, 1)]


def _functions(p: Any, r: Any) -> list[Any]:
    torch = _torch()
    x = 10 * p
    pos = x.abs() + 0.25
    return [
        x.exp(),
        pos.log(),
        p.tanh(),
        pos.rsqrt(),
        pos.sqrt(),
        pos.pow(r),
        r / pos,
        torch.maximum(p, r),
    ]


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
        for name, case in CASES.items():
            ptx, plan = ck.compile_program(case.program(name), args.coda_opt)
            ck.write_kernel(folder, name, ptx, plan)
    if args.compile:
        return

    import torch

    runtime = ck.Runtime(args.runtime)
    stream = torch.cuda.current_stream().cuda_stream
    failed = 0
    for name, case in CASES.items():
        try:
            kernel = ck.read_kernel(runtime, folder, name)
            print(f"{name}: {case.run(kernel, stream)}", flush=True)
        except AssertionError as error:
            failed += 1
            print(f"{name}: FAILED: {error}", flush=True)
    print(f"{len(CASES) - failed} passed, {failed} failed")
    raise SystemExit(failed != 0)


if __name__ == "__main__":
    main()
