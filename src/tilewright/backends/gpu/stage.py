"""GpuStage: prepared launches of one plan with a workspace for each stream, for every op."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from ...model.kernel import KernelSpec
from ...model.locks import cached_property, new_lock
from ...model.tensor import Addresses, Views
from .call import GpuKernel, current_stream
from .captured import keep_if_captured
from .launches import PointerCall, runner, stand_ins_for
from .places import driver_at, place_of

Prepare = Callable[[Any, Mapping[str, int], int], list[Any]]  # of `GpuCall`s, or of others that are used like them


class NamedKernels(Protocol):
    """The kernels of one artifact by name, as launches are prepared from them: opened, or only recorded."""

    @property
    def spec(self) -> KernelSpec:
        """The spec that they were built from."""
        ...

    @property
    def product(self) -> Any:
        """The first kernel of the artifact."""
        ...

    def other(self, prefix: str) -> Any:
        """Return a kernel by its name."""
        ...


class GpuKernels:
    """The kernels of one artifact by file prefix. Opening touches no GPU."""

    def __init__(self, spec: KernelSpec, folder: Path, prefixes: Iterable[str]) -> None:
        self.spec, self.folder, self.prefixes = spec, folder, tuple(prefixes)
        self._opened: dict[str, GpuKernel] = {}
        self.shapes: dict[Any, list[Any]] = {}  # templates of launches, see `launch_template`

    def other(self, prefix: str) -> GpuKernel:
        """Return a kernel by its file prefix."""
        if prefix not in self._opened:
            self._opened[prefix] = GpuKernel.open(self.folder, prefix)
        return self._opened[prefix]

    @cached_property
    def runtime(self) -> str:
        """The runtime that the kernels were compiled for: cuda or hip."""
        return self.product.meta["backend"]

    @property
    def product(self) -> GpuKernel:
        """The first kernel of the artifact."""
        return self.other(self.prefixes[0])

    def load(self, driver: Any) -> None:
        """Load every kernel onto the driver's GPU, so that later launches (under graph capture, say) need not."""
        for prefix in self.prefixes:
            self.other(prefix).function(driver)


def driver_for(kernels: Any, place: str) -> Any:
    """Return the driver that runs the kernels at a place; initialises the GPU."""
    return driver_at(place, kernels.runtime)


class GpuStage:
    """The launches of a plan, in order. It owns one workspace per stream it was launched on.

    The first stream takes the workspace that binding set aside, so its launches allocate nothing; a further stream gets
    its own at its first launch (under graph capture too, see `CudaDriver.allocate`). `prepare` is a function of the
    driver, the addresses by role and the address of the workspace.
    """

    def __init__(self, kernels: Any, workspace_bytes: int, prepare: Prepare) -> None:
        self.name, self.workspace_bytes = kernels.spec.name, workspace_bytes
        self._kernels, self.prepare = kernels, prepare
        self._spaces: dict[tuple[int, int | None], int] = {}
        self._lock = new_lock()

    def sizes(self, views: Views) -> dict[str, int]:
        """Return numbers that `prepare` gets beside the addresses: sizes of tensors that the problem leaves open."""
        return {}

    def bind(self, views: Views) -> Callable[[Any], None]:
        """A function of the stream (None: torch's current one, or the default stream) that launches on `views`."""
        driver = driver_for(self._kernels, place_of(views))
        addresses = {role: view.address for role, view in views.items()} | self.sizes(views)
        if not self.workspace_bytes:
            return runner(driver, self.prepare(driver, addresses, 0))
        self._kernels.load(driver)
        self._set_aside(driver)
        return _PerStream(self, driver, addresses)

    def bind_sets(self, sets: Sequence[Views], space: int) -> list[Callable[[Any], None]]:
        """Return one function of the stream for each set of tensors, all of the same shapes.

        They share the caller's workspace (`workspace_bytes` zeroed bytes at `space`): one stream may run them in turn.
        Many sets cost little more to prepare than one, but for arguments that are packed bytes: two sizes side by side
        may look like an address, so they are made for each set.
        """
        driver, sizes = driver_for(self._kernels, place_of(sets[0])), self.sizes(sets[0])

        def prepared(views: Views) -> list[Any]:
            return self.prepare(driver, {role: view.address for role, view in views.items()} | sizes, space)

        first = prepared(sets[0])
        packed = any(call.packed for call in first)
        others = (
            prepared(views) if packed else [call.moved(_shift(sets[0], views)) for call in first] for views in sets[1:]
        )
        return [runner(driver, calls) for calls in (first, *others)]

    def call(self, views: Views, names: Mapping[str, str] | None = None) -> PointerCall:
        """Return the launches on any tensors that look like `views`, as a function of their addresses.

        `names` gives the tensor of `views` behind each role of this stage, if the plan has other roles.
        """

        roles = names or {name: name for name in views}
        sizes = self.sizes({role: views[name] for role, name in roles.items()})

        def prepare(driver: Any, at: Mapping[str, int], space: int) -> list[Any]:
            return self.prepare(driver, {role: at[name] for role, name in roles.items()} | sizes, space)

        driver = driver_for(self._kernels, place_of(views))
        self._kernels.load(driver)
        return PointerCall(driver, stand_ins_for(views), prepare, self.space if self.workspace_bytes else None)

    def _set_aside(self, driver: Any) -> None:
        """A workspace for the first stream that comes, if no stream has one yet."""
        with self._lock:
            if not any(ordinal == driver.ordinal for ordinal, _ in self._spaces):
                self._spaces[(driver.ordinal, None)] = self._allocate(driver)

    def space(self, driver: Any, stream: int) -> int:
        """Return the workspace of a stream: its own, the one set aside, or a new one."""
        with self._lock:
            key = (driver.ordinal, stream)
            if key not in self._spaces:
                spare = self._spaces.pop((driver.ordinal, None), None)
                self._spaces[key] = spare if spare is not None else self._allocate(driver)
                keep_if_captured(self)
            return self._spaces[key]

    def _allocate(self, driver: Any) -> int:
        """Zeroed memory that is given back when the stage goes."""
        address: int = driver.allocate(self.workspace_bytes)
        weakref.finalize(self, driver.free, address).atexit = False
        return address


class _PerStream:
    """Launches whose workspace depends on the stream: prepared once for each stream."""

    def __init__(self, stage: GpuStage, driver: Any, addresses: Addresses) -> None:
        self._stage, self._driver, self._addresses = stage, driver, addresses
        self._ready: dict[int, Callable[[Any], None]] = {}

    def __call__(self, stream: Any = None) -> None:
        handle = current_stream(self._driver.ordinal) if stream is None else stream
        ready = self._ready.get(handle)
        if ready is None:
            space = self._stage.space(self._driver, handle)
            calls = self._stage.prepare(self._driver, self._addresses, space)
            ready = self._ready[handle] = runner(self._driver, calls, handle, self._stage)
        ready(handle)


def _shift(old: Views, new: Views) -> Callable[[int], int]:
    """Return where an address inside of the old tensors lies in the new ones; others stay."""
    moves = []
    for role, view in old.items():
        low, high = view.extent
        moves.append((view.address + low, view.address + high, new[role].address - view.address))

    def to(address: int) -> int:
        return next((address + step for low, high, step in moves if low <= address < high), address)

    return to


@cache
def units_of(arch: str) -> int:
    """Multiprocessors of the first GPU here of that arch, else of its nominal device."""
    from ...arch import get_nominal_devices
    from .places import devices_here

    found = [d for d in devices_here().values() if d.arch == arch] or list(get_nominal_devices(arch))
    return found[0].units
