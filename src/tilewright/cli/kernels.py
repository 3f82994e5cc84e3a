"""Kernels: the options of commands that run kernels, written once: where, which ones, and how they are chosen."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, get_type_hints

from ..model.problem import Problem
from .options import BackendName, Build, DeviceName, NoBuild, SelectorName, Strict, Threads, Vendor, settings_of
from .problems import placed, read_problems
from .sets import Correct, Exhaustive, Sets, Specs, Sweeps, dispatcher_with

if TYPE_CHECKING:
    from ..dispatcher import Dispatcher


@dataclass(frozen=True)
class Kernels:
    """What the options say; `everything` asks for every legal kernel instead of the best."""

    device: DeviceName = ""
    backend: BackendName = ""
    sets: Sets = field(default_factory=list)
    sweeps: Sweeps = field(default_factory=list)
    specs: Specs = field(default_factory=list)
    correct: Correct = False
    everything: Exhaustive = False
    threads: Threads = 0
    selector: SelectorName = ""
    strict: Strict = False
    build: Build = ""
    no_build: NoBuild = False
    vendor: Vendor = None

    @property
    def are_own(self) -> bool:
        """Whether the user named kernels, so that it is not the default registry."""
        return bool(self.backend or self.sets or self.sweeps or self.specs)

    def problems(self, texts: Sequence[str]) -> list[Any]:
        """Read problems and put them where they are to run."""
        return placed(read_problems(texts), self.device)

    def dispatcher(self, problems: Sequence[Problem], sanitize: bool = False) -> Dispatcher:
        """Return a dispatcher over these kernels."""
        settings = settings_of(
            self.threads, self.selector, self.strict, "never" if self.no_build else self.build, sanitize
        )
        settings = settings if self.vendor is None else replace(settings, vendor=self.vendor)
        chosen = (self.backend, self.specs, self.correct)
        return dispatcher_with(settings, self.sets, self.sweeps, problems, "", *chosen)


def takes_kernels(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that has the options of `Kernels` in place of its parameter `kernels`.

    >>> def show(*, kernels: Kernels) -> None:
    ...     print(kernels.backend, kernels.threads)
    >>> takes_kernels(show)(backend="cpu")
    cpu 0
    """

    @wraps(command)
    def expanded(*args: Any, **given: Any) -> None:
        chosen = {f.name: given.pop(f.name) for f in fields(Kernels) if f.name in given}
        command(*args, **given, kernels=Kernels(**chosen))

    signature = inspect.signature(command, eval_str=True)
    parameters = [
        q for p in signature.parameters.values() for q in (_options() if p.name == "kernels" else [p])
    ]  # in the order of the command's own
    expanded.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return expanded


def _options() -> list[inspect.Parameter]:
    kinds = get_type_hints(Kernels, include_extras=True)
    return [
        inspect.Parameter(
            f.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=f.default if f.default is not MISSING else [],
            annotation=kinds[f.name],
        )
        for f in fields(Kernels)
    ]
