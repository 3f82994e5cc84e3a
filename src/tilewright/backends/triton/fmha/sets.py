"""The attention kernels that the triton backend offers, as kernel sets."""

from __future__ import annotations

from typing import Any

from ....model.kernel_set import KernelSet
from ..gemm.set_parts import AMD, NVIDIA, SIXTEEN_BIT

GPUS = (*NVIDIA, *AMD)
EIGHT_BIT = ["fp8", "bf8", "fp8_fnuz", "bf8_fnuz"]
PREFILL = ["fwd", "fwd_pagedkv", "batch_prefill", "fwd_splitkv"]


def _set(name: str, text: str, archs: tuple[str, ...], *maps: dict[str, Any], **signature: Any) -> KernelSet:
    return KernelSet(name, "fmha", "triton", maps, signature, archs, 0, text)


def _block(m: int, n: int, warps: int, stages: Any, **further: Any) -> dict[str, Any]:
    return {"tile_m": m, "tile_n": n, "warps": warps, "stages": stages, **further}


ROWS_NVIDIA = (_block(128, 128, 8, 2), _block(128, 64, 8, [2, 3]), _block(128, 64, 4, [2, 3]),
               _block(64, 64, 4, [2, 3]), _block(64, 32, 4, 3), _block(64, 32, 8, 2), _block(64, 16, 8, 2))  # fmt: skip
MAPPED = (_block(128, 64, 8, 3), _block(128, 64, 4, 3), _block(64, 64, 4, [2, 3]), _block(64, 128, 4, 2),
          _block(16, 128, 4, 3, pack=[False, True]))  # fmt: skip
TMA = tuple({**b, "pipeline": "tma"} for b in MAPPED)
HOPPER = (_block(128, 128, 8, [2, 4], turns=[False, True]), _block(192, 128, 12, [2, 3]), _block(128, 64, 8, 2))
WARPS_APART = tuple({**b, "pipeline": "hopper"} for b in HOPPER)
ROWS_AMD = (_block(128, 64, 4, [1, 2]), _block(64, 64, 4, [1, 2]), _block(64, 32, 4, 2), _block(32, 32, 4, 1))
FEW = tuple(_block(16, n, 4, s, pack=[False, True]) for n, s in ((128, [2, 3]), (64, [3, 4]), (32, 3), (16, 2)))
FEW_WIDE = tuple(_block(16, n, 8, s, pack=True) for n, s in ((128, [2, 3]), (64, [3, 4])))
ANY = (_block(64, 32, 4, 2, aligned=False), _block(16, 32, 4, 2, aligned=False, pack=[False, True]),
       _block(16, 16, 4, 1, aligned=False))  # fmt: skip
BACKWARD = (_block(32, 128, 8, 2), _block(64, 64, 4, 2),
            _block(32, 64, 4, 2), _block(32, 32, 4, 1), _block(32, 64, 8, 1), _block(16, 32, 4, 1))  # fmt: skip
HOPPER_BACKWARD = tuple(_block(m, 128, 8, 2, pipeline="hopper") for m in (64, 128))
WIDE_BACKWARD = _block(64, 64, 8, [1, 2], pipeline="hopper")
EXACT = (_block(64, 32, 4, 2), _block(32, 32, 4, 2), _block(16, 32, 4, 2, pack=[False, True]), _block(16, 16, 4, 1))

DEFAULT_SETS: tuple[KernelSet, ...] = (
    _set("triton_fmha_nvidia", "forward kernels", NVIDIA, *ROWS_NVIDIA, family=PREFILL,
         dtype=[*SIXTEEN_BIT, *EIGHT_BIT]),
    _set("triton_fmha_tma", "forward kernels that read keys through tensor maps", ("sm_90",), *TMA,
         family=["fwd", "fwd_splitkv"], dtype=SIXTEEN_BIT),
    _set("triton_fmha_hopper", "forward kernels in which one warp reads and groups of warps multiply", ("sm_90",),
         *WARPS_APART, family="fwd", dtype=SIXTEEN_BIT),
    _set("triton_fmha_hopper_192", "the same for heads of 192 columns, groups in turn", ("sm_90",),
         _block(128, 64, 8, 2, turns=True, pipeline="hopper"), family="fwd", dtype=SIXTEEN_BIT, hdim_q=192, hdim_v=192),
    _set("triton_fmha_amd", "forward kernels", AMD, *ROWS_AMD, family=PREFILL, dtype=[*SIXTEEN_BIT, *EIGHT_BIT]),
    _set("triton_fmha_few_rows", "forward kernels for decoding: heads of a group share their keys", GPUS, *FEW,
         family=PREFILL, dtype=[*SIXTEEN_BIT, *EIGHT_BIT]),
    _set("triton_fmha_few_rows_wide", "forward kernels for decoding in which eight warps read", NVIDIA, *FEW_WIDE,
         family=["fwd_splitkv", "fwd_pagedkv"], dtype=SIXTEEN_BIT),
    _set("triton_fmha_fp32", "forward kernels with exact fp32 products", GPUS, *EXACT, family=PREFILL, dtype="fp32"),
    _set("triton_fmha_any", "forward kernels for rows of any alignment", GPUS, *ANY, family=PREFILL),
    _set("triton_fmha_bwd", "backward kernels", GPUS, *BACKWARD, family="bwd",
         dtype=SIXTEEN_BIT),
    _set("triton_fmha_bwd_hopper", "backward kernels with five products; dQ is summed in no fixed order",
         ("sm_90",), *HOPPER_BACKWARD, family="bwd", dtype=SIXTEEN_BIT),
    _set("triton_fmha_bwd_wide", "backward kernels for heads of 129 to 256 columns", ("sm_90",), WIDE_BACKWARD,
         family="bwd", dtype=SIXTEEN_BIT, mode="batch", bias="none", soft_cap=False, sink=False),
    _set("triton_fmha_bwd_shared", "backward kernels in which programs share the walk of a block of keys", ("sm_90",),
         *({**b, "share": True} for b in HOPPER_BACKWARD), family="bwd", dtype=SIXTEEN_BIT),
    _set("triton_fmha_bwd_fp32", "backward kernels with exact fp32 products", GPUS, _block(32, 32, 4, 1),
         _block(16, 32, 4, 1), _block(16, 16, 4, 1), family="bwd", dtype="fp32"),
    _set("triton_fmha_bwd_any", "backward kernels for rows of any alignment", GPUS, _block(32, 32, 4, 1, aligned=False),
         _block(16, 16, 4, 1, aligned=False), family="bwd"),
    _set("triton_fmha_append", "appending to a cache", GPUS, {"aligned": [True, False]}, family="fwd_appendkv"),
)  # fmt: skip

# Not in the defaults: what rounds more than the dtypes say has to be asked for, and what did not run on a GPU yet.
NAMED_SETS = (
    *DEFAULT_SETS,
    _set("triton_fmha_tf32", "forward kernels on fp32 rounded to tf32", NVIDIA,
         *({**b, "precision": "tf32"} for b in EXACT), family=PREFILL, dtype="fp32"),
    _set("triton_fmha_bwd_wide_more", "backward kernels for heads of 129 to 256 columns with every feature", ("sm_90",),
         WIDE_BACKWARD, {**WIDE_BACKWARD, "share": True}, family="bwd", dtype=SIXTEEN_BIT),
)  # fmt: skip
