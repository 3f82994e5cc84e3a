"""The types of an attention kernel: CK's templates with their arguments by name, one list for each stage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....arch import get_arch
from ....model.kernel import KernelSpec
from ....ops.fmha.signature import FAMILIES
from ...cpp_text import CppText, cpp, cpp_identifier, cpp_join, cpp_name
from ..ck_revision import CkRevision
from ..cpp import cpp_type, eight_bit_encodings, sequence
from ..lower import Unit, namespace
from .kargs import is_masked
from .threads import threads

TEMPLATE = "fmha.hpp.j2"
BIASES = {
    "none": "ck_tile::BlockAttentionBiasEnum::NO_BIAS",
    "elementwise": "ck_tile::BlockAttentionBiasEnum::ELEMENTWISE_BIAS",
    "alibi": "ck_tile::BlockAttentionBiasEnum::ALIBI",
}
ROPES = {
    "none": "ck_tile::RotaryEmbeddingEnum::NONE",
    "interleaved": "ck_tile::RotaryEmbeddingEnum::INTERLEAVED",
    "half": "ck_tile::RotaryEmbeddingEnum::HALF_ROTATED",
}
FORWARD_PIPELINES = {
    ("fwd", "qr"): "BlockFmhaPipelineQRKSVS",
    ("fwd", "qr_async"): "BlockFmhaPipelineQRKSVSAsync",
    ("fwd", "qr_async_trload"): "BlockFmhaPipelineQRKSVSAsyncTrload",
    ("fwd_splitkv", "qr"): "BlockFmhaFwdSplitKVPipelineQRKSVS",
    ("fwd_splitkv", "qr_nwarp_sshuffle"): "BlockFmhaFwdSplitKVPipelineNWarpSShuffleQRKSVS",
    ("fwd_pagedkv", "qr_pagedkv"): "BlockFmhaFwdPagedKVPipelineQRKSVS",
    ("batch_prefill", "qr_async"): "BlockFmhaBatchPrefillPipelineQRKSVSAsync",
}
KERNELS = {
    "fwd": "FmhaFwdKernel",
    "fwd_splitkv": "FmhaFwdSplitKVKernel",
    "fwd_pagedkv": "FmhaFwdPagedKVKernel",
    "batch_prefill": "FmhaBatchPrefillWithPagedKVCacheKernel",
}
PADDED_HDIM = 8  # CK's mark for heads padded to a multiple of 8, which the rules require

Types = list[tuple[str, CppText]]


def generate(spec: KernelSpec, ck: CkRevision) -> Unit:
    """Return the header of one attention kernel."""
    s, a = spec.signature, spec.algorithm
    arch: Any = get_arch(spec.arch)
    stage = cpp_name(tuple(_STAGES), a.stage, "stage")
    types, asserts = _STAGES[stage](spec, ck)
    values = {
        "types": [(cpp_identifier(alias), made) for alias, made in (*_element_types(s), *types)],
        "asserts": asserts,
        "stage": stage,
        "base": cpp("tilewright_ck::Scaled<Kernel>") if s.qscale == "pertensor" else cpp("Kernel"),
        "family": cpp_name(FAMILIES, s.family, "family"),
        "encodings": eight_bit_encodings((s.dtype,)),
        "wave_size": arch.wave_size,
        "block": threads(spec),
        # A backward kernel without a target has -1, which the compiler ignores; forward pipelines choose a number.
        "blocks": cpp("== -1") if stage == "dq_dk_dv" and not a.block_per_cu else cpp("> 0"),
    }
    space = namespace(spec)
    blocks = cpp("{}::{}::kBlockPerCu", space, stage)
    entry = cpp("tilewright_ck/entry_fmha.hpp")
    return Unit(TEMPLATE, values, (stage,), cpp("{}::Args", space), block_per_cu=blocks, entry=entry)


def _element_types(s: Any) -> Types:
    bias = cpp("float") if get_bits(s.dtype) == 8 else cpp_type(s.dtype)
    return [("Element", cpp_type(s.dtype)), ("Bias", bias), ("Out", cpp_type(s.dtype_out))]


def get_bits(dtype: str) -> int:
    """Return bits of one element.

    >>> get_bits("bf16")
    16
    """
    from ....model.dtype import get_dtype

    return get_dtype(dtype).bits


def _mask(s: Any) -> CppText:
    """Return CK's simplified mask: one kernel for every mask; extent and corner are run-time arguments."""
    return cpp("ck_tile::SimplifiedGenericAttentionMask<{}>", is_masked(s))


def _bias(s: Any) -> CppText:
    return cpp_name(BIASES, s.bias, "bias")


def _variant(s: Any) -> CppText:
    cap = s.soft_cap
    return cpp("ck_tile::ComposedAttention<{} * ck_tile::LOGITS_SOFT_CAP, CK_TILE_FMHA_FWD_FAST_EXP2>", cap)


def _blocks(a: Any) -> dict[str, int]:
    """Return the target for blocks per compute unit, if the algorithm has one."""
    return {"BlockPerCu": a.block_per_cu} if a.block_per_cu else {}


def _pads(a: Any) -> dict[str, bool]:
    names = ("PadSeqLenQ", "PadSeqLenK", "PadHeadDimQ", "PadHeadDimV")
    return dict(zip(names, a.pads, strict=True))


def _shape(a: Any, ck: CkRevision) -> CppText:
    tile = (a.tile_m0, a.tile_n0, a.tile_k0, a.tile_n1, a.tile_k1, a.tile_k0max)
    return ck.instantiate(
        "TileFmhaShape",
        BlockTile=sequence(tile),
        Gemm0BlockWarps=sequence(a.waves[0]),
        Gemm0WarpTile=sequence(a.warp_tiles[0]),
        Gemm1BlockWarps=sequence(a.waves[1]),
        Gemm1WarpTile=sequence(a.warp_tiles[1]),
        IsVLayoutRowMajor=True,
    )


def _forward_traits(spec: KernelSpec, ck: CkRevision) -> CppText:
    s, a = spec.signature, spec.algorithm
    common = {
        **_pads(a),
        "HasLogitsSoftCap": s.soft_cap,
        "BiasEnum": _bias(s),
        "HasBiasGrad": False,
        "StoreLSE": s.lse,
        "DoFp8StaticQuant": s.qscale == "pertensor",
        **_blocks(a),
    }
    paged = {"IsPagedKV": s.page_size > 0}
    if s.family == "fwd_splitkv":  # the partial results always have their LSE: the combination needs it
        merge = {"MergeNumHeadGroupsSeqLenQ": a.merge_groups}
        split = {**common, **paged, "StoreLSE": True, "HasUnevenSplits": a.uneven_splits, **merge}
        return ck.instantiate("TileFmhaFwdSplitKVTraits", **split)
    if s.family == "fwd_pagedkv":
        return ck.instantiate("TileFmhaFwdPagedKVTraits", **common, **paged)
    return ck.instantiate("TileFmhaTraits", **common, HasDropout=s.dropout != "none")


def _chain(
    traits: CppText,
    problem: CppText,
    pipeline: CppText,
    kernel: CppText,
    *,
    before: Sequence[tuple[str, CppText]] = (),
    **epilogues: CppText,
) -> Types:
    """Return the types from traits to the kernel; `before` are those that the problem names besides its traits."""
    return [
        ("Traits", traits),
        *before,
        ("Problem", problem),
        ("Pipeline", cpp("ck_tile::{}<Problem>", pipeline)),
        *epilogues.items(),
        ("Kernel", cpp("ck_tile::{}<{}>", kernel, cpp_join(map(cpp_identifier, ("Pipeline", *epilogues))))),
    ]


def _attend(spec: KernelSpec, ck: CkRevision) -> tuple[Types, list[CppText]]:
    s, a = spec.signature, spec.algorithm
    splits = s.family == "fwd_splitkv"
    problems = {
        "fwd_splitkv": "BlockFmhaFwdSplitKVPipelineProblem",
        "fwd_pagedkv": "BlockFmhaFwdPagedKVPipelineProblem",
    }
    template = problems.get(s.family, "BlockFmhaPipelineProblem")
    arguments = {
        **dict.fromkeys(("QDataType", "KDataType", "VDataType", "PDataType"), cpp("Element")),
        **dict.fromkeys(("SaccDataType", "SMPLComputeDataType", "LSEDataType", "OaccDataType"), cpp("float")),
        "BiasDataType": cpp("Bias"),
        "ODataType": cpp("float") if splits else cpp("Out"),
        "BlockFmhaShape": cpp("Shape"),
        "IsGroupMode": s.mode == "group",
        "AttentionVariant": cpp("Variant"),
        "FmhaMask": cpp("Mask"),
        "Traits": cpp("Traits"),
    }
    if template == "BlockFmhaPipelineProblem":
        arguments |= {"RandValOutputDataType": cpp("uint8_t"), "UseTrLoad": "trload" in a.pipeline}
    epilogue = ck.instantiate(
        "Default2DEpilogueProblem",
        AccDataType=cpp("float"),
        ODataType=cpp("float") if splits else cpp("Out"),
        PadM=a.pad_s and not splits,  # partial results are stored in buffers of whole tiles
        PadN=a.pad_dv and not splits,
    )
    pipeline = cpp_name({k[1]: v for k, v in FORWARD_PIPELINES.items() if k[0] == s.family}, a.pipeline, "pipeline")
    before = [("Variant", _variant(s)), ("Mask", _mask(s))]
    problem = ck.instantiate(template, **arguments)
    own = {"Epilogue": cpp("ck_tile::Default2DEpilogue<{}>", epilogue)}
    kernel = cpp_name(KERNELS, s.family, "family")
    types = _chain(_forward_traits(spec, ck), problem, pipeline, kernel, before=before, **own)
    return [("Shape", _shape(a, ck)), *types], _forward_asserts(spec)


def _forward_asserts(spec: KernelSpec) -> list[CppText]:
    s, a = spec.signature, spec.algorithm
    found = [
        cpp("Shape::kM0 == {} && Shape::kN0 == {} && Shape::kK0 == {}", a.tile_m0, a.tile_n0, a.tile_k0),
        cpp("Shape::kN1 == {} && Shape::kK1 == {} && Shape::kQKHeaddim == {}", a.tile_n1, a.tile_k1, a.tile_k0max),
        cpp("Shape::NumWarps == {}", max(w[0] * w[1] for w in a.waves)),
        cpp("Problem::kIsGroupMode == {} && Mask::IsMasking == {}", s.mode == "group", is_masked(s)),
        cpp("Problem::kPadSeqLenQ == {} && Problem::kPadSeqLenK == {}", a.pad_s, a.pad_sk),
        cpp("Problem::kPadHeadDimQ == {} && Problem::kPadHeadDimV == {}", a.pad_d, a.pad_dv),
        cpp(
            "Problem::BiasEnum == {} && Problem::kHasLogitsSoftCap == {}", cpp_name(BIASES, s.bias, "bias"), s.soft_cap
        ),
        cpp("Problem::kStoreLSE == {}", s.lse or s.family == "fwd_splitkv"),
        cpp("Problem::kDoFp8StaticQuant == {}", s.qscale == "pertensor"),
    ]
    if s.family in ("fwd", "batch_prefill"):
        found.append(cpp("Problem::kHasDropout == {}", s.dropout != "none"))
    elif s.family in ("fwd_splitkv", "fwd_pagedkv"):
        found.append(cpp("Problem::kIsPagedKV == {}", s.page_size > 0))
    return found


def _combine(spec: KernelSpec, ck: CkRevision) -> tuple[Types, list[CppText]]:
    s, a = spec.signature, spec.algorithm
    traits = ck.instantiate(
        "TileFmhaFwdSplitKVCombineTraits",
        PadSeqLenQ=a.pad_s,
        PadHeadDimV=a.pad_dv,
        StoreLSE=s.lse,
        DoFp8StaticQuant=s.qscale == "pertensor",
        LogMaxSplits=a.log_max_splits,
        **_blocks(a),
    )
    problem = ck.instantiate(
        "BlockFmhaSplitKVCombinePipelineProblem",
        LSEDataType=cpp("float"),
        OaccDataType=cpp("float"),
        ODataType=cpp("Out"),
        HeadDimV=a.tile_k0max,
        IsGroupMode=s.mode == "group",
        N1=a.tile_n1,
        Traits=cpp("Traits"),
    )
    epilogue = ck.instantiate(
        "Default2DEpilogueProblem", AccDataType=cpp("float"), ODataType=cpp("Out"), PadM=False, PadN=False
    )
    names = (cpp("BlockFmhaFwdSplitKVCombinePipeline"), cpp("FmhaFwdSplitKVCombineKernel"))
    types = _chain(traits, problem, *names, Epilogue=cpp("ck_tile::Default2DEpilogue<{}>", epilogue))
    asserts = [
        cpp("Problem::kMaxSplits == {} && Problem::kStoreLSE == {}", 1 << a.log_max_splits, s.lse),
        cpp("Problem::kHeadDimV == {} && Problem::kIsGroupMode == {}", a.tile_k0max, s.mode == "group"),
    ]
    return types, asserts


def _append(spec: KernelSpec, ck: CkRevision) -> tuple[Types, list[CppText]]:
    s, a = spec.signature, spec.algorithm
    problem = ck.instantiate(
        "BlockFmhaFwdAppendKVPipelineProblem",
        **dict.fromkeys(("QDataType", "KDataType", "VDataType"), cpp("Element")),
        M0=a.tile_m0,
        N0=a.tile_n0,
        K0=a.tile_k0max,
        N1=a.tile_n1,
        IsVLayoutRowMajor=True,
        RotaryEnum=cpp_name(ROPES, s.rope, "rope"),
        IsPagedKV=s.page_size > 0,
        Traits=cpp("Traits"),
    )
    traits = ck.instantiate("TileFmhaFwdAppendKVTraits", **_pads(a), **_blocks(a))
    types = _chain(traits, problem, cpp("BlockFmhaFwdAppendKVPipeline"), cpp("FmhaFwdAppendKVKernel"))
    asserts = [
        cpp("Problem::kM0 == {} && Problem::kN0 == {} && Problem::kK0 == {}", a.tile_m0, a.tile_n0, a.tile_k0max),
        cpp("Problem::RotaryEnum == {} && Problem::kIsPagedKV == {}", cpp_name(ROPES, s.rope, "rope"), s.page_size > 0),
        cpp("Problem::kPadSeqLenQ == {} && Problem::kPadSeqLenK == {}", a.pad_s, a.pad_sk),
    ]
    return types, asserts


def _dot_do_o(spec: KernelSpec, ck: CkRevision) -> tuple[Types, list[CppText]]:
    s, a = spec.signature, spec.algorithm
    traits = ck.instantiate("TileFmhaBwdOGradDotOTraits", PadSeqLenQ=a.pad_s, PadHeadDimV=a.pad_dv, **_blocks(a))
    problem = ck.instantiate(
        "BlockFmhaBwdOGradDotOPipelineProblem",
        ODataType=cpp("Out"),
        OGradDataType=cpp("Element"),
        DDataType=cpp("float"),
        BlockSize=a.tile_m0,
        VHeaddim=a.tile_n1,
        IsGroupMode=s.mode == "group",
        Traits=cpp("Traits"),
    )
    types = _chain(traits, problem, cpp("BlockFmhaBwdOGradDotO"), cpp("FmhaBwdOGradDotOKernel"))
    return types, [cpp("Problem::kVHeaddim == {} && Problem::kPadSeqLenQ == {}", a.tile_n1, a.pad_s)]


def _convert_dq(spec: KernelSpec, ck: CkRevision) -> tuple[Types, list[CppText]]:
    s, a = spec.signature, spec.algorithm
    traits = ck.instantiate("TileFmhaBwdConvertQGradTraits", PadSeqLenQ=a.pad_s, PadHeadDimQ=a.pad_d, **_blocks(a))
    problem = ck.instantiate(
        "BlockFmhaBwdConvertQGradPipelineProblem",
        AccDataType=cpp("float"),
        QGradDataType=cpp("Element"),
        BlockSize=256,
        M0=a.tile_m0,
        N0=a.tile_n0,
        QKHeaddim=a.tile_k0max,
        IsGroupMode=s.mode == "group",
        IsDeterministic=s.deterministic,
        Traits=cpp("Traits"),
    )
    types = _chain(traits, problem, cpp("BlockFmhaBwdConvertQGrad"), cpp("FmhaBwdConvertQGradKernel"))
    asserts = [cpp("Problem::kQKHeaddim == {} && Problem::kIsDeterministic == {}", a.tile_k0max, s.deterministic)]
    return types, asserts


def _backward_shape(a: Any, ck: CkRevision) -> CppText:
    (w0, w1, w2), (t0, t1) = a.waves, a.warp_tiles
    t2 = (t0[0], t0[1], min(t0[2], a.tile_k4))
    tile = (a.tile_m0, a.tile_n0, a.tile_k0, a.tile_k1, a.tile_n1, a.tile_k1, a.tile_k4, a.tile_k0max, a.tile_n1)
    products = ((w0, t0), (w1, t1), (w0, t0), (w1, t1), (w2, t2))
    warps = {f"Gemm{i}BlockWarps": sequence(w) for i, (w, _) in enumerate(products)}
    warps |= {f"Gemm{i}WarpTile": sequence(t) for i, (_, t) in enumerate(products)}
    return ck.instantiate("TileFmhaBwdShape", BlockTile=sequence(tile), **warps, MaxSeqLenQ=a.max_seqlen_q)


def _dq_dk_dv(spec: KernelSpec, ck: CkRevision) -> tuple[Types, list[CppText]]:
    s, a = spec.signature, spec.algorithm
    pads = {"PadHeadDimQ": a.pad_d, "PadHeadDimV": a.pad_dv}
    traits = ck.instantiate(
        "TileFmhaBwdTraits",
        **{name: PADDED_HDIM * padded for name, padded in pads.items()},
        BiasEnum=_bias(s),
        HasBiasGrad=s.dbias,
        **_blocks(a),
    )
    problem = ck.instantiate(
        "BlockFmhaBwdPipelineProblem",
        **dict.fromkeys(("QDataType", "KDataType", "VDataType", "GemmDataType", "ODataType"), cpp("Element")),
        **dict.fromkeys(("OGradDataType", "QGradDataType", "KGradDataType", "VGradDataType"), cpp("Element")),
        **dict.fromkeys(("LSEDataType", "AccDataType", "DDataType"), cpp("float")),
        **dict.fromkeys(("BiasDataType", "BiasGradDataType"), cpp("Bias")),
        RandValOutputDataType=cpp("uint8_t"),
        BlockFmhaShape=cpp("Shape"),
        IsGroupMode=s.mode == "group",
        IsDeterministic=s.deterministic,
        FmhaMask=cpp("Mask"),
        FmhaDropout=cpp("Dropout"),
        UseTrLoad="trload" in a.pipeline,
        Traits=cpp("Traits"),
    )
    wide = s.dropout == "none" or a.warp_tiles[0][0] == 32  # random numbers come in the warp tile's order
    stored = {"AccDataType": cpp("float"), "ODataType": cpp("Element")}
    epilogues = [
        ck.instantiate("Default2DEpilogueProblem", **stored, PadM=False, PadN=p) for p in (a.pad_d, a.pad_dv, a.pad_d)
    ]
    dropout = cpp("ck_tile::BlockDropoutBwd<{}, {}, false>", s.dropout != "none", wide)
    before = [("Mask", _mask(s)), ("Dropout", dropout)]
    names = ("DkEpilogue", "DvEpilogue", "DqEpilogue")
    own = {n: cpp("ck_tile::Default2DEpilogue<{}>", e) for n, e in zip(names, epilogues, strict=True)}
    types = _chain(traits, problem, cpp("BlockFmhaBwdDQDKDVPipeline"), cpp("FmhaBwdDQDKDVKernel"), before=before, **own)
    types = [("Shape", _backward_shape(a, ck)), *types]
    asserts = [
        cpp("Shape::kM0 == {} && Shape::kN0 == {} && Shape::kK4 == {}", a.tile_m0, a.tile_n0, a.tile_k4),
        cpp("Shape::kQKHeaddim == {} && Shape::kVHeaddim == {}", a.tile_k0max, a.tile_n1),
        cpp("Problem::kIsDeterministic == {} && Problem::kHasBiasGrad == {}", s.deterministic, s.dbias),
        cpp(
            "Problem::kIsGroupMode == {} && Problem::BiasEnum == {}",
            s.mode == "group",
            cpp_name(BIASES, s.bias, "bias"),
        ),
    ]
    return types, asserts


def _sum_heads(spec: KernelSpec, ck: CkRevision) -> tuple[Types, list[CppText]]:
    return [("Kernel", cpp("tilewright_ck::SumHeads<Element>"))], [cpp("Kernel::kBlockSize == 256")]


_STAGES: dict[str, Callable[[KernelSpec, CkRevision], tuple[Types, list[CppText]]]] = {
    "attend": _attend,
    "combine": _combine,
    "append": _append,
    "dot_do_o": _dot_do_o,
    "dq_dk_dv": _dq_dk_dv,
    "convert_dq": _convert_dq,
    "sum_heads": _sum_heads,
}
