# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays, roundings and .npy files in plain Python, for checks against f64."""

from __future__ import annotations

import math
import random
import struct
from bisect import bisect_left
from dataclasses import dataclass
from itertools import product
from operator import mul
from typing import Iterable, Iterator


def f32(value: float) -> float:
    """Rounds to f32; what is too large becomes infinite."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def bf16(value: float) -> float:
    """Rounds to bf16, to nearest even."""
    bits = struct.unpack("<I", struct.pack("<f", f32(value)))[0]
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def f16(value: float) -> float:
    """Rounds to f16, to nearest even."""
    return struct.unpack("<e", struct.pack("<e", value))[0]


def _decode_e4m3(bits: int) -> float:
    exponent, mantissa = bits >> 3 & 15, bits & 7
    if exponent == 0:
        return mantissa * 2.0**-9
    return (8 + mantissa) * 2.0 ** (exponent - 10)


_E4M3 = [_decode_e4m3(bits) for bits in range(127)]


def _encode_e4m3(value: float) -> int:
    magnitude = abs(value)
    above = bisect_left(_E4M3, magnitude)
    if above == 127:
        bits = 126 if magnitude < 464 else 127
    elif above == 0 or _E4M3[above] == magnitude:
        bits = above
    else:
        down, up = magnitude - _E4M3[above - 1], _E4M3[above] - magnitude
        bits = above if up < down or (up == down and above % 2 == 0) else above - 1
    return bits | (0x80 if math.copysign(1.0, value) < 0 else 0)


def f8(value: float) -> float:
    """Rounds to f8E4M3FN, to nearest even."""
    bits = _encode_e4m3(value)
    return math.copysign(_E4M3[bits & 127] if bits & 127 != 127 else math.nan, value)


ROUND = {"f32": f32, "bf16": bf16, "f16": f16, "f8": f8, "i64": int}
_CODE = {"f32": ("<f4", "f"), "f16": ("<f2", "e"), "i64": ("<i8", "q")}


@dataclass
class Array:
    """Row-major elements that are exact in `type`."""

    type: str
    shape: tuple[int, ...]
    data: list

    def __getitem__(self, index: tuple[int, ...]) -> float:
        return self.data[self.offset(*index)]

    def offset(self, *index: int) -> int:
        """Position of an element, or of the first one of a row."""
        position = 0
        for size, place in zip(self.shape, index):
            position = position * size + place
        return position * math.prod(self.shape[len(index) :])

    def row(self, *index: int) -> list[float]:
        """The elements behind leading indices."""
        begin = self.offset(*index)
        return self.data[begin : begin + math.prod(self.shape[len(index) :])]


class Generator:
    """Random arrays, the same in every run."""

    def __init__(self) -> None:
        self.random = random.Random(20)

    def normal(self, type: str, *shape: int, scale: float = 1.0, mean: float = 0.0) -> Array:
        """Normal values, rounded to the type."""
        rounded, gauss = ROUND[type], self.random.gauss
        count = math.prod(shape)
        return Array(type, shape, [rounded(gauss(mean, scale)) for _ in range(count)])


def build(type: str, shape: tuple[int, ...], value) -> Array:
    """An array of value(*index), rounded to the type."""
    rounded = ROUND[type]
    return Array(type, shape, [rounded(value(*index)) for index in indices(*shape)])


def zeros(type: str, *shape: int) -> Array:
    return Array(type, shape, [0] * math.prod(shape))


def indices(*shape: int) -> Iterator[tuple[int, ...]]:
    return product(*map(range, shape))


def dot(left: Iterable[float], right: Iterable[float]) -> float:
    return sum(map(mul, left, right))


def write(path: str, array: Array) -> None:
    """Writes .npy; bf16 and f8 as raw bytes."""
    if array.type == "bf16":
        descr = "<V2"
        packed = struct.pack(f"<{len(array.data)}f", *array.data)
        data = b"".join(packed[i + 2 : i + 4] for i in range(0, len(packed), 4))
    elif array.type == "f8":
        descr, data = "|V1", bytes(map(_encode_e4m3, array.data))
    else:
        descr, code = _CODE[array.type]
        data = struct.pack(f"<{len(array.data)}{code}", *array.data)
    header = str({"descr": descr, "fortran_order": False, "shape": array.shape})
    header = header.ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def read(path: str, type: str) -> list[float]:
    """The elements of a .npy file, whose type the caller knows."""
    with open(path, "rb") as file:
        content = file.read()
    data = content[10 + struct.unpack("<H", content[8:10])[0] :]
    if type == "bf16":
        wide = b"".join(b"\0\0" + data[i : i + 2] for i in range(0, len(data), 2))
        return list(struct.unpack(f"<{len(data) // 2}f", wide))
    if type == "f8":
        return [math.copysign(_E4M3[b & 127] if b & 127 != 127 else math.nan, 0.5 - (b >> 7)) for b in data]
    code = _CODE[type][1]
    return list(struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data))
