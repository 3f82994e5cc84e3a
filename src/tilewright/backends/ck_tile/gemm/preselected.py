"""The preselected kernel sets, by the names of the CK dispatcher, every member legal on each arch that its set claims.

A name such as `fp16_rcr_essential` may have parts, called `fp16_rcr_essential.<part>`: one `KernelSet` holds one family
of signatures and one list of algorithms, and CDNA and RDNA need different waves and warp tiles. `preselected.json` has
the parts in the form that `set_from_dict` reads. `fp16_rcr_compute.gfx90a` lacks a kernel in which the compiler leaves
out a wait for that arch (rule missing_wait).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from ....arch import get_arch
from ....errors import ArchError, SpecError, check_known
from ....model.json_text import read_json
from ....model.kernel import KernelSpec
from ....model.kernel_set import KernelSet, expand
from ....model.tunable import tunables_of
from ...expansion import signatures_of
from ...plain import set_from_dict
from .algorithm import CkTileGemm
from .rules import RULES


@cache
def all_sets() -> tuple[KernelSet, ...]:
    """Return every preselected set, one per part; `fp16_rcr_all` has those of all `fp16_rcr` sets but the essential."""
    listed = read_json(Path(__file__).with_suffix(".json"))
    found = [set_from_dict({"op": "gemm", "backend": "ck_tile", **one}) for one in listed]
    parts = [s for s in found if s.name.startswith("fp16_rcr_") and not s.name.startswith("fp16_rcr_essential")]
    everything = [replace(s, name=s.name.replace("fp16_rcr_", "fp16_rcr_all.")) for s in parts]
    return (*parts, *everything, *found[len(parts) :])


def preselected_names() -> tuple[str, ...]:
    """Return the names that `preselected` knows.

    >>> "fp16_rcr_all" in preselected_names()
    True
    """
    return tuple(dict.fromkeys(s.name.split(".")[0] for s in all_sets()))


def preselected(name: str) -> tuple[KernelSet, ...]:
    """Return the parts of a preselected set.

    >>> [s.name for s in preselected("mixed_precision")][:2]
    ['mixed_precision', 'mixed_precision.bf16']
    """
    check_known("preselected kernel set", name, preselected_names())
    return tuple(s for s in all_sets() if s.name.split(".")[0] == name)


def preselected_kernels(name: str, arch: str) -> list[KernelSpec]:
    """Return every kernel of a preselected set on one arch; raise an error if the set has none for it.

    >>> len(preselected_kernels("fp16_rcr_essential", "gfx942"))
    7
    """
    facts, sets = get_arch(arch), preselected(name)
    parts = [s for s in sets if arch in s.archs]
    if not parts:
        claimed = ", ".join(dict.fromkeys(a for s in sets for a in s.archs))
        raise ArchError(
            f"kernel set {name} has no kernels for {arch}; it has some for {claimed}",
            remedy="choose another set or arch",
        )
    specs: dict[str, KernelSpec] = {}
    for part in parts:
        for signature in signatures_of(part):
            found = expand(part, facts, signature, CkTileGemm, tunables_of(CkTileGemm), RULES)
            if found.rejected:
                spec, rejections = found.rejected[0]
                raise SpecError(
                    f"kernel set {part.name} holds {spec.name}, illegal on {arch}: {rejections[0]}",
                    rejections=rejections,
                )
            specs.update((s.digest, s) for s in found.specs)
    return list(specs.values())
