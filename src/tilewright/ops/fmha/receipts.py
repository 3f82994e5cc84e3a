"""Receipts: named profiles of attention kernels, each a filter over the declared space of any backend.

They are the sets that well-known projects build. A filter maps a field of the signature to the accepted values; "*"
applies to every family, in addition to a family's own entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...errors import check_known
from ...model.json_text import read_json
from ...model.kernel import KernelSpec
from ...model.kernel_set import KernelSet
from .signature import FAMILIES

Filter = Mapping[str, tuple[Any, ...]]


@dataclass(frozen=True)
class Receipt:
    """A named profile: its purpose, and its filters by family.

    >>> get_receipt("pytorch").filters["*"]["bias"]
    ('none', 'elementwise')
    """

    name: str
    purpose: str
    filters: Mapping[str, Filter]

    def takes(self, spec: KernelSpec) -> bool:
        """Return whether the profile includes this kernel."""
        return not self.refuses(spec)

    def refuses(self, spec: KernelSpec) -> str | None:
        """Return the first field that excludes a kernel, with its value; None if the kernel is included."""
        for name, values in self.filter_of(spec.signature.family).items():
            if getattr(spec.signature, name) not in values:
                return f"{name} = {getattr(spec.signature, name)}"
        return None

    def filter_of(self, family: str) -> Filter:
        """Return the values that each field may have in a family."""
        return {**self.filters.get("*", {}), **self.filters.get(family, {})}

    def narrow(self, kernels: KernelSet) -> tuple[KernelSet, ...]:
        """Return a declared set restricted to the profile: one set for each remaining family.

        >>> whole = KernelSet("mine", "fmha", "cpu", ({},), signature={"dtype": ["bf16", "fp32"]})
        >>> [(s.name, s.signature["dtype"]) for s in get_receipt("fp32").narrow(whole)][0]
        ('mine, fp32 fwd', ['fp32'])
        """
        found = []
        for family in FAMILIES:
            wanted = {"family": (family,), **self.filter_of(family)}
            cut = {name: _common(kernels.signature.get(name, "*"), values) for name, values in wanted.items()}
            if all(cut.values()):
                name = f"{kernels.name}, {self.name} {family}"
                found.append(replace(kernels, name=name, signature={**kernels.signature, **cut}))
        return tuple(found)


def _common(pattern: Any, values: tuple[Any, ...]) -> list[Any]:
    """Return the values that a pattern of a set has too."""
    if pattern == "*":
        return list(values)
    listed = pattern if isinstance(pattern, (list, tuple)) else (pattern,)
    return [v for v in values if v in listed]


def _shipped() -> dict[str, Receipt]:
    """Return the profiles of `receipts.json` by name."""
    data = read_json(Path(__file__).with_name("receipts.json"))
    return {
        name: Receipt(name, one["purpose"], {f: {n: tuple(v) for n, v in x.items()} for f, x in one["filters"].items()})
        for name, one in data.items()
    }


RECEIPTS = _shipped()


def get_receipt(name: str) -> Receipt:
    """Return the profile called `name`.

    >>> get_receipt("flash").purpose.split(":")[0]
    "flash-attention's interface"
    """
    check_known("receipt", name, RECEIPTS)
    return RECEIPTS[name]
