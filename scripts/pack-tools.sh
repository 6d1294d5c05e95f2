#!/bin/bash
# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Packs coda-run with the libraries that it loads, for a machine that has
# neither LLVM nor a compiler (a GPU machine, say). Unpacked, the folder has
# the libraries next to a script that starts the tool with them:
#
#   scripts/pack-tools.sh build coda-run.tar.xz
#   tar xf coda-run.tar.xz && coda-run/run IN.mlir --device=cuda
#
# The C library itself is not packed: the other machine's must not be older.
# CODA_XZ_LEVEL=-2 is faster than the default and gives 70 MB.
set -euo pipefail

build=${1:?usage: pack-tools.sh BUILD_DIR OUT.tar.xz}
out=${2:?usage: pack-tools.sh BUILD_DIR OUT.tar.xz}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/coda-run/lib"
cp "$build/bin/coda-run" "$folder/coda-run/"

# OpenMP is opened at run time, so that ldd does not see it.
llvm=$(dirname "$(ldd "$build/bin/coda-run" | awk '/libLLVM/ {print $3}')")
openmp=$(find -L /usr/lib/llvm-22/lib "$llvm" -maxdepth 1 -name 'libomp.so*' |
  head -n 1)
ldd "$build/bin/coda-run" | awk '/=> \// {print $3}' |
  grep -vE '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*)\.so' |
  while read -r library; do
    cp -L "$library" "$folder/coda-run/lib/"
  done
[ -z "$openmp" ] || cp -L "$openmp" "$folder/coda-run/lib/libomp.so.5"
find "$folder/coda-run" -type f -exec strip --strip-unneeded {} +

cat >"$folder/coda-run/run" <<'RUN'
#!/bin/sh
# Starts coda-run with the libraries packed beside it.
here=$(cd "$(dirname "$0")" && pwd)
LD_LIBRARY_PATH=$here/lib exec "$here/coda-run" "$@"
RUN
chmod +x "$folder/coda-run/run"
tar -C "$folder" -c coda-run | xz -T2 "${CODA_XZ_LEVEL:--6}" >"$out"
echo "$out: $(du -h "$out" | cut -f1)"
