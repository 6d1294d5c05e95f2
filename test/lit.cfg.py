# Configuration of the lit tests. Names come from lit.site.cfg.py.

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
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input-filter=all"
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# The stock tool, never a coda-opt.
mlir_opt = os.path.join(config.llvm_tools_dir, "mlir-opt")
config.substitutions.append(("%mlir-opt", mlir_opt))
mlir_runner = os.path.join(config.llvm_tools_dir, "mlir-runner")
config.substitutions.append(("%mlir-runner", mlir_runner))
config.substitutions.append(("%coda_lib_dir", config.coda_lib_dir))
config.substitutions.append(("%coda_source_dir", config.coda_source_dir))
config.substitutions.append(("%python", config.python))

# Every coda-opt of the suite also round-trips what it reads and writes.
if os.environ.get("CODA_CHECK_ROUNDTRIP"):
    config.substitutions.append(("coda-opt", "coda-opt --verify-roundtrip"))

if config.coda_static not in ("ON", "1", "TRUE") and not config.coda_sanitizer:
    config.available_features.add("plugins")
if config.coda_sanitizer:
    config.available_features.add("sanitizer")

corpus = os.environ.get("CODA_CORPUS_DIR", config.coda_corpus_dir)
if corpus and os.path.isdir(corpus):
    config.available_features.add("corpus")
    config.substitutions.append(("%corpus", os.path.abspath(corpus)))

# Assembles PTX where a CUDA toolkit is installed; nothing else needs one.
if shutil.which("ptxas"):
    config.available_features.add("ptxas")
