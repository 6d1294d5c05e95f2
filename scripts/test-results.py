#!/usr/bin/env python3
# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the single tests behind the tests of ctest.

A folder of JUnit files holds ctest.xml and, for tests that are suites
themselves, a file with the same name: lit.xml, python.xml, unit-....xml.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import xml.etree.ElementTree as ElementTree
from typing import NamedTuple


class Counts(NamedTuple):
    passed: int
    failed: int
    skipped: int


def is_skipped(case: ElementTree.Element) -> bool:
    return case.find("skipped") is not None or case.get("status") in (
        "notrun",
        "disabled",
    )


def count_cases(path: pathlib.Path) -> Counts:
    """Counts test cases; a report that cannot be read has none."""
    try:
        cases = list(ElementTree.parse(path).iter("testcase"))
    except (OSError, ElementTree.ParseError):
        return Counts(0, 0, 0)
    failed = sum(c.find("failure") is not None or c.find("error") is not None for c in cases)
    skipped = sum(map(is_skipped, cases))
    return Counts(len(cases) - failed - skipped, failed, skipped)


def count_test(case: ElementTree.Element, folder: pathlib.Path) -> Counts:
    """Counts what one test of ctest ran; a crash is one failure more."""
    if is_skipped(case):
        return Counts(0, 0, 1)
    ok = case.find("failure") is None and case.get("status") == "run"
    inner = count_cases(folder / f"{case.get('name')}.xml")
    if sum(inner) == 0:
        return Counts(int(ok), int(not ok), 0)
    if not ok and inner.failed == 0:
        return inner._replace(failed=1)
    return inner


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--counts", action="store_true", help="print 'PASSED FAILED' only")
    args = parser.parse_args()
    try:
        tests = list(ElementTree.parse(args.folder / "ctest.xml").iter("testcase"))
    except (OSError, ElementTree.ParseError) as error:
        print(f"test-results: no results of ctest: {error}", file=sys.stderr)
        return 1

    counted = {test.get("name"): count_test(test, args.folder) for test in tests}
    total = Counts(*map(sum, zip(*counted.values()))) if counted else Counts(0, 0, 0)
    if args.counts:
        print(total.passed, total.failed)
        return 0
    for name, counts in {**counted, "total": total}.items():
        print(f"{name:28}{counts.passed:6} passed{counts.failed:4} failed{counts.skipped:4} skipped")
    return 0


if __name__ == "__main__":
    sys.exit(main())
