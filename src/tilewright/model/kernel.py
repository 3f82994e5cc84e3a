"""KernelSpec: what is computed, where, and how. Launch: the choices made at run time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, wraps
from typing import Any, ClassVar, TypeVar

from ..settings import MAX_THREADS
from .canonical import canonical, digest
from .fields import Bounds, Limit
from .fields import fields_from as fields_from
from .locks import cached_property
from .side_table import SideTable

SPEC_SCHEMA = 1
MAX_SPLITS = 128  # of the keys of an attention: what steps that combine them take
INT32_MAX = (1 << 31) - 1
T = TypeVar("T")


@dataclass(frozen=True)
class KernelSpec:
    """The identity of one kernel. Equal digests mean the same kernel; the name is for people.

    `signature` says what is computed (owned by the op), `algorithm` how (owned by the backend).
    """

    op: str
    backend: str
    arch: str
    signature: Any
    algorithm: Any
    schema: int = SPEC_SCHEMA

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.op, self.backend, self.arch, self.signature, self.algorithm, self.schema))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_hash"}  # other processes hash anew

    @cached_property
    def digest(self) -> str:
        """64 hex digits over the canonical form."""
        return digest(self.to_dict())

    @cached_property
    def how(self) -> str:
        """Identity of the algorithm, independent of signature and arch (16 hex digits)."""
        return digest([self.backend, canonical(self.algorithm)])[:16]

    @cached_property
    def name(self) -> str:
        """A readable name that ends in 8 digits of the digest."""
        parts = (self.op, self.backend, self.arch, self.signature.label(), self.algorithm.label(), self.digest[:8])
        return "_".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return the canonical form: plain JSON data without fields at their default."""
        return {
            "schema": self.schema,
            "op": self.op,
            "backend": self.backend,
            "arch": self.arch,
            "signature": canonical(self.signature),
            "algorithm": canonical(self.algorithm),
        }

    def with_algorithm(self, **changes: Any) -> KernelSpec:
        """Return the same kernel with some algorithm fields changed."""
        return replace(self, algorithm=replace(self.algorithm, **changes))


@dataclass(frozen=True)
class Launch:
    """Run-time choices of one launch. 0 threads means the current setting; without a grid, threads are arranged so that
    the busiest has the least work, by the same formula as in the cost model.

    `blocks` are the cache blocks of kernels that leave them open, in the order of their backend's ABI.

    >>> Launch(split_k=2).label()
    'split_k=2'
    """

    ALLOWED: ClassVar[Mapping[str, Limit]] = {
        "split_k": Bounds(1, 1 << 20),
        "num_splits": Bounds(1, MAX_SPLITS),
        "threads": Bounds(0, MAX_THREADS),
        "grid": Bounds(0, INT32_MAX),
        "blocks": Bounds(0, INT32_MAX),
    }

    split_k: int = 1
    num_splits: int = 1
    threads: int = 0
    grid: tuple[int, ...] = ()
    blocks: tuple[int, ...] = ()

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.split_k, self.num_splits, self.threads, self.grid, self.blocks))

    def label(self) -> str:
        """Return the choices that differ from the default, for tables."""
        return " ".join(f"{k}={v}" for k, v in canonical(self).items()) or "-"


@lru_cache(maxsize=4096)
def split_launch(split_k: int) -> Launch:
    """Return the launch of `split_k` shares; always the same object, so that memos by identity find it.

    >>> split_launch(2) is split_launch(2), split_launch(1) == Launch()
    (True, True)
    """
    return Launch(split_k=split_k)


@dataclass(frozen=True)
class Candidate:
    """A kernel and a launch: selectors rank candidates, and they are the key of measurements."""

    spec: KernelSpec
    launch: Launch = Launch()

    @cached_property
    def key(self) -> str:
        """The key of spec and launch; it breaks ties between equal predictions."""
        return candidate_key(self.spec.digest, self.launch)


def candidate_key(spec_digest: str, launch: Launch | Mapping[str, Any]) -> str:
    """Return the one key of a kernel and a launch; a launch may be given in its canonical form.

    >>> candidate_key("d", Launch(split_k=2)) == candidate_key("d", {"split_k": 2})
    True
    """
    return digest({"spec": spec_digest, "launch": canonical(launch)})


@dataclass(frozen=True)
class PlanStep:
    """One step of a plan, as `explain` shows it: its name, and the scratch buffers (name, bytes) that it leaves for
    the steps after it. They are in the plan's workspace, which launches own.

    >>> PlanStep("split", (("partial_out", 4096), ("partial_lse", 64))).label()
    'split [partial_out 4,096 B, partial_lse 64 B]'
    """

    name: str
    buffers: tuple[tuple[str, int], ...] = ()

    def label(self) -> str:
        """Return a short readable text for tables."""
        held = ", ".join(f"{name} {size:,} B" for name, size in self.buffers)
        return f"{self.name} [{held}]" if held else self.name


def kept_by_kernel(make: Callable[[KernelSpec], T]) -> Callable[[KernelSpec], T]:
    """Return a memo of `make`: it is called once for each kernel, as long as the kernel lives.

    >>> asked = []
    >>> name_of = kept_by_kernel(lambda spec: asked.append(spec) or spec.op)
    >>> spec = KernelSpec("gemm", "cpu", "x86_64_v3", None, None)
    >>> name_of(spec), name_of(spec), len(asked)
    ('gemm', 'gemm', 1)
    """
    kept: SideTable[tuple[T]] = SideTable()

    @wraps(make)
    def answer(spec: KernelSpec) -> T:
        found = kept.get(spec)
        return (kept.put(spec, (make(spec),)) if found is None else found)[0]

    return answer
