"""GemmStage: a loaded GEMM kernel for one problem, bound to tensors as prepared launches."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ....errors import TensorError
from ....model.kernel import Candidate, KernelSpec, Launch
from ....model.tensor import TensorView
from ....ops.gemm.problem import GemmProblem
from ..gpu_call import GpuCall, GpuKernel, current_stream
from .bind import copies, copy_values, geometry, reduce_values, values, workspace_bytes
from .lower import jobs_of


class GemmKernel:
    """The kernels of one artifact: the product, its reduction, the copies before it. Opening touches no GPU."""

    def __init__(self, spec: KernelSpec, folder: Path) -> None:
        self.spec, self.folder = spec, folder
        self.product = GpuKernel.open(folder)
        self._others: dict[str, GpuKernel] = {}

    def other(self, prefix: str) -> GpuKernel:
        """A further kernel by its file prefix."""
        if prefix not in self._others:
            self._others[prefix] = GpuKernel.open(self.folder, prefix)
        return self._others[prefix]

    def load(self, driver: Any) -> None:
        """Load every kernel onto the driver's GPU, so that later launches (under graph capture, say) need not."""
        self.product.function(driver)
        for prefix in jobs_of(self.spec):
            if prefix != "kernel":
                self.other(prefix).function(driver)


def driver_for(kernel: GpuKernel, ordinal: int) -> Any:
    """The driver that runs the kernel; initialises the GPU."""
    if kernel.meta["backend"] == "hip":
        from ..hip_driver import hip_driver

        return hip_driver(ordinal)
    from ..cuda_driver import cuda_driver

    return cuda_driver(ordinal)


def prepare(
    kernel: GemmKernel,
    driver: Any,
    problem: GemmProblem,
    launch: Launch,
    units: int,
    addresses: Mapping[str, int],
    workspace: int,
    early: bool = True,
) -> list[GpuCall]:
    """The launches of one product, in order: copies, product, reduction."""
    spec = kernel.spec
    size = workspace_bytes(problem, spec.algorithm, launch, units)
    start = size - sum(c.bytes for c in copies(problem, spec.algorithm, addresses, 0))
    found = copies(problem, spec.algorithm, addresses, start)
    calls = []
    if found:
        grid, args, width = copy_values(found, problem, workspace)
        calls.append(GpuCall(kernel.other(f"stage{width}"), driver, grid, args, early))
    grid, args = values(spec, problem, launch, units, addresses, workspace)
    calls.append(GpuCall(kernel.product, driver, grid, args, early))
    if spec.algorithm.split and spec.algorithm.reduce == "after":
        grid, args = reduce_values(spec, problem, launch, units, addresses, workspace)
        calls.append(GpuCall(kernel.other("reduce"), driver, grid, args, early))
    return calls


class GemmStage:
    """One GEMM of a plan. It owns one workspace per stream it was launched on.

    The first stream takes the workspace that binding set aside, so its launches allocate nothing; a further stream gets
    its own at its first launch (under graph capture too, see `CudaDriver.allocate`).
    """

    def __init__(self, candidate: Candidate, problem: GemmProblem, kernel: GemmKernel, units: int) -> None:
        self.name = candidate.spec.name
        self._launch, self._problem, self._kernel, self._units = candidate.launch, problem, kernel, units
        self.workspace_bytes = workspace_bytes(problem, candidate.spec.algorithm, candidate.launch, units)
        self.programs = geometry(problem, candidate.spec.algorithm, candidate.launch, units).programs
        self._spaces: dict[tuple[int, int | None], int] = {}
        self._lock = threading.Lock()

    def bind(self, views: Mapping[str, TensorView]) -> Callable[[Any], None]:
        """A function of the stream (None: torch's current one, or the default stream) that launches on `views`."""
        ordinal = _ordinal(views)
        driver = driver_for(self._kernel.product, ordinal)
        addresses = {role: view.address for role, view in views.items()}
        if not self.workspace_bytes:
            return _runner(self._prepare(driver, addresses, 0))
        self._kernel.load(driver)
        self._set_aside(driver)
        return _PerStream(self, driver, addresses)

    def _prepare(self, driver: Any, addresses: Mapping[str, int], workspace: int) -> list[GpuCall]:
        return prepare(self._kernel, driver, self._problem, self._launch, self._units, addresses, workspace)

    def _set_aside(self, driver: Any) -> None:
        """A workspace for the first stream that comes, where no stream has one yet."""
        with self._lock:
            if not any(ordinal == driver.ordinal for ordinal, _ in self._spaces):
                self._spaces[(driver.ordinal, None)] = self._allocate(driver)

    def _space(self, driver: Any, stream: int) -> int:
        """The workspace of a stream: its own, the one set aside, or a new one."""
        with self._lock:
            key = (driver.ordinal, stream)
            if key not in self._spaces:
                spare = self._spaces.pop((driver.ordinal, None), None)
                self._spaces[key] = spare if spare is not None else self._allocate(driver)
            return self._spaces[key]

    def _allocate(self, driver: Any) -> int:
        """Zeroed memory that is given back when the stage goes."""
        address: int = driver.allocate(self.workspace_bytes)
        weakref.finalize(self, driver.free, address).atexit = False
        return address


class _PerStream:
    """Launches whose workspace depends on the stream: prepared once for each stream."""

    def __init__(self, stage: GemmStage, driver: Any, addresses: Mapping[str, int]) -> None:
        self._stage, self._driver, self._addresses = stage, driver, addresses
        self._ready: dict[int, Callable[[Any], None]] = {}

    def __call__(self, stream: Any = None) -> None:
        handle = current_stream(self._driver.ordinal) if stream is None else stream
        ready = self._ready.get(handle)
        if ready is None:
            calls = self._stage._prepare(self._driver, self._addresses, self._stage._space(self._driver, handle))
            ready = self._ready[handle] = _runner(calls)
        ready(handle)


def _runner(calls: list[GpuCall]) -> Callable[[Any], None]:
    """One function of the stream for some launches in order."""
    fast = [call.fast() for call in calls]
    if len(fast) == 1:
        only: Callable[[Any], None] = fast[0]
        return only

    def run(stream: Any) -> None:
        for call in fast:
            call(stream)

    return run


def _ordinal(views: Mapping[str, TensorView]) -> int:
    devices = {v.device for v in views.values()}
    if len(devices) != 1 or not next(iter(devices)).startswith(("cuda", "hip")):
        raise TensorError(f"tensors are on {', '.join(sorted(devices))}", remedy="put all of them on one GPU")
    name = next(iter(devices))
    return int(name.split(":")[1]) if ":" in name else 0


def units_of(arch: str) -> int:
    """Multiprocessors of the first GPU here of that arch, else of its nominal device."""
    from ....arch import get_nominal_devices
    from ..detect import gpu_devices

    found = [d for d in gpu_devices() if d.arch == arch] or list(get_nominal_devices(arch))
    return found[0].units
