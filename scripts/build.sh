#!/bin/bash
# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what is missing and builds everything, or the targets that are
# named, into build/.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-deps.sh
configure_log=$(mktemp)
trap 'rm -f "$configure_log"' EXIT
cmake --preset ci >"$configure_log" 2>&1 || {
  cat "$configure_log" >&2
  exit 1
}
targets=("$@")
cmake --build build --parallel "$(nproc)" --target "${targets[@]:-all}"
