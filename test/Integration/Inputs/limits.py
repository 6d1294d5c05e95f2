# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command within limits: limits.py SECONDS MEGABYTES COMMAND..."""

from __future__ import annotations

import resource
import subprocess
import sys
import time


def main() -> None:
    seconds, megabytes, *command = sys.argv[1:]
    begin = time.monotonic()
    code = subprocess.run(command).returncode
    took = time.monotonic() - begin
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{took:.1f} s, {used:.0f} MB")
    if code != 0:
        sys.exit(f"exit code {code}")
    if took > float(seconds) or used > float(megabytes):
        sys.exit(f"expected at most {seconds} s and {megabytes} MB")


main()
