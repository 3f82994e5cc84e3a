"""Receipts: named profiles of attention kernels, each a filter over the declared space of any backend.

They are the sets that well-known projects build. A filter maps a field of the signature to the accepted values; "*"
applies to every family, in addition to a family's own entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...errors import UnknownNameError
from ...model.kernel import KernelSpec
from ...model.kernel_set import KernelSet
from .signature import FAMILIES

HALF = ("fp16", "bf16")
FP8 = ("fp8", "fp8_fnuz")
NOT_FP32 = ("fp16", "bf16", "fp8", "bf8", "fp8_fnuz", "bf8_fnuz")
PLAIN_BACKWARD = {"deterministic": (False,)}

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


RECEIPTS: dict[str, Receipt] = {
    r.name: r
    for r in (
        Receipt("ck_default", "what CK builds by default: everything but fp32", {"*": {"dtype": NOT_FP32}}),
        Receipt(
            "flash",
            "flash-attention's interface: half precision, no bias but ALiBi",
            {"*": {"dtype": HALF, "v_layout": ("row",), "bias": ("none", "alibi"), "qscale": ("none",)}},
        ),
        Receipt(
            "flash_bwd",
            "flash-attention's interface without a deterministic backward pass",
            {"*": {"dtype": HALF, "bias": ("none", "alibi"), "qscale": ("none",)}, "bwd": PLAIN_BACKWARD},
        ),
        Receipt(
            "pytorch",
            "scaled_dot_product_attention: half precision, batches, an elementwise bias at most",
            {
                "*": {"dtype": HALF, "v_layout": ("row",), "bias": ("none", "elementwise"), "qscale": ("none",)},
                **{
                    family: {"mode": ("batch",), "soft_cap": (False,)}
                    for family in ("fwd", "fwd_splitkv", "fwd_pagedkv", "fwd_appendkv")
                },
                "bwd": PLAIN_BACKWARD,
            },
        ),
        Receipt(
            "aiter",
            "aiter's interface: half precision, and fp8 to bf16 forward",
            {
                "*": {"dtype": HALF, "v_layout": ("row",), "qscale": ("none",)},
                "fwd": {"dtype": (*HALF, *FP8), "dtype_out": HALF, "qscale": ("none", "pertensor")},
            },
        ),
        Receipt(
            "aiter_batch",
            "aiter's interface, sequences of one length",
            {
                "*": {"dtype": HALF, "v_layout": ("row",), "mode": ("batch",), "qscale": ("none",)},
                "fwd": {"dtype": (*HALF, *FP8), "dtype_out": HALF, "qscale": ("none", "pertensor")},
            },
        ),
        Receipt(
            "aiter_group",
            "aiter's interface, sequences of different lengths",
            {
                "*": {"dtype": HALF, "v_layout": ("row",), "mode": ("group",), "qscale": ("none",)},
                "fwd": {"dtype": (*HALF, *FP8), "dtype_out": HALF, "qscale": ("none", "pertensor")},
            },
        ),
        Receipt("fp32", "fp32 only, without a soft cap", {"*": {"dtype": ("fp32",), "soft_cap": (False,)}}),
        Receipt(
            "fp32_min",
            "the fewest fp32 kernels that are of use",
            {
                "*": {
                    "dtype": ("fp32",),
                    "soft_cap": (False,),
                    "mode": ("batch",),
                    "bias": ("none",),
                    "dropout": ("none",),
                    "mask": ("none",),
                },
                "fwd": {"hdim_q": (48, 128), "lse": (False,)},
                "bwd": {"hdim_q": (64, 128), **PLAIN_BACKWARD},
            },
        ),
        Receipt("fp8", "8-bit floats of hdim 128", {"*": {"dtype": FP8, "v_layout": ("row",), "hdim_q": (128,)}}),
    )
}


def get_receipt(name: str) -> Receipt:
    """Return the profile called `name`.

    >>> get_receipt("flash").purpose.split(":")[0]
    "flash-attention's interface"
    """
    if name not in RECEIPTS:
        raise UnknownNameError("receipt", name, RECEIPTS)
    return RECEIPTS[name]
