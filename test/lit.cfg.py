# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Configuration of the lit tests. Names come from lit.site.cfg.py.

import ctypes
import os
import shutil

import lit.formats
import lit.util

config.name = "coda"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "lib"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.coda_binary_dir, "test")

config.environment["PATH"] = os.path.pathsep.join(
    [config.coda_tools_dir, config.llvm_tools_dir, config.environment["PATH"]]
)
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input-filter=all"
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# The stock tool, never a coda-opt.
mlir_opt = os.path.join(config.llvm_tools_dir, "mlir-opt")
config.substitutions.append(("%mlir-opt", mlir_opt))
mlir_runner = os.path.join(config.llvm_tools_dir, "mlir-runner")
config.substitutions.append(("%mlir-runner", mlir_runner))
config.substitutions.append(("%shlibext", config.shlib_suffix))
config.substitutions.append(("%coda_lib_dir", config.coda_lib_dir))
config.substitutions.append(("%coda_source_dir", config.coda_source_dir))
config.substitutions.append(("%python", config.python))

# Every coda-opt of the suite also round-trips what it reads and writes.
if os.environ.get("CODA_CHECK_ROUNDTRIP"):
    config.substitutions.append(("coda-opt", "coda-opt --verify-roundtrip"))

if config.coda_static not in ("ON", "1", "TRUE") and not config.coda_sanitizer:
    config.available_features.add("plugins")
if config.python_has_numpy == "ON":
    config.available_features.add("numpy")
if config.coda_sanitizer:
    config.available_features.add("sanitizer")
    # Allocators of LLVM poison their memory in code with sanitizers only, which
    # libMLIR.so is not.
    config.environment.setdefault("ASAN_OPTIONS", "")
    config.environment["ASAN_OPTIONS"] += ":allow_user_poisoning=0"

corpus = os.environ.get("CODA_CORPUS_DIR", config.coda_corpus_dir)
if corpus and os.path.isdir(corpus):
    config.available_features.add("corpus")
    config.substitutions.append(("%corpus", os.path.abspath(corpus)))


def has_sm90():
    """Asks the driver itself: a GPU without one, or another GPU, is no use."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    device, major = ctypes.c_int(), ctypes.c_int()
    compute_capability_major = 75
    return (
        cuda.cuInit(0) == 0
        and cuda.cuDeviceGet(ctypes.byref(device), 0) == 0
        and cuda.cuDeviceGetAttribute(
            ctypes.byref(major), compute_capability_major, device
        )
        == 0
        and major.value == 9
    )


if has_sm90():
    config.available_features.add("cuda-sm90")

# Assembles PTX where a CUDA toolkit is installed; nothing else needs one.
if shutil.which("ptxas"):
    config.available_features.add("ptxas")
