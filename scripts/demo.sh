#!/bin/bash
# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what is missing, builds, and takes a Llama MLP in linalg through
# coda: the report of what was fused, the PTX, and a run on the CPU, fused and
# unfused, against f64. Another program can be named: scripts/demo.sh mlp.mlir
set -euo pipefail
start=$PWD
cd "$(dirname "$0")/.."

program=examples/llama_mlp.mlir
sizes=(--size=0=64)
if [ $# -gt 0 ]; then
  program=$(cd "$start" && realpath "$1")
  shift
  sizes=("$@")
fi

heading() {
  printf '\n== %s\n' "$1"
}

scripts/build.sh coda-compile coda-run
out=build/demo
mkdir -p "$out"

heading "What coda fuses in $program"
build/bin/coda-compile "$program" -o "$out/kernels.ptx" | tee "$out/report.txt"
build/bin/coda-compile "$program" --emit=coda --report=none -o "$out/fused.mlir"

heading "On the CPU, unfused and fused, and both against f64"
build/bin/coda-run "$program" "${sizes[@]}" --check --time |
  tee "$out/check.txt"

heading "Left in $out"
echo "kernels.ptx  the kernels for sm_90a: $(grep -c '^\.visible \.entry\|^\.entry' "$out/kernels.ptx") entries, $(wc -l <"$out/kernels.ptx") lines"
echo "fused.mlir   the program in the coda dialect"
echo "report.txt   what was fused, refused and saved"
echo "check.txt    the errors and times above"
