# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running on the CPU with NumPy arrays."""

import gc
import threading
from typing import Tuple

import coda
import ml_dtypes
import numpy as np
import pytest


def make_arguments(rows: int) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Small integers, so that every sum is exact."""
    generator = np.random.default_rng(0)
    x = generator.integers(-2, 3, (rows, 64)).astype(ml_dtypes.bfloat16)
    w = generator.integers(-2, 3, (32, 64)).astype(ml_dtypes.bfloat16)
    return x, w, generator.integers(-2, 3, 32).astype(np.float32)


def expect(x: np.ndarray, w: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (x.astype(np.float32) @ w.astype(np.float32).T + b).astype(ml_dtypes.bfloat16)


@pytest.mark.parametrize("rewrite", [False, True])
@pytest.mark.parametrize("rows", [0, 1, 13])
def test_bf16(linear: str, rewrite: bool, rows: int) -> None:
    x, w, b = make_arguments(rows)
    y = coda.compile(linear, rewrite=rewrite)(x, w, b)
    assert y.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(y, expect(x, w, b))


def test_strides_and_byte_order(linear: str) -> None:
    x, w, b = make_arguments(13)
    program = coda.compile(linear)
    transposed = np.asfortranarray(x)
    sliced = np.repeat(w, 2, axis=1)[:, ::2]
    backwards = b[::-1].copy()[::-1]
    np.testing.assert_array_equal(program(transposed, sliced, backwards), expect(x, w, b))
    np.testing.assert_array_equal(program(x, w, b.astype(">f4")), expect(x, w, b))


def test_inputs_stay_and_results_live_on(linear: str) -> None:
    x, w, b = make_arguments(13)
    before = x.copy()
    y = coda.compile(linear)(x, w, b)
    gc.collect()
    np.testing.assert_array_equal(x, before)
    np.testing.assert_array_equal(y, expect(x, w, b))


def test_threads(linear: str) -> None:
    program, failures = coda.compile(linear), []

    def run(rows: int) -> None:
        x, w, b = make_arguments(rows)
        for _ in range(20):
            if not np.array_equal(program(x, w, b), expect(x, w, b)):
                failures.append(rows)

    threads = [threading.Thread(target=run, args=(rows,)) for rows in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_scalars_and_several_results(two_functions: str) -> None:
    y, s = coda.compile(two_functions).run(np.arange(4, dtype=np.float32), 2.5, entry="scale")
    np.testing.assert_array_equal(y, [0, 2.5, 5, 7.5])
    assert s.shape == () and s == 2.5


def test_memref_is_written(two_functions: str) -> None:
    program = coda.compile(two_functions)
    m = np.zeros((2, 3), np.float32)
    assert program.run(m, entry="fill") == ()
    assert (m == 1).all()
    m.flags.writeable = False
    with pytest.raises(coda.ArgumentError, match="argument 0 may be written to"):
        program.run(m, entry="fill")


def test_wrong_arguments(linear: str, two_functions: str) -> None:
    x, w, b = make_arguments(3)
    program = coda.compile(linear)
    with pytest.raises(coda.ArgumentError, match="has 3 arguments, 2 were given"):
        program(x, w)
    with pytest.raises(coda.ArgumentError, match="argument 2 has dtype float64, expected float32"):
        program(x, w, b.astype(np.float64))
    with pytest.raises(coda.ArgumentError, match="argument 0"):
        program(x[:, :32], w, b)
    with pytest.raises(coda.ArgumentError, match="choose a function"):
        coda.compile(two_functions).run(x)
    with pytest.raises(coda.ArgumentError, match="no public function 'g'"):
        program.run(x, w, b, entry="g")
