"""EmulatedStage: the stages of a plan on an emulated GPU, with host arrays copied in before and out after them."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ....errors import LaunchError, SanitizerError
from ....model.tensor import VECTOR, Views
from ..hip_driver import HipDriver
from .standin import emulated_driver, emulated_runtime


@dataclass(frozen=True)
class Span:
    """Host memory that one or more tensors share, and its copy on the GPU, which is aligned as it is.

    `block` is the GPU memory that the copy lies in.
    """

    host: int
    size: int
    block: int
    readonly: bool
    roles: tuple[str, ...]

    @property
    def device(self) -> int:
        """The address of the copy."""
        return self.block + self.host % VECTOR


class EmulatedStage:
    """Runs the stages of a plan at a place `emu:ARCH` on tensors of the host.

    The stages are those of a real GPU and see memory of the emulated one. Tensors that share memory do so there, too.
    With `sanitize`, faults are raised as a `SanitizerError` after the results were copied back.
    """

    def __init__(self, place: str, stages: Sequence[Any], sanitize: bool) -> None:
        self.name = stages[0].name
        self.workspace_bytes = max(s.workspace_bytes for s in stages)
        self._place, self._stages, self._sanitize = place, tuple(stages), sanitize

    def bind(self, views: Views) -> Callable[[Any], None]:
        """Return a function that copies the tensors in, launches and copies back what was changed."""
        driver = emulated_driver(self._place.partition(":")[2])
        spans = _spans(driver, views)
        home = {role: span for span in spans for role in span.roles}
        moved = {
            role: replace(v, address=v.address - home[role].host + home[role].device, device=self._place, owner=None)
            for role, v in views.items()
        }
        run = _Run(driver, spans, [stage.bind(moved) for stage in self._stages], self._sanitize)
        weakref.finalize(run, _free, driver, [span.block for span in spans]).atexit = False
        return run

    def call(self, views: Views) -> None:
        """Return None: the tensors are on the host and have to be copied."""


class _Run:
    """One bound plan on an emulated GPU."""

    def __init__(
        self, driver: HipDriver, spans: Sequence[Span], launches: Sequence[Callable[[Any], None]], sanitize: bool
    ) -> None:
        self._driver, self._spans, self._launches, self._sanitize = driver, spans, launches, sanitize

    def __call__(self, stream: Any = None) -> None:
        runtime = emulated_runtime()
        with runtime.lock:  # the sanitizer's findings are those of these launches
            runtime.sanitize = self._sanitize
            runtime.take_findings()
            before = [ctypes.string_at(span.host, span.size) for span in self._spans]
            for span in self._spans:
                self._driver.copy_in(span.device, span.host, span.size)
            for launch in self._launches:
                launch(stream or 0)
            for span, content in zip(self._spans, before, strict=True):
                self._copy_back(span, content)
            found = runtime.take_findings()
        if found:
            raise SanitizerError(found)

    def _copy_back(self, span: Span, before: bytes) -> None:
        after = ctypes.create_string_buffer(span.size)
        self._driver.copy_out(ctypes.addressof(after), span.device, span.size)
        if after.raw == before:
            return
        if span.readonly:
            raise LaunchError(f"a kernel wrote to {', '.join(span.roles)}, which is read-only")
        ctypes.memmove(span.host, after, span.size)


def _spans(driver: HipDriver, views: Views) -> list[Span]:
    """GPU memory for each piece of host memory that tensors lie in; tensors that overlap lie in one piece."""
    reach = {role: (v.address + v.extent[0], v.address + v.extent[1]) for role, v in views.items()}
    pieces: list[tuple[int, int, tuple[str, ...]]] = []
    for role, (low, high) in sorted(reach.items(), key=lambda item: item[1]):
        if pieces and low < pieces[-1][1]:
            first, last, roles = pieces.pop()
            low, high, names = first, max(last, high), (*roles, role)
        else:
            names = (role,)
        pieces.append((low, high, names))
    return [
        Span(low, high - low, driver.allocate(low % VECTOR + high - low), all(views[r].readonly for r in names), names)
        for low, high, names in pieces
    ]


def _free(driver: HipDriver, addresses: Sequence[int]) -> None:
    for address in addresses:
        driver.free(address)
