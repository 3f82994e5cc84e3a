"""The types of an attention kernel: CK's templates with their arguments by name, one list for each stage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....arch import get_arch
from ....model.kernel import KernelSpec
from ..ck_revision import CkRevision
from ..cpp import boolean, cpp_type, eight_bit_encodings, look_up, sequence
from ..lower import Unit, namespace

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
PADDED_HDIM = 8  # CK's mark for heads padded to a multiple of 8, which the rules of the op ask for

Types = list[tuple[str, str]]


def generate(spec: KernelSpec, ck: CkRevision) -> Unit:
    """The header of one attention kernel."""
    s, a = spec.signature, spec.algorithm
    arch: Any = get_arch(spec.arch)
    types, asserts = _STAGES[a.stage](spec, ck)
    values = {
        "types": [*_element_types(s), *types],
        "asserts": asserts,
        "stage": a.stage,
        "family": s.family,
        "encodings": eight_bit_encodings((s.dtype,)),
        "wave_size": arch.wave_size,
    }
    space = namespace(spec)
    return Unit(TEMPLATE, values, (a.stage,), f"{space}::Args", block_per_cu=f"{space}::{a.stage}::kBlockPerCu")


def _element_types(s: Any) -> Types:
    bias = "float" if get_bits(s.dtype) == 8 else cpp_type(s.dtype)
    return [("Element", cpp_type(s.dtype)), ("Bias", bias), ("Out", cpp_type(s.dtype_out))]


def get_bits(dtype: str) -> int:
    """Bits of one element.

    >>> get_bits("bf16")
    16
    """
    from ....model.dtype import get_dtype

    return get_dtype(dtype).bits


def _mask(s: Any) -> str:
    """CK's simplified mask: one kernel serves every masking, its extent and corner are run-time arguments."""
    return f"ck_tile::SimplifiedGenericAttentionMask<{boolean(s.mask != 'none')}>"


def _variant(s: Any) -> str:
    return f"ck_tile::ComposedAttention<{boolean(s.soft_cap)} * ck_tile::LOGITS_SOFT_CAP, CK_TILE_FMHA_FWD_FAST_EXP2>"


def _blocks(a: Any) -> dict[str, str]:
    """The aim for blocks per compute unit, where the algorithm has one."""
    return {"BlockPerCu": str(a.block_per_cu)} if a.block_per_cu else {}


def _pads(a: Any) -> dict[str, str]:
    names = ("PadSeqLenQ", "PadSeqLenK", "PadHeadDimQ", "PadHeadDimV")
    return {name: boolean(pad) for name, pad in zip(names, a.pads, strict=True)}


def _shape(a: Any, ck: CkRevision) -> str:
    tile = (a.tile_m0, a.tile_n0, a.tile_k0, a.tile_n1, a.tile_k1, a.tile_k0max)
    return ck.instantiate(
        "TileFmhaShape",
        BlockTile=sequence(tile),
        Gemm0BlockWarps=sequence(a.waves[0]),
        Gemm0WarpTile=sequence(a.warp_tiles[0]),
        Gemm1BlockWarps=sequence(a.waves[1]),
        Gemm1WarpTile=sequence(a.warp_tiles[1]),
        IsVLayoutRowMajor="true",
    )


def _forward_traits(spec: KernelSpec, ck: CkRevision) -> str:
    s, a = spec.signature, spec.algorithm
    common = {
        **_pads(a),
        "HasLogitsSoftCap": boolean(s.soft_cap),
        "BiasEnum": look_up(BIASES, s.bias, "bias"),
        "HasBiasGrad": "false",
        "StoreLSE": boolean(s.lse),
        "DoFp8StaticQuant": boolean(s.qscale == "pertensor"),
        **_blocks(a),
    }
    paged = {"IsPagedKV": boolean(s.page_size > 0)}
    if s.family == "fwd_splitkv":  # the partial results always carry their LSE: combining needs it
        merge = {"MergeNumHeadGroupsSeqLenQ": boolean(a.merge_groups)}
        split = {**common, **paged, "StoreLSE": "true", "HasUnevenSplits": boolean(a.uneven_splits), **merge}
        return ck.instantiate("TileFmhaFwdSplitKVTraits", **split)
    if s.family == "fwd_pagedkv":
        return ck.instantiate("TileFmhaFwdPagedKVTraits", **common, **paged)
    return ck.instantiate("TileFmhaTraits", **common, HasDropout=boolean(s.dropout != "none"))


def _chain(
    traits: str, problem: str, pipeline: str, kernel: str, *, before: Sequence[tuple[str, str]] = (), **epilogues: str
) -> Types:
    """The types that lead from traits to the kernel; `before` are those that the problem names besides its traits."""
    return [
        ("Traits", traits),
        *before,
        ("Problem", problem),
        ("Pipeline", f"ck_tile::{pipeline}<Problem>"),
        *epilogues.items(),
        ("Kernel", f"ck_tile::{kernel}<{', '.join(('Pipeline', *epilogues))}>"),
    ]


def _attend(spec: KernelSpec, ck: CkRevision) -> tuple[Types, list[str]]:
    s, a = spec.signature, spec.algorithm
    splits = s.family == "fwd_splitkv"
    problems = {
        "fwd_splitkv": "BlockFmhaFwdSplitKVPipelineProblem",
        "fwd_pagedkv": "BlockFmhaFwdPagedKVPipelineProblem",
    }
    template = problems.get(s.family, "BlockFmhaPipelineProblem")
    arguments = {
        **dict.fromkeys(("QDataType", "KDataType", "VDataType", "PDataType"), "Element"),
        **dict.fromkeys(("SaccDataType", "SMPLComputeDataType", "LSEDataType", "OaccDataType"), "float"),
        "BiasDataType": "Bias",
        "ODataType": "float" if splits else "Out",
        "BlockFmhaShape": "Shape",
        "IsGroupMode": boolean(s.mode == "group"),
        "AttentionVariant": "Variant",
        "FmhaMask": "Mask",
        "Traits": "Traits",
    }
    if template == "BlockFmhaPipelineProblem":
        arguments |= {"RandValOutputDataType": "uint8_t", "UseTrLoad": boolean("trload" in a.pipeline)}
    epilogue = ck.instantiate(
        "Default2DEpilogueProblem",
        AccDataType="float",
        ODataType="float" if splits else "Out",
        PadM=boolean(a.pad_s and not splits),  # partial results are stored in buffers of whole tiles
        PadN=boolean(a.pad_dv and not splits),
    )
    pipeline = look_up({k[1]: v for k, v in FORWARD_PIPELINES.items() if k[0] == s.family}, a.pipeline, "pipeline")
    before = [("Variant", _variant(s)), ("Mask", _mask(s))]
    problem = ck.instantiate(template, **arguments)
    own = {"Epilogue": f"ck_tile::Default2DEpilogue<{epilogue}>"}
    types = _chain(_forward_traits(spec, ck), problem, pipeline, KERNELS[s.family], before=before, **own)
    return [("Shape", _shape(a, ck)), *types], _forward_asserts(spec)


def _forward_asserts(spec: KernelSpec) -> list[str]:
    s, a = spec.signature, spec.algorithm
    found = [
        f"Shape::kM0 == {a.tile_m0} && Shape::kN0 == {a.tile_n0} && Shape::kK0 == {a.tile_k0}",
        f"Shape::kN1 == {a.tile_n1} && Shape::kK1 == {a.tile_k1} && Shape::kQKHeaddim == {a.tile_k0max}",
        f"Shape::NumWarps == {max(w[0] * w[1] for w in a.waves)}",
        f"Problem::kIsGroupMode == {boolean(s.mode == 'group')} && Mask::IsMasking == {boolean(s.mask != 'none')}",
        f"Problem::kPadSeqLenQ == {boolean(a.pad_s)} && Problem::kPadSeqLenK == {boolean(a.pad_sk)}",
        f"Problem::kPadHeadDimQ == {boolean(a.pad_d)} && Problem::kPadHeadDimV == {boolean(a.pad_dv)}",
        f"Problem::BiasEnum == {BIASES[s.bias]} && Problem::kHasLogitsSoftCap == {boolean(s.soft_cap)}",
        f"Problem::kStoreLSE == {boolean(s.lse or s.family == 'fwd_splitkv')}",
        f"Problem::kDoFp8StaticQuant == {boolean(s.qscale == 'pertensor')}",
    ]
    if s.family in ("fwd", "batch_prefill"):
        found.append(f"Problem::kHasDropout == {boolean(s.dropout != 'none')}")
    elif s.family in ("fwd_splitkv", "fwd_pagedkv"):
        found.append(f"Problem::kIsPagedKV == {boolean(s.page_size > 0)}")
    return found


def _combine(spec: KernelSpec, ck: CkRevision) -> tuple[Types, list[str]]:
    s, a = spec.signature, spec.algorithm
    traits = ck.instantiate(
        "TileFmhaFwdSplitKVCombineTraits",
        PadSeqLenQ=boolean(a.pad_s),
        PadHeadDimV=boolean(a.pad_dv),
        StoreLSE=boolean(s.lse),
        DoFp8StaticQuant=boolean(s.qscale == "pertensor"),
        LogMaxSplits=str(a.log_max_splits),
        **_blocks(a),
    )
    problem = ck.instantiate(
        "BlockFmhaSplitKVCombinePipelineProblem",
        LSEDataType="float",
        OaccDataType="float",
        ODataType="Out",
        HeadDimV=str(a.tile_k0max),
        IsGroupMode=boolean(s.mode == "group"),
        N1=str(a.tile_n1),
        Traits="Traits",
    )
    epilogue = ck.instantiate(
        "Default2DEpilogueProblem", AccDataType="float", ODataType="Out", PadM="false", PadN="false"
    )
    names = ("BlockFmhaFwdSplitKVCombinePipeline", "FmhaFwdSplitKVCombineKernel")
    types = _chain(traits, problem, *names, Epilogue=f"ck_tile::Default2DEpilogue<{epilogue}>")
    asserts = [
        f"Problem::kMaxSplits == {1 << a.log_max_splits} && Problem::kStoreLSE == {boolean(s.lse)}",
        f"Problem::kHeadDimV == {a.tile_k0max} && Problem::kIsGroupMode == {boolean(s.mode == 'group')}",
    ]
    return types, asserts


def _append(spec: KernelSpec, ck: CkRevision) -> tuple[Types, list[str]]:
    s, a = spec.signature, spec.algorithm
    problem = ck.instantiate(
        "BlockFmhaFwdAppendKVPipelineProblem",
        **dict.fromkeys(("QDataType", "KDataType", "VDataType"), "Element"),
        M0=str(a.tile_m0),
        N0=str(a.tile_n0),
        K0=str(a.tile_k0max),
        N1=str(a.tile_n1),
        IsVLayoutRowMajor="true",
        RotaryEnum=look_up(ROPES, s.rope, "rope"),
        IsPagedKV=boolean(s.page_size > 0),
        Traits="Traits",
    )
    traits = ck.instantiate("TileFmhaFwdAppendKVTraits", **_pads(a), **_blocks(a))
    types = _chain(traits, problem, "BlockFmhaFwdAppendKVPipeline", "FmhaFwdAppendKVKernel")
    asserts = [
        f"Problem::kM0 == {a.tile_m0} && Problem::kN0 == {a.tile_n0} && Problem::kK0 == {a.tile_k0max}",
        f"Problem::RotaryEnum == {ROPES[s.rope]} && Problem::kIsPagedKV == {boolean(s.page_size > 0)}",
        f"Problem::kPadSeqLenQ == {boolean(a.pad_s)} && Problem::kPadSeqLenK == {boolean(a.pad_sk)}",
    ]
    return types, asserts


def _dot_do_o(spec: KernelSpec, ck: CkRevision) -> tuple[Types, list[str]]:
    s, a = spec.signature, spec.algorithm
    traits = ck.instantiate(
        "TileFmhaBwdOGradDotOTraits", PadSeqLenQ=boolean(a.pad_s), PadHeadDimV=boolean(a.pad_dv), **_blocks(a)
    )
    problem = ck.instantiate(
        "BlockFmhaBwdOGradDotOPipelineProblem",
        ODataType="Out",
        OGradDataType="Element",
        DDataType="float",
        BlockSize=str(a.tile_m0),
        VHeaddim=str(a.tile_n1),
        IsGroupMode=boolean(s.mode == "group"),
        Traits="Traits",
    )
    types = _chain(traits, problem, "BlockFmhaBwdOGradDotO", "FmhaBwdOGradDotOKernel")
    return types, [f"Problem::kVHeaddim == {a.tile_n1} && Problem::kPadSeqLenQ == {boolean(a.pad_s)}"]


def _convert_dq(spec: KernelSpec, ck: CkRevision) -> tuple[Types, list[str]]:
    s, a = spec.signature, spec.algorithm
    traits = ck.instantiate(
        "TileFmhaBwdConvertQGradTraits", PadSeqLenQ=boolean(a.pad_s), PadHeadDimQ=boolean(a.pad_d), **_blocks(a)
    )
    problem = ck.instantiate(
        "BlockFmhaBwdConvertQGradPipelineProblem",
        AccDataType="float",
        QGradDataType="Element",
        BlockSize="256",
        M0=str(a.tile_m0),
        N0=str(a.tile_n0),
        QKHeaddim=str(a.tile_k0max),
        IsGroupMode=boolean(s.mode == "group"),
        IsDeterministic=boolean(s.deterministic),
        Traits="Traits",
    )
    types = _chain(traits, problem, "BlockFmhaBwdConvertQGrad", "FmhaBwdConvertQGradKernel")
    asserts = [f"Problem::kQKHeaddim == {a.tile_k0max} && Problem::kIsDeterministic == {boolean(s.deterministic)}"]
    return types, asserts


def _backward_shape(a: Any, ck: CkRevision) -> str:
    (w0, w1, w2), (t0, t1) = a.waves, a.warp_tiles
    t2 = (t0[0], t0[1], min(t0[2], a.tile_k4))
    tile = (a.tile_m0, a.tile_n0, a.tile_k0, a.tile_k1, a.tile_n1, a.tile_k1, a.tile_k4, a.tile_k0max, a.tile_n1)
    products = ((w0, t0), (w1, t1), (w0, t0), (w1, t1), (w2, t2))
    warps = {f"Gemm{i}BlockWarps": sequence(w) for i, (w, _) in enumerate(products)}
    warps |= {f"Gemm{i}WarpTile": sequence(t) for i, (_, t) in enumerate(products)}
    return ck.instantiate("TileFmhaBwdShape", BlockTile=sequence(tile), **warps, MaxSeqLenQ=str(a.max_seqlen_q))


def _dq_dk_dv(spec: KernelSpec, ck: CkRevision) -> tuple[Types, list[str]]:
    s, a = spec.signature, spec.algorithm
    pads = {"PadHeadDimQ": a.pad_d, "PadHeadDimV": a.pad_dv}
    traits = ck.instantiate(
        "TileFmhaBwdTraits",
        **{name: str(PADDED_HDIM * padded) for name, padded in pads.items()},
        BiasEnum=look_up(BIASES, s.bias, "bias"),
        HasBiasGrad=boolean(s.dbias),
        **_blocks(a),
    )
    problem = ck.instantiate(
        "BlockFmhaBwdPipelineProblem",
        **dict.fromkeys(("QDataType", "KDataType", "VDataType", "GemmDataType", "ODataType"), "Element"),
        **dict.fromkeys(("OGradDataType", "QGradDataType", "KGradDataType", "VGradDataType"), "Element"),
        **dict.fromkeys(("LSEDataType", "AccDataType", "DDataType"), "float"),
        **dict.fromkeys(("BiasDataType", "BiasGradDataType"), "Bias"),
        RandValOutputDataType="uint8_t",
        BlockFmhaShape="Shape",
        IsGroupMode=boolean(s.mode == "group"),
        IsDeterministic=boolean(s.deterministic),
        FmhaMask="Mask",
        FmhaDropout="Dropout",
        UseTrLoad=boolean("trload" in a.pipeline),
        Traits="Traits",
    )
    wide = boolean(s.dropout == "none" or a.warp_tiles[0][0] == 32)  # random numbers come in the warp tile's order
    epilogues = [
        ck.instantiate(
            "Default2DEpilogueProblem", AccDataType="float", ODataType="Element", PadM="false", PadN=boolean(p)
        )
        for p in (a.pad_d, a.pad_dv, a.pad_d)
    ]
    dropout = f"ck_tile::BlockDropoutBwd<{boolean(s.dropout != 'none')}, {wide}, false>"
    before = [("Mask", _mask(s)), ("Dropout", dropout)]
    own = {
        f"{g}Epilogue": f"ck_tile::Default2DEpilogue<{e}>" for g, e in zip(("Dk", "Dv", "Dq"), epilogues, strict=True)
    }
    types = _chain(traits, problem, "BlockFmhaBwdDQDKDVPipeline", "FmhaBwdDQDKDVKernel", before=before, **own)
    types = [("Shape", _backward_shape(a, ck)), *types]
    asserts = [
        f"Shape::kM0 == {a.tile_m0} && Shape::kN0 == {a.tile_n0} && Shape::kK4 == {a.tile_k4}",
        f"Shape::kQKHeaddim == {a.tile_k0max} && Shape::kVHeaddim == {a.tile_n1}",
        f"Problem::kIsDeterministic == {boolean(s.deterministic)} && Problem::kHasBiasGrad == {boolean(s.dbias)}",
        f"Problem::kIsGroupMode == {boolean(s.mode == 'group')} && Problem::BiasEnum == {BIASES[s.bias]}",
    ]
    return types, asserts


_STAGES: dict[str, Callable[[KernelSpec, CkRevision], tuple[Types, list[str]]]] = {
    "attend": _attend,
    "combine": _combine,
    "append": _append,
    "dot_do_o": _dot_do_o,
    "dq_dk_dv": _dq_dk_dv,
    "convert_dq": _convert_dq,
}
