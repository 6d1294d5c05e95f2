# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opcodes that compute each lane for itself, and kernels of one opcode each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

COUNT = 96


@dataclass
class Opcode:
    """`result` and `operands` are types of registers: pred, b16, b32 or b64.
    `kind` says which values are interesting, and how results are compared."""

    name: str
    result: str
    operands: list[str]
    kind: str
    # Units in the last place, or a fixed error; None for bits.
    ulps: float | None = None
    error: float = 0.0
    immediate: str = ""


BITS = {"16": "b16", "32": "b32", "64": "b64"}
COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]


def reg(type_: str) -> str:
    return "b16" if type_.endswith("8") else BITS[type_.lstrip("busf")]


def integers() -> list[Opcode]:
    made = []
    for t in ("u16", "s16", "u32", "s32", "u64", "s64"):
        r = reg(t)
        for name in ("add", "sub", "mul.lo", "mul.hi", "min", "max"):
            made.append(Opcode(f"{name}.{t}", r, [r, r], "int"))
        # What a division by zero gives is not defined.
        for name in ("div", "rem"):
            made.append(Opcode(f"{name}.{t}", r, [r, r], "nonzero"))
        made.append(Opcode(f"mad.lo.{t}", r, [r, r, r], "int"))
        made.append(Opcode(f"shr.{t}", r, [r, "b32"], "shift"))
        made += [Opcode(f"setp.{c}.{t}", "pred", [r, r], "int") for c in COMPARISONS]
        made.append(Opcode(f"setp.lt.and.{t}", "pred", [r, r, "pred"], "int"))
        made.append(Opcode(f"setp.gt.or.{t}", "pred", [r, r, "pred"], "int"))
        if t.startswith("s"):
            made.append(Opcode(f"neg.{t}", r, [r], "int"))
            made.append(Opcode(f"abs.{t}", r, [r], "int"))
        if r != "b16":
            made.append(Opcode(f"bfe.{t}", r, [r, "b32", "b32"], "field"))
    for t, wide in (("u16", "b32"), ("s16", "b32"), ("u32", "b64"), ("s32", "b64")):
        made.append(Opcode(f"mul.wide.{t}", wide, [reg(t)] * 2, "int"))
        made.append(Opcode(f"mad.wide.{t}", wide, [reg(t), reg(t), wide], "int"))
    for r in ("b16", "b32", "b64"):
        made += [Opcode(f"{n}.{r}", r, [r, r], "int") for n in ("and", "or", "xor")]
        made.append(Opcode(f"not.{r}", r, [r], "int"))
        made.append(Opcode(f"shl.{r}", r, [r, "b32"], "shift"))
        made.append(Opcode(f"selp.{r}", r, [r, r, "pred"], "int"))
        if r != "b16":
            made.append(Opcode(f"popc.{r}", "b32", [r], "int"))
            made.append(Opcode(f"clz.{r}", "b32", [r], "int"))
            made.append(Opcode(f"bfi.{r}", r, [r, r, "b32", "b32"], "field"))
    made += [Opcode(f"{n}.pred", "pred", ["pred"] * 2, "int") for n in ("and", "or", "xor")]
    made.append(Opcode("not.pred", "pred", ["pred"], "int"))
    made.append(Opcode("prmt.b32", "b32", ["b32"] * 3, "int"))
    made.append(Opcode("lop3.b32", "b32", ["b32"] * 3, "int", immediate="0x96"))
    made.append(Opcode("brev.b32", "b32", ["b32"], "int"))
    made += [Opcode(f"shf.{d}.wrap.b32", "b32", ["b32"] * 3, "int") for d in "lr"]
    return made


def floats() -> list[Opcode]:
    made = []
    unordered = [c + "u" for c in COMPARISONS] + ["num", "nan"]
    for t, r in (("f32", "b32"), ("f64", "b64")):
        for name in ("add.rn", "sub.rn", "mul.rn", "div.rn", "min", "max"):
            made.append(Opcode(f"{name}.{t}", r, [r, r], t))
        made += [Opcode(f"{n}.{t}", r, [r], t) for n in ("sqrt.rn", "rcp.rn", "neg", "abs")]
        made.append(Opcode(f"fma.rn.{t}", r, [r] * 3, t))
        made.append(Opcode(f"copysign.{t}", r, [r, r], t))
        made += [Opcode(f"setp.{c}.{t}", "pred", [r, r], t) for c in COMPARISONS + unordered]
        made.append(Opcode(f"setp.lt.and.{t}", "pred", [r, r, "pred"], t))
    for name in ("add.rn.ftz", "sub.rn.ftz", "mul.rn.ftz", "min.NaN", "max.NaN"):
        made.append(Opcode(f"{name}.f32", "b32", ["b32"] * 2, "f32"))
    made.append(Opcode("fma.rn.ftz.f32", "b32", ["b32"] * 3, "f32"))
    # Bounds of the documents, or of CUDA's programming guide for the same.
    for name, ulps, error in (
        ("ex2.approx", 2, 0.0),
        ("lg2.approx", 2, 2.0**-22),
        ("rcp.approx", 1, 0.0),
        ("sqrt.approx", 2, 0.0),
        ("rsqrt.approx", 2, 0.0),
    ):
        made.append(Opcode(f"{name}.f32", "b32", ["b32"], "f32", ulps, error))
        made.append(Opcode(f"{name}.ftz.f32", "b32", ["b32"], "f32", ulps, error))
    made.append(Opcode("tanh.approx.f32", "b32", ["b32"], "f32", 2.0**13))
    made.append(Opcode("div.full.f32", "b32", ["b32"] * 2, "moderate", 2))
    for t in ("bf16", "f16"):
        for name in ("add.rn", "sub.rn", "mul.rn", "min", "max", "min.NaN", "max.NaN"):
            made.append(Opcode(f"{name}.{t}", "b16", ["b16"] * 2, t))
    return made


def is_subset(source: str, to: str) -> bool:
    """Whether one integer type holds all values of another."""
    bits, wanted = int(source[1:]), int(to[1:])
    if source[0] == to[0]:
        return wanted >= bits
    return to[0] == "s" and wanted > bits


def conversions() -> list[Opcode]:
    made = []
    whole = ["u16", "s16", "u32", "s32", "u64", "s64"]
    for to in whole:
        for source in whole:
            if to != source:
                made.append(Opcode(f"cvt.{to}.{source}", reg(to), [reg(source)], "int"))
                if not is_subset(source, to):
                    made.append(Opcode(f"cvt.sat.{to}.{source}", reg(to), [reg(source)], "int"))
    for real, r in (("f32", "b32"), ("f64", "b64")):
        for t in whole:
            made.append(Opcode(f"cvt.rn.{real}.{t}", r, [reg(t)], "int"))
            for rounding in ("rni", "rzi", "rmi", "rpi"):
                made.append(Opcode(f"cvt.{rounding}.{t}.{real}", reg(t), [r], real))
        for rounding in ("rni", "rzi", "rmi", "rpi"):
            made.append(Opcode(f"cvt.{rounding}.{real}.{real}", r, [r], real))
    made.append(Opcode("cvt.f64.f32", "b64", ["b32"], "f32"))
    made.append(Opcode("cvt.rn.f32.f64", "b32", ["b64"], "f64"))
    for t in ("bf16", "f16"):
        made.append(Opcode(f"cvt.f32.{t}", "b32", ["b16"], t))
        made.append(Opcode(f"cvt.rn.{t}.f32", "b16", ["b32"], "f32"))
        made.append(Opcode(f"cvt.rn.{t}x2.f32", "b32", ["b32"] * 2, "f32"))
        made.append(Opcode(f"cvt.rn.relu.{t}x2.f32", "b32", ["b32"] * 2, "f32"))
    return made


OPCODES = integers() + floats() + conversions()
SIZES = {"pred": 4, "b16": 2, "b32": 4, "b64": 8}
ARRAYS = {2: np.uint16, 4: np.uint32, 8: np.uint64}

SPECIAL = {
    "f32": [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-45, -1e-40, 1.1754944e-38,
            3.4028235e38, 0.5, 1.5, 2.5, -2.5, 65519.0, 65520.0, 2147483648.0, -2147483649.0,
            4294967296.0, 1.00390625, 1.01171875, 9.2e18, 1.9e19, 126.5, -126.5, 0.1, 3.0],
    "f64": [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 5e-324, -1e-310, 2.2e-308,
            1.79e308, 0.5, 1.5, 2.5, -2.5, 1e-46, 3.5e38, 2147483648.0, -2147483649.0, 9.3e18,
            1.9e19, 1.0000000596046448, 0.1, 3.0],
    "moderate": [1.0, -1.0, 0.0, -0.0, 3.0, 7.5, -0.1, 1e10, 1e-10, 12345.678],
    "int": [0, 1, 2, 7, 8, 31, 32, 33, 63, 64, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF,
            0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, 0x7FFFFFFFFFFFFFFF,
            0x8000000000000000, 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFE],
    "bf16": [0, 0x8000, 0x3F80, 0xBF80, 0x7F80, 0xFF80, 0x7FC0, 1, 0x8001, 0x0080, 0x7F7F, 0x3F81,
             0x4049],
    "f16": [0, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 1, 0x8001, 0x0400, 0x7BFF, 0x3C01,
            0x4248],
}  # fmt: skip


def inputs(opcode: Opcode, seed: int) -> list[np.ndarray]:
    """Bits of each operand: special values against each other, and random ones."""
    rng = np.random.default_rng(seed)
    made = []
    for at, type_ in enumerate(opcode.operands):
        bytes_ = SIZES[type_]
        array = ARRAYS[bytes_]
        if type_ == "pred":
            made.append(rng.integers(0, 2, COUNT).astype(np.uint32))
            continue
        kind = opcode.kind
        if kind in ("shift", "field") and at > 0 and type_ == "b32" and at >= len(opcode.operands) - (
            1 if kind == "shift" else 2
        ):
            made.append(rng.choice([0, 1, 5, 15, 16, 31, 32, 33, 63, 64, 65, 200], COUNT).astype(np.uint32))
            continue
        if kind in ("f32", "f64", "moderate"):
            real = np.float64 if bytes_ == 8 else np.float32
            special = SPECIAL[kind]
            # Exact steps only, so that every machine makes the same numbers.
            values = np.ldexp(rng.random(COUNT) - 0.5, rng.integers(-30, 30, COUNT)).astype(real)
            chosen = rng.choice(np.array(special, dtype=real), COUNT)
            with np.errstate(all="ignore"):
                values = np.where(rng.random(COUNT) < 0.6, chosen, values).astype(real)
            made.append(values.view(array))
            continue
        special = SPECIAL[kind if kind in SPECIAL else "int"]
        mask = (1 << (8 * bytes_)) - 1
        drawn = [
            int(rng.choice(special)) if rng.random() < 0.6 else int(rng.integers(0, 2**63)) * 2
            for _ in range(COUNT)
        ]
        values = np.array([d & mask for d in drawn], dtype=array)
        if kind == "nonzero" and at == 1:
            values[values == 0] = 3
        made.append(values)
    return made


def kernel(opcode: Opcode, name: str) -> str:
    """A kernel of one block that applies the opcode to its inputs."""
    count = len(opcode.operands)
    lines = [f".visible .entry {name}("]
    lines.append(",\n".join(f"\t.param .u64 {name}_{i}" for i in range(count + 1)))
    lines += [")", "{", "\t.reg .pred %p<8>;", "\t.reg .b16 %h<8>;", "\t.reg .b32 %r<10>;"]
    lines += ["\t.reg .b64 %d<10>;", "\t.reg .b64 %a<10>;", "\tmov.u32 %r9, %tid.x;"]
    banks = {"pred": "%p", "b16": "%h", "b32": "%r", "b64": "%d"}
    for at, type_ in enumerate(opcode.operands):
        bytes_ = SIZES[type_]
        lines.append(f"\tld.param.u64 %a{at}, [{name}_{at}];")
        lines.append(f"\tmad.wide.u32 %a{at}, %r9, {bytes_}, %a{at};")
        if type_ == "pred":
            lines.append(f"\tld.global.b32 %r8, [%a{at}];\n\tsetp.ne.u32 %p{at}, %r8, 0;")
        else:
            lines.append(f"\tld.global.{type_} {banks[type_]}{at}, [%a{at}];")
    operands = [f"{banks[t]}{i}" for i, t in enumerate(opcode.operands)]
    if opcode.immediate:
        operands.append(opcode.immediate)
    result = f"{banks[opcode.result]}7"
    lines.append(f"\t{opcode.name} {', '.join([result, *operands])};")
    lines.append(f"\tld.param.u64 %a8, [{name}_{count}];")
    lines.append(f"\tmad.wide.u32 %a8, %r9, {SIZES[opcode.result]}, %a8;")
    if opcode.result == "pred":
        lines.append("\tselp.b32 %r7, 1, 0, %p7;\n\tst.global.b32 [%a8], %r7;")
    else:
        lines.append(f"\tst.global.{opcode.result} [%a8], {result};")
    return "\n".join([*lines, "\tret;", "}", ""])


def module(names: list[tuple[Opcode, str]]) -> str:
    header = ".version 8.3\n.target sm_90a\n.address_size 64\n\n"
    return header + "\n".join(kernel(o, n) for o, n in names)
