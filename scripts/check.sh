#!/bin/bash
# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Style: white space, file headers, clang-format, clang-tidy. CI and the git
# hook both call it.
#
#   scripts/check.sh                    everything
#   scripts/check.sh --no-tidy          without clang-tidy, in a second
#   scripts/check.sh [--no-tidy] FILES  these files only
#   scripts/check.sh --names [FILES]    names too, which takes four times as long
#   scripts/check.sh --fix [FILES]      lets clang-format write
#
# clang-tidy needs a build in build/, or in CODA_BUILD_DIR.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${CODA_BUILD_DIR:-build}
tidy=1
# This check walks every declaration of every header, and most of its time with
# it. Editors that read .clang-tidy do it for the file at hand.
tidy_checks=-readability-identifier-naming
format=(--dry-run --Werror)
while [ $# -gt 0 ]; do
  case $1 in
  --no-tidy) tidy=0 ;;
  --names) tidy_checks= ;;
  --fix) format=(-i) tidy=0 ;;
  --*)
    echo "check: unknown option $1, expected --no-tidy, --names or --fix" >&2
    exit 1
    ;;
  *) break ;;
  esac
  shift
done

# Names on the command line, or everything that git knows or would add. A
# clone may belong to another user than the one who runs this.
if [ $# -gt 0 ]; then
  files=("$@")
else
  mapfile -t files < <(git -c safe.directory='*' ls-files \
    --cached --others --exclude-standard)
fi
existing=()
for file in "${files[@]}"; do
  # Generated pages are written by mlir-tblgen, white space included.
  if [ -f "$file" ] && [[ $file != docs/generated/* ]]; then
    existing+=("$file")
  fi
done
if [ "${#existing[@]}" -eq 0 ]; then
  echo "check: no files"
  exit 0
fi

status=0
report() {
  echo "check: $1" >&2
  status=1
}

select_files() {
  printf '%s\n' "${existing[@]}" | grep -E "$1" || true
}

check_white_space() {
  local file
  # -I passes over binary files.
  if grep -InP '[ \t]+$|\r$' -- "${existing[@]}"; then
    report "white space or a carriage return at the end of the lines above"
  fi
  for file in "${existing[@]}"; do
    if [ -s "$file" ] && grep -qI . -- "$file" &&
      [ -n "$(tail -c 1 -- "$file")" ]; then
      report "$file: no newline at the end"
    fi
  done
}

check_headers() {
  local file
  while read -r file; do
    head -n 12 -- "$file" |
      grep -q 'SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception' ||
      report "$file: no license header in the first lines"
  done < <(select_files '\.(c|cpp|h|td|py|sh)$')
}

check_format() {
  local sources
  mapfile -t sources < <(select_files '\.(c|cpp|h)$')
  [ "${#sources[@]}" -gt 0 ] || return 0
  clang-format-22 --style=file "${format[@]}" -- "${sources[@]}" ||
    report "formatting: scripts/check.sh --fix"
}

# Checks only what was compiled: compile_commands.json says how.
check_tidy() {
  local sources log
  if [ ! -f "$build/compile_commands.json" ]; then
    report "clang-tidy needs a build in $build: scripts/build.sh"
    return
  fi
  mapfile -t sources < <(select_files '^(lib|tools|unittests|test/lib)/.*\.cpp$')
  [ "${#sources[@]}" -gt 0 ] || return 0
  log=$(mktemp)
  run-clang-tidy-22 -quiet -j "$(nproc)" -p "$build" -checks="$tidy_checks" \
    "${sources[@]/#/^$PWD/}" >"$log" 2>&1 || {
    grep -vE '^\[ *[0-9]+/[0-9]+\]|warnings? generated|^Suppressed|^Use -' "$log" >&2 || true
    report "clang-tidy"
  }
  rm -f "$log"
}

check_white_space
check_headers
check_format
[ "$tidy" -eq 0 ] || check_tidy
[ "$status" -ne 0 ] || echo "check: ${#existing[@]} files are clean"
exit "$status"
