"""A HIP driver over the emulator: the backends' own launch code runs as it would on a GPU."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tilewright.backends.gpu.cuda_driver import LaunchConfig
from tilewright.emulator import Kernel, Memory, Report, kernel_of, launch


class EmulatedGpu:
    """What `GpuCall` and the CK Tile launchers ask of a driver."""

    ordinal = 0

    def __init__(self, sanitize: bool = False, step_limit: int = 5_000_000) -> None:
        self.memory, self.sanitize, self.step_limit = Memory(), sanitize, step_limit
        self.texts: dict[bytes, str] = {}
        self.functions: list[tuple[Kernel, int]] = []
        self.reports: list[Report] = []

    def know(self, folder: Path) -> None:
        """Learn the assembly of every code object in an artifact's folder."""
        for binary in folder.glob("*.hsaco"):
            self.texts[binary.read_bytes()] = binary.with_suffix(".amdgcn").read_text()

    def load(self, binary: bytes, name: str, shared: int = 0) -> int:
        self.functions.append((kernel_of(self.texts[binary], name), shared))
        return len(self.functions)

    def launch(self, config_at: int, function: Any, params: Any, extra: Any) -> int:
        c = LaunchConfig.from_address(config_at)
        return self.launch_raw(function.value, c.grid, c.block, c.shared, 0, params)

    def launch_raw(self, function: int, grid: Any, block: Any, shared: int, stream: int, params: Any) -> int:
        kernel, _ = self.functions[function - 1]
        raw = bytearray(max((a.offset + a.size for a in kernel.arguments if not a.hidden), default=0))
        wanted = [a for a in kernel.arguments if not a.hidden]
        for a, at in zip(wanted, params, strict=False):
            if at:
                raw[a.offset : a.offset + a.size] = ctypes.string_at(at, a.size)
        self.reports.append(
            launch(
                kernel, self.memory, bytes(raw), tuple(grid), tuple(block), dynamic_lds=shared, sanitize=self.sanitize,
                step_limit=self.step_limit,
            )
        )  # fmt: skip
        return 0

    def check(self, code: int, what: str) -> None:
        assert code == 0, what

    def units(self) -> int:
        return 8

    def blocks_per_unit(self, function: int, threads: int) -> int:
        return 2

    def allocate(self, size: int) -> int:
        return self.memory.allocate(np.zeros(max(size, 1), np.uint8))

    def free(self, address: int) -> None:
        self.memory.free(address)

    def clear_rows(self, address: int, pitch: int, width: int, rows: int, stream: int = 0) -> None:
        for row in range(rows):
            self.memory.write(address + row * pitch, np.zeros(width, np.uint8))

    def copy_in(self, address: int, host: int, size: int, stream: int = 0) -> None:
        self.memory.write(address, ctypes.string_at(host, size))

    def copy_out(self, host: int, address: int, size: int, stream: int = 0) -> None:
        raw = self.memory.read(address, np.uint8, size)
        ctypes.memmove(host, raw.ctypes.data, size)

    @property
    def findings(self) -> list[Any]:
        return [f for r in self.reports for f in r.findings]


def run_stages(
    op: Any, backend: Any, candidate: Any, problem: Any, kernel: Any, gpu: EmulatedGpu, seed: int = 0
) -> Any:
    """Run every stage of a candidate on random tensors; return the verdict of the op's own verification."""
    from tilewright.backends.gpu.hip_buffers import on_device
    from tilewright.settings import Settings

    tensors = op.random_tensors(problem, seed)
    arrays = {role: getattr(t, "storage", t) for role, t in tensors.items()}
    outputs = op.out_roles(problem)
    with on_device(gpu, arrays, outputs=outputs) as addresses:
        for stage in backend.stages(candidate, problem, kernel, Settings()):
            _run(stage, gpu, addresses)
    return op.verify(
        problem, tensors, tensors[outputs[0]], tier="float64", product_error=backend.product_error(candidate.spec),
        seed=seed,
    )  # fmt: skip


def _run(stage: Any, gpu: EmulatedGpu, addresses: Mapping[str, int]) -> None:
    space = gpu.allocate(stage.workspace_bytes) if stage.workspace_bytes else 0
    for call in stage.prepare(gpu, addresses, space):
        call(0)
