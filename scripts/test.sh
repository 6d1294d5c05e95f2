#!/bin/bash
# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what is missing, builds into build/ and runs every test.
# Arguments go to ctest: scripts/test.sh -R unit
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/build.sh
results=build/test-results
rm -rf "$results"
mkdir -p "$results"

status=0
ctest --test-dir build --output-on-failure --no-tests=error \
  --output-junit "$PWD/$results/ctest.xml" "$@" || status=$?
python3 scripts/test-results.py "$results"
exit "$status"
