# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Defects put into the PTX of real kernels, one at a time: the emulator must
find each, or the results must be wrong, unless a note says why it is harmless.
`--list` prints what finds what."""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from typing import Callable

from cases import CASES, compile_case, launch
from emulation import Emulator, ck

# Several tiles for each of 3 multiprocessors, ragged in both directions, more
# contract tiles than stages.
SIZES = dict(M=400, N=520, K=456)
SCHEDULES = 10

Change = Callable[[str], str]


def replace(pattern: str, by: str, which: int | None = 0) -> Change:
    """Rewrites the match of that number, or all; there must be one."""

    def change(text: str) -> str:
        found = list(re.finditer(pattern, text, re.MULTILINE))
        assert found, f"nothing matches {pattern}"
        if which is None:
            return re.sub(pattern, by, text, flags=re.MULTILINE)
        match = found[which]
        return text[: match.start()] + match.expand(by) + text[match.end() :]

    return change


def drop(pattern: str, which: int | None = 0) -> Change:
    """Removes statements: their whole lines."""
    return replace(rf"^[^\n]*{pattern}[^\n]*\n", "", which)


def add(pattern: str, amount: int, which: int = 0) -> Change:
    """Adds to the number that the pattern's only group matches."""

    def change(text: str) -> str:
        match = list(re.finditer(pattern, text, re.MULTILINE))[which]
        value = str(int(match[1]) + amount)
        return text[: match.start(1)] + value + text[match.end(1) :]

    return change


LOAD = r"cp\.async\.bulk\.tensor\.\dd\.shared::cluster[^\n]*"
STORE = r"cp\.async\.bulk\.tensor\.\dd\.global[^\n]*"
WAIT = r"mbarrier\.try_wait\.parity\.shared\.b64 P1, [^\n]*;"
NEVER_WAIT = "setp.eq.b32 P1, 0, 0;"
DESCRIPTOR = r"(4611686293305360384)"
# Waits are numbered as printed: the consumers' for the first contract tile, the
# others, the prefetched tile, and last the producer's for a free stage.
FIRST_FULL, NEXT_FULL, TILE_HERE, STAGE_FREE = 0, 1, 2, -1


@dataclass
class Mutation:
    name: str
    change: Change
    case: str = "residual"
    # Why nothing can be found.
    harmless: str = ""


MUTATIONS = [
    # Initialisation.
    Mutation("no fence after mbarrier.init", drop(r"fence\.mbarrier_init")),
    Mutation("no barrier after mbarrier.init", drop(r"bar\.sync \t0;")),
    Mutation("an mbarrier is not initialised", drop(r"mbarrier\.init", 2)),
    Mutation("an mbarrier is initialised for one more", add(r"mov\.b32 \t%r\d+, (1);\n\tmbarrier\.init", 1)),
    Mutation("a stage is free for one consumer", add(r"mov\.b32 \t%r\d+, (2);\n\tmbarrier\.init", -1)),
    Mutation("a stage is free after three consumers", add(r"mov\.b32 \t%r\d+, (2);\n\tmbarrier\.init", 1)),
    Mutation("all threads initialise", drop(r"@%p\d+ bra \t\$L__BB0_2;")),
    # Waits on mbarriers.
    Mutation("no wait for the first stage", replace(WAIT, NEVER_WAIT, FIRST_FULL)),
    Mutation("no wait for the next stages", replace(WAIT, NEVER_WAIT, NEXT_FULL)),
    Mutation("no wait for the prefetched tile", replace(WAIT, NEVER_WAIT, TILE_HERE)),
    Mutation("no wait for a free stage", replace(WAIT, NEVER_WAIT, STAGE_FREE)),
    Mutation("parity of the first stage is stuck", replace(r"(P1, \[%r\d+\]), %r\d+,", r"\1, 0,", FIRST_FULL)),
    Mutation("parity of the tile is stuck", replace(r"(P1, \[%r\d+\]), %r\d+,", r"\1, 0,", TILE_HERE)),
    Mutation("parity of free stages is stuck", replace(r"(P1, \[%r\d+\]), %r\d+,", r"\1, 1,", STAGE_FREE)),
    # Arrivals.
    Mutation("a stage is never given back", drop(r"mbarrier\.arrive\.shared", 0)),
    Mutation("the last stage is never given back", drop(r"mbarrier\.arrive\.shared", 1)),
    Mutation("a stage is given back twice", replace(r"^(\tmbarrier\.arrive\.shared[^\n]*\n)", r"\1\1", 0)),
    Mutation("too many bytes are expected", replace(r"(mbarrier\.arrive\.expect_tx\.shared\.b64 %rd\d+, \[%rd\d+\]), %r\d+;", r"\1, 8208;", 0)),
    Mutation("too few bytes are expected", replace(r"(mbarrier\.arrive\.expect_tx\.shared\.b64 %rd\d+, \[%rd\d+\]), %r\d+;", r"\1, 8176;", 0)),
    Mutation("the stage's bytes are miscounted", replace(r"(mbarrier\.arrive\.expect_tx\.shared\.b64 [^,]*, \[[^\]]*\]), %r\d+;", r"\1, 49136;", -1)),
    Mutation("no bytes are expected", drop(r"mbarrier\.arrive\.expect_tx", -1)),
    # Loads.
    Mutation("a load is missing", drop(LOAD, -1)),
    Mutation("coordinates are swapped", replace(r"(shared::cluster\.global[^{]*\{)(%r\d+), (%r\d+)\}", r"\1\3, \2}", -1)),
    Mutation("a load counts on another mbarrier", replace(r"(shared::cluster\.global[^\n]*\[%rd\d+\+)\d+\];", r"\g<1>229408];", -1)),
    Mutation("a load goes to a neighbour", replace(r"(bytes \[%rd\d+)\]", r"\1+1024]", -1)),
    Mutation("a load is misaligned", replace(r"(bytes \[%rd\d+)\]", r"\1+16]", -1)),
    Mutation("a load goes beyond shared memory", replace(r"(bytes \[%rd\d+)\]", r"\1+230000]", -1)),
    # Products.
    Mutation("no wgmma.fence", drop(r"wgmma\.fence", None)),
    Mutation("no commit of wgmmas", drop(r"wgmma\.commit_group", None)),
    Mutation("stages are given back one wgmma early", add(r"wgmma\.wait_group\.sync\.aligned \t(1);", 1)),
    Mutation("no wait before a stage is given back", drop(r"wgmma\.wait_group\.sync\.aligned \t1;")),
    Mutation("no last wait for wgmmas", drop(r"wgmma\.wait_group\.sync\.aligned 0;")),
    Mutation("the last wait leaves one group", add(r"wgmma\.wait_group\.sync\.aligned (0);", 1)),
    Mutation("accumulators start with what they had", replace(r"setp\.ne\.b32 p, 0, 0;", "setp.ne.b32 p, 1, 0;")),
    Mutation("accumulators start again", replace(r"setp\.ne\.b32 p, 1, 0;", "setp.ne.b32 p, 0, 0;", 4)),
    Mutation("the descriptor starts 32 bytes later", add(DESCRIPTOR, 2)),
    Mutation("the descriptor's 8 rows are too close", add(DESCRIPTOR, -(32 << 32))),
    Mutation("the descriptor's 8 rows are too far", add(DESCRIPTOR, 64 << 32)),
    Mutation("the descriptor has another swizzle", add(DESCRIPTOR, 1 << 62)),
    # Registers.
    Mutation("more registers than there are", add(r"setmaxnreg\.inc\.sync\.aligned\.u32 \t(\d+);", 8)),
    Mutation("registers are not given back", drop(r"setmaxnreg\.dec")),
    # Buffers of the epilogue.
    Mutation("no fence before stores", drop(r"fence\.proxy\.async", None)),
    Mutation("no fence before the first stores", drop(r"fence\.proxy\.async", 0)),
    Mutation("no fence before the last stores", drop(r"fence\.proxy\.async", -1)),
    Mutation("no barrier between fence and stores", replace(r"(fence\.proxy\.async[^\n]*\n)[^\n]*bar\.sync[^\n]*\n", r"\1")),
    Mutation(
        "the fence comes after the barrier",
        replace(r"(\tfence\.proxy\.async[^\n]*\n)(\tbar\.sync[^\n]*\n)", r"\2\1"),
        harmless="the thread that stores has a fence on the way from every write",
    ),
    Mutation(
        "no wait before the first buffer is written",
        drop(r"cp\.async\.bulk\.wait_group\.read", 1),
        harmless="the thread has waited before it prefetched the tile, which all wait for",
    ),
    Mutation("no barrier before a buffer is written", replace(r"\tbar\.sync \t%r\d+, 128;\n(\tstmatrix)", r"\1", 1)),
    Mutation("no wait before a buffer is written", drop(r"cp\.async\.bulk\.wait_group\.read", 2)),
    Mutation("no wait before a tile is prefetched", drop(r"cp\.async\.bulk\.wait_group\.read", 0)),
    Mutation("no commit of stores", drop(r"cp\.async\.bulk\.commit_group", None)),
    Mutation("no last wait for stores", drop(r"cp\.async\.bulk\.wait_group \t0;")),
    Mutation("stmatrix is misaligned", replace(r"(stmatrix[^\n]*\[%rd\d+)\]", r"\1+8]")),
    Mutation("stmatrix writes elsewhere", replace(r"(stmatrix[^\n]*\[%rd\d+)\]", r"\1+32]")),
    Mutation("ldmatrix reads elsewhere", replace(r"(ldmatrix[^\n]*\[%rd\d+)\]", r"\1+8192]")),
    Mutation("a store takes another buffer", replace(rf"({STORE}\[%rd\d+)\];", r"\1+8192];")),
    Mutation("a store goes elsewhere", replace(r"(bulk_group \[%rd\d+, \{)(%r\d+), (%r\d+)\}", r"\1\3, \2}")),
    Mutation("all threads store", drop(r"@%p\d+ bra \t\$L__BB0_24;")),
    Mutation("all threads but one store", replace(r"@%p(\d+) bra \t\$L__BB0_24;", r"@!%p\1 bra \t$L__BB0_24;")),
    # Named barriers.
    Mutation("a barrier of both consumers", replace(r"bar\.sync \t%r\d+, 128;", "bar.sync \t%r9, 256;")),
    Mutation("consumers share a barrier", replace(r"bar\.sync \t%r\d+, 128;", "bar.sync \t1, 128;", None)),
    Mutation("a barrier of three warps", replace(r"bar\.sync \t(%r\d+), 128;", r"bar.sync \t\1, 96;")),
    # Rows that several blocks sum.
    Mutation("no fence before a block arrives", drop(r"fence\.acq_rel\.gpu", 0)),
    Mutation("no fence after the last block has arrived", drop(r"fence\.acq_rel\.gpu", 1)),
    Mutation("no block ever arrives", replace(r"(atom\.global\.add\.u32[^\n]*), 1;", r"\1, 0;")),
    Mutation("blocks arrive without an atomic operation", replace(r"atom\.global\.add\.u32 \t(%r\d+), (\[%rd\d+\]), 1;", r"ld.global.b32 \t\1, \2;")),
    Mutation("threads are missing in a shuffle", replace(r"(shfl\.sync\.bfly\.b32[^\n]*), -1;", r"\1, 15;")),
    Mutation("a shuffle takes another lane", replace(r"(shfl\.sync\.bfly\.b32 \t%r\d+, %r\d+), 2,", r"\1, 4,")),
    # Another kernel: two halves of a weight, three stores.
    Mutation("halves are swapped", replace(r"(global\.tile[^\n]*\{%r\d+, %r\d+, )%r\d+\}", r"\g<1>0}", None), "swiglu"),
    Mutation("the second half goes to the first", drop(LOAD, -2), "swiglu"),
    Mutation("no fence before stores of three", drop(r"fence\.proxy\.async", 1), "swiglu"),
    Mutation("two groups may be unread", replace(r"wait_group\.read \t\d;", "wait_group.read \t2;", None), "swiglu"),
    Mutation("rows are not masked", replace(r"setp\.lt\.u32 \t(%p\d+), [^\n]*;\n", r"setp.eq.b32 \t\1, 0, 0;\n", None), "f32"),
]


def find(emulator: Emulator, mutation: Mutation, text: str, plan: dict) -> str:
    """What shows the defect; empty if nothing does."""
    case = CASES[mutation.case]
    mutated = mutation.change(text)
    assert mutated != text, mutation.name
    try:
        kernel = ck.Kernel(emulator.runtime, mutated, plan)
    except RuntimeError as error:
        return f"refused: {str(error).splitlines()[0]}"
    arrays = case.arrays(SIZES, seed=1)
    first = None
    for number in range(SCHEDULES):
        emulator.set_schedule(1, number)
        try:
            results = launch(emulator, case, kernel, arrays)
        except RuntimeError as error:
            lines = str(error).splitlines()
            return f"schedule {number}: {lines[1] if len(lines) > 1 else lines[0]}"
        if wrong := case.check(arrays, results):
            return f"schedule {number}: wrong: {wrong}"
        bits = [r.tobytes() for r in results]
        if first is not None and bits != first:
            return f"schedule {number}: other bits"
        first = bits
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--coda-opt", default="coda-opt")
    parser.add_argument("--libraries", required=True)
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    emulator = Emulator(args.libraries)
    kernels = {m.case: compile_case(CASES[m.case], args.coda_opt) for m in MUTATIONS}
    wrong = 0
    for mutation in MUTATIONS:
        found = find(emulator, mutation, *kernels[mutation.case])
        # A finding where there is nothing to find is as wrong as none.
        is_wrong = bool(found) == bool(mutation.harmless)
        wrong += is_wrong
        if args.list or is_wrong:
            text = found or mutation.harmless or "NOT FOUND"
            print(f"{mutation.name}: {text}", flush=True)
    print(f"{len(MUTATIONS) - wrong} of {len(MUTATIONS)} defects are judged right")
    raise SystemExit(wrong != 0)


if __name__ == "__main__":
    main()
