# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs an example of the dialect and compares it with formulas in f64.

usage: examples.py ENTRY PROGRAM FOLDER [OLD=NEW]...

Sizes OLD in types become NEW, for what takes too long in plain Python. The
roundings that the program asks for are in the formulas, so a result differs only
where the order of an f32 sum moves a value over the edge of a rounding.
"""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys

from arrays import Array, Generator, bf16, build, dot, f8, f16, f32, indices, read, write, zeros

g = Generator()
INF = math.inf


def silu(value: float) -> float:
    return value / (1.0 + math.exp(-value))


def log_sum_exp(values: list[float]) -> float:
    top = max(values, default=-INF)
    if top in (INF, -INF):
        return top
    return top + math.log(sum(math.exp(value - top) for value in values))


def rope_half():
    x, w = g.normal("bf16", 2, 48, 256), g.normal("bf16", 4, 2, 32, 256, scale=1 / 16)
    r = g.normal("f32", 2, 48, mean=1, scale=0.2)
    cos, sin = g.normal("bf16", 48, 2, 32), g.normal("bf16", 48, 2, 32)

    def turned(b, h, t, p, j):
        a = [bf16(f32(dot(x.row(b, t), w.row(h, q, j)) * r[b, t])) for q in range(2)]
        other = -a[1] if p == 0 else a[0]
        return bf16(a[p] * cos[t, p, j]) + bf16(other * sin[t, p, j])

    shape = (2, 4, 48, 2, 32)
    return [x, w, r, cos, sin, zeros("bf16", *shape)], [build("bf16", shape, turned)]


def rope_interleaved():
    x, w = g.normal("bf16", 2, 48, 256), g.normal("bf16", 4, 32, 2, 256, scale=1 / 16)
    freqs = g.normal("f32", 48, 32, 2)

    def turned(b, t, h, j, p):
        re, im = (bf16(dot(x.row(b, t), w.row(h, j, q))) for q in range(2))
        c, s = freqs[t, j, 0], freqs[t, j, 1]
        return re * c - im * s if p == 0 else re * s + im * c

    shape = (2, 48, 4, 32, 2)
    return [x, w, freqs, zeros("bf16", *shape)], [build("bf16", shape, turned)]


def partial_rotary():
    x, w = g.normal("bf16", 2, 48, 256), g.normal("bf16", 4, 3, 4, 2, 8, 256, scale=1 / 16)
    cos, sin = g.normal("bf16", 1, 48, 2, 8), g.normal("bf16", 1, 48, 2, 8)

    def product(b, t, h, s, u, p, j):
        return bf16(dot(x.row(b, t), w.row(h, s, u, p, j)))

    acc = build("bf16", (2, 48, 4, 3, 4, 2, 8), product)

    def turned(b, t, h, s, u, p, j):
        if u != 0:
            return acc[b, t, h, s, u, p, j]
        other = acc[b, t, h, s, u, 1 - p, j] * (-1 if p == 0 else 1)
        return bf16(acc[b, t, h, s, u, p, j] * cos[0, t, p, j]) + bf16(other * sin[0, t, p, j])

    by_head, transposed = (2, 4, 48, 4, 2, 8), (2, 4, 4, 2, 8, 48)
    q = build("bf16", by_head, lambda b, h, t, u, p, j: turned(b, t, h, 0, u, p, j))
    k = build("bf16", transposed, lambda b, h, u, p, j, t: turned(b, t, h, 1, u, p, j))
    v = build("bf16", by_head, lambda b, h, t, u, p, j: acc[b, t, h, 2, u, p, j])
    outs = [zeros("bf16", *by_head), zeros("bf16", *transposed), zeros("bf16", *by_head)]
    return [x, w, cos, sin, *outs], [q, k, v]


def unequal_width():
    tokens = 5
    x, w = g.normal("bf16", 2, tokens, 256), g.normal("bf16", 8, 2, 32, 256, scale=1 / 16)
    cos, sin = g.normal("f32", tokens, 32), g.normal("f32", tokens, 32)

    def turned(b, h, t, p, j):
        first, second = (dot(x.row(b, t), w.row(h, q, j)) for q in range(2))
        if h >= 6:
            return second if p else first
        c, s = cos[t, j], sin[t, j]
        return second * c + first * s if p else first * c - second * s

    shape = (2, 8, tokens, 2, 32)
    return [x, w, cos, sin, zeros("bf16", *shape)], [build("bf16", shape, turned)]


def swiglu():
    rows = 7
    x, r = g.normal("bf16", rows, 256), g.normal("f32", rows, mean=1, scale=0.2)
    weights = [g.normal("bf16", 704, 256, scale=1 / 16) for _ in range(2)]
    shape = (rows, 704)
    gate, up = (
        build("bf16", shape, lambda m, f: f32(dot(x.row(m), w.row(f)) * r[m,])) for w in weights
    )
    y = build("bf16", shape, lambda m, f: bf16(silu(gate[m, f])) * up[m, f])
    return [x, *weights, r, *[zeros("bf16", *shape)] * 3], [gate, up, y]


def residual():
    rows = 5
    o, w = g.normal("bf16", rows, 256), g.normal("bf16", 256, 256, scale=1 / 16)
    res, gamma = g.normal("bf16", rows, 256), g.normal("bf16", 256)
    x = build("bf16", (rows, 256), lambda m, n: bf16(dot(o.row(m), w.row(n))) + res[m, n])
    h = build("bf16", (rows, 256), lambda m, n: x[m, n] * gamma[n,])
    ss = build("f32", (rows,), lambda m: dot(x.row(m), x.row(m)))
    outs = [zeros("bf16", rows, 256), zeros("bf16", rows, 256), zeros("f32", rows)]
    return [o, w, res, gamma, *outs], [x, h, ss]


def deferred_norm():
    rows = 5
    h, w = g.normal("bf16", rows, 256), g.normal("bf16", 704, 256, scale=1 / 16)
    ss = build("f32", (rows,), lambda m: 200.0 + m)
    width = Array("f32", (), [256.0])

    def scaled(m, n):
        return dot(h.row(m), w.row(n)) / math.sqrt(ss[m,] / 256.0 + 1e-6)

    y = build("bf16", (rows, 704), scaled)
    return [h, w, ss, width, zeros("bf16", rows, 704)], [y]


def weight_sums():
    w = g.normal("bf16", 704, 256, scale=1 / 16)
    gamma, beta, c = g.normal("bf16", 256), g.normal("bf16", 256), g.normal("f32", 704)
    u = build("f32", (704,), lambda n: dot(w.row(n), gamma.data))
    v = build("f32", (704,), lambda n: dot(w.row(n), beta.data) + c[n,])
    return [w, gamma, beta, zeros("f32", 704), c], [u, v]


def layer_norm():
    rows = 3
    x, w = g.normal("bf16", rows, 256), g.normal("bf16", 704, 256, scale=1 / 16)
    total, sd = g.normal("f32", rows, scale=20), build("f32", (rows,), lambda m: 250.0 + m)
    u, v = g.normal("f32", 704), g.normal("f32", 704)

    def normalised(m, n):
        rstd = 1 / math.sqrt(sd[m,] / 256 + 1e-5)
        return (dot(x.row(m), w.row(n)) - total[m,] / 256 * u[n,]) * rstd + v[n,]

    y = build("bf16", (rows, 704), normalised)
    return [x, w, total, sd, u, v, zeros("bf16", rows, 704)], [y]


def qk_norm():
    x, w = g.normal("bf16", 2, 48, 256), g.normal("bf16", 4, 2, 32, 256, scale=1 / 16)
    gamma = g.normal("bf16", 2, 32, mean=1)
    cos, sin = g.normal("f32", 48, 32), g.normal("f32", 48, 32)
    acc = build("f32", (2, 48, 4, 2, 32), lambda b, t, h, p, j: dot(x.row(b, t), w.row(h, p, j)))

    def rstd(b, t, h):
        head = acc.row(b, t, h)
        return 1 / math.sqrt(dot(head, head) / 64 + 1e-6)

    r = build("f32", (2, 48, 4), rstd)

    def turned(b, h, t, p, j):
        first, second = (acc[b, t, h, q, j] * r[b, t, h] * gamma[q, j] for q in range(2))
        c, s = cos[t, j], sin[t, j]
        return second * c + first * s if p else first * c - second * s

    shape = (2, 4, 48, 2, 32)
    args = [x, w, gamma, cos, sin, zeros("bf16", *shape), zeros("f32", 2, 48, 4)]
    return args, [build("bf16", shape, turned), r]


def lm_head():
    labels = Array("i64", (6,), [0, 1007, 1008, -1, -100, 500])
    x, w = g.normal("bf16", 6, 256), g.normal("bf16", 1024, 256, scale=1 / 8)
    logits = build(
        "bf16", (6, 1024), lambda m, n: 30 * math.tanh(dot(x.row(m), w.row(n)) / 30)
    )
    lse = build("f32", (6,), lambda m: log_sum_exp(logits.row(m)[:1008]))
    pick = build(
        "f32", (6,), lambda m: logits[m, labels[m,]] if 0 <= labels[m,] < 1008 else -INF
    )
    outs = [zeros("bf16", 6, 1024), zeros("f32", 6), zeros("f32", 6)]
    return [x, w, labels, *outs], [logits, lse, pick]


def loss():
    labels = Array("i64", (5,), [3, -100, 7, 0, -100])
    lse, pick = g.normal("f32", 5, mean=6), g.normal("f32", 5)
    rows = [m for m in range(5) if labels[m,] != -100]
    total = Array("f32", (), [f32(sum(lse[m,] - pick[m,] for m in rows))])
    count = Array("f32", (), [float(len(rows))])
    return [lse, pick, labels, zeros("f32"), zeros("f32")], [total, count]


def gradient():
    rows = 4
    labels = Array("i64", (rows,), [3, -100, 1007, 0])
    z = g.normal("bf16", rows, 1008)
    lse = build("f32", (rows,), lambda m: log_sum_exp(z.row(m)))
    scale = Array("f32", (), [0.25])

    def wide(m, n):
        hit = 1.0 if n == labels[m,] else 0.0
        return 0.0 if labels[m,] == -100 else (math.exp(z[m, n] - lse[m,]) - hit) * 0.25

    dl = build("bf16", (rows, 1008), wide)
    zdz = build("f32", (rows,), lambda m: sum(z[m, n] * wide(m, n) for n in range(1008)))
    outs = [zeros("bf16", rows, 1008), zeros("f32", rows)]
    return [z, lse, labels, scale, *outs], [dl, zdz]


def d_swiglu():
    rows = 3
    dx, wd = g.normal("bf16", rows, 256), g.normal("bf16", 256, 704, scale=1 / 16)
    zs = g.normal("bf16", rows, 2, 704)
    columns = [wd.data[f::704] for f in range(704)]
    dy = build("f32", (rows, 704), lambda m, f: dot(dx.row(m), columns[f]))

    def backward(m, f):
        gate, up = zs[m, 0, f], zs[m, 1, f]
        s = 1 / (1 + math.exp(-gate))
        return dy[m, f] * up * s * (gate * (1 - s) + 1), dy[m, f] * gate * s

    def z_dot_dz(m):
        pairs = ((zs[m, 0, f], zs[m, 1, f], *backward(m, f)) for f in range(704))
        return sum(gate * dg + up * du for gate, up, dg, du in pairs)

    dz = build("bf16", (rows, 2, 704), lambda m, p, f: backward(m, f)[p])
    y = build("bf16", (rows, 704), lambda m, f: silu(zs[m, 0, f]) * zs[m, 1, f])
    zdz = build("f32", (rows,), z_dot_dz)
    outs = [zeros("bf16", rows, 2, 704), zeros("bf16", rows, 704), zeros("f32", rows)]
    return [dx, wd, zs, *outs], [dz, y, zdz]


def head_product(heads: int):
    """x of (b, h, t, d) and w of (h, d, n), multiplied over h and d."""
    x = g.normal("bf16", 2, heads, 48, 64)
    w = g.normal("bf16", heads, 64, 256, scale=1 / 16)
    columns = [w.data[n::256] for n in range(256)]
    rows = {
        (b, t): [value for h in range(heads) for value in x.row(b, h, t)]
        for b, t in indices(2, 48)
    }
    acc = build("bf16", (2, 48, 256), lambda b, t, n: dot(rows[b, t], columns[n]))
    return x, w, acc


def dx_chain():
    dk, wk, acc = head_product(2)
    old = g.normal("bf16", 2, 48, 256)
    return [dk, wk, old], [build("bf16", (2, 48, 256), lambda *i: acc[i] + old[i])]


def d_rms_norm():
    dq, wq, acc = head_product(4)
    part, x, dres = (g.normal("bf16", 2, 48, 256) for _ in range(3))
    gamma = g.normal("bf16", 256, mean=1)
    r, s = g.normal("f32", 2, 48, mean=1, scale=0.2), g.normal("f32", 2, 48)
    dg0 = g.normal("f32", 256)
    da = build("bf16", (2, 48, 256), lambda *i: acc[i] + part[i])

    def normal(b, t, n):
        return x[b, t, n] * r[b, t]

    def dx(b, t, n):
        value = (da[b, t, n] * gamma[n,] - normal(b, t, n) * s[b, t]) * r[b, t]
        return bf16(value) + dres[b, t, n]

    a = build("bf16", (2, 48, 256), lambda b, t, n: normal(b, t, n) * gamma[n,])
    dg = build(
        "f32",
        (256,),
        lambda n: dg0[n,] + sum(da[b, t, n] * normal(b, t, n) for b, t in indices(2, 48)),
    )
    args = [dq, wq, part, x, gamma, r, s, dres, zeros("bf16", 2, 48, 256), dg0]
    return args, [build("bf16", (2, 48, 256), dx), a, dg]


def d_weight():
    rows = 5
    dz, an = g.normal("bf16", rows, 2, 704), g.normal("bf16", rows, 256)
    old = g.normal("f32", 2, 704, 256)

    def grown(p, f, k):
        return sum(dz[m, p, f] * an[m, k] for m in range(rows)) + old[p, f, k]

    return [dz, an, old], [build("f32", (2, 704, 256), grown)]


def transposed_store():
    m, n, k = 6, 13, 37
    a, b, c = g.normal("f16", k, m), g.normal("f16", k, n), g.normal("f32", n, m)
    acc = build("f32", (m, n), lambda i, j: dot(a.data[i::m], b.data[j::n]))
    low = build("f16", (m, n), lambda i, j: acc[i, j])
    high = build("f32", (m, n), lambda i, j: low[i, j])
    ct = build("f32", (n, m), lambda j, i: c[j, i] + acc[i, j])
    return [a, b, zeros("f16", m, n), zeros("f32", m, n), c], [low, high, ct]


def fp8():
    rows = 3
    a, b = g.normal("f8", rows, 512), g.normal("f8", 8, 128, 512)
    sa, sb = (g.normal("f32", *shape, mean=1, scale=0.1) for shape in ((rows,), (8, 128)))
    v = build(
        "f32", (rows, 8, 128), lambda m, i, c: dot(a.row(m), b.row(i, c)) * sa[m,] * sb[i, c]
    )
    sc = build("f32", (rows, 8), lambda m, i: max(map(abs, v.row(m, i))) / 448)
    q = build("f8", (rows, 8, 128), lambda m, i, c: max(-448, min(448, v[m, i, c] / sc[m, i])))
    amax = Array("f32", (), [max(map(abs, v.data))])
    return [a, b, sa, sb, zeros("f8", rows, 8, 128), zeros("f32", rows, 8), zeros("f32")], [q, sc, amax]


def broadcast_weight():
    x, w = g.normal("f16", 2, 3, 640), g.normal("f16", 10, 64, 640, scale=1 / 25)
    shape = (2, 10, 3, 64)
    q = build("f16", shape, lambda b, h, t, d: dot(x.row(b, t), w.row(h, d)))
    return [x, w, zeros("f16", *shape)], [q]


def grouped_heads():
    q, k = g.normal("bf16", 2, 2, 2, 48, 64), g.normal("bf16", 2, 2, 48, 64)
    mask = build("bf16", (2, 1, 48, 48), lambda b, o, t, c: 0.0 if c <= t else -INF)
    shape = (2, 2, 2, 48, 48)

    def score(b, i, r, t, c):
        return bf16(bf16(dot(q.row(b, i, r, t), k.row(b, i, c))) * 0.125) + mask[b, 0, t, c]

    return [q, k, mask, zeros("bf16", *shape)], [build("bf16", shape, score)]


def vector():
    row, w, bias = g.normal("f32", 37), g.normal("f32", 37, 13), g.normal("f32", 13)
    t = build("f32", (13,), lambda n: dot(row.data, w.data[n::13]) + bias[n,])
    return [row, w, bias, zeros("f32", 13)], [t]


def first_norm():
    rows = 5
    x, gamma = g.normal("bf16", rows, 256), g.normal("bf16", 256)
    r = build("f32", (rows,), lambda m: 1 / math.sqrt(dot(x.row(m), x.row(m)) / 256 + 1e-6))
    h = build("bf16", (rows, 256), lambda m, n: bf16(f32(x[m, n] * r[m,])) * gamma[n,])
    return [x, gamma, zeros("bf16", rows, 256), zeros("f32", rows)], [h, r]


def softmax():
    shape = (2, 4, 48, 33)
    scores = g.normal("f32", *shape, scale=3)
    sums = {i: log_sum_exp(scores.row(*i)) for i in indices(2, 4, 48)}
    p = build("bf16", shape, lambda b, h, t, s: math.exp(scores[b, h, t, s] - sums[b, h, t]))
    return [scores, zeros("bf16", *shape)], [p]


def finish():
    rows, parts = 6, 3
    values = g.normal("f32", rows, parts, 4, mean=100)
    lp = g.normal("f32", rows, parts, scale=3)
    sp = build("f32", (rows, parts), lambda m, j: sum(values.row(m, j)))
    count = Array("f32", (parts,), [4.0] * parts)

    def deviation(row):
        mean = sum(row) / len(row)
        return sum((value - mean) ** 2 for value in row)

    qp = build("f32", (rows, parts), lambda m, j: deviation(values.row(m, j)))
    lse = build("f32", (rows,), lambda m: log_sum_exp(lp.row(m)))
    # The mean of a tile comes from its rounded sum; 1e-3 covers what that costs.
    sd = build("f32", (rows,), lambda m: deviation(values.row(m)))
    return [lp, sp, qp, count, zeros("f32", rows), zeros("f32", rows)], [lse, sd]


def d_rope():
    y, dy = (g.normal("bf16", 2, 4, 48, 2, 32) for _ in range(2))
    cos, sin = g.normal("f32", 48, 2, 32), g.normal("f32", 48, 2, 32)
    old = g.normal("f32", 2, 48)

    def turned(b, t, h, p, j):
        d0, d1 = dy[b, h, t, 0, j], dy[b, h, t, 1, j]
        if p == 0:
            return d0 * cos[t, 0, j] + d1 * sin[t, 1, j]
        return d1 * cos[t, 1, j] - d0 * sin[t, 0, j]

    dz = build("bf16", (2, 48, 4, 2, 32), turned)
    zdz = build(
        "f32",
        (2, 48),
        lambda b, t: old[b, t] + sum(dot(y.row(b, h, t), dy.row(b, h, t)) for h in range(4)),
    )
    return [y, dy, cos, sin, zeros("bf16", 2, 48, 4, 2, 32), old], [dz, zdz]


EXAMPLES = {
    "q_rope": rope_half,
    "interleaved_rope": rope_interleaved,
    "partial_rotary_merged_qkv": partial_rotary,
    "merged_qkv_of_unequal_width": unequal_width,
    "swiglu": swiglu,
    "residual_and_sum_of_squares": residual,
    "scale_by_rms": deferred_norm,
    "weight_sums": weight_sums,
    "layer_norm": layer_norm,
    "qk_norm_rope": qk_norm,
    "lm_head": lm_head,
    "loss": loss,
    "gradient": gradient,
    "d_swiglu": d_swiglu,
    "dx_chain": dx_chain,
    "d_rms_norm": d_rms_norm,
    "d_weight": d_weight,
    "transposed_store": transposed_store,
    "fp8_block_scale": fp8,
    "broadcast_weight": broadcast_weight,
    "scores_of_grouped_heads": grouped_heads,
    "vector_times_matrix": vector,
    "first_norm": first_norm,
    "softmax_row": softmax,
    "finish_split_reductions": finish,
    "d_rope": d_rope,
}

# Largest error of one element and of the mean square, relative to the result:
# two places of the type, and a few roundings in a thousand that fall otherwise.
LIMITS = {"f32": (2e-5, 5e-6), "bf16": (2**-6, 2**-10), "f16": (2**-9, 2**-12), "f8": (2**-2, 2**-6)}


def compare(found: list[float], wanted: Array) -> str:
    """What is wrong with a result; empty if nothing is."""
    if len(found) != len(wanted.data):
        return f"{len(found)} elements, expected {len(wanted.data)}"
    finite = [value for value in wanted.data if math.isfinite(value)]
    scale = math.sqrt(dot(finite, finite) / max(len(finite), 1))
    largest, mean_square = LIMITS[wanted.type]
    total = 0.0
    for position, (value, want) in enumerate(zip(found, wanted.data)):
        if value == want:
            continue
        error = abs(value - want)
        if not error <= largest * (abs(want) + scale):
            return f"element {position} is {value}, expected {want}"
        total += error * error
    if math.sqrt(total / max(len(found), 1)) > mean_square * scale:
        return f"mean square error {math.sqrt(total / len(found)):.3g} at {scale:.3g}"
    return ""


def resize(source: str, target: str, sizes: list[str]) -> None:
    with open(source) as file:
        text = file.read()
    for size in sizes:
        old, new = size.split("=")
        text = re.sub(rf"(?<=[<x]){old}(?=x)", new, text)
    with open(target, "w") as file:
        file.write(text)


def main() -> None:
    entry, source, folder, *sizes = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    program = os.path.join(folder, "program.mlir")
    resize(source, program, sizes)
    args, wanted = EXAMPLES[entry]()
    command = ["coda-run", program, "--no-rewrite", f"--entry={entry}", f"--output={folder}"]
    for number, arg in enumerate(args):
        path = os.path.join(folder, f"argument{number}.npy")
        write(path, arg)
        command.append(f"--input={number}={path}")
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{entry}: {done.stdout}")
    for number, want in enumerate(wanted):
        found = read(os.path.join(folder, f"result{number}.npy"), want.type)
        problem = compare(found, want)
        if problem:
            sys.exit(f"{entry}: result {number}: {problem}")
    print(f"{entry}: {len(wanted)} results agree")


main()
