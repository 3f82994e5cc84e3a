"""`@triton.jit` kernels, unchanged, on an emulated AMD GPU: a Triton driver that executes instead of launching.

Inside of `emulated_triton("gfx942")`, `kernel[grid](...)` compiles for that arch and executes on NumPy arrays and CPU
tensors of torch. Each launch copies its arrays into emulated memory, and back when it has ended.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...arch import get_arch
from ...emulator import ISAS, Kernel, Memory, Report, Tally, kernel_of, launch
from ...emulator.arguments import pack_arguments
from ...emulator.memory import BASE
from ...errors import KernelArgumentError, MissingExtraError, SanitizerError, check_known
from .target import triton_target

ALIGNMENT = 256  # addresses keep their alignment up to this: Triton compiles other code for aligned pointers


@dataclass
class EmulatedGpu:
    """What kernels did inside of one `emulated_triton`: a report and the counts of every launch."""

    arch: str
    sanitize: bool = True
    reports: list[Report] = field(default_factory=list)
    launches: list[tuple[Kernel, Tally]] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        """Return what all launches executed, by name: instructions by kind, multiply-adds, bytes."""
        total: dict[str, int] = {}
        for kernel, tally in self.launches:
            for name, number in tally.counts(kernel).items():
                total[name] = total.get(name, 0) + number
        return total


@contextmanager
def emulated_triton(arch: str, sanitize: bool = True) -> Iterator[EmulatedGpu]:
    """Let Triton kernels run on an emulated GPU of `arch`, until the end of the `with`.

    A fault that the sanitizer finds is raised as a `SanitizerError` by the launch, after its results were copied back.
    """
    try:
        from triton import knobs
        from triton.compiler import CompiledKernel
        from triton.runtime import JITFunction, driver
    except ImportError:
        raise MissingExtraError("triton", extra="triton", why="to compile Triton kernels") from None
    check_known("arch of an emulated GPU", arch, ISAS)
    before, run, load = driver._active, JITFunction.run, CompiledKernel._init_handles
    active = _Driver(EmulatedGpu(arch, sanitize))

    def run_on_arrays(self: Any, *args: Any, **options: Any) -> Any:
        with knobs.compilation.scope():  # compile_job sets the knob, which Triton also puts into the environment
            knobs.compilation.disable_line_info = False  # findings name lines; Triton's cache keeps both apart
            return run(self, *map(_as_pointer, args), **{name: _as_pointer(value) for name, value in options.items()})

    def load_text(self: Any) -> None:
        active.text = self.asm["amdgcn"]
        load(self)

    driver._active, JITFunction.run, CompiledKernel._init_handles = active, run_on_arrays, load_text
    try:
        yield active.gpu
    finally:
        driver._active, JITFunction.run, CompiledKernel._init_handles = before, run, load


class _Array:
    """A NumPy array as Triton wants a pointer: with `data_ptr`, and a dtype that it knows by name."""

    def __init__(self, array: Any) -> None:
        self.array, self.dtype = array, array.dtype

    def data_ptr(self) -> int:
        return int(self.array.ctypes.data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.array, name)


def _as_pointer(value: Any) -> Any:
    return _Array(value) if isinstance(value, np.ndarray) and value.ndim else value


class _Driver:
    """What Triton asks of a driver. The device is named after its arch, so that Triton's caches keep archs apart."""

    def __init__(self, gpu: EmulatedGpu) -> None:
        self.gpu, self._arch = gpu, get_arch(gpu.arch)
        self.text = ""  # the assembly of the kernel that is loaded next
        self.utils = self

    def launcher_cls(self, source: Any, metadata: Any) -> _Launcher:
        return _Launcher(self.text, list(source.signature.values()), metadata)

    def get_current_target(self) -> Any:
        return triton_target(self._arch)

    def get_current_device(self) -> str:
        return f"emu:{self.gpu.arch}"

    def get_current_stream(self, device: Any) -> int:
        return 0

    def get_active_torch_device(self) -> Any:
        import torch

        return torch.device("cpu")

    def get_device_properties(self, device: Any) -> dict[str, int]:
        arch: Any = self._arch
        return {"max_shared_mem": arch.lds_bytes, "multiprocessor_count": 1, "warpSize": arch.wave_size}

    def load_binary(self, name: str, kernel: bytes, shared: int, device: Any) -> tuple[Any, ...]:
        return kernel, kernel, 0, 0, 1024

    def get_benchmarker(self) -> Any:
        """Return a function that runs a configuration once. Nothing is timed here: the first that compiles is taken."""

        def run_once(call: Any, quantiles: Sequence[float] = (), **_: Any) -> list[float]:
            call()
            return [1.0] * max(1, len(quantiles))

        return run_once


class _Launcher:
    """Executes one compiled kernel. Triton keeps it, so what belongs to a `with` is asked of the active driver."""

    def __init__(self, text: str, types: list[Any], metadata: Any) -> None:
        self._text, self._types, self._metadata = text, types, metadata

    def __call__(self, x: int, y: int, z: int, stream: Any, function: Any, packed: Any, described: Any, enter: Any,
                 leave: Any, *values: Any) -> None:  # fmt: skip
        from triton.runtime import driver

        gpu: EmulatedGpu = driver.active.gpu
        if not x * y * z:
            return
        kernel, memory = kernel_of(self._text, self._metadata.name), Memory()
        given = list(_flat(self._types, values))
        copies = _Copies(memory, [v for v in given if hasattr(v, "data_ptr")])
        numbers = [copies.address(v) if hasattr(v, "data_ptr") else v for v in given]
        for kind in ("global", "profile"):
            size = getattr(self._metadata, f"{kind}_scratch_size", 0)
            numbers.append(memory.allocate(np.zeros(size * x * y * z, np.uint8)) if size else None)
        wanted = [a for a in kernel.arguments if not a.hidden]
        raw, _ = pack_arguments(kernel, numbers[: len(wanted)], memory)
        tally = Tally(getattr(get_arch(gpu.arch), "lds_banks", 32))
        report = launch(
            kernel, memory, raw, (x, y, z), (self._metadata.num_warps * kernel.wave_size,), sanitize=gpu.sanitize,
            dynamic_lds=0 if kernel.lds_bytes else self._metadata.shared, tally=tally,
        )  # fmt: skip
        gpu.launches.append((kernel, tally))
        gpu.reports.append(report)
        copies.copy_back()
        if report.findings:
            raise SanitizerError(report.findings)


def _flat(types: Sequence[Any], values: Sequence[Any]) -> Iterator[Any]:
    """Yield the arguments that a compiled kernel takes: no constants, tuples one by one, descriptors in parts."""
    for kind, value in zip(types, values, strict=True):
        if isinstance(kind, tuple):
            yield from _flat(kind, value)
        elif kind.startswith("tensordesc"):
            yield from (_as_pointer(value.base), *value.shape, *value.strides, int(value.padding == "nan"))
            yield from (*value.shape, *value.strides)
        elif kind.startswith("*") or kind[0] in "iu":
            yield value if value is None or hasattr(value, "data_ptr") else int(value)
        elif kind != "constexpr":
            yield float(value)


class _Copies:
    """Host memory that arguments lie in, and its copies. Arrays that share memory do so on the GPU, too."""

    def __init__(self, memory: Memory, values: Sequence[Any]) -> None:
        self._memory = memory
        self._spans: list[tuple[int, bytes, int, bool]] = []  # on the host, content, on the GPU, whether read-only
        joined: list[tuple[int, int, bool]] = []
        for low, high, fixed in sorted(_extent(v) for v in values):
            if joined and low < joined[-1][1]:
                first, last, other = joined.pop()
                low, high, fixed = first, max(high, last), fixed and other
            joined.append((low, high, fixed))
        for low, high, fixed in joined:
            content = ctypes.string_at(low, high - low)
            skew = low % ALIGNMENT
            there = memory.allocate(bytes(skew) + content) + skew
            memory.valid[there - skew - BASE : there - BASE] = False
            self._spans.append((low, content, there, fixed))

    def address(self, value: Any) -> int:
        """Return where an argument lies on the GPU; an array without elements lies nowhere."""
        at = value.data_ptr()
        return next((there + at - low for low, held, there, _ in self._spans if low <= at < low + len(held)), 0)

    def copy_back(self) -> None:
        """Copy what the kernel changed."""
        for low, before, there, fixed in self._spans:
            after = self._memory.span(there, len(before)).tobytes()
            if after != before and fixed:
                raise KernelArgumentError("the kernel wrote to a read-only array", remedy="pass a copy of it")
            if after != before:
                ctypes.memmove(low, after, len(before))


def _extent(value: Any) -> tuple[int, int, bool]:
    """Return (first byte, the one behind the last, whether it is read-only) of the memory of an argument."""
    value = value.base if type(value).__name__ == "TensorWrapper" else value
    if isinstance(value, _Array):
        array = value.array
        while isinstance(array.base, np.ndarray):
            array = array.base
        return array.ctypes.data, array.ctypes.data + array.nbytes, not value.array.flags.writeable
    if value.device.type != "cpu":
        raise KernelArgumentError(
            f"a tensor lies on {value.device}; an emulated GPU takes tensors of the CPU", remedy="pass tensor.cpu()"
        )
    storage = value.untyped_storage()
    return storage.data_ptr(), storage.data_ptr() + storage.nbytes(), False
