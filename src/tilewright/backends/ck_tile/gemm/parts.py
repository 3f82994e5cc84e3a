"""The C++ that all kernels with a GEMM share: shape, order of blocks, pipeline and epilogue.

`A`, `B`, `Acc`, `Shape` and so on are names of the generated header.
"""

from __future__ import annotations

from typing import Any

from ...cpp_text import CppText, cpp, cpp_name
from ..ck_revision import CkRevision
from ..cpp import PIPELINES, SCHEDULERS, sequence

GROUP_NUM, M01 = 8, 4  # numbering of blocks, so that neighbours share operands in the cache


def block(a: Any, ck: CkRevision) -> dict[str, CppText]:
    """Return the templates of any product: the shape of a block, the order of blocks, the pipeline."""
    return {
        "shape": ck.instantiate(
            "TileGemmShape", BlockTile=sequence(a.tile), BlockWarps=sequence(a.waves), WarpTile=sequence(a.warp_tile)
        ),
        "partitioner": ck.instantiate(
            "GemmSpatiallyLocalTilePartitioner",
            BlockGemmShapeType=cpp("Shape"),
            GroupNum=GROUP_NUM,
            M01=M01,
        ),
        "pipeline": cpp("ck_tile::{}<Problem<HotLoop, Tail>>", cpp_name(PIPELINES, a.pipeline, "pipeline")),
    }


def traits(a: Any, ck: CkRevision, **own: Any) -> CppText:
    """Return the traits of a pipeline; `own` are the arguments that differ between ops."""
    return ck.instantiate(
        "TileGemmUniversalTraits",
        DoubleSmemBuffer=a.double_smem_buffer,
        TransposeC=False,
        UseStructuredSparsity=False,
        **own,
    )


def problem(a: Any, ck: CkRevision, **own: Any) -> CppText:
    """Return the problem of a pipeline; `own` are further arguments, or others."""
    usual = {
        "ADataType": cpp("A"),
        "BDataType": cpp("B"),
        "EDataType": cpp("Acc"),
        "BlockGemmShape": cpp("Shape"),
        "Traits": cpp("Traits"),
        "Scheduler": cpp_name(SCHEDULERS, a.scheduler, "scheduler"),
        "HasHotLoop": cpp("HotLoop"),
        "TailNum": cpp("Tail"),
    }
    return ck.instantiate("UniversalGemmPipelineProblem", **{**usual, **own})


def epilogue(a: Any, ck: CkRevision, template: str, **own: Any) -> CppText:
    """Return the epilogue."""
    if template == "CShuffleEpilogueProblem":
        # CK counts here only the waves of one group, because only that group stores.
        own = {**own, "MWave": a.waves_m, "NWave": a.waves_n, "NumWaveGroups": 1}
    return ck.instantiate(
        template,
        ADataType=cpp("A"),
        BDataType=cpp("B"),
        AccDataType=cpp("Acc"),
        M=a.tile_m,
        N=a.tile_n,
        MPerXdl=a.warp_tile_m,
        NPerXdl=a.warp_tile_n,
        KPerXdl=a.warp_tile_k,
        isCTransposed=False,
        MemoryOperation=cpp("Operation"),
        **own,
    )


def kernel(ck: CkRevision, template: str, **own: Any) -> CppText:
    """Return the device kernel."""
    return ck.instantiate(
        template,
        TilePartitioner=cpp("Partitioner"),
        GemmPipeline=cpp("Pipeline<HotLoop, Tail>"),
        EpiloguePipeline=cpp("Epilogue<Operation>"),
        **own,
    )
