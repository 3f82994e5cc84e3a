"""The CK templates that generated code names: where each is declared, and its parameters in every supported revision.

The lists are what `ck_revision.parse_template` reads from the headers; a question mark marks a parameter that has a
default. A test parses the installed headers and compares.
"""

from __future__ import annotations

from . import ck_templates_fmha as _fmha

# template -> header below ck_tile/
TEMPLATES = {
    "TileGemmShape": "ops/gemm/pipeline/tile_gemm_shape.hpp",
    "GemmSpatiallyLocalTilePartitioner": "ops/gemm/kernel/gemm_tile_partitioner.hpp",
    "TileGemmUniversalTraits": "ops/gemm/pipeline/tile_gemm_traits.hpp",
    "UniversalGemmPipelineProblem": "ops/gemm/pipeline/gemm_pipeline_problem.hpp",
    "CShuffleEpilogueProblem": "ops/epilogue/cshuffle_epilogue.hpp",
    "DefaultGemm2DEpilogueProblem": "ops/epilogue/default_2d_epilogue.hpp",
    "UniversalGemmKernel": "ops/gemm/kernel/universal_gemm_kernel.hpp",
    "BatchedGemmKernel": "ops/gemm/kernel/batched_gemm_kernel.hpp",
    "GroupedGemmKernel": "ops/gemm/kernel/grouped_gemm_kernel.hpp",
    "BatchedContractionKernel": "ops/batched_contraction/kernel/batched_contraction_kernel.hpp",
    "StreamKKernel": "ops/gemm/kernel/streamk_gemm_kernel.hpp",
    "TileGemmQuantTraits": "ops/gemm_quant/pipeline/tile_gemm_quant_traits.hpp",
    "GemmAQuantPipelineProblem": "ops/gemm_quant/pipeline/gemm_quant_pipeline_problem.hpp",
    "GemmBQuantPipelineProblem": "ops/gemm_quant/pipeline/gemm_quant_pipeline_problem.hpp",
    "GemmRowColTensorQuantPipelineProblem": "ops/gemm_quant/pipeline/gemm_quant_pipeline_problem.hpp",
    "QuantGemmKernel": "ops/gemm_quant/kernel/gemm_quant_kernel.hpp",
    "GroupedConvTraits": "ops/grouped_convolution/utils/grouped_convolution_utils.hpp",
    "GroupedConvolutionForwardKernel": "ops/grouped_convolution/kernel/grouped_convolution_forward_kernel.hpp",
    "GroupedConvolutionBackwardDataKernel": (
        "ops/grouped_convolution/kernel/grouped_convolution_backward_data_kernel.hpp"
    ),
    "GroupedConvolutionBackwardWeightKernel": (
        "ops/grouped_convolution/kernel/grouped_convolution_backward_weight_kernel.hpp"
    ),
}

_TILE = ("M", "N", "PadM", "PadN", "isCTransposed", "MemoryOperation", "CDElementwise", "UseRawStore", "NumWaveGroups")
_TYPES = ("ADataType", "BDataType", "DsDataType", "AccDataType", "ODataType", "DsLayout", "ELayout", "CLayout")
_VECTORS = ("FixedVectorSize", "VectorSizeA", "VectorSizeB", "VectorSizeC")
_WARP = ("MWave", "NWave", "MPerXdl", "NPerXdl", "KPerXdl")
_KERNEL = ("TilePartitioner", "GemmPipeline", "EpiloguePipeline")
_QUANT = (
    *("ADataType", "BDataType", "CDataType", "BlockGemmShape", "Traits", "TransposeC", "ComputeDataType", "Scheduler"),
    *("HasHotLoop", "TailNum"),
)
_CONV = ("GroupedConvTraitsType", *_KERNEL)

# template -> the parameters that generated code can give a value to
KNOWN_PARAMETERS: dict[str, tuple[str, ...]] = {
    "TileGemmShape": ("BlockTile", "BlockWarps", "WarpTile"),
    "GemmSpatiallyLocalTilePartitioner": ("BlockGemmShapeType", "BlockGemmShape", "GroupNum", "M01"),
    "TileGemmUniversalTraits": (
        *("PadM", "PadN", "PadK", "DoubleSmemBuffer", "ALayout", "BLayout", "CLayout", "TransposeC"),
        *("UseStructuredSparsity", "UsePersistentKernel", "NumWaveGroups", "Preshuffle"),
    ),
    "UniversalGemmPipelineProblem": (
        *("ADataType", "BDataType", "EDataType", "BlockGemmShape", "Traits", "Scheduler", "HasHotLoop", "TailNum"),
        *("AElementWise", "BElementWise", "ComputeDataType", *_VECTORS),
    ),
    "CShuffleEpilogueProblem": (*_TYPES, *_TILE, *_WARP, *_VECTORS),
    "DefaultGemm2DEpilogueProblem": (*_TYPES, *_TILE, *_WARP),
    "UniversalGemmKernel": _KERNEL,
    "BatchedGemmKernel": _KERNEL,
    "GroupedGemmKernel": _KERNEL,
    "BatchedContractionKernel": ("Problem", *_KERNEL),
    "StreamKKernel": _KERNEL,
    "TileGemmQuantTraits": (
        *("PadM", "PadN", "PadK", "PreshuffleQuant", "PreshuffleB", "ALayout", "BLayout", "CLayout", "QuantType"),
        *("AQLayout", "BQLayout", "TransposeC", "DoubleSmemBuffer", "UsePersistentKernel"),
    ),
    "GemmAQuantPipelineProblem": (*_QUANT, "AQDataType", "QuantGroupSize"),
    "GemmBQuantPipelineProblem": (*_QUANT, "BQDataType", "QuantGroupSize"),
    "GemmRowColTensorQuantPipelineProblem": (*_QUANT, "AccDataType"),
    "QuantGemmKernel": (*_KERNEL, "QuantType"),
    "GroupedConvTraits": (
        *("NDimSpatial", "ConvSpecialization", "InLayout", "WeiLayout", "DsLayout", "OutLayout", *_VECTORS),
        *("NumGroupsToMerge", "EnableSplitImage"),
    ),
    "GroupedConvolutionForwardKernel": _CONV,
    "GroupedConvolutionBackwardDataKernel": _CONV,
    "GroupedConvolutionBackwardWeightKernel": _CONV,
}

# Headers without these are supported all the same: only kernels of those families cannot be generated.
OPTIONAL = (
    *("BatchedGemmKernel", "BatchedContractionKernel", "GroupedGemmKernel", "StreamKKernel", "TileGemmQuantTraits"),
    "GemmAQuantPipelineProblem",
    *("GemmBQuantPipelineProblem", "GemmRowColTensorQuantPipelineProblem", "QuantGemmKernel"),
)

# revision -> template -> parameter names in order
REVISIONS: dict[str, dict[str, str]] = {
    "1.2.0": {
        "TileGemmShape": "BlockTile_ BlockWarps_ WarpTile_ PermuteA_? PermuteB_?",
        "GemmSpatiallyLocalTilePartitioner": "BlockGemmShapeType GroupNum M01",
        "TileGemmUniversalTraits": (
            "kPadM_ kPadN_ kPadK_ DoubleSmemBuffer_ AsLayout_ BsLayout_ CLayout_ TransposeC_? "
            "UseStructuredSparsity_? UsePersistentKernel_? NumWaveGroups_? Preshuffle_?"
        ),
        "UniversalGemmPipelineProblem": (
            "AsDataType_ BsDataType_ EDataType_ BlockGemmShape_ Traits_ Scheduler_? HasHotLoop_? TailNum_? "
            "AElementWise_? BElementWise_? ComputeDataType_? FixedVectorSize_? VectorSizeA_? VectorSizeB_?"
        ),
        "CShuffleEpilogueProblem": (
            "AsDataType_ BsDataType_ DsDataType_ AccDataType_ ODataType_ DsLayout_ ELayout_ CDElementwise_ kM_ "
            "kN_ MWave_ NWave_ MPerXdl_ NPerXdl_ KPerXdl_ isCTransposed_ MemoryOperation_ kNumWaveGroups_? "
            "FixedVectorSize_? VectorSizeC_? TiledMMAPermuteN_? BlockedXDLN_PerWarp_?"
        ),
        "DefaultGemm2DEpilogueProblem": (
            "AsDataType_ BsDataType_ DsDataType_ AccDataType_ ODataType_ DsLayout_ CLayout_ CDElementwise_ kM_ "
            "kN_ kPadM_ kPadN_ kMPerXdl_ kNPerXdl_ kKPerXdl_ isCTransposed_ UseRawStore_? MemoryOperation_?"
        ),
        "UniversalGemmKernel": "TilePartitioner_ GemmPipeline_ EpiloguePipeline_",
        "BatchedGemmKernel": "TilePartitioner_ GemmPipeline_ EpiloguePipeline_",
        "GroupedGemmKernel": "TilePartitioner_ GemmPipeline_ EpiloguePipeline_",
        "BatchedContractionKernel": "Problem_ TilePartitioner_ GemmPipeline_ EpiloguePipeline_",
        "StreamKKernel": "TilePartitioner_ GemmPipeline_ EpiloguePipeline_",
        "TileGemmQuantTraits": (
            "kPadM_ kPadN_ kPadK_ PreshuffleQuant_ PreshuffleB_ ALayout_ BLayout_ CLayout_ QuantType_ AQLayout_? "
            "BQLayout_? TransposeC_? DoubleSmemBuffer_? UsePersistentKernel_?"
        ),
        "GemmAQuantPipelineProblem": (
            "ADataType_ AQDataType_ BDataType_ CDataType_ BlockGemmShape_ Traits_ QuantGroupSize_ TransposeC_ "
            "ComputeDataType_? Scheduler_? HasHotLoop_? TailNum_?"
        ),
        "GemmBQuantPipelineProblem": (
            "ADataType_ BDataType_ BQDataType_ CDataType_ BlockGemmShape_ Traits_ QuantGroupSize_ ComputeDataType_? "
            "Scheduler_? HasHotLoop_? TailNum_?"
        ),
        "GemmRowColTensorQuantPipelineProblem": (
            "ADataType_ BDataType_ CDataType_ AccDataType_ BlockGemmShape_ Traits_ TransposeC_? ComputeDataType_? "
            "Scheduler_? HasHotLoop_? TailNum_?"
        ),
        "QuantGemmKernel": "TilePartitioner_ GemmPipeline_ EpiloguePipeline_ QuantType_",
        "GroupedConvTraits": (
            "NDimSpatial_ ConvSpecialization_ InLayout_ WeiLayout_ DsLayout_ OutLayout_ VectorSizeA_? "
            "VectorSizeB_? VectorSizeC_? NumGroupsToMerge_? EnableSplitImage_?"
        ),
        "GroupedConvolutionForwardKernel": "GroupedConvTraitsType_ TilePartitioner_ GemmPipeline_ EpiloguePipeline_",
        "GroupedConvolutionBackwardDataKernel": (
            "GroupedConvTraitsType_ TilePartitioner_ GemmPipeline_ EpiloguePipeline_"
        ),
        "GroupedConvolutionBackwardWeightKernel": (
            "GroupedConvTraitsType_ TilePartitioner_ GemmPipeline_ EpiloguePipeline_"
        ),
    },
}

# Attention has tables of its own.
TEMPLATES |= _fmha.TEMPLATES
KNOWN_PARAMETERS |= _fmha.KNOWN_PARAMETERS
for _revision, _lists in _fmha.REVISIONS.items():
    REVISIONS[_revision] |= _lists
