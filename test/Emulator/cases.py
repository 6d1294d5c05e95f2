# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of one gemm each, what they compute, and how exactly.

Operands are written as in the op: `x at (m, k)`. Letters in types are sizes. All
sizes are dynamic, so that one kernel serves every size.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Callable

import numpy as np

from emulation import TYPES, Emulator, Tensor, ck

Arrays = list[np.ndarray]


@dataclass
class Case:
    """`reference` gives value and magnitude of each result from the products
    and the other inputs, in f64. An element may differ by `tolerance` times the
    magnitude, which sums what is rounded on the way."""

    dims: str
    rhs: list[str]
    ins: list[str]
    outs: list[str]
    body: str
    reference: Callable[..., list[tuple[np.ndarray, np.ndarray]]]
    element: str = "bf16"
    accumulators: int = 1
    schedule: str = ""
    lhs: str = "x MxK at (m, k)"
    tolerances: list[float] = field(default_factory=list)

    def operands(self) -> list[tuple[str, str, str]]:
        """(name, type, rest of the clause) of lhs, rhs, ins and outs."""
        texts = [self.lhs, *self.rhs, *self.ins, *self.outs]
        found = [re.match(r"(update )?(\w+) (\S+) (.*)", t).groups() for t in texts]
        return [(n, self._with_element(t), r) for _, n, t, r in found]

    def _with_element(self, text: str) -> str:
        has_element = text.split("x")[-1] in TYPES
        return text if has_element else f"{text}x{self.element}"

    def program(self) -> str:
        operands = self.operands()

        def memref(text: str) -> str:
            *dims, element = text.split("x")
            shape = "".join(f"{d if d.isdigit() else '?'}x" for d in dims)
            return f"memref<{shape}{element}>"

        def clause(at: int, text: str) -> str:
            name, type_, rest = operands[at]
            update = "update " if text.startswith("update ") else ""
            position, *by = rest.split(" by ")
            combiner = f" by {by[0]}" if by else ""
            return f"{update}%{name} {position}{combiner} : {memref(type_)}"

        texts = [self.lhs, *self.rhs, *self.ins, *self.outs]
        clauses = [clause(at, text) for at, text in enumerate(texts)]
        first_in, first_out = 1 + len(self.rhs), 1 + len(self.rhs) + len(self.ins)
        arguments = ", ".join(f"%{n}: {memref(t)}" for n, t, _ in operands)
        lines = [
            f"func.func @kernel({arguments}) {{",
            f"  coda.gemm {self.dims}",
            f"    lhs({clauses[0]}) rhs({', '.join(clauses[1:first_in])})",
        ]
        if self.ins:
            lines.append(f"    ins({', '.join(clauses[first_in:first_out])})")
        lines.append(f"    outs({', '.join(clauses[first_out:])})")
        if self.schedule:
            lines.append(f"    attributes {{schedule = {self.schedule}}}")
        return "\n".join([*lines, "  {", self.body, "  }", "  return", "}"])

    def arrays(self, sizes: dict[str, int], seed: int) -> Arrays:
        """Random operands; results that are not read are poisoned."""
        rng = np.random.default_rng(seed)
        made = []
        for at, (_, text, _) in enumerate(self.operands()):
            *dims, element = text.split("x")
            shape = [int(d) if d.isdigit() else sizes[d] for d in dims]
            scale = max(sizes["K"], 1) ** -0.5 if 1 <= at <= len(self.rhs) else 1.0
            if element == "i32":
                made.append(rng.integers(0, 50, shape).astype(np.int32))
            elif at in self.poisoned():
                made.append(np.full(shape, np.nan).astype(TYPES[element]))
            else:
                values = rng.standard_normal(shape) * scale
                made.append(values.astype(TYPES[element]))
        return made

    def poisoned(self) -> set[int]:
        first = 1 + len(self.rhs) + len(self.ins)
        return {
            first + at
            for at, text in enumerate(self.outs)
            if not text.startswith("update ")
        }

    def expected(self, arrays: Arrays) -> list[tuple[np.ndarray, np.ndarray]]:
        wide = [a.astype(np.float64) for a in arrays]
        # Contracts are last, or first and second last: K x M and K x N.
        lhs = wide[0].T if "(k, m)" in self.lhs else wide[0]
        contracts = lhs.shape[-1]
        products = []
        for text, w in zip(self.rhs, wide[1:]):
            if "k, n)" in text:
                w = np.swapaxes(w, -1, -2)
            products.append(lhs @ w.reshape(-1, contracts).T)
        return self.reference(*products, *wide[1 + len(self.rhs) :])

    def check(self, arrays: Arrays, results: Arrays) -> str:
        """Empty if the results are right."""
        first = 1 + len(self.rhs) + len(self.ins)
        for at, (value, magnitude) in enumerate(self.expected(arrays)):
            found = results[at].astype(np.float64)
            value, magnitude = value.reshape(found.shape), magnitude.reshape(found.shape)
            tolerance = self.tolerances[at] if self.tolerances else 1.01 * 2.0**-8
            wrong = ~(np.abs(found - value) <= tolerance * magnitude)
            if wrong.any():
                place = tuple(int(i) for i in np.argwhere(wrong)[0])
                return (
                    f"{self.operands()[first + at][0]}{list(place)} is {found[place]}, "
                    f"expected {value[place]}; {int(wrong.sum())} of {wrong.size} are wrong"
                )
        return ""


def compile_case(case: Case, coda_opt: str) -> tuple[str, dict[str, Any]]:
    return ck.compile_program(case.program(), coda_opt)


def launch(
    emulator: Emulator, case: Case, kernel: ck.Kernel, arrays: Arrays
) -> Arrays:
    """The results of one launch; RuntimeError has what the emulator found."""
    poisoned = case.poisoned()
    tensors = [Tensor(emulator, a, at not in poisoned) for at, a in enumerate(arrays)]
    try:
        kernel.bind(tensors)()
        first_out = 1 + len(case.rhs) + len(case.ins)
        return [t.read() for t in tensors[first_out:]]
    finally:
        for tensor in tensors:
            tensor.free()


# ---------------------------------------------------------------------------
# What an epilogue can say
# ---------------------------------------------------------------------------

GEMM = "rows(m) columns(n) contracts(k)"
MEMBERS = "rows(m) columns(n) members(p) contracts(k)"
W = "w NxK at (n, k)"
# Sums of products in f32, as a part of the magnitude of the result.
SUM = 2.0**-18


def summed(*values: np.ndarray) -> np.ndarray:
    """Magnitude of sums whose terms cancel: those of the inputs are near 1."""
    return sum(np.abs(v) for v in values) + 1.0


def rounded(*values: np.ndarray) -> np.ndarray:
    return sum(np.abs(v) for v in values) + 2.0**-10


def _plain(p: np.ndarray, *_: np.ndarray) -> list:
    return [(p, rounded(p))]


def _residual(p, r, g, y, z, s) -> list:
    v = p + r
    total = (v**2).sum(1)
    return [(v, rounded(v)), (v * g, rounded(v * g, v * g)), (total, total + 1)]


def _swiglu(both, s, h, z) -> list:
    gate, up = np.split(both * s[:, None], 2, axis=1)
    silu = gate / (1 + np.exp(-gate))
    halves = np.stack([gate, up], axis=1)
    return [(halves, rounded(halves)), (silu * up, rounded(silu * up))]


def _reductions(p, s, t, h) -> list:
    first, second = np.split(p, 2, axis=1)
    sums = np.stack([first.sum(1), second.sum(1)], axis=1) + s
    size = np.stack([np.abs(first).sum(1), np.abs(second).sum(1)], axis=1)
    squares = (first**2).sum(1)
    return [
        (sums, size + np.abs(s) + 1),
        (first.max(1), np.abs(first).max(1) + 1),
        (squares, squares + 1),
    ]


def _index(p, y) -> list:
    m, n = np.indices(p.shape)
    return [(np.where(n <= m, p, 0.0) + n, summed(p) + n)]


def _tiles(p, a, b, c, d, y) -> list:
    v = p * a + b + c + d
    return [(v, rounded(v, p * a, b, c, d))]


CASES: dict[str, Case] = {
    "plain": Case(
        GEMM,
        [W],
        [],
        ["y MxN at (m, n)"],
        """  ^bb0(%a: f32):
    %r = arith.truncf %a : f32 to bf16
    coda.yield %r : bf16""",
        _plain,
    ),
    "half": Case(
        GEMM,
        [W],
        [],
        ["y MxN at (m, n)"],
        """  ^bb0(%a: f32):
    %r = arith.truncf %a : f32 to f16
    coda.yield %r : f16""",
        _plain,
        element="f16",
    ),
    # Operands that are not contiguous along the contracts, as gradients are.
    "transposed_rhs": Case(
        GEMM,
        ["w KxN at (k, n)"],
        [],
        ["y MxN at (m, n)"],
        """  ^bb0(%a: f32):
    %r = arith.truncf %a : f32 to bf16
    coda.yield %r : bf16""",
        _plain,
    ),
    "transposed_lhs": Case(
        GEMM,
        [W],
        [],
        ["y MxN at (m, n)"],
        """  ^bb0(%a: f32):
    %r = arith.truncf %a : f32 to bf16
    coda.yield %r : bf16""",
        _plain,
        lhs="x KxM at (k, m)",
    ),
    "transposed_both": Case(
        GEMM,
        ["w KxN at (k, n)", "u KxN at (k, n)"],
        [],
        ["y MxN at (m, n)"],
        """  ^bb0(%a: f32, %b: f32):
    %v = arith.mulf %a, %b : f32
    %r = arith.truncf %v : f32 to bf16
    coda.yield %r : bf16""",
        lambda a, b, y: [(a * b, rounded(a * b))],
        accumulators=2,
        lhs="x KxM at (k, m)",
    ),
    "f32": Case(
        GEMM,
        [W],
        [],
        ["y MxNxf32 at (m, n)"],
        """  ^bb0(%a: f32):
    coda.yield %a : f32""",
        lambda p, y: [(p, summed(p))],
        tolerances=[SUM],
    ),
    "residual": Case(
        GEMM,
        [W],
        ["r MxN at (m, n)", "g N at (n)"],
        ["y MxN at (m, n)", "z MxN at (m, n)", "s Mxf32 at (m) by add"],
        """  ^bb0(%a: f32, %r: bf16, %g: bf16):
    %rf = arith.extf %r : bf16 to f32
    %gf = arith.extf %g : bf16 to f32
    %v = arith.addf %a, %rf : f32
    %y = arith.truncf %v : f32 to bf16
    %vg = arith.mulf %v, %gf : f32
    %z = arith.truncf %vg : f32 to bf16
    %q = arith.mulf %v, %v : f32
    coda.yield %y, %z, %q : bf16, bf16, f32""",
        _residual,
        tolerances=[1.01 * 2.0**-8, 1.01 * 2.0**-8, SUM],
    ),
    "swiglu": Case(
        MEMBERS,
        ["w 2xNxK at (p, n, k)"],
        ["s Mxf32 at (m)"],
        ["h Mx2xN at (m, p, n)", "z MxN at (m, n)"],
        """  ^bb0(%g: f32, %u: f32, %s: f32):
    %one = arith.constant 1.0 : f32
    %gs = arith.mulf %g, %s : f32
    %us = arith.mulf %u, %s : f32
    %neg = arith.negf %gs : f32
    %e = math.exp %neg : f32
    %d = arith.addf %e, %one : f32
    %silu = arith.divf %gs, %d : f32
    %z = arith.mulf %silu, %us : f32
    %gb = arith.truncf %gs : f32 to bf16
    %ub = arith.truncf %us : f32 to bf16
    %zb = arith.truncf %z : f32 to bf16
    coda.yield %gb, %ub, %zb : bf16, bf16, bf16""",
        _swiglu,
        accumulators=2,
    ),
    "two_rhs": Case(
        GEMM,
        [W, "u NxK at (n, k)"],
        [],
        ["y MxN at (m, n)"],
        """  ^bb0(%a: f32, %b: f32):
    %v = arith.mulf %a, %b : f32
    %r = arith.truncf %v : f32 to bf16
    coda.yield %r : bf16""",
        lambda a, b, y: [(a * b, rounded(a * b))],
        accumulators=2,
    ),
    "reductions": Case(
        MEMBERS,
        ["w 2xNxK at (p, n, k)"],
        [],
        [
            "update s Mx2xf32 at (m, p) by add",
            "t Mxf32 at (m) by max",
            "h Mxbf16 at (m) by add",
        ],
        """  ^bb0(%a: f32, %b: f32):
    %q = arith.mulf %a, %a : f32
    coda.yield %a, %b, %a, %q : f32, f32, f32, f32""",
        _reductions,
        accumulators=2,
        tolerances=[SUM, SUM, 1.01 * 2.0**-8],
    ),
    "update": Case(
        GEMM,
        [W],
        [],
        ["update y MxN at (m, n)"],
        """  ^bb0(%a: f32, %old: bf16):
    %o = arith.extf %old : bf16 to f32
    %v = arith.addf %a, %o : f32
    %r = arith.truncf %v : f32 to bf16
    coda.yield %r : bf16""",
        lambda p, y: [(p + y, rounded(p + y))],
    ),
    # The second result needs what the first overwrites.
    "overwrite": Case(
        GEMM,
        [W],
        [],
        ["update y MxNxf32 at (m, n)", "z MxNxf32 at (m, n)"],
        """  ^bb0(%a: f32, %old: f32):
    %v = arith.addf %a, %old : f32
    coda.yield %a, %v : f32, f32""",
        lambda p, y, z: [(p, summed(p)), (p + y, summed(p, y))],
        tolerances=[SUM, SUM],
    ),
    "index": Case(
        GEMM,
        [W],
        [],
        ["y MxNxf32 at (m, n)"],
        """  ^bb0(%a: f32):
    %m = coda.index m : index
    %n = coda.index n : index
    %inside = arith.cmpi ule, %n, %m : index
    %zero = arith.constant 0.0 : f32
    %v = arith.select %inside, %a, %zero : f32
    %i = arith.index_cast %n : index to i32
    %f = arith.sitofp %i : i32 to f32
    %r = arith.addf %v, %f : f32
    coda.yield %r : f32""",
        _index,
        tolerances=[SUM],
    ),
    # More tiles than shared memory holds: some are read in place.
    "tiles": Case(
        GEMM,
        [W],
        ["a MxN at (m, n)", "b MxN at (m, n)", "c MxN at (m, n)", "d MxNxf32 at (m, n)"],
        ["y MxN at (m, n)"],
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
        _tiles,
    ),
}
