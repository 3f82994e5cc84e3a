"""Launches whose tensors move: parameters are found once, and their addresses are written in place at each call.

The C launcher does it in `GpuLaunches`; without it, Python does the same.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...jit.launcher import launcher
from ...model.locks import new_lock
from ...model.tensor import VECTOR, Views
from .call import stream_lookup

STAND_IN, APART = 1 << 44, 1 << 40  # made-up addresses, by which the parameters of a role are found again
ELSEWHERE = 1 << 45 | 1 << 20  # how far apart two such sets of addresses are
Cell = tuple[int, int, bool, int]  # where a parameter is kept, its tensor, whether it is a tensor map, bytes behind


def stand_ins_for(views: Views) -> dict[str, int]:
    """Return a made-up address for each tensor, aligned as its own is.

    >>> from tilewright.model.tensor import TensorView
    >>> stand_ins_for({"a": TensorView(4100, "fp32", (1,), (1,), "cuda:0", False)})["a"] % 16
    4
    """
    return {role: STAND_IN + i * APART + view.address % VECTOR for i, (role, view) in enumerate(views.items())}


class PointerCall:
    """Launches on tensors that are known by their addresses only, all else being as it was at the first call.

    `stand_ins` are addresses by role that `prepare` makes the launches with (see `stand_ins_for`).
    `space` gives the workspace of a stream (None: the launches need none). Parameters are written in place, one call
    at a time; the driver copies them at each launch.
    """

    def __init__(
        self,
        driver: Any,
        stand_ins: Mapping[str, int],
        prepare: Callable[[Any, Mapping[str, int], int], list[Any]] | None,
        space: Callable[[Any, int], int] | None,
    ) -> None:
        self._driver, self._prepare, self._space = driver, prepare, space
        self._stand_ins = stand_ins
        self._lookup = stream_lookup()
        self._stream = self._lookup or (lambda ordinal: 0)
        self._ready: dict[int, Any] = {}
        self._lock = new_lock()

    def run_pointers(self, *addresses: int) -> None:
        """Launch on the current stream, on tensors at `addresses` (in the order of the roles)."""
        stream = self._stream(self._driver.ordinal)
        with self._lock:
            self._on(stream).run(stream, *addresses)

    def in_c(self) -> Any:
        """Return the launches on the current stream as a `GpuLaunches` that a memo can run; None if Python has to."""
        stream = self._stream(self._driver.ordinal)
        ready = self._ready.get(stream if self._space is not None else 0)
        if ready is None:
            with self._lock:
                ready = self._on(stream)
        return None if isinstance(ready, _Moving) else ready

    def _on(self, stream: int) -> Any:
        key = stream if self._space is not None else 0
        ready = self._ready.get(key)
        if ready is None:
            space = self._space(self._driver, stream) if self._space is not None else 0
            ready = self._ready[key] = self._launches(space, stream if self._space is not None else None)
        return ready

    def _launches(self, space: int, stream: int | None) -> Any:
        """Return the launches on a workspace, for the stream that it belongs to; None: for any stream."""
        calls, cells = self._made(space)
        made = _in_c(self._driver, calls, len(self._stand_ins), cells, stream, self._lookup, self._space)
        return made or _Moving(self._driver, calls, cells)

    def _made(self, space: int) -> tuple[list[Any], list[Cell]]:
        """Return the launches on the stand-ins, and their parameters that hold an address inside of a tensor."""
        assert self._prepare is not None
        calls = self._prepare(self._driver, self._stand_ins, space)
        return calls, self._cells(self._prepare, calls, space)

    def _cells(self, prepare: Callable[..., list[Any]], calls: list[Any], space: int) -> list[Cell]:
        """Return the parameters that hold an address inside of a tensor.

        Arguments that are packed bytes hold words of any value, two sizes side by side for instance, which may look
        like an address. Such launches are prepared a second time elsewhere: what is an address moves along.
        """
        elsewhere, step = calls, 0
        if any(call.packed for call in calls):
            moved_by = {role: at + ELSEWHERE for role, at in self._stand_ins.items()}
            elsewhere, step = prepare(self._driver, moved_by, space), ELSEWHERE
        held = (call.addresses() for call in calls)
        moved = (call.addresses() for call in elsewhere)
        return [
            (where, role, kind == "tensormap", address - stand_in)
            for here, there in zip(held, moved, strict=True)
            for (kind, where, address), (_, _, other) in zip(here, there, strict=True)
            for role, stand_in in enumerate(self._stand_ins.values())
            if 0 <= address - stand_in < APART and other - address == step
        ]


class _Moving:
    """Prepared launches whose tensors move, in Python."""

    def __init__(self, driver: Any, calls: Sequence[Any], cells: Sequence[Cell]) -> None:
        self._driver, self._calls, self._cells = driver, calls, cells
        self._at: tuple[int, ...] | None = None

    def run(self, stream: int, *addresses: int) -> None:
        """Launch on `stream`, on tensors at `addresses`."""
        if addresses != self._at:
            self._at = None
            for where, role, is_map, offset in self._cells:
                if is_map:
                    self._driver.move_map(where, addresses[role] + offset)
                else:
                    ctypes.c_uint64.from_address(where).value = addresses[role] + offset
            self._at = addresses
        for call in self._calls:
            call(stream)


def runner(driver: Any, calls: list[Any], stream: int | None = None, space: Any = None) -> Callable[[Any], None]:
    """Return one function of the stream (None: the current one) for some launches in order.

    If they have a workspace, it belongs to `stream`, and `space` owns it.
    """
    made = _in_c(driver, calls, 0, (), stream, stream_lookup(), space)
    if made is not None:
        return made.run

    def run_each(stream: Any = None) -> None:
        for call in calls:
            call(stream)

    return run_each


def _in_c(
    driver: Any, calls: list[Any], tensors: int, cells: Sequence[Cell], stream: int | None, lookup: Any, space: Any
) -> Any:  # fmt: skip
    """Return the launches as a `GpuLaunches`; None if there is no launcher, or if C cannot do one of them.

    They keep `space`, the owner of their workspace: a memo in C may have them longer than anything else has it. Once
    they are captured, it stays as long as the process.
    """
    module, places = launcher().module, tuple([call.places for call in calls])
    if module is None or None in places:
        return None

    def failed(index: int, code: int) -> None:
        """Return if C shall try again, because the context of this thread was missing; else raise an error."""
        if driver.entered(code):
            return
        if index >= 0:
            calls[index].failed(code)
        driver.check(code, driver.ready)

    return module.GpuLaunches(
        driver.entries, tensors, places, tuple(cells), stream, failed, lookup, driver.ordinal, (calls, space)
    )
