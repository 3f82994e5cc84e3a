"""Offers: which kernels of a collection a problem may use, and why not the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from ..arch import get_arch
from ..backends import by_cost, device_at, get_backend_op
from ..backends.base import BackendOp
from ..errors import SelectionError
from ..model.arch import Arch, CpuArch
from ..model.canonical import digest
from ..model.device import Device
from ..model.kernel import Candidate, KernelSpec
from ..model.kernel_set import Expansion, KernelSet, expand
from ..model.kernel_tree import KernelTree
from ..model.problem import MAX_SHAPE_CLASSES, Problem, shape_class_of
from ..model.rule import Rejection
from ..model.selector import Ranked, Selector
from ..model.summation import ANY
from ..ops import get_op
from ..settings import Settings
from .collection import Collection
from .entry import Consideration

Tree = tuple[BackendOp[Any], KernelTree]


class Offers(Collection):
    """A collection that finds candidates for problems. Results are kept until its contents change."""

    def __init__(self, name: str = "default") -> None:
        super().__init__(name)
        self._expansions: dict[tuple[str, str, str], Expansion] = {}
        self._legal: dict[Any, list[Tree]] = {}
        self._by_class: dict[Any, list[Tree]] = {}

    def _changed(self) -> None:
        super()._changed()
        self._legal.clear()
        self._by_class.clear()

    def expansion(self, kernel_set: KernelSet, arch: str, signature: Any) -> Expansion:
        """Return the expansion of a declared set for one signature on one arch (cached)."""
        key = (kernel_set.name, arch, digest(signature))
        with self._lock:
            known = self._expansions.get(key)
        if known is None:
            op = get_backend_op(kernel_set.backend, kernel_set.op)
            known = expand(kernel_set, get_arch(arch), signature, op.algorithm, op.tunables(), op.rules)
            with self._lock:
                self._expansions[key] = known
        return known

    def consider(self, problem: Problem, device: Device) -> Consideration:
        """Return every candidate for `problem` on `device`, checked by all rules, in a deterministic order."""
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
            launches = op.offered(spec, problem, device)
            result.legal += [Candidate(spec, launch) for launch in launches]
            if not launches and problem.summation != ANY:
                result.rejected.append((spec, (_other_order(op, spec, problem, device),)))
        return result

    def legal(self, problem: Problem, device: Device) -> list[Candidate]:
        """Return the legal candidates of `consider` in the same order, without the reasons for the others: faster."""
        return [c for op, tree in self._alone(problem, device) for c in op.candidates(tree, problem, device)]

    def _alone(self, problem: Problem, device: Device) -> list[Tree]:
        """Return the kernels that are legal by themselves for a signature on an arch, as one tree per backend and arch
        (cached)."""
        extents = get_op(problem.op).extents
        key: Any = (
            (shape_class_of(problem, extents), device.arch) if extents else None
        )  # hashing a signature takes longer
        known = self._by_class.get(key)
        if known is None:
            changes = self._changes
            known = self._by_signature(problem, device)
            with self._lock:
                if key is not None and self._changes == changes:
                    if len(self._by_class) >= MAX_SHAPE_CLASSES:
                        self._by_class.clear()
                    self._by_class[key] = known
        return known

    def _by_signature(self, problem: Problem, device: Device) -> list[Tree]:
        """Return the same, found by the signature."""
        key = (problem.op, device.arch, problem.signature)
        known = self._legal.get(key)
        if known is None:
            self.sets(get_arch(device.arch).kind, problem.op)  # loads pending sets, which is a change too
            changes = self._changes
            specs = dict.fromkeys(spec for spec, rejections in self._declared(problem, device) if not rejections)
            known = [
                (get_backend_op(backend, problem.op), KernelTree(list(row)))
                for (backend, _), row in groupby(specs, key=lambda s: (s.backend, s.arch))
            ]
            with self._lock:
                if self._changes == changes:
                    self._legal[key] = known
        return known

    def _declared(self, problem: Problem, device: Device) -> Iterator[tuple[KernelSpec, tuple[Rejection, ...]]]:
        signature = problem.signature
        for entry in self.entries():
            same = entry.spec.op == problem.op and entry.spec.signature == signature
            if same and runs(get_arch(device.arch), get_arch(entry.spec.arch)):
                yield entry.spec, ()
        for kernel_set in self.sets(get_arch(device.arch).kind, problem.op):
            if not kernel_set.takes(signature, device.arch):
                continue
            expansion = self.expansion(kernel_set, device.arch, signature)
            for spec in expansion.specs:
                yield spec, ()
            for spec, rejections in expansion.rejected:
                yield spec, rejections

    def select(
        self, problem: Problem, selector: Selector | None = None, device: Device | None = None
    ) -> Sequence[Ranked]:
        """Return the candidates for `problem`, best first by `selector` (by default the backends' cost models).

        `device` is the one that the problem's tensors are on, unless another is given.

        >>> from tilewright.ops import problem_from_dict
        >>> p = problem_from_dict({"op": "gemm", "m": 64, "n": 64, "k": 64, "dtype": "fp32"})
        >>> from tilewright.registry import default_registry
        >>> default_registry(["cpu"]).select(p)[0].candidate.spec.backend
        'cpu'
        """
        where = device or device_at(problem.device, Settings.from_env())
        if get_op(problem.op).is_empty(problem):
            raise SelectionError(f"{problem.label()} has no elements, so no kernel runs", remedy="give sizes >= 1")
        candidates = self.legal(problem, where)
        return selector.rank(problem, candidates, where) if selector else by_cost(problem, candidates, where)

    def specs(self, problems: Sequence[Problem] = (), device: Device | None = None) -> list[KernelSpec]:
        """Return the single kernels, and those of the declared sets that `problems` could use on `device`."""
        found = {e.spec.digest: e.spec for e in self.entries()}
        for problem in problems:
            if device is not None:
                found.update((c.spec.digest, c.spec) for c in self.legal(problem, device))
        return list(found.values())


def _other_order(op: BackendOp[Any], spec: KernelSpec, problem: Problem, device: Device) -> Rejection:
    """Return why a kernel does not serve a problem that asks for an order of summation."""
    launches = op.launches(spec, problem, device) if op.has_orders else ()
    found = {op.order_of(Candidate(spec, launch), problem) for launch in launches} - {""}
    got = f"sums in the order {', '.join(sorted(found))}" if found else "declares no order of summation"
    asked = problem.summation
    return Rejection("summation", f"{got}; the problem asks for {asked}", {"asked": asked}, "omit invariant")


def runs(device_arch: Arch, kernel_arch: Arch) -> bool:
    """Return whether a device of `device_arch` runs kernels built for `kernel_arch`: CPUs run the levels below theirs.

    >>> runs(get_arch("x86_64_v4"), get_arch("x86_64_v3")), runs(get_arch("sm_80"), get_arch("sm_90"))
    (True, False)
    """
    if isinstance(device_arch, CpuArch) and isinstance(kernel_arch, CpuArch):
        return device_arch.runs_code_of(kernel_arch)
    return device_arch.name == kernel_arch.name
