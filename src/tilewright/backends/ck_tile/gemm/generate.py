"""The values of the GEMM template: types, shapes and CK's templates with their arguments by name."""

from __future__ import annotations

from typing import Any

from ....arch import get_arch
from ....model.kernel import KernelSpec
from ..ck_revision import CkRevision
from ..cpp import PIPELINES, SCHEDULERS, boolean, cpp_layout, cpp_type, eight_bit_encoding, look_up, sequence
from ..lower import Unit
from .instances import ALWAYS_HOT, instances, prefetch_stages, serving

GROUP_NUM, M01 = 8, 4  # how blocks are numbered, so that neighbours share operands in the cache
OPERATIONS = {False: "ck_tile::memory_operation_enum::set", True: "ck_tile::memory_operation_enum::atomic_add"}


def generate(spec: KernelSpec, ck: CkRevision) -> Unit:
    """The header of one GEMM kernel."""
    s, a = spec.signature, spec.algorithm
    arch: Any = get_arch(spec.arch)
    kernels, stages = instances(spec), prefetch_stages(a, s, arch)
    values = {
        "types": {role: cpp_type(getattr(s, f"dtype_{role}")) for role in ("a", "b", "acc", "out")},
        "layouts": dict(zip(("a", "b", "out"), map(cpp_layout, s.layout), strict=True)),
        "d": [cpp_type(d.dtype) for d in s.d],
        "combine": s.combine,
        "activation": s.activation,
        "fused": bool(s.d or s.activation != "none"),
        "algorithm": a,
        "encoding": eight_bit_encoding((s.dtype_a, s.dtype_b)),
        "wave_size": arch.wave_size,
        "stages": stages,
        "always_hot": a.pipeline in ALWAYS_HOT,
        "kernels": kernels,
        "endings": [(steps, serving(spec, steps)) for steps in range(1, 2 * stages + 2)],
        "operations": OPERATIONS,
        "ck": _templates(spec, ck),
    }
    return Unit(
        "gemm.hpp.j2", values, tuple(k.name for k in kernels), "tilewright_ck::GemmArgs", block_per_cu=a.block_per_cu
    )


def _templates(spec: KernelSpec, ck: CkRevision) -> dict[str, str]:
    """C++ of every CK template that the header names; `A`, `Out`, `Shape` and so on are names of the header."""
    a = spec.algorithm
    return {
        "shape": ck.instantiate(
            "TileGemmShape", BlockTile=sequence(a.tile), BlockWarps=sequence(a.waves), WarpTile=sequence(a.warp_tile)
        ),
        "partitioner": ck.instantiate(
            "GemmSpatiallyLocalTilePartitioner", BlockGemmShapeType="Shape", GroupNum=str(GROUP_NUM), M01=str(M01)
        ),
        "traits": ck.instantiate(
            "TileGemmUniversalTraits",
            PadM=boolean(a.pad_m),
            PadN=boolean(a.pad_n),
            PadK=boolean(a.pad_k),
            DoubleSmemBuffer=boolean(a.double_smem_buffer),
            ALayout="LayoutA",
            BLayout="LayoutB",
            CLayout="LayoutOut",
            TransposeC="false",
            UseStructuredSparsity="false",
            UsePersistentKernel=boolean(a.persistent),
            NumWaveGroups=str(a.num_wave_groups),
            Preshuffle=boolean(spec.signature.variant == "preshuffle"),
        ),
        "problem": ck.instantiate(
            "UniversalGemmPipelineProblem",
            ADataType="A",
            BDataType="B",
            EDataType="Acc",
            BlockGemmShape="Shape",
            Traits="Traits",
            Scheduler=look_up(SCHEDULERS, a.scheduler, "scheduler"),
            HasHotLoop="HotLoop",
            TailNum="Tail",
        ),
        "pipeline": f"ck_tile::{look_up(PIPELINES, a.pipeline, 'pipeline')}<Problem<HotLoop, Tail>>",
        "epilogue": _EPILOGUES[a.epilogue](spec, ck),
        "kernel": ck.instantiate(
            "UniversalGemmKernel",
            TilePartitioner="Partitioner",
            GemmPipeline="Pipeline<HotLoop, Tail>",
            EpiloguePipeline="Epilogue<Operation>",
        ),
    }


def _common(spec: KernelSpec) -> dict[str, str]:
    a = spec.algorithm
    return {
        "ADataType": "A",
        "BDataType": "B",
        "DsDataType": "Ds",
        "AccDataType": "Acc",
        "ODataType": "Out",
        "DsLayout": "LayoutDs",
        "CDElementwise": "Elementwise",
        "M": str(a.tile_m),
        "N": str(a.tile_n),
        "MPerXdl": str(a.warp_tile_m),
        "NPerXdl": str(a.warp_tile_n),
        "KPerXdl": str(a.warp_tile_k),
        "isCTransposed": "false",
        "MemoryOperation": "Operation",
    }


def _cshuffle(spec: KernelSpec, ck: CkRevision) -> str:
    a = spec.algorithm
    problem = ck.instantiate(
        "CShuffleEpilogueProblem",
        **_common(spec),
        ELayout="LayoutOut",
        MWave=str(a.waves_m),
        NWave=str(a.waves_n),
        NumWaveGroups="1",  # the waves that CK counts here are those of one group, which alone stores
    )
    return f"ck_tile::CShuffleEpilogue<{problem}>"


def _default(spec: KernelSpec, ck: CkRevision) -> str:
    a = spec.algorithm
    problem = ck.instantiate(
        "DefaultGemm2DEpilogueProblem",
        **_common(spec),
        CLayout="LayoutOut",
        PadM=boolean(a.pad_m),
        PadN=boolean(a.pad_n),
        UseRawStore="false",  # raw stores skip the bounds that padding relies on
    )
    return f"ck_tile::DefaultGemm2DEpilogue<{problem}>"


_EPILOGUES = {"cshuffle": _cshuffle, "default": _default}
