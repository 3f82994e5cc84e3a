"""Collection: single kernels and declared kernel sets, their priorities, and watchers of changes."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from typing import Any

from ..arch import get_supported_archs
from ..backends import backend_names, get_backend, get_backend_op
from ..errors import SpecError, TilewrightError, UnknownNameError, count_mistakes
from ..model.fields import field_value
from ..model.kernel import KernelSpec
from ..model.kernel_set import WILDCARD, KernelSet, listed
from ..model.locks import new_rlock
from ..ops import get_op, op_names
from .entry import Entry, MergeReport, checked_entry

MAX_SETS = 4096  # of one registry


class Collection:
    """Kernels and kernel sets in a deterministic order. Thread-safe.

    >>> Collection("mine").entries()
    []
    """

    def __init__(self, name: str = "default") -> None:
        self.name = name
        self._entries: dict[str, Entry] = {}
        self._sets: dict[str, KernelSet] = {}
        self._later: set[tuple[str, str]] = set()
        self._defaults: set[str] = set()  # names of sets of backends: used for problems, never built as a whole
        self._changes = 0  # counts changes of the contents, to drop results of older ones
        self._lock = new_rlock()
        self._watchers: list[Callable[[], Callable[[], None] | None]] = []

    def watch(self, changed: Callable[[], None]) -> None:
        """Call `changed` whenever kernels or sets are added; does not keep a bound method alive."""
        kept = weakref.WeakMethod(changed) if hasattr(changed, "__self__") else lambda: changed
        with self._lock:
            self._watchers.append(kept)

    def _notify(self) -> None:
        with self._lock:
            self._watchers = [w for w in self._watchers if w() is not None]
            callbacks = [w() for w in self._watchers]
        for changed in callbacks:
            if changed is not None:
                changed()

    def add(self, spec: KernelSpec, priority: int = 0, source: str = "") -> MergeReport:
        """Register one kernel after checking it; all broken rules are reported at once.

        An existing kernel stays unless the new priority is higher; the report says which happened.
        """
        return self.take([checked_entry(spec, priority, source)])

    def declare(self, kernel_set: KernelSet) -> None:
        """Register a kernel set; it is expanded when a problem needs it. A set of the same name must be equal.

        Names that do not exist (op, backend, archs, fields) are reported at once: such a set would never be used.
        """
        if len(self._sets) >= MAX_SETS:
            raise SpecError(f"a registry holds at most {MAX_SETS:,} kernel sets", remedy="join sets, or use another")
        mistakes = unknown_names(kernel_set)
        if mistakes:
            raise SpecError(count_mistakes(f"kernel set {kernel_set.name!r}", mistakes))
        self._declare(kernel_set)
        self._defaults.discard(kernel_set.name)
        self._notify()

    def _declare(self, kernel_set: KernelSet) -> None:
        with self._lock:
            known = self._sets.get(kernel_set.name)
            if known is not None and known != kernel_set:
                raise SpecError(
                    f"a different kernel set named {kernel_set.name!r} is declared already", remedy="rename one"
                )
            self._sets[kernel_set.name] = kernel_set
            self._changed()

    def _changed(self) -> None:
        """Record that kernels or sets were added; called under the lock."""
        self._changes += 1

    def merge(self, other: Collection) -> MergeReport:
        """Add the kernels of `other`: a higher priority wins; a tie keeps the existing kernel and is reported."""
        for kernel_set in other.sets():
            self.declare(kernel_set)
        return self.take(other.entries())

    def take(self, entries: Iterable[Entry]) -> MergeReport:
        """Add entries that were checked; a higher priority wins, a tie keeps the existing one."""
        added: list[str] = []
        replaced: list[str] = []
        kept: list[str] = []
        with self._lock:
            for entry in entries:
                key = entry.spec.digest
                known = self._entries.get(key)
                if known is not None and known.priority >= entry.priority:
                    kept.append(key)
                    continue
                (added if known is None else replaced).append(key)
                self._entries[key] = entry
            self._changed()
        self._notify()
        return MergeReport(tuple(added), tuple(replaced), tuple(kept))

    def entries(self) -> list[Entry]:
        """Return all single kernels, highest priority first, then by digest."""
        with self._lock:
            return sorted(self._entries.values(), key=lambda e: (-e.priority, e.spec.digest))

    def declare_defaults(self, backend: str, op: str) -> None:
        """Register the default sets of a backend; its module is loaded when a problem or `sets()` needs them."""
        with self._lock:
            self._later.add((backend, op))

    def sets(self, arch_kind: str | None = None, op: str | None = None) -> list[KernelSet]:
        """Return the declared sets (those for one kind of arch, or one op), highest priority first, then by name."""

        def is_asked(backend: str, of: str) -> bool:
            return op in (None, of) and (arch_kind is None or get_backend(backend).serves(arch_kind))

        with self._lock:
            for later in sorted(self._later):
                if is_asked(*later):
                    self._later.discard(later)
                    for kernel_set in get_backend_op(*later).default_sets():
                        self._defaults |= {kernel_set.name} - self._sets.keys()
                        self._declare(kernel_set)
            found = [s for s in self._sets.values() if is_asked(s.backend, s.op)]
            return sorted(found, key=lambda s: (-s.priority, s.name))

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries())

    def lookup(self, digest_prefix: str) -> Entry:
        """Return the only kernel whose digest starts with `digest_prefix`."""
        found = [e for e in self.entries() if e.spec.digest.startswith(digest_prefix)]
        if len(found) == 1:
            return found[0]
        if not found:
            raise UnknownNameError("kernel digest", digest_prefix, [e.spec.digest[:12] for e in self.entries()])
        raise SpecError(f"{len(found)} kernels start with {digest_prefix!r}", remedy="give more digits")


def unknown_names(kernel_set: KernelSet) -> list[str]:
    """Return a sentence for each unknown name in a set."""
    kinds: list[tuple[str, Iterable[str], Iterable[str]]] = [
        ("op", [kernel_set.op], op_names()),
        ("backend", [kernel_set.backend], backend_names()),
        ("arch", kernel_set.archs, [WILDCARD, *get_supported_archs()]),
    ]
    if kernel_set.op in op_names():
        signature = get_op(kernel_set.op).plain_problem("fp32").signature
        kinds.append(("signature field", kernel_set.signature, [f.name for f in fields(signature)]))
        if kernel_set.backend in backend_names() and kernel_set.op in get_backend(kernel_set.backend).op_names():
            tunables = [t.name for t in get_backend_op(kernel_set.backend, kernel_set.op).tunables()]
            named = dict.fromkeys(name for algorithm in kernel_set.algorithms for name in algorithm)
            kinds.append(("algorithm field", named, tunables))
    found = [UnknownNameError(kind, n, known).message for kind, given, known in kinds for n in given if n not in known]
    return found or _wrong_values(kernel_set)


def _wrong_values(kernel_set: KernelSet) -> list[str]:
    """Return the first value of a set's algorithm patterns that has a wrong type or is not allowed."""
    algorithm = get_backend_op(kernel_set.backend, kernel_set.op).algorithm
    checked: set[tuple[str, type, Any]] = set()  # thousands of patterns repeat a few values
    for name, pattern in (pair for one in kernel_set.algorithms for pair in one.items()):
        if isinstance(pattern, str) and pattern == WILDCARD:
            continue
        try:
            for value in listed(pattern, ()):
                key = (name, type(value), value) if isinstance(value, int | str) else None
                if key is None:
                    field_value(algorithm, name, value, "algorithm")
                elif key not in checked:
                    field_value(algorithm, name, value, "algorithm")
                    checked.add(key)
        except TilewrightError as error:
            return [error.message]
    return []
