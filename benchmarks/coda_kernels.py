# Part of the coda project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles coda programs to kernels and launches them on PyTorch tensors.

Compiling needs coda-opt, launching a GPU and libcoda_runtime; the
two may happen on different machines.
"""

from __future__ import annotations

import ctypes as C
import json
import math
import pathlib
import re
import subprocess
from typing import Any


def _unescape(text: str) -> str:
    """The text of a string that MLIR printed."""
    return re.sub(
        r"\\(\\|[0-9A-F]{2})",
        lambda m: "\\" if m[1] == "\\" else chr(int(m[1], 16)),
        text,
    )


def compile_program(
    program: str, coda_opt: str = "coda-opt"
) -> tuple[str, dict[str, Any]]:
    """PTX and launch plan of a program with one function and one coda op.

    The op is lowered as it is written: a rewrite might renumber its operands.
    """

    def run(passes: str, text: str) -> str:
        command = [coda_opt, f"--pass-pipeline=builtin.module({passes})"]
        result = subprocess.run(command, input=text, capture_output=True, text=True)
        if result.returncode != 0:
            raise RuntimeError(result.stderr)
        return result.stdout

    kernels = run("convert-coda-to-nvgpu{kernels-only=true}", program)
    host = run("coda-kernels-to-llvm,coda-embed-ptx", kernels)
    string = r'"((?:[^"\\]|\\.)*)"'
    plan = re.search("coda.launch_plan = " + string, kernels)
    ptx = re.search(r"@coda_kernels_ptx\(" + string, host)
    assert plan and ptx
    return _unescape(ptx[1]).rstrip("\0"), json.loads(_unescape(plan[1]))


# ---------------------------------------------------------------------------
# libcoda_runtime
# ---------------------------------------------------------------------------


class _TensorMap(C.Structure):
    _fields_ = [
        ("address", C.c_uint64),
        ("dims", C.c_uint64 * 5),
        ("strides", C.c_uint64 * 4),
        ("box", C.c_uint32 * 5),
        ("rank", C.c_uint32),
        ("element", C.c_int),
        ("swizzle", C.c_int),
        ("l2_promotion", C.c_int),
        ("oob_fill", C.c_int),
    ]


class _Value(C.Structure):
    _fields_ = [("data", C.c_void_p), ("size", C.c_size_t)]


class _Pointer(C.Structure):
    _fields_ = [("address", C.c_uint64), ("alignment", C.c_uint32)]


class _ArgUnion(C.Union):
    _fields_ = [
        ("value", _Value),
        ("pointer", _Pointer),
        ("tensor_map", C.POINTER(_TensorMap)),
    ]


class _Arg(C.Structure):
    _fields_ = [("kind", C.c_int), ("u", _ArgUnion)]


class _LaunchConfig(C.Structure):
    _fields_ = [
        ("grid", C.c_uint32 * 3),
        ("block", C.c_uint32 * 3),
        ("cluster", C.c_uint32 * 3),
        ("shared_memory", C.c_uint32),
    ]


class _DeviceInfo(C.Structure):
    _fields_ = [
        ("name", C.c_char * 256),
        ("sm", C.c_int),
        ("multiprocessors", C.c_int),
        ("total_memory", C.c_size_t),
        ("free_memory", C.c_size_t),
        ("max_shared_memory", C.c_int),
        ("l2_bytes", C.c_size_t),
        ("driver_version", C.c_int),
    ]


class _KernelInfo(C.Structure):
    _fields_ = [
        ("registers", C.c_int),
        ("shared_memory", C.c_int),
        ("local_memory", C.c_int),
        ("max_threads_per_block", C.c_int),
        ("parameters", C.c_int),
    ]


_F16, _BF16 = 6, 9
_SWIZZLE_128B, _L2_256B = 3, 3


class Runtime:
    """One device behind libcoda_runtime, of the default driver or another."""

    def __init__(self, library: str, driver: str | None = None) -> None:
        self._lib = C.CDLL(library, mode=C.RTLD_GLOBAL)
        self._lib.coda_rt_last_error.restype = C.c_char_p
        self.device = C.c_void_p()
        name = driver.encode() if driver else None
        self.call("coda_rt_device_get", name, 0, C.byref(self.device))
        self.info = _DeviceInfo()
        self.call("coda_rt_device_get_info", self.device, C.byref(self.info))

    def call(self, name: str, *args: Any) -> None:
        """Calls a function and raises its error."""
        if getattr(self._lib, name)(*args) != 0:
            raise RuntimeError(f"{name}: {self._lib.coda_rt_last_error().decode()}")


class Kernel:
    """A loaded kernel with its launch plan."""

    def __init__(self, runtime: Runtime, ptx: str, plan: dict[str, Any]) -> None:
        self._runtime, self._plan = runtime, plan
        image = ptx.encode()
        module, self._kernel = C.c_void_p(), C.c_void_p()
        runtime.call(
            "coda_rt_module_load",
            runtime.device,
            image,
            C.c_size_t(len(image)),
            C.byref(module),
        )
        runtime.call(
            "coda_rt_module_get_kernel",
            module,
            plan["kernel"].encode(),
            C.byref(self._kernel),
        )
        self.info = _KernelInfo()
        runtime.call("coda_rt_kernel_get_info", self._kernel, C.byref(self.info))

    def bind(self, operands: list[Any], stream: int = 0) -> "Launch":
        """A launch on tensors and numbers, in the order of the op's operands."""
        return Launch(self._runtime, self._kernel, self._plan, operands, stream)


class Launch:
    """A kernel with its arguments; calling it launches."""

    def __init__(
        self,
        runtime: Runtime,
        kernel: C.c_void_p,
        plan: dict[str, Any],
        operands: list[Any],
        stream: int,
    ) -> None:
        self._runtime, self._kernel, self._stream = runtime, kernel, stream
        self._operands = operands
        self._keep: list[Any] = []
        self._zeroed: list[tuple[int, int]] = []
        if any(self._size(size) == 0 for size in plan["positiveSizes"]):
            raise ValueError("a size that must be positive is 0")
        params = plan["params"]
        self._args = (_Arg * len(params))(*[self._arg(p) for p in params])
        self._config = self._launch_config(plan)

    def _size(self, factors: list[list[int]]) -> int:
        return math.prod(self._operands[o].shape[d] for o, d in factors)

    def _launch_config(self, plan: dict[str, Any]) -> _LaunchConfig:
        grid = plan["grid"]
        tiles = -(-self._size(grid["rows"]) // grid["rowTile"]) * -(
            -self._size(grid["columns"]) // grid["columnTile"]
        )
        limit = grid["blocksPerMultiprocessor"] * self._runtime.info.multiprocessors
        self.blocks = min(tiles, limit) if limit else tiles
        config = _LaunchConfig()
        config.grid[:] = (self.blocks, 1, 1)
        config.block[:] = (plan["threads"], 1, 1)
        config.shared_memory = plan["sharedMemory"]
        return config

    def _value(self, value: Any) -> _Arg:
        self._keep.append(value)
        arg = _Arg(kind=0)
        arg.u.value = _Value(C.addressof(value), C.sizeof(value))
        return arg

    def _pointer(self, address: int, alignment: int) -> _Arg:
        arg = _Arg(kind=1)
        arg.u.pointer = _Pointer(address, alignment)
        return arg

    def _tensor_map(self, param: dict[str, Any]) -> _Arg:
        tensor = self._operands[param["tensorMap"]]
        bytes_ = tensor.element_size()
        tensor_map = _TensorMap(address=tensor.data_ptr(), rank=len(param["dims"]))
        tensor_map.element = _BF16 if "bfloat16" in str(tensor.dtype) else _F16
        tensor_map.swizzle = _SWIZZLE_128B if param["swizzle"] else 0
        tensor_map.l2_promotion = _L2_256B
        for i, (dims, box) in enumerate(zip(param["dims"], param["box"])):
            tensor_map.dims[i] = math.prod(tensor.shape[d] for d in dims)
            tensor_map.box[i] = box
            if i > 0:
                stride = tensor.stride(dims[-1]) if dims else 0
                tensor_map.strides[i - 1] = stride * bytes_
        self._keep.append(tensor_map)
        arg = _Arg(kind=2)
        arg.u.tensor_map = C.pointer(tensor_map)
        return arg

    def _scratch(self, param: dict[str, Any]) -> _Arg:
        size = (
            param["scratch"]
            * -(-self._size(param["rows"]) // param["rowUnit"])
            * -(-self._size(param["columns"]) // param["columnUnit"])
        )
        address = C.c_uint64()
        self._runtime.call(
            "coda_rt_alloc", self._runtime.device, C.c_size_t(size), C.byref(address)
        )
        if param["zeroed"]:
            self._zeroed.append((address.value, size))
        return self._pointer(address.value, 16)

    def _arg(self, param: dict[str, Any]) -> _Arg:
        if "tensorMap" in param:
            return self._tensor_map(param)
        if "pointer" in param:
            tensor = self._operands[param["pointer"]]
            alignment = tensor.element_size() * param["elements"]
            return self._pointer(tensor.data_ptr(), alignment)
        if "size" in param:
            return self._value(C.c_int32(self._size(param["size"])))
        if "stride" in param:
            operand, dim = param["stride"]
            return self._value(C.c_int64(self._operands[operand].stride(dim)))
        if "scratch" in param:
            return self._scratch(param)
        return self._value(C.c_float(self._operands[param["scalar"]]))

    def __call__(self) -> None:
        if self.blocks == 0:
            return
        runtime, stream = self._runtime, C.c_void_p(self._stream)
        for address, size in self._zeroed:
            runtime.call(
                "coda_rt_fill",
                runtime.device,
                C.c_uint64(address),
                C.c_uint8(0),
                C.c_size_t(size),
                stream,
            )
        runtime.call(
            "coda_rt_launch",
            self._kernel,
            C.byref(self._config),
            self._args,
            C.c_size_t(len(self._args)),
            stream,
        )


def write_kernel(folder: pathlib.Path, name: str, ptx: str, plan: dict) -> None:
    """Keeps a compiled kernel for another machine."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.ptx").write_text(ptx)
    (folder / f"{name}.json").write_text(json.dumps(plan))


def read_kernel(runtime: Runtime, folder: pathlib.Path, name: str) -> Kernel:
    """Loads what write_kernel kept."""
    ptx = (folder / f"{name}.ptx").read_text()
    return Kernel(runtime, ptx, json.loads((folder / f"{name}.json").read_text()))
