"""What CK's `IsSupportedArgument` refuses, and what its kernels assume, is a rule: one problem on each side of each."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ck_tile_specs import FP16, problem_of, spec_of

from tilewright.arch import get_arch
from tilewright.backends import get_backend_op
from tilewright.backends.ck_tile.conv import CkTileConv
from tilewright.backends.ck_tile.fmha import declared
from tilewright.model.kernel import KernelSpec, Launch
from tilewright.ops import problem_from_dict
from tilewright.ops.conv.signature import ConvSignature
from tilewright.ops.gemm.epilogue import DTensor

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks" / "ck_tile"))
from ck_tile_page import CONDITIONS

PADS = {"pad_m": True, "pad_n": True, "pad_k": True}
SHUFFLE = {"pipeline": "preshufflev2", "double_smem_buffer": True, "tile_m": 128, "tile_n": 128}
PACKED = replace(FP16, b_format="ck_tile_n32_v8")
COLUMN = replace(FP16, layout="ccr")
Case = tuple[KernelSpec, Any, Launch]
Fields = dict[str, Any] | None


def gemm(signature: Any = FP16, launch: Launch | None = None, fields: Fields = None, **sizes: Any) -> Case:
    s = signature
    given = {"layout": s.layout, "b_format": s.b_format, "d": [{"dtype": d.dtype} for d in s.d]}
    return spec_of(signature=s, **(fields or {})), problem_of(**{**given, **sizes}), launch or Launch()


def conv(direction: str = "forward", launch: Launch | None = None, fields: Fields = None, **sizes: Any) -> Case:
    layout = sizes.pop("signature_layout", "nhwgc")
    turned = {} if direction == "forward" else {"vector_a": 8, "vector_b": 8}
    signature = ConvSignature(direction, *["fp16"] * 3, "fp32", layout=layout)
    spec = KernelSpec("conv", "ck_tile", "gfx942", signature, CkTileConv(**{**turned, **(fields or {})}))
    base = {"n": 8, "c": 64, "k": 64, "input": [28, 28], "filter": [3, 3], "pad": 1, "dtype": "fp16", "layout": layout}
    return spec, problem_from_dict({"op": "grouped_conv", "direction": direction, **base, **sizes}), launch or Launch()


def fmha(wanted: dict[str, Any], family: str = "fwd", launch: Launch | None = None, **sizes: Any) -> Case:
    stage = wanted.get("stage", "attend")
    wanted = {"mode": "batch", "mask": "none", "bias": "none", "soft_cap": False, "lse": False, "dropout": "none",
              "page_size": 0, **wanted, "stage": stage}  # fmt: skip
    specs = declared("gfx942", family, "ck_default", ["fp16"], [128]).specs
    spec = next(
        s for s in specs if wanted.items() <= {"page_size": 0, **vars(s.signature), **vars(s.algorithm)}.items()
    )
    base = {"batch": 2, "heads_q": 4, "seqlen_q": 128, "seqlen_k": 256, "hdim_q": 128, "dtype": "fp16"}
    return spec, problem_from_dict({"op": "fmha", "family": family, **base, **sizes}), launch or Launch()


ROWS = {"pad_s": False, "pad_sk": False, "pad_d": False, "pad_dv": False}


def strided(row: int, batch: int | None = None) -> dict[str, Any]:
    """Queries whose rows lie apart."""
    return {"strides": {"q": (batch or 128 * 4 * row, 4 * row, row, 1)}}


# rule: (what it refuses, what is just inside)
CASES: dict[str, tuple[Case, Case]] = {
    "ck_tile.gemm.whole_tiles_m": (gemm(COLUMN, m=256 + 8), gemm(COLUMN, m=512)),
    "ck_tile.gemm.whole_tiles_n": (gemm(n=256 + 8), gemm(n=512)),
    "ck_tile.gemm.whole_tiles_k": (gemm(k=64 * 3 + 8), gemm(k=64 * 3)),
    "ck_tile.gemm.vectors": (gemm(fields=PADS, n=4097), gemm(fields=PADS, n=4104)),
    "ck_tile.gemm.split_k_vector": (
        gemm(launch=Launch(split_k=2), fields={"epilogue": "default"}),
        gemm(launch=Launch(split_k=2)),
    ),
    "ck_tile.gemm.d_layout": (
        gemm(replace(FP16, d=(DTensor("fp16"),)), layout="rcrc"),
        gemm(replace(FP16, d=(DTensor("fp16"),)), layout="rcrr"),
    ),
    "ck_tile.gemm.strides": (gemm(strides={"a": (0, 4100, 1)}), gemm(strides={"a": (0, 4104, 1)})),
    "ck_tile.gemm.pointers": (gemm(alignment={"b": 8}), gemm(alignment={"b": 16})),
    "ck_tile.gemm.offsets": (gemm(m=2**18), gemm(m=2**18 - 256)),
    "ck_tile.gemm.split_k_depth": (
        gemm(launch=Launch(split_k=8), fields=PADS, k=16 * 9),
        gemm(launch=Launch(split_k=8), fields=PADS, k=64 * 8),
    ),
    "ck_tile.gemm.split_k_steps": (
        gemm(launch=Launch(split_k=2), fields=PADS, k=64 * 2 + 16),
        gemm(launch=Launch(split_k=2), fields=PADS, k=64 * 4),
    ),
    "ck_tile.gemm.split_k_epilogue": (
        gemm(replace(FP16, d=(DTensor("fp16"),)), Launch(split_k=2)),
        gemm(replace(FP16, d=(DTensor("fp16"),))),
    ),
    "ck_tile.gemm.preshuffle_problem": (
        gemm(PACKED, fields={**SHUFFLE, **PADS}, n=4104),
        gemm(PACKED, fields={**SHUFFLE, **PADS}, n=4128),
    ),
    "ck_tile.gemm.split_k_preshuffle": (gemm(PACKED, Launch(split_k=2), SHUFFLE), gemm(PACKED, fields=SHUFFLE)),
    "ck_tile.conv.split_k": (conv(launch=Launch(split_k=2)), conv("backward_weight", Launch(split_k=2))),
    "ck_tile.conv.filter": (
        conv(fields={"specialization": "filter1x1_stride1_pad0"}, filter=[1, 1], pad=0, stride=2),
        conv(fields={"specialization": "filter1x1_stride1_pad0"}, filter=[1, 1], pad=0),
    ),
    "ck_tile.conv.channels": (conv(k=60), conv(k=72)),
    "ck_tile.conv.phases": (
        conv("backward_data", filter=[12, 12], stride=12, pad=0, input=[36, 36], k=4096),
        conv("backward_data", filter=[11, 11], stride=11, pad=0, input=[33, 33], k=4096),
    ),
    "ck_tile.conv.whole_merges": (
        conv("backward_weight", fields={"groups_to_merge": 8}, g=4),
        conv("backward_weight", fields={"groups_to_merge": 8}, g=8),
    ),
    "ck_tile.conv.layout": (
        conv(signature_layout="ngchw"),
        conv(),
    ),
    "ck_tile.conv.dims": (
        conv(signature_layout="nwgc", input=[28], filter=[3]),
        conv(signature_layout="ndhwgc", input=[8, 8, 8], filter=[3, 3, 3]),
    ),
    "ck_tile.conv.offsets": (
        conv("backward_weight", n=16, input=[1024, 1024]),
        conv("backward_weight", n=15, input=[1024, 1024]),
    ),
    "ck_tile.conv.pointers": (conv(alignment={"weight": 8}), conv(alignment={"weight": 16})),
    "ck_tile.fmha.rows": (fmha(ROWS, seqlen_q=129), fmha(ROWS)),
    "ck_tile.fmha.keys": (fmha(ROWS, seqlen_k=257), fmha(ROWS)),
    "ck_tile.fmha.offsets": (fmha(ROWS, **strided(128, 2**31)), fmha(ROWS, **strided(128, 2**31 - 8))),
    "ck_tile.fmha.alignment": (fmha(ROWS, **strided(132)), fmha(ROWS, **strided(136))),
    "ck_tile.fmha.combine_splits": (
        fmha({"stage": "combine", "log_max_splits": 3}, "fwd_splitkv", Launch(num_splits=9)),
        fmha({"stage": "combine", "log_max_splits": 3}, "fwd_splitkv", Launch(num_splits=8)),
    ),
    "ck_tile.fmha.even_splits": (
        fmha({"uneven_splits": False}, "fwd_splitkv", Launch(num_splits=3)),
        fmha({"uneven_splits": False}, "fwd_splitkv", Launch(num_splits=2)),
    ),
}


def broken(case: Case) -> list[str]:
    spec, problem, launch = case
    return [r.rule for r in get_backend_op("ck_tile", spec.op).check(spec, get_arch(spec.arch), problem, launch)]


@pytest.mark.parametrize("name", CASES)
def test_a_problem_on_each_side_of_the_limit(name: str) -> None:
    outside, inside = CASES[name]
    assert name in broken(outside)
    assert broken(inside) == []


def test_attention_takes_no_negative_strides() -> None:
    assert broken(fmha(ROWS, strides={"q": (65536, -512, 128, 1)})) == ["ck_tile.fmha.offsets"]


def test_the_page_names_every_condition_and_each_has_its_rule() -> None:
    listed = {rule for _, _, rules in CONDITIONS for rule in rules.split()}
    known = {rule.id for op in ("gemm", "conv", "fmha") for rule in get_backend_op("ck_tile", op).rules}
    assert listed <= known
    assert listed == set(CASES)


@pytest.mark.parametrize("direction", ["forward", "backward_data"])
def test_images_that_ck_splits_are_no_limit(direction: str) -> None:
    sizes = {"input": [1024, 1024], "c": 64, "k": 64}
    assert broken(conv(direction, n=60, **sizes)) == []  # 15 at once
    assert "ck_tile.conv.offsets" in broken(conv(direction, n=64, **sizes))  # 16 at once are 2 GiB
    assert broken(conv(direction, n=61, **sizes)) == []  # one by one
    assert "ck_tile.conv.offsets" in broken(conv(direction, n=61, input=[4096, 4096]))


def test_thirteen_gigabytes_of_backward_weight_are_refused() -> None:
    assert broken(conv("backward_weight", n=2048, input=[224, 224])) == ["ck_tile.conv.offsets"]


def test_a_packed_matrix_counts_too() -> None:
    large = {"n": 2**15, "k": 2**15}
    assert broken(gemm(PACKED, fields=SHUFFLE, m=128, **large)) == ["ck_tile.gemm.offsets"]
    assert broken(gemm(PACKED, fields=SHUFFLE, m=128, n=2**15 - 128, k=2**15)) == []
