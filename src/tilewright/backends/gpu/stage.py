"""GpuStage: prepared launches of one plan with a workspace for each stream, whatever the op."""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...model.kernel import KernelSpec
from ...model.tensor import TensorView
from .call import GpuCall, GpuKernel, current_stream, stream_lookup
from .places import driver_at, place_of

Prepare = Callable[[Any, Mapping[str, int], int], list[GpuCall]]


class GpuKernels:
    """The kernels of one artifact by file prefix. Opening touches no GPU."""

    def __init__(self, spec: KernelSpec, folder: Path, prefixes: Iterable[str]) -> None:
        self.spec, self.folder, self.prefixes = spec, folder, tuple(prefixes)
        self._opened: dict[str, GpuKernel] = {}

    def other(self, prefix: str) -> GpuKernel:
        """A kernel by its file prefix."""
        if prefix not in self._opened:
            self._opened[prefix] = GpuKernel.open(self.folder, prefix)
        return self._opened[prefix]

    @property
    def product(self) -> GpuKernel:
        """The first kernel of the artifact."""
        return self.other(self.prefixes[0])

    def load(self, driver: Any) -> None:
        """Load every kernel onto the driver's GPU, so that later launches (under graph capture, say) need not."""
        for prefix in self.prefixes:
            self.other(prefix).function(driver)


def driver_for(kernel: GpuKernel, place: str) -> Any:
    """The driver that runs the kernel at a place; initialises the GPU."""
    return driver_at(place, kernel.meta["backend"])


class GpuStage:
    """The launches of a plan, in order. It owns one workspace per stream it was launched on.

    The first stream takes the workspace that binding set aside, so its launches allocate nothing; a further stream gets
    its own at its first launch (under graph capture too, see `CudaDriver.allocate`). `prepare` is a function of the
    driver, the addresses by role and the address of the workspace.
    """

    def __init__(self, kernels: GpuKernels, workspace_bytes: int, prepare: Prepare) -> None:
        self.name, self.workspace_bytes = kernels.spec.name, workspace_bytes
        self._kernels, self.prepare = kernels, prepare
        self._spaces: dict[tuple[int, int | None], int] = {}
        self._lock = threading.Lock()

    def bind(self, views: Mapping[str, TensorView]) -> Callable[[Any], None]:
        """A function of the stream (None: torch's current one, or the default stream) that launches on `views`."""
        driver = driver_for(self._kernels.product, place_of(views))
        addresses = {role: view.address for role, view in views.items()}
        if not self.workspace_bytes:
            return _runner(self.prepare(driver, addresses, 0))
        self._kernels.load(driver)
        self._set_aside(driver)
        return _PerStream(self, driver, addresses)

    def bind_sets(self, sets: Sequence[Mapping[str, TensorView]], space: int) -> list[Callable[[Any], None]]:
        """One function of the stream for each set of tensors, all of the same shapes.

        They share the caller's workspace (`workspace_bytes` zeroed bytes at `space`): one stream may run them in turn.
        Many sets cost little more to prepare than one.
        """
        driver = driver_for(self._kernels.product, place_of(sets[0]))
        addresses = {role: view.address for role, view in sets[0].items()}
        first = self.prepare(driver, addresses, space)
        return [_runner(first), *(_runner([c.moved(_shift(sets[0], views)) for c in first]) for views in sets[1:])]

    def call(self, views: Mapping[str, TensorView]) -> PointerCall:
        """The launches on any tensors that look like `views`: a function of their addresses."""
        driver = driver_for(self._kernels.product, place_of(views))
        self._kernels.load(driver)
        return PointerCall(self, driver, {role: view.address for role, view in views.items()})

    def _set_aside(self, driver: Any) -> None:
        """A workspace for the first stream that comes, where no stream has one yet."""
        with self._lock:
            if not any(ordinal == driver.ordinal for ordinal, _ in self._spaces):
                self._spaces[(driver.ordinal, None)] = self._allocate(driver)

    def space(self, driver: Any, stream: int) -> int:
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

    def __init__(self, stage: GpuStage, driver: Any, addresses: Mapping[str, int]) -> None:
        self._stage, self._driver, self._addresses = stage, driver, addresses
        self._ready: dict[int, Callable[[Any], None]] = {}

    def __call__(self, stream: Any = None) -> None:
        handle = current_stream(self._driver.ordinal) if stream is None else stream
        ready = self._ready.get(handle)
        if ready is None:
            space = self._stage.space(self._driver, handle)
            ready = self._ready[handle] = _runner(self._stage.prepare(self._driver, self._addresses, space))
        ready(handle)


def _shift(old: Mapping[str, TensorView], new: Mapping[str, TensorView]) -> Callable[[int], int]:
    """Where an address inside of the old tensors lies in the new ones; others stay."""
    moves = []
    for role, view in old.items():
        low, high = view.extent
        moves.append((view.address + low, view.address + high, new[role].address - view.address))

    def to(address: int) -> int:
        return next((address + step for low, high, step in moves if low <= address < high), address)

    return to


STAND_IN, APART = 1 << 44, 1 << 40  # made-up addresses, by which the parameters of a role are found again
VECTOR = 16  # bytes: launches are prepared for the alignment of the tensors, up to this


class PointerCall:
    """Launches on tensors that are known by their addresses only, all else being as it was at the first call.

    Parameters are written in place, one call at a time; the driver copies them at each launch.
    """

    def __init__(self, stage: GpuStage, driver: Any, addresses: Mapping[str, int]) -> None:
        self._stage, self._driver = stage, driver
        stand_ins = [STAND_IN + i * APART + address % VECTOR for i, address in enumerate(addresses.values())]
        self._stand_ins = dict(zip(addresses, stand_ins, strict=True))
        self._stream = stream_lookup() or (lambda ordinal: 0)
        self._ready: dict[int, _Moving] = {}
        self._lock = threading.Lock()

    def run_pointers(self, *addresses: int) -> None:
        """Launch on the current stream, on tensors at `addresses` (in the order of the roles)."""
        stream = self._stream(self._driver.ordinal)
        key = stream if self._stage.workspace_bytes else 0
        with self._lock:
            ready = self._ready.get(key)
            if ready is None:
                space = self._stage.space(self._driver, stream) if self._stage.workspace_bytes else 0
                calls = self._stage.prepare(self._driver, self._stand_ins, space)
                ready = self._ready[key] = _Moving(self._driver, calls, list(self._stand_ins.values()))
            ready(addresses, stream)


class _Moving:
    """Prepared launches whose tensors move."""

    def __init__(self, driver: Any, calls: list[GpuCall], stand_ins: list[int]) -> None:
        self._driver, self._run = driver, _runner(calls)
        self._at: tuple[int, ...] = ()
        self._maps: list[tuple[int, int, int]] = []
        self._cells: list[tuple[Any, int, int]] = []
        for kind, where, address in (held for call in calls for held in call.addresses()):
            for role, stand_in in enumerate(stand_ins):
                if 0 <= address - stand_in < APART and kind == "tensormap":
                    self._maps.append((where, role, address - stand_in))
                elif 0 <= address - stand_in < APART:
                    self._cells.append((ctypes.c_uint64.from_address(where), role, address - stand_in))

    def __call__(self, addresses: tuple[int, ...], stream: int) -> None:
        if addresses != self._at:
            for cell, role, offset in self._cells:
                cell.value = addresses[role] + offset
            for where, role, offset in self._maps:
                self._driver.move_map(where, addresses[role] + offset)
            self._at = addresses
        self._run(stream)


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


def units_of(arch: str) -> int:
    """Multiprocessors of the first GPU here of that arch, else of its nominal device."""
    from ...arch import get_nominal_devices
    from .places import devices_here

    found = [d for d in devices_here().values() if d.arch == arch] or list(get_nominal_devices(arch))
    return found[0].units
