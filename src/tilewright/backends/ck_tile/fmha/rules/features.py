"""Rules of the signature: what the pipelines and headers of the supported CK release can compute."""

from __future__ import annotations

from .....model.arch import FmhaPipeline
from .....model.rule import Broken, broken, rule
from .....ops.fmha.problem import FmhaSubject as Subject
from ..algorithm import TABLED
from ..tables import COMBINE_WIDTH, table_of, tiles_like

PAGE_TOKENS = 128
BLOCK_TABLE_FAMILIES = ("fwd_splitkv", "fwd_pagedkv", "fwd_appendkv")


def _pipeline(s: Subject) -> FmhaPipeline | None:
    sig, a = s.signature, s.algorithm
    table = table_of(s.spec.arch, sig.family, sig.dtype)
    return table.pipelines.get(a.pipeline) if table is not None and a.stage in TABLED else None


@rule("ck_tile.fmha.takes", "compile", "the pipeline takes the signature's bias, mask, rope, cap, dropout, LSE, pages")
def _takes(s: Subject) -> Broken | None:
    sig, pipeline = s.signature, _pipeline(s)
    if pipeline is None:
        return None
    lists = {"bias": pipeline.bias, "mask": pipeline.masks, "rope": pipeline.rope}
    wrong = [
        f"{n} {getattr(sig, n)}" for n, known in lists.items() if known is not None and getattr(sig, n) not in known
    ]
    flags = {
        "a soft cap": (sig.soft_cap, pipeline.soft_cap),
        "dropout": (sig.dropout != "none", pipeline.dropout),
        "an LSE": (sig.lse, pipeline.lse or sig.family == "fwd_splitkv"),
        "pages": (sig.page_size > 0, pipeline.paged),
    }
    wrong += [name for name, (asked, able) in flags.items() if asked and not able]
    if pipeline.hdims is not None and (sig.hdim_q, sig.hdim_v) not in pipeline.hdims:
        wrong.append(f"hdim {sig.hdim_q}x{sig.hdim_v}")
    if wrong:
        return broken(f"{s.algorithm.pipeline} does not take {', '.join(wrong)}", "use another pipeline or signature")
    return None


@rule("ck_tile.fmha.columns", "compile", "hdim_q, hdim_v % 8 == 0: loads of 8 columns; fwd_splitkv: hdim_v % 32 == 0")
def _columns(s: Subject) -> Broken | None:
    sig = s.signature
    steps = {"hdim_q": 8, "hdim_v": COMBINE_WIDTH if sig.family == "fwd_splitkv" else 8}
    wrong = {name: getattr(sig, name) for name, step in steps.items() if getattr(sig, name) % step}
    if wrong:
        sizes_text = " and ".join(f"{name} {size} is not a multiple of {steps[name]}" for name, size in wrong.items())
        return broken(sizes_text, "pad the heads with zeros: the dispatcher does", **wrong)
    return None


@rule("ck_tile.fmha.soft_cap_bias", "compile", "not (soft_cap and bias != none): no such instance exists")
def _soft_cap_bias(s: Subject) -> Broken | None:
    sig = s.signature
    if sig.soft_cap and sig.bias != "none":
        return broken(f"a soft cap together with bias {sig.bias}", "drop one of them, or use another backend")
    return None


@rule("ck_tile.fmha.out", "compile", "the tile writes the output dtype")
def _out(s: Subject) -> Broken | None:
    sig = s.signature
    outs = sorted({o for t in tiles_like(s.spec) for o in t.outs})
    if s.algorithm.stage != "attend" or not outs or sig.family == "fwd_splitkv":
        return None
    if ("same" if sig.dtype_out == sig.dtype else sig.dtype_out) not in outs:
        return broken(f"{sig.dtype} to {sig.dtype_out}", f"this tile writes {', '.join(outs)}")
    return None


@rule("ck_tile.fmha.sink", "compile", "no sink tokens: the masks of CK 1.2.0 have none")
def _sink(s: Subject) -> Broken | None:
    return broken("sink tokens", "use another backend; CK 1.2.0 masks do not have them") if s.signature.sink else None


@rule(
    "ck_tile.fmha.qscale", "compile",
    "scales per tensor at most, none in fwd_splitkv; in CK 1.2.0 block scales do not exist",
)  # fmt: skip
def _qscale(s: Subject) -> Broken | None:
    sig = s.signature
    if sig.qscale == "blockscale":
        return broken("a scale for each block of rows", "use one scale per tensor; CK 1.2.0 has no block scales")
    if sig.qscale == "pertensor" and sig.family == "fwd_splitkv":  # only the kernel that combines would know scale_o
        return broken("scales per tensor in fwd_splitkv", "use fwd or fwd_pagedkv", family=sig.family)
    return None


@rule("ck_tile.fmha.dropout_rng", "semantic", "dropout by CK's own generator: its mask differs from philox's")
def _dropout_rng(s: Subject) -> Broken | None:
    if s.signature.dropout == "philox":
        return broken("dropout by philox", "ask for dropout_rng ck: the mask is CK's, the same forward and backward")
    return None


@rule("ck_tile.fmha.v_layout", "compile", "row-major V: no released tile table has column-major ones")
def _v_layout(s: Subject) -> Broken | None:
    return broken("column-major V", "use v_layout row") if s.signature.v_layout == "col" else None


@rule("ck_tile.fmha.lookup", "compile", "block tables (vllm) in split, paged and append; sglang pages of 1 in prefill")
def _lookup(s: Subject) -> Broken | None:
    sig = s.signature
    if sig.family in BLOCK_TABLE_FAMILIES and sig.lookup == "sglang":
        return broken(f"an sglang table in {sig.family}", "use a vllm block table")
    if sig.family == "batch_prefill" and (sig.lookup != "sglang" or sig.page_size != 1):
        return broken(
            f"{sig.lookup} pages of {sig.page_size} in batch_prefill",
            "CK 1.2.0 takes sglang tables with pages of one token",
        )
    return None


@rule("ck_tile.fmha.page_size", "compile", "pages of a block table hold a multiple of 128 tokens: whole tiles of keys")
def _page_size(s: Subject) -> Broken | None:
    sig = s.signature
    if sig.family in BLOCK_TABLE_FAMILIES and sig.page_size % PAGE_TOKENS:
        return broken(f"pages of {sig.page_size} tokens", f"use a multiple of {PAGE_TOKENS}", page_size=sig.page_size)
    return None


@rule("ck_tile.fmha.backward", "compile", "bwd: no soft cap")
def _backward(s: Subject) -> Broken | None:
    sig = s.signature
    if sig.family == "bwd" and sig.soft_cap:
        return broken("a soft cap in bwd", "CK 1.2.0 has no gradient of it: use another backend")
    return None


@rule("ck_tile.fmha.deepseek", "compile", "hdim 192x128 takes no bias and no dropout")
def _deepseek(s: Subject) -> Broken | None:
    sig = s.signature
    if (sig.family, sig.hdim_q, sig.hdim_v) == ("fwd", 192, 128) and (sig.bias != "none" or sig.dropout != "none"):
        return broken(f"hdim 192x128 with bias {sig.bias}, dropout {sig.dropout}", "no such instance exists")
    return None


FEATURE_RULES = (
    _takes, _columns, _soft_cap_bias, _out, _sink, _qscale, _dropout_rng, _v_layout, _lookup, _page_size, _backward,
    _deepseek,
)  # fmt: skip
