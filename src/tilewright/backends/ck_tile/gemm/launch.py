"""Launching built GEMM kernels through the HIP runtime. It has never run on hardware.

The choices that `tilewright_ck/entry.hpp` makes in C++: which device kernel serves a depth, the grid, the
leading strides, and an output that is cleared where splits of K add to it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from math import ceil
from pathlib import Path
from typing import Any

from ....arch import get_arch
from ....errors import LaunchError
from ....model.dtype import get_dtype
from ....model.kernel import Candidate, KernelSpec, Launch
from ....model.tensor import TensorView
from ....ops.gemm.problem import GemmProblem
from ...gpu.call import current_stream
from ...gpu.places import driver_at, place_of
from ..inspect import CODE
from .geometry import threads
from .instances import instance_of

MAX_D = 8


class GemmArgs(ctypes.Structure):
    """The kernel argument, field by field as `tilewright_ck::GemmArgs`.

    >>> ctypes.sizeof(GemmArgs)
    152
    """

    _fields_ = [
        ("a", ctypes.c_void_p),
        ("b", ctypes.c_void_p),
        ("d", ctypes.c_void_p * MAX_D),
        ("out", ctypes.c_void_p),
        *((name, ctypes.c_int32) for name in ("m", "n", "k", "stride_a", "stride_b")),
        ("stride_d", ctypes.c_int32 * MAX_D),
        ("stride_out", ctypes.c_int32),
        ("split_k", ctypes.c_int32),
    ]


def leading(problem: GemmProblem, role: str, letter: str) -> int:
    """The stride of the dimension that is not contiguous."""
    _, row, col = problem.stride(role)
    return row if letter == "r" else col


def arguments(problem: GemmProblem, launch: Launch, addresses: Mapping[str, int]) -> GemmArgs:
    """The kernel argument of one launch."""
    a, b, out = tuple(problem.layout[:3])
    args = GemmArgs(m=problem.m, n=problem.n, k=problem.k, split_k=launch.split_k)
    args.a, args.b, args.out = addresses["a"], addresses["b"], addresses["out"]
    args.stride_a, args.stride_out = leading(problem, "a", a), leading(problem, "out", out)
    args.stride_b = problem.k if problem.b_format != "plain" else leading(problem, "b", b)
    for i in range(len(problem.d)):
        args.d[i] = addresses[f"d{i}"]
        args.stride_d[i] = leading(problem, f"d{i}", out)
    return args


class GemmKernel:
    """The code object of one artifact; opening touches no GPU, functions are loaded once per GPU."""

    def __init__(self, spec: KernelSpec, folder: Path, symbols: Mapping[str, str]) -> None:
        self.spec, self.folder, self.symbols = spec, folder, dict(symbols)
        self._functions: dict[tuple[Any, str], int] = {}

    def function(self, driver: Any, instance: str) -> int:
        """The handle of one of its device kernels."""
        key = (driver, instance)
        if key not in self._functions:
            if instance not in self.symbols:
                raise LaunchError(
                    f"{self.spec.name} has no device kernel {instance}; it has {', '.join(self.symbols)}",
                    remedy="use another split_k, or build the whole kernel",
                )
            self._functions[key] = driver.load(self.folder / CODE, self.symbols[instance])
        return self._functions[key]


class GemmStage:
    """One GEMM of a plan. The product needs no workspace."""

    workspace_bytes = 0

    def __init__(self, candidate: Candidate, problem: GemmProblem, kernel: GemmKernel) -> None:
        self.name = candidate.spec.name
        self._kernel, self._problem, self._launch = kernel, problem, candidate.launch
        self._instance = instance_of(candidate.spec, problem.k, candidate.launch.split_k).name

    def bind(self, views: Mapping[str, TensorView]) -> Callable[[Any], None]:
        """A function of the stream (None: torch's current one, or the default stream) that launches on `views`."""
        driver = driver_at(place_of(views), "hip")
        return self.prepare(driver, {role: view.address for role, view in views.items()})

    def prepare(self, driver: Any, addresses: Mapping[str, int]) -> Callable[[Any], None]:
        """The same on device addresses; repeating the call allocates nothing."""
        algorithm, problem, split_k = self._kernel.spec.algorithm, self._problem, self._launch.split_k
        args = arguments(problem, self._launch, addresses)
        params = (ctypes.c_void_p * 1)(ctypes.addressof(args))
        function = self._kernel.function(driver, self._instance)
        arch: Any = get_arch(self._kernel.spec.arch)
        block = threads(algorithm, arch)
        tiles = ceil(problem.m / algorithm.tile_m) * ceil(problem.n / algorithm.tile_n)
        grid = (tiles, 1, split_k)
        if algorithm.persistent:
            resident = driver.units() * max(1, driver.blocks_per_unit(function, block))
            grid = (min(resident, tiles * split_k), 1, 1)
        rows, columns = (problem.m, problem.n) if problem.layout[2] == "r" else (problem.n, problem.m)
        size = int(get_dtype(problem.dtype_out).bytes)
        pitch = (args.stride_out if rows > 1 else columns) * size

        def launch(stream: Any = None, keep: Any = args) -> None:
            handle = current_stream(driver.ordinal) if stream is None else int(stream)
            if split_k > 1:  # splits add to the output
                driver.clear_rows(addresses["out"], pitch, columns * size, rows, handle)
            code = driver.launch_raw(function, grid, (block, 1, 1), 0, handle, params)
            driver.check(code, f"launch {self.name}")

        return launch
