"""The kernels of a set that names its signatures: each signature expanded for an arch, checked by the rules."""

from __future__ import annotations

from dataclasses import MISSING, fields
from itertools import product
from typing import Any

from ..arch import get_arch
from ..errors import SpecError
from ..model.kernel import KernelSpec
from ..model.kernel_set import WILDCARD, Expansion, KernelSet, Range, expand, listed
from ..ops import get_op
from ..settings import Settings
from . import get_backend, get_backend_op


def signatures_of(kernel_set: KernelSet) -> list[Any]:
    """Return the signatures of a set: the cross product of its lists. Raise `SpecError` if it leaves a field open.

    >>> half = dict.fromkeys(("dtype_a", "dtype_b", "dtype_out"), "fp16")
    >>> small = KernelSet("small", "gemm", "cpu", ({},), {**half, "dtype_acc": "fp32", "layout": ["rcr", "rrr"]})
    >>> [s.label() for s in signatures_of(small)]
    ['fp16_rcr', 'fp16_rrr']
    """
    patterns, op = kernel_set.signature, get_op(kernel_set.op)
    signature = type(op.plain_problem("fp32").signature)
    needed = [f.name for f in fields(signature) if f.default is MISSING and f.default_factory is MISSING]
    left_open = [n for n, p in patterns.items() if isinstance(p, str) and p == WILDCARD]
    left_open += [n for n in needed if n not in patterns]
    if left_open:
        raise SpecError(
            f"kernel set {kernel_set.name!r} leaves {', '.join(left_open)} open",
            remedy="name their values in the set's signature, or give a problem that does",
        )
    lists = [listed(p, ()) if isinstance(p, (list, Range)) else (p,) for p in patterns.values()]
    return [op.signature_from_dict(dict(zip(patterns, values, strict=True))) for values in product(*lists)]


def expansion_of(kernel_set: KernelSet, arch: str) -> Expansion:
    """Return every kernel of a set on `arch`, and every combination that a rule removed."""
    op, result = get_backend_op(kernel_set.backend, kernel_set.op), Expansion()
    for signature in signatures_of(kernel_set):
        found = expand(kernel_set, get_arch(arch), signature, op.algorithm, op.tunables(), op.rules)
        result.specs += found.specs
        result.rejected += found.rejected
    return result


def kernels_of(kernel_set: KernelSet, arch: str | None, settings: Settings) -> list[KernelSpec]:
    """Return every kernel to build of a set, for `arch` or else for the archs that it names, or for this machine.

    Raise `SpecError` if there is none. A backend for any arch has nothing to build.
    """
    if "any" in get_backend(kernel_set.backend).arch_kinds:
        return []
    archs = [a for a in ([arch] if arch else _archs_of(kernel_set, settings)) if kernel_set.serves(a)]
    expansions = [expansion_of(kernel_set, a) for a in archs]
    specs = [spec for e in expansions for spec in e.specs]
    if not specs:
        broken = [f"{spec.name}: {rejections[0]}" for e in expansions for spec, rejections in e.rejected]
        why = f": all {len(broken)} combinations break rules, for example {broken[0]}" if broken else ""
        raise SpecError(
            f"kernel set {kernel_set.name!r} has no kernel for {arch or ', '.join(archs) or 'this machine'}{why}",
            remedy="change the set, or build for another arch",
        )
    return specs


def _archs_of(kernel_set: KernelSet, settings: Settings) -> list[str]:
    """Return the archs that a set names; those of this machine's devices if it is for any arch."""
    if WILDCARD not in kernel_set.archs:
        return list(kernel_set.archs)
    return list(dict.fromkeys(d.arch for d in get_backend(kernel_set.backend).devices(settings)))
