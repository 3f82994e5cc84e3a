"""The declared space of CK Tile attention kernels: the tile tables of an arch, expanded for each signature."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from ....arch import get_arch
from ....errors import SpecError, check_known
from ....model.arch import FMHA_FAMILIES, AmdArch, FmhaTable
from ....model.kernel import KernelSpec
from ....model.kernel_set import Expansion, KernelSet
from ....model.rule import Rejection, Subject, judge
from ....ops.fmha.receipts import Receipt, get_receipt
from ....ops.fmha.signature import EIGHT_BIT, FmhaSignature
from .algorithm import STAGES, TABLED, CkTileFmha
from .rules import FEATURE_RULES, SHAPE_RULES
from .tables import fields_of, plain_fields, table_of, tile_hdim

# The signature fields that a stage's kernel depends on, with the values worth generating. A mask is a run-time
# argument of CK's kernels: "window" represents all of them. Page sizes are run-time arguments too, except in prefill.
MODES, MASKS, BIASES, FLAGS = ("batch", "group"), ("none", "window"), ("none", "elementwise", "alibi"), (False, True)
FEATURES: dict[tuple[str, str], dict[str, tuple[Any, ...]]] = {
    ("fwd", "attend"): {
        "mode": MODES, "mask": MASKS, "bias": BIASES, "soft_cap": FLAGS, "lse": FLAGS, "dropout": ("none", "ck"),
    },
    ("fwd_splitkv", "attend"): {
        "mode": MODES, "mask": MASKS, "bias": BIASES, "soft_cap": FLAGS, "page_size": (0, 128),
    },
    ("fwd_splitkv", "combine"): {"mode": MODES, "lse": FLAGS},
    ("fwd_pagedkv", "attend"): {"mode": MODES, "mask": MASKS, "bias": BIASES, "soft_cap": FLAGS, "page_size": (128,)},
    ("fwd_appendkv", "append"): {"rope": ("none", "interleaved", "half"), "page_size": (0, 128)},
    ("batch_prefill", "attend"): {
        "mode": ("group",), "mask": MASKS, "bias": BIASES, "soft_cap": FLAGS, "lse": FLAGS, "dropout": ("none", "ck"),
        "page_size": (1,),
    },
    ("bwd", "dot_do_o"): {"mode": MODES},
    ("bwd", "dq_dk_dv"): {
        "mode": MODES, "mask": MASKS, "bias": BIASES, "dbias": FLAGS, "dropout": ("none", "ck"), "deterministic": FLAGS,
    },
    ("bwd", "convert_dq"): {"mode": MODES, "deterministic": FLAGS},
}  # fmt: skip
HDIM_PADS: tuple[dict[str, bool], ...] = ({}, {"pad_d": True, "pad_dv": True})


@dataclass
class Space(Expansion):
    """The legal kernels, why the other combinations are not, and how many a receipt omitted."""

    left_out: int = 0


def declared(
    arch: str, family: str, receipt: str = "ck_default", dtypes: Iterable[str] = (), hdims: Iterable[int] = ()
) -> Space:
    """Return every kernel of a family that the arch's tables declare and a receipt includes, checked by the rules.

    `dtypes` and `hdims` (of Q) narrow it; empty means all.

    >>> space = declared("gfx942", "fwd_appendkv", dtypes=["fp16"], hdims=[128])
    >>> len(space.specs), space.specs[0].algorithm.stage
    (18, 'append')
    """
    check_known("fmha family", family, FMHA_FAMILIES)
    facts, profile, space = get_arch(arch), get_receipt(receipt), Space()
    if not isinstance(facts, AmdArch):
        raise SpecError(f"{arch} is not an AMD arch; CK Tile has no kernels for it", remedy="use a gfx arch")
    wanted, widths = tuple(dtypes), tuple(hdims)
    tables: Mapping[str, FmhaTable] = facts.fmha.families.get(family, {})
    for dtype in [*wanted] or [*tables] or ["fp16"]:
        if dtype not in tables:  # one combination, so that the rules can say why
            signature = FmhaSignature(family, dtype, dtype, 128, 128)
            algorithm = CkTileFmha(stage=next(x for x in STAGES[family] if x in TABLED))
            _collect(space, iter([KernelSpec("fmha", "ck_tile", arch, signature, algorithm)]), facts, profile, ())
            continue
        for stage in STAGES[family]:
            _collect(space, _specs(arch, family, stage, dtype, tables[dtype]), facts, profile, widths)
    return space


def _collect(space: Space, specs: Iterator[KernelSpec], facts: AmdArch, profile: Receipt, hdims: Any) -> None:
    seen: set[tuple[Any, Any]] = set()
    for spec in specs:
        key = (spec.signature, spec.algorithm)
        if key in seen or (hdims and spec.signature.hdim_q not in hdims):
            continue
        seen.add(key)
        if not profile.takes(spec):
            space.left_out += 1
            continue
        broken = _judge(spec, facts)
        if broken:
            space.rejected.append((spec, broken))
        else:
            space.specs.append(spec)


def _judge(spec: KernelSpec, facts: AmdArch) -> tuple[Rejection, ...]:
    return judge((*SHAPE_RULES, *FEATURE_RULES), Subject(spec, facts))


def _specs(arch: str, family: str, stage: str, dtype: str, table: FmhaTable) -> Iterator[KernelSpec]:
    algorithms = list(_algorithms(family, stage, table))
    for (hdim, fields), features in product(algorithms, _features(family, stage, dtype)):
        if features.get("dbias") and features["bias"] != "elementwise":
            continue
        if features.get("soft_cap") and features.get("bias", "none") != "none":
            continue
        signature = FmhaSignature(family, dtype, hdim_q=hdim[0], hdim_v=hdim[1], **features)
        if family == "bwd" and stage == "convert_dq" and (fields["tile_n0"] > 0) != signature.deterministic:
            continue
        yield KernelSpec("fmha", "ck_tile", arch, signature, CkTileFmha(**fields))


def _features(family: str, stage: str, dtype: str) -> Iterator[dict[str, Any]]:
    choices = dict(FEATURES[family, stage])
    if dtype in EIGHT_BIT and family != "fwd_appendkv":
        choices |= {"qscale": ("none", "pertensor"), "dtype_out": (dtype, "bf16", "fp32")}
    names = list(choices)
    for values in product(*choices.values()):
        found = dict(zip(names, values, strict=True))
        found.setdefault("dtype_out", dtype)
        if found.get("page_size"):
            found["lookup"] = "sglang" if family == "batch_prefill" else "vllm"
        yield {**found, "lse": True} if family == "bwd" else found


def _algorithms(family: str, stage: str, table: FmhaTable) -> Iterator[tuple[tuple[int, int], dict[str, Any]]]:
    """Yield (hdim, fields) of every kernel of a stage, for any signature."""
    for tile in table.tiles:
        if stage in TABLED:
            fields = fields_of(tile, family)
            for pipeline in tile.pipelines:
                for pads in _pads(table, pipeline):
                    for extra in _extras(family, tile.hdim):
                        yield tile.hdim, {**fields, "pipeline": pipeline, **pads, **extra}
            continue
        hdim_q, hdim_v = tile_hdim(tile, family)
        for pad_s in FLAGS:
            if stage == "combine":
                for log in range(3, 8):
                    yield tile.hdim, {**plain_fields(stage, hdim_v), "pad_s": pad_s, "log_max_splits": log,
                                      "pad_dv": hdim_v != tile.hdim[1]}  # fmt: skip
            elif stage == "dot_do_o":
                yield tile.hdim, {**plain_fields(stage, hdim_v), "pad_s": pad_s}
            else:
                for keys in (0, fields_of(tile, family)["tile_n0"]):
                    yield tile.hdim, {**plain_fields(stage, hdim_q, keys), "pad_s": pad_s}


def _pads(table: FmhaTable, pipeline: str) -> Iterator[dict[str, bool]]:
    listed = table.pipelines[pipeline].pads
    if listed is None:
        yield from HDIM_PADS
        return
    names = ("pad_s", "pad_sk", "pad_d", "pad_dv")
    for pads in listed:
        yield dict(zip(names, pads, strict=True))


def _extras(family: str, hdim: tuple[int, int]) -> tuple[dict[str, bool], ...]:
    """Return the options of split-KV: whether splits are whole tiles, and whether the heads of a group share one."""
    if family != "fwd_splitkv":
        return ({},)
    merged: tuple[dict[str, bool], ...] = ({"merge_groups": True},) if hdim == (128, 128) else ()
    return ({}, {"uneven_splits": False}, *merged)


def default_sets() -> tuple[KernelSet, ...]:
    """Return one set per arch, family and dtype: the main kernels of the tables, for any signature of that family."""
    from ....arch import default_catalog

    return tuple(s for arch in default_catalog().values() if isinstance(arch, AmdArch) for s in _sets(arch))


def _sets(arch: AmdArch) -> Iterator[KernelSet]:
    for family, by_dtype in arch.fmha.families.items():
        stage = "dq_dk_dv" if family == "bwd" else STAGES[family][0]
        for dtype in by_dtype:
            table = table_of(arch.name, family, dtype)
            assert table is not None
            unique = {tuple(sorted(f.items())): f for _, f in _algorithms(family, stage, table)}
            name = f"ck_tile_fmha_{arch.name}_{family}_{dtype}"
            about = f"attention of {arch.description}: {family}"
            signature = {"family": family, "dtype": dtype}
            yield KernelSet(name, "fmha", "ck_tile", tuple(unique.values()), signature, (arch.name,), description=about)
