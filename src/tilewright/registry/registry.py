"""Registry: the kernels a dispatcher may choose from, as single specs and as lazily expanded kernel sets."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..arch import get_arch
from ..backends import backend_names, get_backend, get_backend_op
from ..backends.expansion import kernels_of
from ..errors import SelectionError, SpecError
from ..model.arch import CpuArch
from ..model.canonical import digest
from ..model.json_text import read_json
from ..model.kernel import KernelSpec
from ..settings import Settings
from . import stored
from .offers import Offers


class Registry(Offers):
    """A thread-safe collection of kernels and kernel sets with a deterministic order.

    >>> Registry("mine").entries()
    []
    """

    def filter(self, keep: Callable[[KernelSpec], bool], name: str | None = None) -> Registry:
        """Return a new registry with the single kernels for which `keep` returns True (without sets)."""
        part = Registry(name or f"{self.name}, filtered")
        part.take(e for e in self.entries() if keep(e.spec))
        return part

    def build(
        self,
        max_workers: int | None = None,
        *,
        specs: Sequence[KernelSpec] | None = None,
        arch: str | None = None,
        cache: Any = None,
        settings: Settings | None = None,
        progress: Any = None,
        cancel: threading.Event | None = None,
        retry_failed: bool = False,
    ) -> list[Any]:
        """Build kernels in parallel: `specs`, or else every single kernel and every kernel of the declared sets.

        A declared set is expanded for `arch`. Without one, for the archs that it names, or for this machine if it names
        none. The default sets of backends are not built this way: they hold thousands of kernels.

        Return one `Artifact` or `BuildFailure` per kernel, in order, without kernels that need no build. One failing
        kernel never stops the others. What calls of the kernels need besides, the C launcher and for CPUs the thread
        pool, is built with them.
        """
        from ..jit import Cache, build_many
        from ..jit.native_build import helper_requests

        settings = settings or Settings.from_env()
        wanted = list(specs) if specs is not None else self._to_build(arch, settings)
        if not wanted:
            raise SpecError(
                f"registry {self.name!r} holds no kernels to build", remedy="add kernels, declare a set, or pass specs="
            )
        found = [(s, get_backend_op(s.backend, s.op).request(s, settings)) for s in wanted]
        requests = [request for _, request in found if request is not None]
        on_cpu = any(request is not None and isinstance(get_arch(s.arch), CpuArch) for s, request in found)
        results = build_many(
            [*requests, *(helper_requests(settings, threads=on_cpu) if requests else ())],
            cache or Cache.from_settings(settings),
            max_workers=max_workers or settings.resolved_workers(),
            progress=progress,
            cancel=cancel,
            retry_failed=retry_failed,
        )
        return results[: len(requests)]

    def _to_build(self, arch: str | None, settings: Settings) -> list[KernelSpec]:
        """Return the single kernels and those of the sets that were declared, each once."""
        with self._lock:
            declared = [s for name, s in sorted(self._sets.items()) if name not in self._defaults]
        single = [e.spec for e in self.entries() if arch in (None, e.spec.arch)]
        return list(dict.fromkeys([*single, *(spec for s in declared for spec in kernels_of(s, arch, settings))]))

    @property
    def digest(self) -> str:
        """Identity of the contents: part of the selection snapshot."""
        return digest(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data of every entry and set."""
        return stored.to_dict(self)

    def export_json(self, path: str | Path) -> None:
        """Write the registry as a JSON file; a crash leaves the previous file."""
        stored.write(self.to_dict(), path)

    @classmethod
    def import_json(cls, path: str | Path) -> Registry:
        """Return a registry from a file that `export_json` wrote; raise `SchemaError` if it is not one."""
        return cls.from_dict(read_json(path, what=f"registry file {path}"))

    @classmethod
    def from_dict(cls, data: Any) -> Registry:
        """Return a registry from its plain form: each kernel is checked as `add` does, and its digest compared."""
        return stored.from_dict(data, cls)


def default_registry(backends: Sequence[str] = (), *, vendor: bool = False) -> Registry:
    """Return a registry with the default sets of every op and backend, or of the named backends.

    With `vendor`, libraries of others are among them; a `Dispatcher` has them unless the setting `vendor` is off.

    >>> sorted({s.backend for s in default_registry(vendor=True).sets("arm")})
    ['cpu', 'vendor']
    """
    registry = Registry()
    for backend in backends:
        ops = [get_backend_op(backend, op) for op in get_backend(backend).op_names()]
        if not any(op.default_sets() for op in ops):
            sets = [s.name for op in ops for s in op.kernel_sets()]
            raise SelectionError(
                f"the backend {backend} is in no default registry",
                remedy=f"name its kernel sets: {', '.join(sets)} (--set NAME in a command)",
            )
    for backend in backends or [name for name in backend_names() if vendor or not get_backend(name).libraries]:
        for op in get_backend(backend).op_names():
            registry.declare_defaults(backend, op)
    return registry
