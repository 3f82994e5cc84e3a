"""Kernels: the options of commands that choose kernels, written once: which ones, where, and how they are chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..model.problem import Problem
from ..settings import Settings
from .options import BackendName, Build, DeviceName, NoBuild, SelectorName, Strict, Threads, Vendor, settings_of
from .problems import placed, read_problems
from .sets import Correct, Exhaustive, Sets, Specs, Sweeps, dispatcher_with

if TYPE_CHECKING:
    from ..dispatcher import Dispatcher


@dataclass(frozen=True)
class Choice:
    """What the options say about the kernels that are considered."""

    backend: BackendName = ""
    sets: Sets = field(default_factory=list)
    sweeps: Sweeps = field(default_factory=list)
    specs: Specs = field(default_factory=list)
    correct: Correct = False
    selector: SelectorName = ""
    threads: Threads = 0

    @property
    def are_own(self) -> bool:
        """Whether the user named kernels, so that it is not the default registry."""
        return bool(self.backend or self.sets or self.sweeps or self.specs)

    def over(self, problems: Sequence[Problem], settings: Settings | None = None, arch: str = "") -> Dispatcher:
        """Return a dispatcher over these kernels."""
        settings = settings or settings_of(self.threads, self.selector)
        chosen = (self.backend, self.specs, self.correct)
        return dispatcher_with(settings, self.sets, self.sweeps, problems, arch, *chosen)


@dataclass(frozen=True)
class Kernels(Choice):
    """Where they run, and how; `everything` asks for every legal kernel instead of the best."""

    device: DeviceName = ""
    everything: Exhaustive = False
    strict: Strict = False
    build: Build = ""
    no_build: NoBuild = False
    vendor: Vendor = None

    def problems(self, texts: Sequence[str]) -> list[Any]:
        """Read problems and put them where they are to run."""
        return placed(read_problems(texts), self.device)

    def dispatcher(self, problems: Sequence[Problem], sanitize: bool = False) -> Dispatcher:
        """Return a dispatcher over these kernels."""
        settings = settings_of(
            self.threads, self.selector, self.strict, "never" if self.no_build else self.build, sanitize
        )
        return self.over(problems, settings if self.vendor is None else replace(settings, vendor=self.vendor))
