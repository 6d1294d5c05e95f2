#!/bin/bash
# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what building and testing need and this machine lacks: Debian
# packages through apt, Python packages into .venv. Does nothing, and needs no
# network, when everything is there.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools
  clang-22 lld-22 clang-format-22 clang-tidy-22
  libclang-rt-22-dev libomp-22-dev
  ccache cmake git libgtest-dev ninja-build python3 python3-venv
)
python_packages=(numpy ml_dtypes pytest)

fail() {
  echo "install-deps: $1" >&2
  exit 1
}

is_debian_12() {
  [ -r /etc/os-release ] || return 1
  (. /etc/os-release && [ "${ID:-}" = debian ] && [ "${VERSION_ID:-}" = 12 ])
}

explain_other_system() {
  cat >&2 <<TEXT
install-deps: only Debian 12 is set up by this script. Elsewhere, install

  MLIR and LLVM 22.1 with headers, CMake files and tools (lit, FileCheck),
  clang 22, lld 22, clang-format 22, clang-tidy 22, compiler-rt, OpenMP,
  ccache, CMake 3.25 or newer, Ninja, GoogleTest, Python 3.9 or newer,
  and for that Python: ${python_packages[*]}

The Debian packages are: ${packages[*]}

Then configure with -DMLIR_DIR=<prefix>/lib/cmake/mlir (CONTRIBUTING.md).
TEXT
  exit 1
}

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null |
      grep -q '^.i' || echo "$package"
  done
}

install_packages() {
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      fail "not root and no sudo; these packages are missing: $*"
    as_root=(sudo)
  fi
  echo "install-deps: installing $*"
  "${as_root[@]}" apt-get update -q || fail "apt-get update failed"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y \
    --no-install-recommends "$@" </dev/null ||
    fail "apt could not install: $* (LLVM 22 may need a package source that \
has it for Debian 12)"
}

# The interpreter of the distribution: python3-venv belongs to that one.
install_python_packages() {
  local imports
  imports="import $(IFS=,; echo "${python_packages[*]}")"
  if .venv/bin/python3 -c "$imports" 2>/dev/null; then
    return
  fi
  echo "install-deps: installing ${python_packages[*]} into .venv"
  [ -x .venv/bin/python3 ] || /usr/bin/python3 -m venv .venv ||
    fail "could not create .venv"
  .venv/bin/python3 -m pip install -q --disable-pip-version-check \
    "${python_packages[@]}" </dev/null ||
    fail "pip could not install: ${python_packages[*]}"
}

is_debian_12 || explain_other_system
mapfile -t missing < <(missing_packages)
if [ "${#missing[@]}" -gt 0 ]; then
  install_packages "${missing[@]}"
fi
install_python_packages
