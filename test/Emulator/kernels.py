# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every kernel of the family on the emulated GPU: each feature of an epilogue,
each legal tile and number of stages, at ragged sizes, under several schedules."""

from __future__ import annotations

import argparse
import dataclasses

import numpy as np

from cases import CASES, Case, compile_case, launch
from emulation import Emulator, ck

# Below, at and above a tile; several tiles for each of 3 multiprocessors; rows
# that are no multiple of anything. Columns and contracts are multiples of 8, as
# tensor maps need.
SIZES = [
    dict(M=1, N=8, K=8),
    dict(M=128, N=64, K=64),
    dict(M=77, N=264, K=136),
    dict(M=300, N=136, K=328),
    dict(M=0, N=64, K=64),
]
TILES = [(rows, columns) for rows in (128, 256) for columns in range(64, 257, 64)]


def with_schedule(case: Case, rows: int, columns: int, stages: int) -> Case:
    text = (
        f"#coda.schedule<tile = [{rows}, {columns}, 64], stages = {stages},"
        " cluster = 1, mode = cooperative>"
    )
    return dataclasses.replace(case, schedule=text)


def run(
    emulator: Emulator,
    case: Case,
    coda_opt: str,
    sizes: list[dict[str, int]],
    schedules: int,
    seed: int,
) -> None:
    """Raises what is wrong."""
    kernel = ck.Kernel(emulator.runtime, *compile_case(case, coda_opt))
    for size in sizes:
        arrays = case.arrays(size, seed)
        first: list[np.ndarray] = []
        for number in range(schedules):
            emulator.set_schedule(seed, number)
            try:
                results = launch(emulator, case, kernel, arrays)
            except RuntimeError as error:
                raise AssertionError(f"{size}, schedule {number}: {error}") from None
            if number == 0:
                first = results
                if wrong := case.check(arrays, results):
                    raise AssertionError(f"{size}: {wrong}")
            for one, other in zip(first, results):
                if one.tobytes() != other.tobytes():
                    raise AssertionError(f"{size}: schedule {number} has other bits")


def configurations(name: str) -> list[tuple[str, Case, bool]]:
    """The chosen schedule at all sizes, and all legal tiles at a ragged one."""
    case = CASES[name]
    made = [("chosen", case, True)]
    for rows, columns in TILES:
        for stages in (2, 3, 4):
            label = f"{rows}x{columns}, {stages} stages"
            made.append((label, with_schedule(case, rows, columns, stages), False))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=[*CASES])
    parser.add_argument("--coda-opt", default="coda-opt")
    parser.add_argument("--libraries", required=True)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    emulator = Emulator(args.libraries)
    failed = ran = 0
    for label, case, is_chosen in configurations(args.case):
        sizes = SIZES if is_chosen else SIZES[2:3]
        if "(k, m)" in case.lhs:
            # Rows are then what tensor maps need multiples of 8 of.
            sizes = [{**s, "M": -(-s["M"] // 8) * 8} for s in sizes]
        try:
            run(emulator, case, args.coda_opt, sizes, 5 if is_chosen else 2, args.seed)
            ran += 1
        except RuntimeError as error:
            # An illegal schedule says why; the chosen one is always legal.
            if is_chosen or "its schedule is illegal" not in str(error):
                raise
        except AssertionError as error:
            failed += 1
            print(f"{args.case}, {label}: {error}")
    print(f"{args.case}: {ran} kernels are right, {failed} are not")
    raise SystemExit(failed != 0 or ran < 2)


if __name__ == "__main__":
    main()
