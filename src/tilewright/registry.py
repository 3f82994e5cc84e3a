"""Registry: the kernels a dispatcher may choose from, as single specs and as lazily expanded kernel sets."""

from __future__ import annotations

import json
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import groupby
from pathlib import Path
from typing import Any

from .arch import get_arch, get_supported_archs
from .backends import backend_names, by_cost, device_at, get_backend, get_backend_op
from .backends.expansion import kernels_of
from .backends.plain import MOST_PRIORITY, check_spec, set_from_dict, set_to_dict, spec_from_dict
from .errors import SchemaError, SelectionError, SpecError, TilewrightError, UnknownNameError, count_mistakes
from .model.arch import Arch, CpuArch
from .model.canonical import digest
from .model.device import Device
from .model.fields import field_value, shortened, shown
from .model.json_text import read_json
from .model.kernel import Candidate, KernelSpec
from .model.kernel_set import WILDCARD, Expansion, KernelSet, expand, listed
from .model.kernel_tree import KernelTree
from .model.rule import Rejection
from .model.selector import Ranked, Selector
from .ops import get_op, op_names
from .settings import Settings

REGISTRY_SCHEMA = 1
ENTRY_FIELDS = {"digest", "priority", "source", "spec"}
MOST_SETS = 4096  # of one registry


@dataclass(frozen=True)
class Entry:
    """One registered kernel: the spec, its priority, and where it came from."""

    spec: KernelSpec
    priority: int = 0
    source: str = ""


@dataclass(frozen=True)
class MergeReport:
    """What a merge did: kernels added, replaced by a higher priority, and kept against an equal or lower one."""

    added: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


@dataclass
class Consideration:
    """The candidates of one problem: the legal ones, and every other with the rules that removed it."""

    legal: list[Candidate] = field(default_factory=list)
    rejected: list[tuple[KernelSpec, tuple[Rejection, ...]]] = field(default_factory=list)

    def counts(self) -> Counter[str]:
        """How many candidates each rule removed."""
        return Counter(r.rule for _, rejections in self.rejected for r in rejections)


class Registry:
    """A thread-safe collection of kernels and kernel sets with a deterministic order.

    >>> Registry("mine").entries()
    []
    """

    def __init__(self, name: str = "default") -> None:
        self.name = name
        self._entries: dict[str, Entry] = {}
        self._sets: dict[str, KernelSet] = {}
        self._later: set[tuple[str, str]] = set()
        self._defaults: set[str] = set()  # names of sets that came with a backend: offered to problems, never built all
        self._expansions: dict[tuple[str, str, str], Expansion] = {}
        self._legal: dict[Any, list[KernelTree]] = {}
        self._changes = 0  # how often the contents changed: a list made from older ones is not kept
        self._lock = threading.RLock()
        self._watchers: list[Callable[[], Callable[[], None] | None]] = []

    def watch(self, changed: Callable[[], None]) -> None:
        """Have `changed` called whenever kernels or sets were added; a bound method is not kept alive by this."""
        kept = weakref.WeakMethod(changed) if hasattr(changed, "__self__") else lambda: changed
        with self._lock:
            self._watchers.append(kept)

    def _tell(self) -> None:
        with self._lock:
            self._watchers = [w for w in self._watchers if w() is not None]
            told = [w() for w in self._watchers]
        for changed in told:
            if changed is not None:
                changed()

    def add(self, spec: KernelSpec, priority: int = 0, source: str = "") -> MergeReport:
        """Register one kernel after checking it; all broken rules are reported at once.

        A kernel that is there already stays unless the new priority is higher; the report says which happened.
        """
        return self._take([_checked_entry(spec, priority, source)])

    def declare(self, kernel_set: KernelSet) -> None:
        """Register a kernel set; it is expanded when a problem asks for it. A set of the same name must be equal.

        Names that do not exist (op, backend, archs, fields) are reported at once: such a set would never be used.
        """
        if len(self._sets) >= MOST_SETS:
            raise SpecError(f"a registry holds at most {MOST_SETS:,} kernel sets", remedy="join sets, or use another")
        mistakes = _unknown_names(kernel_set)
        if mistakes:
            raise SpecError(count_mistakes(f"kernel set {kernel_set.name!r}", mistakes))
        self._declare(kernel_set)
        self._defaults.discard(kernel_set.name)
        self._tell()

    def _declare(self, kernel_set: KernelSet) -> None:
        with self._lock:
            known = self._sets.get(kernel_set.name)
            if known is not None and known != kernel_set:
                raise SpecError(
                    f"a different kernel set named {kernel_set.name!r} is declared already", remedy="rename one"
                )
            self._sets[kernel_set.name] = kernel_set
            self._forget_legal()

    def _forget_legal(self) -> None:
        self._legal.clear()
        self._changes += 1

    def merge(self, other: Registry) -> MergeReport:
        """Take over the kernels of `other`: a higher priority wins, a tie keeps what is here and is reported."""
        for kernel_set in other.sets():
            self.declare(kernel_set)
        return self._take(other.entries())

    def _take(self, entries: Iterable[Entry]) -> MergeReport:
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
            self._forget_legal()
        self._tell()
        return MergeReport(tuple(added), tuple(replaced), tuple(kept))

    def entries(self) -> list[Entry]:
        """All single kernels, highest priority first, then by digest."""
        with self._lock:
            return sorted(self._entries.values(), key=lambda e: (-e.priority, e.spec.digest))

    def declare_defaults(self, backend: str, op: str) -> None:
        """Register the default sets of a backend; its module is loaded when a problem or `sets()` asks for them."""
        with self._lock:
            self._later.add((backend, op))

    def sets(self, arch_kind: str | None = None) -> list[KernelSet]:
        """The declared sets (those for one kind of arch), highest priority first, then by name."""
        with self._lock:
            for backend, op in sorted(self._later):
                if arch_kind is None or _serves(backend, arch_kind):
                    self._later.discard((backend, op))
                    for kernel_set in get_backend_op(backend, op).default_sets():
                        self._defaults |= {kernel_set.name} - self._sets.keys()
                        self._declare(kernel_set)
            found = [s for s in self._sets.values() if arch_kind is None or _serves(s.backend, arch_kind)]
            return sorted(found, key=lambda s: (-s.priority, s.name))

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries())

    def lookup(self, digest_prefix: str) -> Entry:
        """The one kernel whose digest starts with `digest_prefix`."""
        found = [e for e in self.entries() if e.spec.digest.startswith(digest_prefix)]
        if len(found) == 1:
            return found[0]
        if not found:
            raise UnknownNameError("kernel digest", digest_prefix, [e.spec.digest[:12] for e in self.entries()])
        raise SpecError(f"{len(found)} kernels start with {digest_prefix!r}", remedy="give more digits")

    def filter(self, keep: Callable[[KernelSpec], bool], name: str | None = None) -> Registry:
        """A new registry with the single kernels that `keep` answers true for (sets are not carried over)."""
        part = Registry(name or f"{self.name}, filtered")
        part._take(e for e in self.entries() if keep(e.spec))
        return part

    def expansion(self, kernel_set: KernelSet, arch: str, signature: Any) -> Expansion:
        """What a declared set comes to for one signature on one arch (remembered)."""
        key = (kernel_set.name, arch, digest(signature))
        with self._lock:
            known = self._expansions.get(key)
        if known is None:
            op = get_backend_op(kernel_set.backend, kernel_set.op)
            known = expand(kernel_set, get_arch(arch), signature, op.algorithm, op.tunables(), op.rules)
            with self._lock:
                self._expansions[key] = known
        return known

    def consider(self, problem: Any, device: Device) -> Consideration:
        """Every candidate for `problem` on `device`, judged by all rules, in a deterministic order."""
        result = Consideration()
        seen: set[KernelSpec] = set()
        for spec, rejections in self._declared(problem, device):
            if spec in seen:
                continue
            seen.add(spec)
            op = get_backend_op(spec.backend, spec.op)
            rejections = rejections or op.check_problem(spec, get_arch(spec.arch), problem)
            if rejections:
                result.rejected.append((spec, rejections))
                continue
            result.legal += [spec.launched(launch) for launch in op.launches(spec, problem, device)]
        return result

    def legal(self, problem: Any, device: Device) -> list[Candidate]:
        """The legal candidates of `consider`, in the same order, without saying why the others are none: faster."""
        found: list[Candidate] = []
        for tree in self._alone(problem, device):
            found += get_backend_op(tree.specs[0].backend, problem.op).candidates(tree, problem, device)
        return found

    def _alone(self, problem: Any, device: Device) -> list[KernelTree]:
        """The kernels that are legal on their own for a signature on an arch, a tree for each row of them of one
        backend and arch (remembered)."""
        key = (problem.op, device.arch, problem.signature)
        known = self._legal.get(key)
        if known is None:
            self.sets(get_arch(device.arch).kind)  # loads sets that wait, which is a change too
            changes = self._changes
            specs = dict.fromkeys(spec for spec, rejections in self._declared(problem, device) if not rejections)
            known = [KernelTree(list(row)) for _, row in groupby(specs, key=lambda s: (s.backend, s.arch))]
            with self._lock:
                if self._changes == changes:
                    self._legal[key] = known
        return known

    def _declared(self, problem: Any, device: Device) -> Iterator[tuple[KernelSpec, tuple[Rejection, ...]]]:
        signature = problem.signature
        for entry in self.entries():
            same = entry.spec.op == problem.op and entry.spec.signature == signature
            if same and runs(get_arch(device.arch), get_arch(entry.spec.arch)):
                yield entry.spec, ()
        kind = get_arch(device.arch).kind
        for kernel_set in self.sets(kind):
            if kernel_set.op != problem.op or not kernel_set.takes(signature, device.arch):
                continue
            expansion = self.expansion(kernel_set, device.arch, signature)
            for spec in expansion.specs:
                yield spec, ()
            for spec, rejections in expansion.rejected:
                yield spec, rejections

    def select(self, problem: Any, selector: Selector | None = None, device: Device | None = None) -> Sequence[Ranked]:
        """The candidates for `problem`, best first by `selector` (the backends' cost models where none is given).

        `device` is the one that the problem's tensors are on, unless another is given.

        >>> from tilewright.ops import problem_from_dict
        >>> p = problem_from_dict({"op": "gemm", "m": 64, "n": 64, "k": 64, "dtype": "fp32"})
        >>> default_registry(["cpu"]).select(p)[0].candidate.spec.backend
        'cpu'
        """
        where = device or device_at(problem.device, Settings.from_env())
        if get_op(problem.op).is_empty(problem):
            raise SelectionError(f"{problem.label()} has no elements, so no kernel runs", remedy="give sizes >= 1")
        candidates = self.legal(problem, where)
        return selector.rank(problem, candidates, where) if selector else by_cost(problem, candidates, where)

    def specs(self, problems: Sequence[Any] = (), device: Device | None = None) -> list[KernelSpec]:
        """The single kernels, and those of the declared sets that `problems` could use on `device`."""
        found = {e.spec.digest: e.spec for e in self.entries()}
        for problem in problems:
            if device is not None:
                found.update((c.spec.digest, c.spec) for c in self.legal(problem, device))
        return list(found.values())

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

        Returns one `Artifact` or `BuildFailure` per kernel, in order; kernels that need no build are left out. One
        failing kernel never stops the others.
        """
        from .jit import Cache, build_many

        settings = settings or Settings.from_env()
        wanted = list(specs) if specs is not None else self._to_build(arch, settings)
        if not wanted:
            raise SpecError(
                f"registry {self.name!r} holds no kernels to build", remedy="add kernels, declare a set, or pass specs="
            )
        requests = (get_backend_op(s.backend, s.op).request(s, settings) for s in wanted)
        return build_many(
            [r for r in requests if r is not None],
            cache or Cache.from_settings(settings),
            max_workers=max_workers or settings.resolved_workers(),
            progress=progress,
            cancel=cancel,
            retry_failed=retry_failed,
        )

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
        """Plain JSON data of every entry and set."""
        return {
            "schema": REGISTRY_SCHEMA,
            "name": self.name,
            "kernels": [
                {"digest": e.spec.digest, "priority": e.priority, "source": e.source, "spec": e.spec.to_dict()}
                for e in self.entries()
            ],
            "sets": [set_to_dict(s) for s in self.sets()],
        }

    def export_json(self, path: str | Path) -> None:
        """Write the registry as a JSON file; a crash leaves the file that was there before."""
        from .jit.files import replace_file

        text = json.dumps(self.to_dict(), indent=1) + "\n"
        try:
            replace_file(Path(path), text.encode())
        except OSError as error:
            raise TilewrightError(
                f"the registry cannot be written to {path}: {error.strerror or error}", remedy="name another file"
            ) from error

    @classmethod
    def import_json(cls, path: str | Path) -> Registry:
        """A registry from a file that `export_json` wrote; `SchemaError` where it is none."""
        return cls.from_dict(read_json(path, what=f"registry file {path}"))

    @classmethod
    def from_dict(cls, data: Any) -> Registry:
        """A registry from its plain form: each kernel is checked as `add` does, and its digest compared."""
        schema = data.get("schema") if isinstance(data, Mapping) else None
        if type(schema) is not int or schema != REGISTRY_SCHEMA:
            raise SchemaError(f"registry schema {shown(schema)} cannot be read; this version reads {REGISTRY_SCHEMA}")
        for name, kind in (("name", str), ("kernels", list), ("sets", list)):
            if name not in data:
                raise SchemaError(f"the registry has no {name}", remedy="export it again")
            if not isinstance(data[name], kind):
                raise SchemaError(f"{name} of the registry is {shown(data[name])}; it must be a {kind.__name__}")
        registry = cls(data["name"])
        registry._take([_entry_from_dict(item) for item in data["kernels"]])
        if len(data["sets"]) > MOST_SETS:
            raise SchemaError(f"the registry has {len(data['sets']):,} kernel sets; the most is {MOST_SETS:,}")
        for item in data["sets"]:
            registry.declare(set_from_dict(item))
        return registry


def _entry_from_dict(item: Any) -> Entry:
    if not isinstance(item, Mapping) or set(item) != ENTRY_FIELDS:
        raise SchemaError(f"a kernel of the registry is {shown(item)}; it must have {', '.join(sorted(ENTRY_FIELDS))}")
    for name, kind in (("digest", str), ("source", str), ("priority", int)):
        if type(item[name]) is not kind:
            raise SchemaError(f"{name} of a kernel is {shown(item[name])}; it must be of type {kind.__name__}")
    if abs(item["priority"]) > MOST_PRIORITY:
        raise SchemaError(f"priority of a kernel is {item['priority']}; the most is {MOST_PRIORITY:,}")
    spec = spec_from_dict(item["spec"])
    if spec.digest != item["digest"]:
        said = shortened(item["digest"][:12])
        raise SchemaError(f"kernel {spec.name} has digest {spec.digest[:12]}, the file says {said}")
    return _checked_entry(spec, item["priority"], item["source"])


def _checked_entry(spec: KernelSpec, priority: int, source: str) -> Entry:
    """The entry of a kernel whose fields are sound and that breaks no rule."""
    check_spec(spec)
    rejections = get_backend_op(spec.backend, spec.op).check(spec, get_arch(spec.arch))
    if rejections:
        listed = "; ".join(str(r) for r in rejections)
        raise SpecError(f"{spec.name} breaks {len(rejections)} rules: {listed}", rejections=rejections)
    return Entry(spec, priority, source)


def runs(device_arch: Arch, kernel_arch: Arch) -> bool:
    """Return whether a device of `device_arch` runs kernels built for `kernel_arch`: CPUs run the levels below theirs.

    >>> runs(get_arch("x86_64_v4"), get_arch("x86_64_v3")), runs(get_arch("sm_80"), get_arch("sm_90"))
    (True, False)
    """
    if isinstance(device_arch, CpuArch) and isinstance(kernel_arch, CpuArch):
        return device_arch.runs_code_of(kernel_arch)
    return device_arch.name == kernel_arch.name


def default_registry(backends: Sequence[str] = ()) -> Registry:
    """A registry with the default sets of every op and backend, or of the named backends.

    >>> any(s.backend == "cpu" for s in default_registry().sets())
    True
    """
    registry = Registry()
    for backend in backends or backend_names():
        for op in get_backend(backend).op_names():
            registry.declare_defaults(backend, op)
    return registry


def _serves(backend: str, arch_kind: str) -> bool:
    return get_backend(backend).serves(arch_kind)


def _unknown_names(kernel_set: KernelSet) -> list[str]:
    """A sentence for each name in a set that nothing answers to."""
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
    """The first value of a set's algorithm patterns that is of the wrong type or not allowed."""
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
