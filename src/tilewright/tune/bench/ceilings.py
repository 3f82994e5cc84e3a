"""Ceilings: the peak rates of this machine for multiplying and for reading, measured by small kernels.

They show how much of the machine a GEMM used: its share of the ceiling that bounds it. They are built by the same
compiler and kept in the same cache as kernels.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import log2
from pathlib import Path
from threading import Barrier
from typing import Any

from ...backends.cpu.detect import host_arch
from ...errors import DeviceError
from ...jit import cxx_request, find_compiler
from ...jit.library import dlopen
from ...jit.use import load_library
from ...model.arch import CpuArch
from ...model.kernel import KernelSpec
from ...model.problem import Problem
from ...settings import Settings

SOURCE = Path(__file__).with_name("native") / "ceilings.cpp"
SAMPLE_SECONDS, SAMPLES = 0.02, 4
MIN_READ, MAX_READ = 1 << 20, 256 << 20
# inner loop of the cpu backend -> (ceiling, operations it costs per useful one)
INNERS = {"fma": ("fma", 1), "portable": ("fma", 1), "vnni": ("vnni", 1), "amx": ("amx", 1), "amx_bf16x3": ("amx", 3)}
# Arm's inner loops -> products of bytes per product of fp32, at the rate of multiply-adds; of bf16 half as many.
ARM_PRODUCTS = {"dot": 4, "mm": 8}
ATTEMPTS = 3  # to measure a ceiling again that a kernel was faster than
NAMES = {"fma": "fp32 FMA", "vnni": "VNNI int8", "amx_bf16": "AMX bf16", "amx_int8": "AMX int8", "memory": "memory"}


@dataclass(frozen=True)
class Bound:
    """What bounds a problem: the ceiling's name, and the minimum seconds it allows."""

    name: str
    seconds: float

    def share(self, seconds: float) -> float:
        """Return the share of the ceiling that a run of `seconds` reached.

        >>> Bound("memory", 1.0).share(2.0)
        0.5
        """
        return self.seconds / seconds


class Ceilings:
    """The ceilings of this machine with `threads` threads; each is measured at its first use."""

    def __init__(self, settings: Settings | None = None, cache: Any = None) -> None:
        self.settings = settings or Settings.from_env()
        self.threads = self.settings.resolved_threads()
        self.arch = host_arch(self.settings)
        self._library = _build(self.settings, self.arch, cache)
        self._rates: dict[str, float] = {}

    def rate(self, name: str) -> float:
        """Return operations per second of `fma`, `vnni`, `amx_bf16` or `amx_int8` (a multiply-add counts as two)."""
        if name not in self._rates:
            if not hasattr(self._library, f"tw_{name}"):
                raise DeviceError(f"{self.arch.name} has no {NAMES.get(name, name)} instructions to measure")
            self._rates[name] = self._measure_operations(name)
        return self._rates[name]

    def read_rate(self, size: int) -> float:
        """Return bytes per second of reading about `size` bytes again and again, from caches as far as they fit."""
        rounded = 1 << round(log2(min(max(size, MIN_READ), MAX_READ)))
        key = f"read {rounded}"
        if key not in self._rates:
            self._rates[key] = self._measure_reading(rounded)
        return self._rates[key]

    def bound(self, problem: Problem, spec: KernelSpec) -> Bound:
        """Return what bounds `problem` if `spec` computes it: multiplying, or reading and writing each byte once."""
        inner, of_bytes = getattr(spec.algorithm, "inner", "fma"), problem.operand_dtype == "int8"
        name, cost = _ceiling(inner, of_bytes)
        compute = Bound(_shown(inner, name, of_bytes), cost * problem.flops / self.rate(name))
        memory = Bound(NAMES["memory"], problem.bytes / self.read_rate(problem.bytes))
        return max(compute, memory, key=lambda b: b.seconds)

    def bound_above(self, problem: Problem, spec: KernelSpec, seconds: float) -> Bound:
        """Return `bound`, measured again while a run of `seconds` beat it: then something disturbed the measurement.

        Another program may disturb that one too: a share above 1 is possible, and says just that.
        """
        found = self.bound(problem, spec)
        for _ in range(ATTEMPTS):
            if found.share(seconds) <= 1.0:
                break
            before, self._rates = self._rates, {}
            self.bound(problem, spec)
            self._rates = {n: max(rate, before.get(n, 0.0)) for n, rate in {**before, **self._rates}.items()}
            found = self.bound(problem, spec)
        return found

    def summary(self) -> Mapping[str, float]:
        """Return the instruction ceilings of this machine by readable name, in operations per second."""
        names = [n for n in ("fma", "vnni", "amx_bf16", "amx_int8") if hasattr(self._library, f"tw_{n}")]
        return {NAMES[n]: self.rate(n) for n in names}

    def _measure_operations(self, name: str) -> float:
        function, arguments = getattr(self._library, f"tw_{name}"), _ARGUMENTS[name]
        rounds, seconds = 1000, 0.0
        while seconds < SAMPLE_SECONDS:
            start = time.perf_counter()
            if not function(rounds, *arguments) and name.startswith("amx"):
                raise DeviceError("the operating system does not grant this process the AMX tiles")
            seconds = time.perf_counter() - start
            rounds = int(rounds * min(100.0, max(1.0, 1.2 * SAMPLE_SECONDS / max(seconds, 1e-9))))
        best = self._best_of(lambda number: function(rounds, *arguments))
        return self.threads * rounds * self._operations_per_round(name) / best

    def _operations_per_round(self, name: str) -> int:
        lanes: int = self._library.tw_vector_lanes()
        tile = 16 * 16  # accumulators of one AMX tile
        return {"fma": 12 * lanes * 2, "vnni": 12 * 64 * 2, "amx_bf16": 4 * tile * 64, "amx_int8": 4 * tile * 128}[name]

    def _measure_reading(self, size: int) -> float:
        import numpy as np

        data = np.ones(size // 4 + 16, np.float32)
        start = -(-data.ctypes.data // 64) * 64  # vectors that cross cache lines would be read twice
        part, times = size // 4 // self.threads // 16 * 16, max(1, int(SAMPLE_SECONDS * 2e10 / size))
        best = self._best_of(lambda number: self._library.tw_read(start + 4 * part * number, part, times))
        return float(times * self.threads * part * 4 / best)

    def _best_of(self, work: Callable[[int], Any]) -> float:
        """Return the shortest time in which every thread did `work`, all started together."""
        barrier = Barrier(self.threads)

        def run(number: int) -> tuple[float, float]:
            barrier.wait()
            start = time.perf_counter()
            work(number)
            return start, time.perf_counter()

        best = float("inf")
        with ThreadPoolExecutor(self.threads) as pool:
            for _ in range(SAMPLES):
                spans = list(pool.map(run, range(self.threads)))
                best = min(best, max(end for _, end in spans) - min(start for start, _ in spans))
        return best


def _ceiling(inner: str, of_bytes: bool) -> tuple[str, float]:
    """Return the ceiling of an inner loop, and the operations that it costs per useful one.

    >>> _ceiling("amx", True), _ceiling("mm", False), _ceiling("fma", False)
    (('amx_int8', 1), ('fma', 0.25), ('fma', 1))
    """
    if inner in ARM_PRODUCTS:
        return "fma", 1 / (ARM_PRODUCTS[inner] // (1 if of_bytes else 2))
    name, cost = INNERS.get(inner, ("fma", 1))
    return (f"amx_{'int8' if of_bytes else 'bf16'}" if name == "amx" else name), cost


def _shown(inner: str, name: str, of_bytes: bool) -> str:
    """Return the name of a ceiling for readers.

    >>> _shown("dot", "fma", True), _shown("mm", "fma", False), _shown("fma", "fma", True)
    ('int8 dot', 'bf16 mm', 'fp32 FMA')
    """
    return f"{'int8' if of_bytes else 'bf16'} {inner}" if inner in ARM_PRODUCTS else NAMES[name]


_ARGUMENTS: dict[str, tuple[Any, ...]] = {"fma": (0.999, 0.001), "vnni": (3,), "amx_bf16": (), "amx_int8": ()}


def _build(settings: Settings, arch: CpuArch, cache: Any) -> ctypes.CDLL:
    from ...jit import Cache

    flags = [*arch.compiler_flags[find_compiler(settings).family], f"-DTW_VECTOR_BYTES={arch.vector_bits // 8}"]
    flags += ["-DTW_VNNI"] if "vnni" in arch.inners and arch.vector_bits == 512 else []
    flags += ["-DTW_AMX"] if arch.amx is not None else []
    request = cxx_request(
        SOURCE.read_text(), name=f"ceilings_{arch.name}", flags=flags, isa=arch.name, settings=settings
    )
    library = load_library(request, cache or Cache.from_settings(settings), dlopen)
    for name, arguments in (
        ("tw_fma", [ctypes.c_int64, ctypes.c_float, ctypes.c_float]),
        ("tw_read", [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64]),
        ("tw_vnni", [ctypes.c_int64, ctypes.c_int]),
        ("tw_amx_bf16", [ctypes.c_int64]),
        ("tw_amx_int8", [ctypes.c_int64]),
    ):
        if hasattr(library, name):
            function = getattr(library, name)
            function.argtypes = arguments
            function.restype = ctypes.c_float if name in ("tw_fma", "tw_read") else ctypes.c_int
    return library
