#!/bin/bash
# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes the pages of dialect and passes from the .td files and compares them
# with docs/generated; --update writes them there instead.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${CODA_BUILD_DIR:-build}
made=$build/docs
committed=docs/generated

if [ ! -f "$build/build.ninja" ]; then
  echo "check-docs: $build is not configured: cmake --preset ci" >&2
  exit 1
fi
# A page whose .td file is gone must not survive in the build folder.
rm -rf "$made"
cmake --build "$build" --target mlir-doc >"$build/check-docs.log" || {
  cat "$build/check-docs.log" >&2
  exit 1
}

if [ "${1:-}" = --update ]; then
  rm -rf "$committed"
  cp -r "$made" "$committed"
  echo "check-docs: wrote $committed"
  exit 0
fi
if ! diff -ru "$committed" "$made"; then
  echo "check-docs: $committed is out of date: scripts/check-docs.sh --update" >&2
  exit 1
fi
echo "check-docs: $committed is up to date"
