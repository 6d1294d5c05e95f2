#!/usr/bin/env python3
# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Feeds mutated IR to coda-opt and reports what it does not survive.

Bad input must give an error with a location and exit code 1. A signal, another
exit code or a run past the time limit is a finding; its input is kept. Runs are
reproducible: a finding's name holds the seed.

  test/fuzz/mutate.py --coda-opt build/bin/coda-opt --cases 2000 test/IR/examples
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys

TOKEN = re.compile(r'\s+|%?[\w.$#-]+|"[^"\n]*"|\^\w+|.', re.DOTALL)
TYPES = ["f32", "bf16", "f16", "f64", "i1", "i8", "i64", "index", "f8E4M3FN", "f8E5M2", "vector<2xf32>", "none"]
SIZES = ["0", "1", "2", "3", "8", "9", "?", "128", "9223372036854775807", "-1"]
WORDS = ["add", "max", "lse", "sqdev", "store", "update", "by", "at", "batches", "rows", "columns", "members",
         "contracts", "ins", "outs", "lhs", "rhs", "m", "n", "p", "k", "0"]
# A sanitizer's finding must not look like a diagnostic.
SANITIZERS = {"ASAN_OPTIONS": "exitcode=99", "UBSAN_OPTIONS": "halt_on_error=1:exitcode=98"}
PIPELINES = [
    ["--verify-roundtrip"],
    ["--canonicalize", "--cse"],
    ["--coda-rewrite"],
    ["--convert-coda-to-linalg", "--canonicalize"],
    ["--one-shot-bufferize=bufferize-function-boundaries", "--canonicalize"],
]


def is_word(token: str) -> bool:
    return not token.isspace() and token != "\n"


def mutate_tokens(tokens: list[str], rng: random.Random) -> None:
    """Changes one or a few tokens anywhere."""
    words = [i for i, token in enumerate(tokens) if is_word(token)]
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        at = rng.choice(words)
        kind = rng.randrange(5)
        if kind == 0:
            tokens[at] = ""
        elif kind == 1:
            tokens[at] += " " + tokens[at]
        elif kind == 2:
            tokens[at] = tokens[rng.choice(words)]
        elif kind == 3:
            other = rng.choice(words)
            tokens[at], tokens[other] = tokens[other], tokens[at]
        else:
            tokens[at] = rng.choice(WORDS + TYPES)


def mutate_names(tokens: list[str], rng: random.Random) -> None:
    """Changes a name or number everywhere, which often keeps the IR valid."""
    names = sorted({token for token in tokens if re.fullmatch(r"[\w.]+", token)})
    if names:
        old, new = rng.choice(names), rng.choice(names + WORDS + TYPES)
        tokens[:] = [new if token == old else token for token in tokens]


def mutate_types(text: str, rng: random.Random) -> str:
    """Changes one size or element type in every shape of the text."""
    if rng.random() < 0.5:
        old, new = rng.choice(TYPES[:4]), rng.choice(TYPES)
        return re.sub(rf"\b(x?){old}\b", lambda match: match.group(1) + new, text)
    shapes = re.findall(r"<((?:\d+x|\?x)+)", text)
    if not shapes:
        return text
    old = rng.choice(rng.choice(shapes).rstrip("x").split("x"))
    new = rng.choice(SIZES)
    return re.sub(r"<((?:\d+x|\?x)+)", lambda match: "<" + "".join(
        (new if size == old else size) + "x" for size in match.group(1).rstrip("x").split("x")), text)


def mutate(text: str, rng: random.Random) -> str:
    for _ in range(rng.choice([1, 1, 2, 3])):
        if rng.random() < 0.4:
            text = mutate_types(text, rng)
            continue
        tokens = TOKEN.findall(text)
        (mutate_tokens if rng.random() < 0.6 else mutate_names)(tokens, rng)
        text = "".join(tokens)
    return text


def load_functions(paths: list[pathlib.Path]) -> list[str]:
    """Every function of every file, or the whole of a file in the generic form."""
    functions = []
    for path in paths:
        files = sorted(path.rglob("*.mlir")) if path.is_dir() else [path]
        for file in files:
            text = re.sub(r"^\s*//.*\n", "", file.read_text(), flags=re.MULTILINE)
            head = "".join(re.findall(r"^#.*\n", text, flags=re.MULTILINE))
            found = re.findall(r"^func\.func.*?^\}\n", text, re.DOTALL | re.MULTILINE)
            functions += [head + function for function in found] or [text]
    return functions


def survives(coda_opt: str, pipeline: list[str], text: str, timeout: float) -> str:
    """An empty string, or what went wrong."""
    command = [coda_opt, "-", "--split-input-file", "--verify-each", *pipeline]
    environment = {**os.environ}
    for name, options in SANITIZERS.items():
        environment[name] = ":".join(filter(None, [environment.get(name), options]))
    try:
        result = subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=timeout, check=False, env=environment
        )
    except subprocess.TimeoutExpired:
        return "time"
    if result.returncode not in (0, 1):
        return f"exit {result.returncode}"
    if result.returncode == 1 and "error:" not in result.stderr:
        return "no diagnostic"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--coda-opt", default="coda-opt")
    parser.add_argument("--cases", type=int, default=1000, help="mutants for each pipeline")
    parser.add_argument("--batch", type=int, default=25, help="mutants in one process")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=20, help="seconds for one process")
    parser.add_argument("--pipeline", action="append", help="flags of coda-opt instead of the built-in ones")
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("fuzz-findings"))
    parser.add_argument("inputs", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    functions = load_functions(args.inputs)
    pipelines = [flags.split() for flags in args.pipeline] if args.pipeline else PIPELINES
    findings = 0
    for first in range(args.seed, args.seed + args.cases, args.batch):
        mutants = {}
        for seed in range(first, first + args.batch):
            rng = random.Random(seed)
            mutants[seed] = mutate(rng.choice(functions), rng)
        whole = "\n// -----\n".join(mutants.values())
        for pipeline in pipelines:
            if not survives(args.coda_opt, pipeline, whole, args.timeout):
                continue
            for seed, text in mutants.items():
                problem = survives(args.coda_opt, pipeline, text, args.timeout)
                if not problem:
                    continue
                findings += 1
                args.keep.mkdir(parents=True, exist_ok=True)
                (args.keep / f"{seed}.mlir").write_text(text)
                print(f"{args.keep / f'{seed}.mlir'}: {problem}: {' '.join(pipeline)}", flush=True)
    print(f"{args.cases} mutants through {len(pipelines)} pipelines: {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
