"""The C++ that every kernel with a GEMM inside has: shape, order of blocks, pipeline and epilogue.

`A`, `B`, `Acc`, `Shape` and so on are names of the generated header.
"""

from __future__ import annotations

from typing import Any

from ..ck_revision import CkRevision
from ..cpp import PIPELINES, SCHEDULERS, boolean, look_up, sequence

GROUP_NUM, M01 = 8, 4  # how blocks are numbered, so that neighbours share operands in the cache


def block(a: Any, ck: CkRevision) -> dict[str, str]:
    """The templates that hold for any product: the shape of a block, the order of blocks, the pipeline."""
    return {
        "shape": ck.instantiate(
            "TileGemmShape", BlockTile=sequence(a.tile), BlockWarps=sequence(a.waves), WarpTile=sequence(a.warp_tile)
        ),
        "partitioner": ck.instantiate(
            "GemmSpatiallyLocalTilePartitioner", BlockGemmShapeType="Shape", GroupNum=str(GROUP_NUM), M01=str(M01)
        ),
        "pipeline": f"ck_tile::{look_up(PIPELINES, a.pipeline, 'pipeline')}<Problem<HotLoop, Tail>>",
    }


def traits(a: Any, ck: CkRevision, **own: str) -> str:
    """The traits of a pipeline; `own` are the arguments that differ between ops."""
    return ck.instantiate(
        "TileGemmUniversalTraits",
        DoubleSmemBuffer=boolean(a.double_smem_buffer),
        TransposeC="false",
        UseStructuredSparsity="false",
        **own,
    )


def problem(a: Any, ck: CkRevision, **own: str) -> str:
    """What a pipeline computes."""
    return ck.instantiate(
        "UniversalGemmPipelineProblem",
        ADataType="A",
        BDataType="B",
        EDataType="Acc",
        BlockGemmShape="Shape",
        Traits="Traits",
        Scheduler=look_up(SCHEDULERS, a.scheduler, "scheduler"),
        HasHotLoop="HotLoop",
        TailNum="Tail",
        **own,
    )


def epilogue(a: Any, ck: CkRevision, template: str, **own: str) -> str:
    """What an epilogue stores."""
    if template == "CShuffleEpilogueProblem":
        # The waves that CK counts here are those of one group, which alone stores.
        own = {**own, "MWave": str(a.waves_m), "NWave": str(a.waves_n), "NumWaveGroups": "1"}
    return ck.instantiate(
        template,
        ADataType="A",
        BDataType="B",
        AccDataType="Acc",
        M=str(a.tile_m),
        N=str(a.tile_n),
        MPerXdl=str(a.warp_tile_m),
        NPerXdl=str(a.warp_tile_n),
        KPerXdl=str(a.warp_tile_k),
        isCTransposed="false",
        MemoryOperation="Operation",
        **own,
    )


def kernel(ck: CkRevision, template: str, **own: str) -> str:
    """The device kernel."""
    return ck.instantiate(
        template,
        TilePartitioner="Partitioner",
        GemmPipeline="Pipeline<HotLoop, Tail>",
        EpiloguePipeline="Epilogue<Operation>",
        **own,
    )
