"""The backend `tilewright` of `torch.compile`: Inductor, and a pass that puts kernels of tilewright into its graphs."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from torch import fx

from ... import __version__
from ...dispatcher import Dispatcher
from ...errors import TilewrightError, UnknownNameError
from ...frontends import default
from ..fitness import CUDNN, MATMUL, allows_tf32
from . import inductor
from .kept_report import ReportingPass, report_path
from .masks import simplify_masks
from .report import REPORT
from .rewrite import Rewriter
from .tuning import tuner_of

NAME = "tilewright"
PREFIX = "tilewright."
# Each may be given as "tilewright.<name>". `tune` builds our kernels and measures both ways; `all` takes all that a
# kernel computes.
OPTIONS: Mapping[str, bool] = {"tune": False, "all": False}


def backend(
    module: fx.GraphModule, inputs: Sequence[Any], *, mode: str | None = None, options: Mapping[str, Any] | None = None
) -> Any:
    """Return the program of a graph: what `torch.compile(model, backend="tilewright")` calls."""
    own, others = split(options or {})
    where = default.default_dispatcher()
    tuner = None if own["all"] else tuner_of(where.settings)
    builds = _Builds(where)
    rewrite = Rewriter(where, REPORT, builds.begin, tuner, own["tune"], own["all"])
    simplify_masks(module)
    known, settings = identity(where, own), inductor.settings_of(mode, others)
    path = report_path(inductor.cache_folder(), module, inputs, (torch.__version__, known, sorted(settings.items())))
    reporting = ReportingPass(rewrite, path)
    program = inductor.compiled(module, inputs, reporting, known, settings)
    builds.wait()  # else a CUDA graph may record what stands in for a kernel, and keep it
    reporting.restore()
    return program


backend.reset = inductor.reset  # type: ignore[attr-defined]


def split(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options of tilewright, by their names without the prefix, and those of Inductor.

    >>> split({"tilewright.tune": True, "epilogue_fusion": False})
    ({'tune': True, 'all': False}, {'epilogue_fusion': False})
    """
    own = dict(OPTIONS)
    for name, value in options.items():
        if name.startswith(PREFIX):
            if name.removeprefix(PREFIX) not in OPTIONS:
                raise UnknownNameError("option", name, [PREFIX + known for known in OPTIONS])
            own[name.removeprefix(PREFIX)] = bool(value)
    return own, {name: value for name, value in options.items() if not name.startswith(PREFIX)}


def identity(where: Dispatcher, own: Mapping[str, Any]) -> str:
    """Return everything that the pass depends on besides the graph, for torch's cache of compiled graphs."""
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else ""
    precision = [allows_tf32(MATMUL), allows_tf32(CUDNN)]
    facts = [
        __version__, _sources(), own, gpu, torch.get_num_threads(), precision, str(where.settings), where.selector.name,
    ]  # fmt: skip
    return f"{NAME} {hashlib.sha256(json.dumps(facts, default=str).encode()).hexdigest()}"


@lru_cache
def _sources() -> str:
    """Return the digest of the pass, and of the operators that programs call."""
    files = [file for folder in Path(__file__).parents[:2] for file in sorted(folder.glob("*.py"))]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


class _Builds:
    """Kernels of one program that are built while Inductor compiles it."""

    def __init__(self, where: Dispatcher) -> None:
        self._where, self._threads, self._is_late = where, list[threading.Thread](), False

    def begin(self, problems: Sequence[Any]) -> None:
        """Begin to build; wait for it if the program runs already: torch may compile its backward pass when called."""
        self._threads.append(_build(self._where, problems))
        if self._is_late:
            self.wait()

    def wait(self) -> None:
        """Wait for all that was begun."""
        self._is_late = True
        while self._threads:
            self._threads.pop().join()


def _build(where: Dispatcher, problems: Sequence[Any]) -> threading.Thread:
    """Return the thread that builds kernels while Inductor compiles the rest."""

    def built() -> None:
        try:
            where.warm_up(problems)
        except TilewrightError as error:
            where.record("not-built", error.message, "")

    thread = threading.Thread(target=built, name="tilewright-build", daemon=True)
    thread.start()
    return thread


def register() -> Callable[..., Any]:
    """Make `backend="tilewright"` known to `torch.compile` where the package's entry point is not installed.

    >>> register() is backend
    True
    """
    from torch._dynamo.backends import registry

    if NAME not in registry._COMPILER_FNS:
        registry.register_backend(backend, name=NAME)
    return backend
