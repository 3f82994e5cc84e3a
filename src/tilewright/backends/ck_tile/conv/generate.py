"""The values of the convolution template."""

from __future__ import annotations

from typing import Any

from ....arch import get_arch
from ....model.kernel import KernelSpec
from ..ck_revision import CkRevision
from ..cpp import cpp_type, eight_bit_encodings
from ..gemm import parts
from ..gemm.generate import OPERATIONS
from ..gemm.instances import Instance, instances_of, prefetch_stages, serving_of
from ..lower import Unit
from .implicit import MAPPINGS, gemm_spec

LAYOUTS = {2: ("NHWGC", "GKYXC", "NHWGK"), 3: ("NDHWGC", "GKZYXC", "NDHWGK")}
SPECIALIZATIONS = {
    "default": "Default",
    "filter1x1_pad0": "Filter1x1Pad0",
    "filter1x1_stride1_pad0": "Filter1x1Stride1Pad0",
    "filter3x3": "Filter3x3",
}
DIRECTIONS = {"forward": 0, "backward_data": 1, "backward_weight": 2}
HOST_ARGUMENTS = {
    "forward": "ck_tile::GroupedConvFwdHostArgs<ck_tile::element_wise::PassThrough>",
    "backward_data": "ck_tile::GroupedConvBwdDataHostArgs",
    "backward_weight": "ck_tile::GroupedConvBwdWeightHostArgs",
}
SECOND_STAGE = "convert_weight"


def instances(spec: KernelSpec) -> tuple[Instance, ...]:
    """Every device kernel of a convolution: only backward weight adds splits of K, and not in bf16."""
    s, a, gemm = spec.signature, spec.algorithm, gemm_spec(spec)
    stored = s.dtype_acc if a.two_stage else s.dtype_weight
    adds = stored == "fp32" or (stored == "fp16" and a.vector_c % 2 == 0)
    return instances_of(gemm, split=s.direction == "backward_weight" and adds)


def generate(spec: KernelSpec, ck: CkRevision) -> Unit:
    """The header of one convolution kernel."""
    s, a = spec.signature, spec.algorithm
    arch: Any = get_arch(spec.arch)
    gemm, kernels = gemm_spec(spec), instances(spec)
    stages = prefetch_stages(gemm.algorithm, gemm.signature, arch)
    mapping = MAPPINGS[s.direction]
    names = tuple(k.name for k in kernels)
    values = {
        "types": {role: cpp_type(s.dtype(role)) for role in ("input", "weight", "output")},
        "roles": {"a": mapping.a, "b": mapping.b, "c": mapping.c},
        "acc": cpp_type(s.dtype_acc),
        "layouts": LAYOUTS[s.dims],
        "suffix": mapping.suffix,
        "algorithm": a,
        "wave_size": arch.wave_size,
        "dims": s.dims,
        "direction": DIRECTIONS[s.direction],
        "encodings": eight_bit_encodings((s.dtype_input, s.dtype_weight, s.dtype_output)),
        "kernels": kernels,
        "operations": OPERATIONS,
        "stages": stages,
        "endings": [(steps, serving_of(kernels, steps, stages)) for steps in range(1, 2 * stages + 2)],
        "host_arguments": HOST_ARGUMENTS[s.direction],
        "second_stage": SECOND_STAGE,
        "ck": _templates(spec, ck),
    }
    second = (SECOND_STAGE,) if a.two_stage else ()
    return Unit(
        "conv.hpp.j2",
        values,
        (*names, *second),
        "@::Arguments",
        block_per_cu=a.block_per_cu,
        own_arguments=dict.fromkeys(second, "tilewright_ck::ConvertArgs"),
        entry="tilewright_ck/entry_conv.hpp",
    )


def _templates(spec: KernelSpec, ck: CkRevision) -> dict[str, str]:
    a, mapping = spec.algorithm, MAPPINGS[spec.signature.direction]
    fixed = "ConvTraits::FixedGemmParams::"
    none, same = "ck_tile::tuple<>", "ck_tile::element_wise::PassThrough"
    return {
        **parts.block(a, ck),
        "conv_traits": ck.instantiate(
            "GroupedConvTraits",
            NDimSpatial=str(spec.signature.dims),
            ConvSpecialization=f"ck_tile::ConvolutionSpecialization::{SPECIALIZATIONS[a.specialization]}",
            InLayout="LayoutIn",
            WeiLayout="LayoutWeight",
            DsLayout=none,
            OutLayout="LayoutOut",
            VectorSizeA=str(a.vector_a),
            VectorSizeB=str(a.vector_b),
            VectorSizeC=str(a.vector_c),
            NumGroupsToMerge=str(a.groups_to_merge),
        ),
        "traits": parts.traits(
            a,
            ck,
            **dict.fromkeys(("PadM", "PadN", "PadK"), "true"),
            ALayout=f"ConvTraits::AsLayout{mapping.suffix}",
            BLayout=f"ConvTraits::BsLayout{mapping.suffix}",
            CLayout=f"ConvTraits::CLayout{mapping.suffix}",
            UsePersistentKernel="false",
            NumWaveGroups="1",
        ),
        "problem": parts.problem(
            a,
            ck,
            **dict.fromkeys(("AElementWise", "BElementWise"), same),
            ComputeDataType="A",
            FixedVectorSize=f"{fixed}FixedVectorSize",
            VectorSizeA="ConvTraits::VectorSizeA",
            VectorSizeB="ConvTraits::VectorSizeB",
        ),
        "epilogue": parts.epilogue(
            a,
            ck,
            "CShuffleEpilogueProblem",
            **dict.fromkeys(("DsDataType", "DsLayout"), none),
            ODataType="Stored",
            ELayout=f"{fixed}ELayout",
            CDElementwise=same,
            FixedVectorSize=f"{fixed}FixedVectorSize",
            VectorSizeC="ConvTraits::VectorSizeC",
        ),
        "kernel": parts.kernel(ck, mapping.kernel, GroupedConvTraitsType="ConvTraits"),
    }
