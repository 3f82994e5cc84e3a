"""The attention templates of CK Tile that generated code names, and their parameters in every supported revision."""

from __future__ import annotations

_TRAITS = "ops/fmha/pipeline/tile_fmha_traits.hpp"
_SHAPE = "ops/fmha/pipeline/tile_fmha_shape.hpp"
_PROBLEM = "ops/fmha/pipeline/block_fmha_pipeline_problem.hpp"
_BACKWARD = "ops/fmha/pipeline/block_fmha_bwd_pipeline_problem.hpp"

TEMPLATES = {
    "TileFmhaShape": _SHAPE,
    "TileFmhaBwdShape": _SHAPE,
    "TileFmhaTraits": _TRAITS,
    "TileFmhaFwdPagedKVTraits": _TRAITS,
    "TileFmhaFwdSplitKVTraits": _TRAITS,
    "TileFmhaFwdSplitKVCombineTraits": _TRAITS,
    "TileFmhaFwdAppendKVTraits": _TRAITS,
    "TileFmhaBwdTraits": _TRAITS,
    "TileFmhaBwdOGradDotOTraits": _TRAITS,
    "TileFmhaBwdConvertQGradTraits": _TRAITS,
    "BlockFmhaPipelineProblem": _PROBLEM,
    "BlockFmhaFwdPagedKVPipelineProblem": _PROBLEM,
    "BlockFmhaFwdSplitKVPipelineProblem": _PROBLEM,
    "BlockFmhaSplitKVCombinePipelineProblem": _PROBLEM,
    "BlockFmhaFwdAppendKVPipelineProblem": _PROBLEM,
    "BlockFmhaBwdPipelineProblem": _BACKWARD,
    "BlockFmhaBwdOGradDotOPipelineProblem": _BACKWARD,
    "BlockFmhaBwdConvertQGradPipelineProblem": _BACKWARD,
    "Default2DEpilogueProblem": "ops/epilogue/default_2d_epilogue.hpp",
}

_PADS = ("PadSeqLenQ", "PadSeqLenK", "PadHeadDimQ", "PadHeadDimV")
_FEATURES = ("HasLogitsSoftCap", "BiasEnum", "HasBiasGrad", "StoreLSE", "DoFp8StaticQuant", "BlockPerCu")
_QKV = ("QDataType", "KDataType", "VDataType")
_FORWARD = (
    *(*_QKV, "SaccDataType", "SMPLComputeDataType", "BiasDataType", "LSEDataType", "PDataType", "OaccDataType"),
    *("ODataType", "BlockFmhaShape", "IsGroupMode", "AttentionVariant", "FmhaMask", "Traits"),
)
_WARPS = tuple(f"Gemm{i}{part}" for i in range(5) for part in ("BlockWarps", "WarpTile"))

KNOWN_PARAMETERS: dict[str, tuple[str, ...]] = {
    "TileFmhaShape": ("BlockTile", *_WARPS[:4], "IsVLayoutRowMajor"),
    "TileFmhaBwdShape": ("BlockTile", *_WARPS, "MaxSeqLenQ"),
    "TileFmhaTraits": (*_PADS, *_FEATURES, "HasDropout", "SkipMinSeqlenQ"),
    "TileFmhaFwdPagedKVTraits": (*_PADS, *_FEATURES, "IsPagedKV", "SkipMinSeqlenQ"),
    "TileFmhaFwdSplitKVTraits": (*_PADS, *_FEATURES, "IsPagedKV", "HasUnevenSplits", "MergeNumHeadGroupsSeqLenQ"),
    "TileFmhaFwdSplitKVCombineTraits": (
        *("PadSeqLenQ", "PadHeadDimV", "StoreLSE", "DoFp8StaticQuant", "LogMaxSplits", "BlockPerCu"),
    ),
    "TileFmhaFwdAppendKVTraits": (*_PADS, "BlockPerCu"),
    "TileFmhaBwdTraits": ("PadHeadDimQ", "PadHeadDimV", "BiasEnum", "HasBiasGrad", "BlockPerCu"),
    "TileFmhaBwdOGradDotOTraits": ("PadSeqLenQ", "PadHeadDimV", "BlockPerCu"),
    "TileFmhaBwdConvertQGradTraits": ("PadSeqLenQ", "PadHeadDimQ", "BlockPerCu"),
    "BlockFmhaPipelineProblem": (*_FORWARD, "RandValOutputDataType", "UseTrLoad"),
    "BlockFmhaFwdPagedKVPipelineProblem": _FORWARD,
    "BlockFmhaFwdSplitKVPipelineProblem": _FORWARD,
    "BlockFmhaSplitKVCombinePipelineProblem": (
        *("LSEDataType", "OaccDataType", "ODataType", "HeadDimV", "IsGroupMode", "N1", "Traits"),
    ),
    "BlockFmhaFwdAppendKVPipelineProblem": (
        *(*_QKV, "M0", "N0", "K0", "N1", "IsVLayoutRowMajor", "RotaryEnum", "IsPagedKV", "Traits"),
    ),
    "BlockFmhaBwdPipelineProblem": (
        *(*_QKV, "GemmDataType", "LSEDataType", "AccDataType", "DDataType", "BiasDataType", "RandValOutputDataType"),
        *("ODataType", "OGradDataType", "QGradDataType", "KGradDataType", "VGradDataType", "BiasGradDataType"),
        *("BlockFmhaShape", "IsGroupMode", "IsDeterministic", "FmhaMask", "FmhaDropout", "UseTrLoad", "Traits"),
    ),
    "BlockFmhaBwdOGradDotOPipelineProblem": (
        *("ODataType", "OGradDataType", "DDataType", "BlockSize", "VHeaddim", "IsGroupMode", "Traits"),
    ),
    "BlockFmhaBwdConvertQGradPipelineProblem": (
        *("AccDataType", "QGradDataType", "BlockSize", "M0", "N0", "QKHeaddim", "IsGroupMode", "IsDeterministic"),
        "Traits",
    ),
    "Default2DEpilogueProblem": ("AccDataType", "ODataType", "PadM", "PadN", "UseRawStore", "MemoryOperation"),
}

# revision -> template -> parameter names in order, as `ck_templates` writes them
REVISIONS: dict[str, dict[str, str]] = {
    "1.2.0": {
        "TileFmhaShape": (
            "BlockTile_ Gemm0BlockWarps_ Gemm0WarpTile_ Gemm1BlockWarps_ Gemm1WarpTile_ IsVLayoutRowMajor_"
        ),
        "TileFmhaBwdShape": (
            "BlockTile_ Gemm0BlockWarps_ Gemm0WarpTile_ Gemm1BlockWarps_ Gemm1WarpTile_ Gemm2BlockWarps_ "
            "Gemm2WarpTile_ Gemm3BlockWarps_ Gemm3WarpTile_ Gemm4BlockWarps_ Gemm4WarpTile_ kMaxSeqLenQ_?"
        ),
        "TileFmhaTraits": (
            "kPadSeqLenQ_ kPadSeqLenK_ kPadHeadDimQ_ kPadHeadDimV_ kHasLogitsSoftCap_ BiasEnum_ "
            "kHasBiasGrad_ kStoreLSE_ kHasDropout_ kDoFp8StaticQuant_ kBlockPerCu_? kSkipMinSeqlenQ_?"
        ),
        "TileFmhaFwdPagedKVTraits": (
            "kPadSeqLenQ_ kPadSeqLenK_ kPadHeadDimQ_ kPadHeadDimV_ kHasLogitsSoftCap_ BiasEnum_ "
            "kHasBiasGrad_ kStoreLSE_ kIsPagedKV_ kDoFp8StaticQuant_ kBlockPerCu_? kSkipMinSeqlenQ_?"
        ),
        "TileFmhaFwdSplitKVTraits": (
            "kPadSeqLenQ_ kPadSeqLenK_ kPadHeadDimQ_ kPadHeadDimV_ kHasLogitsSoftCap_ BiasEnum_ "
            "kHasBiasGrad_ kStoreLSE_ kDoFp8StaticQuant_ kIsPagedKV_ kHasUnevenSplits_ "
            "kMergeNumHeadGroupsSeqLenQ_? kBlockPerCu_?"
        ),
        "TileFmhaFwdSplitKVCombineTraits": (
            "kPadSeqLenQ_ kPadHeadDimV_ kStoreLSE_ kDoFp8StaticQuant_ kLogMaxSplits_ kBlockPerCu_?"
        ),
        "TileFmhaFwdAppendKVTraits": "kPadSeqLenQ_ kPadSeqLenK_ kPadHeadDimQ_ kPadHeadDimV_ kBlockPerCu_?",
        "TileFmhaBwdTraits": "kPadHeadDimQ_ kPadHeadDimV_ BiasEnum_ kHasBiasGrad_ kBlockPerCu_?",
        "TileFmhaBwdOGradDotOTraits": "kPadSeqLenQ_ kPadHeadDimV_ kBlockPerCu_?",
        "TileFmhaBwdConvertQGradTraits": "kPadSeqLenQ_ kPadHeadDimQ_ kBlockPerCu_?",
        "BlockFmhaPipelineProblem": (
            "QDataType_ KDataType_ VDataType_ SaccDataType_ SMPLComputeDataType_ BiasDataType_ "
            "RandValOutputDataType_ LSEDataType_ PDataType_ OaccDataType_ ODataType_ BlockFmhaShape_ "
            "kIsGroupMode_ AttentionVariant_ FmhaMask_ kUseTrLoad_ Traits_"
        ),
        "BlockFmhaFwdPagedKVPipelineProblem": (
            "QDataType_ KDataType_ VDataType_ SaccDataType_ SMPLComputeDataType_ BiasDataType_ LSEDataType_ "
            "PDataType_ OaccDataType_ ODataType_ BlockFmhaShape_ kIsGroupMode_ AttentionVariant_ FmhaMask_ "
            "Traits_"
        ),
        "BlockFmhaFwdSplitKVPipelineProblem": (
            "QDataType_ KDataType_ VDataType_ SaccDataType_ SMPLComputeDataType_ BiasDataType_ LSEDataType_ "
            "PDataType_ OaccDataType_ ODataType_ BlockFmhaShape_ kIsGroupMode_ AttentionVariant_ FmhaMask_ "
            "Traits_"
        ),
        "BlockFmhaSplitKVCombinePipelineProblem": (
            "LSEDataType_ OaccDataType_ ODataType_ HeadDimV_ kIsGroupMode_ kN1_ Traits_"
        ),
        "BlockFmhaFwdAppendKVPipelineProblem": (
            "QDataType_ KDataType_ VDataType_ kM0_ kN0_ kK0_ kN1_ kIsVLayoutRowMajor_ RotaryEnum_ kIsPagedKV_ Traits_"
        ),
        "BlockFmhaBwdPipelineProblem": (
            "QDataType_ KDataType_ VDataType_ GemmDataType_ LSEDataType_ AccDataType_ DDataType_ "
            "BiasDataType_ RandValOutputDataType_ ODataType_ OGradDataType_ QGradDataType_ KGradDataType_ "
            "VGradDataType_ BiasGradDataType_ BlockFmhaShape_ kIsGroupMode_ kIsDeterministic_ FmhaMask_ "
            "FmhaDropout_ kUseTrLoad_ Traits_"
        ),
        "BlockFmhaBwdOGradDotOPipelineProblem": (
            "ODataType_ OGradDataType_ DDataType_ kBlockSize_ kVHeaddim_ kIsGroupMode_ Traits_"
        ),
        "BlockFmhaBwdConvertQGradPipelineProblem": (
            "AccDataType_ QGradDataType_ kBlockSize_ kM0_ kN0_ kQKHeaddim_ kIsGroupMode_ kIsDeterministic_ Traits_"
        ),
        "Default2DEpilogueProblem": "AccDataType_ ODataType_ kPadM_ kPadN_ UseRawStore_? MemoryOperation_?",
    },
}
