"""Sweep files of ck_tile GEMM, with the names of the CK dispatcher's config JSON in addition to our own.

`tile_config` and `trait_config` hold algorithm fields (CK's `warp_m` is our `waves_m`), `multi_d_config` element-wise
ops and D counts. If `double_smem_buffer` and `num_wave_groups` are omitted, they follow the pipeline, as in CK. If they
are given, the rules check them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from ....errors import SchemaError, nearest
from ....model.dtype import DTYPES, get_dtype
from ....model.fields import Fields
from ....model.kernel_set import WILDCARD, KernelSet, listed
from ....model.sweep import Sweep, Words, kernel_set, read_sweeps
from ....model.tunable import tunables_of
from ....ops.gemm.epilogue import CK_NAMES, DTensor
from ....ops.gemm.signature import GemmSignature
from .algorithm import CkTileGemm
from .rules.traits import follows

TUNABLES = tunables_of(CkTileGemm)
CHOICES = {t.name: t.choices for t in TUNABLES}
WORDS = Words(
    op="gemm",
    backend="ck_tile",
    tunables=TUNABLES,
    signature_fields=("dtype", *(f.name for f in fields(GemmSignature))),
    sections=("algorithm", "tile_config", "trait_config"),
    aliases={"warp_m": "waves_m", "warp_n": "waves_n", "warp_k": "waves_k", "k_block_per_cu": "block_per_cu"},
    extra={"multi_d_config": ("elementwise_ops", "num_d_tensors")},
)


def read_config(
    path: str | Path, dtypes: Sequence[str] = (), layouts: Sequence[str] = (), wanted: Sequence[GemmSignature] = ()
) -> tuple[KernelSet, ...]:
    """Return the kernel sets of a sweep file: one per dtype of `signature.dtype`, and one per element-wise op.

    `dtypes` (two joined by "x" if A and B differ) and `layouts` are used if the file names none. Without them a file
    is for any dtype; the dtypes of the `wanted` signatures then determine the D operands of its element-wise ops.

    for kernel_set in read_config("default_config.json", ["fp16"], ["rcr"]):
        print(kernel_set.name)
    """
    sets = []
    for sweep in read_sweeps(path, WORDS):
        sweep = replace(sweep, signature=_stood_in(sweep.signature, dtypes, layouts))
        algorithms = [whole for one in sweep.algorithms for whole in _completed(one)]
        for part, signature in _signatures(sweep, _types_of(wanted)):
            sets.append(kernel_set(sweep, WORDS, signature, algorithms, part))
    return tuple(sets)


def _stood_in(signature: Mapping[str, Any], dtypes: Sequence[str], layouts: Sequence[str]) -> Fields:
    found = dict(signature)
    if dtypes and not any(name.startswith("dtype") for name in found):
        found["dtype"] = list(dtypes)
    if layouts:
        found.setdefault("layout", list(layouts))
    return found


def _completed(algorithm: Mapping[str, Any]) -> list[Fields]:
    """Return one map per pipeline, so that the fields that follow the pipeline have their only valid value."""
    pipelines = listed(algorithm.get("pipeline", CkTileGemm().pipeline), CHOICES["pipeline"])
    return [{**follows(name), **algorithm, "pipeline": name} for name in pipelines]


def _types_of(wanted: Sequence[GemmSignature]) -> list[tuple[str, Fields]]:
    """Return (part name, dtypes) of each signature, without repetition."""
    names = ("dtype_a", "dtype_b", "dtype_acc", "dtype_out")
    found = list(dict.fromkeys(tuple(getattr(signature, name) for name in names) for signature in wanted))
    return [("_".join(types) if len(found) > 1 else "", dict(zip(names, types, strict=True))) for types in found]


def _signatures(sweep: Sweep, wanted: Sequence[tuple[str, Fields]]) -> list[tuple[str, Fields]]:
    """Return (part name, signature patterns): the plain product, then every element-wise op of `multi_d_config`."""
    fused = "multi_d_config" in sweep.extra
    named = any(name.startswith("dtype") for name in sweep.signature)
    base = [(part, {**types, **_rest(sweep)}) for part, types in (not named and fused and wanted) or _dtypes(sweep)]
    if not fused:
        return base
    more = [(f"{part}.{name}" if part else name, {**s, **op}) for part, s in base for name, op in _fusions(sweep, s)]
    return base + more


def _rest(sweep: Sweep) -> Fields:
    """Return the signature fields other than dtypes; omitted ones keep their default, like algorithm fields."""
    given = {k: v for k, v in sweep.signature.items() if not k.startswith("dtype")}
    defaults = {f.name: f.default for f in fields(GemmSignature) if not f.name.startswith("dtype")}
    if "multi_d_config" in sweep.extra and {"d", "activation", "combine"} & given.keys():
        raise SchemaError(
            f"{sweep.where}: multi_d_config and signature both set the epilogue", remedy="keep one of them"
        )
    return {**defaults, **given}


def _dtypes(sweep: Sweep) -> list[tuple[str, Fields]]:
    given = {k: v for k, v in sweep.signature.items() if k.startswith("dtype") and k != "dtype"}
    if "dtype" not in sweep.signature:
        return [("", given)]
    names = listed(sweep.signature["dtype"], [d for d in DTYPES if DTYPES[d].numpy])
    for name in (part for pair in names for part in str(pair).split("x")):
        if name not in DTYPES:
            near = nearest(name, DTYPES)
            raise SchemaError(f"{sweep.where}: signature.dtype: unknown dtype {name!r}; did you mean {near!r}?")
    return [(name if len(names) > 1 else "", {**usual_types(name), **given}) for name in names]


def usual_types(name: str) -> Fields:
    """Return the signature's dtypes of one name, or of two joined by "x" if A and B differ.

    >>> usual_types("fp8xbf8")
    {'dtype_a': 'fp8', 'dtype_b': 'bf8', 'dtype_acc': 'fp32', 'dtype_out': 'fp16'}
    """
    a, _, b = name.partition("x")
    facts = get_dtype(a)
    return {"dtype_a": a, "dtype_b": b or a, "dtype_acc": facts.accumulator, "dtype_out": facts.default_out}


def _fusions(sweep: Sweep, signature: Mapping[str, Any]) -> list[tuple[str, Fields]]:
    section = sweep.extra["multi_d_config"]
    names = listed(section.get("elementwise_ops", "MultiDAdd"), list(CK_NAMES))
    counts = listed(section.get("num_d_tensors", 1), (1, 2))
    label = f"{sweep.where}: multi_d_config"
    for name in names:
        if name not in CK_NAMES:
            near = nearest(str(name), CK_NAMES)
            known = ", ".join(CK_NAMES)
            raise SchemaError(f"{label}.elementwise_ops: unknown op {name!r}; did you mean {near!r}? Known: {known}")
    if not all(type(c) is int and 0 <= c <= 8 for c in counts):
        raise SchemaError(f"{label}.num_d_tensors: {list(counts)} must be numbers from 0 to 8")
    out = signature.get("dtype_out", WILDCARD)
    if not isinstance(out, str) or out == WILDCARD:
        raise SchemaError(f"{label} needs to know the dtype of D", remedy="give signature.dtype or signature.dtype_out")
    operands = [(DTensor(out),) * c for c in counts]
    return [(name, {**CK_NAMES[name], "d": operands}) for name in names]
