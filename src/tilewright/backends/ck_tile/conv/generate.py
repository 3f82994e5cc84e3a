"""The values of the convolution template."""

from __future__ import annotations

from typing import Any

from ....arch import get_arch
from ....model.kernel import KernelSpec
from ...cpp_text import CppText, cpp, cpp_identifier, cpp_name
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
SECOND_STAGE = cpp("convert_weight")


def instances(spec: KernelSpec) -> tuple[Instance, ...]:
    """Return every device kernel of a convolution: only backward weight adds splits of K, and not in bf16."""
    s, a, gemm = spec.signature, spec.algorithm, gemm_spec(spec)
    stored = s.dtype_acc if a.two_stage else s.dtype_weight
    adds = stored == "fp32" or (stored == "fp16" and a.vector_c % 2 == 0)
    return instances_of(gemm, split=s.direction == "backward_weight" and adds)


def generate(spec: KernelSpec, ck: CkRevision) -> Unit:
    """Return the header of one convolution kernel."""
    s, a = spec.signature, spec.algorithm
    arch: Any = get_arch(spec.arch)
    gemm, kernels = gemm_spec(spec), instances(spec)
    stages = prefetch_stages(gemm.algorithm, gemm.signature, arch)
    mapping = MAPPINGS[s.direction]
    names = tuple(k.name for k in kernels)
    values = {
        "types": {role: cpp_type(s.dtype(role)) for role in ("input", "weight", "output")},
        "roles": {name: cpp_identifier(getattr(mapping, name).capitalize()) for name in ("a", "b", "c")},
        "acc": cpp_type(s.dtype_acc),
        "layouts": [cpp_identifier(layout) for layout in LAYOUTS[s.dims]],
        "suffix": cpp_identifier(mapping.suffix),
        "algorithm": a,
        "wave_size": arch.wave_size,
        "dims": s.dims,
        "direction": DIRECTIONS[s.direction],
        "encodings": eight_bit_encodings((s.dtype_input, s.dtype_weight, s.dtype_output)),
        "kernels": kernels,
        "operations": OPERATIONS,
        "stages": stages,
        "endings": [(steps, serving_of(kernels, steps, stages)) for steps in range(1, 2 * stages + 2)],
        "host_arguments": cpp_name(HOST_ARGUMENTS, s.direction, "direction"),
        "second_stage": SECOND_STAGE,
        "ck": _templates(spec, ck),
    }
    second = (SECOND_STAGE,) if a.two_stage else ()
    return Unit(
        "conv.hpp.j2",
        values,
        (*names, *second),
        cpp("@::Arguments"),
        block_per_cu=a.block_per_cu,
        own_arguments=dict.fromkeys(second, cpp("tilewright_ck::ConvertArgs")),
        entry=cpp("tilewright_ck/entry_conv.hpp"),
        arguments_entry=cpp("tilewright_ck/arguments_conv.hpp"),
    )


def _templates(spec: KernelSpec, ck: CkRevision) -> dict[str, CppText]:
    a, mapping = spec.algorithm, MAPPINGS[spec.signature.direction]
    none, same = cpp("ck_tile::tuple<>"), cpp("ck_tile::element_wise::PassThrough")
    suffix, wide = cpp_identifier(mapping.suffix), cpp("ConvTraits::FixedGemmParams::FixedVectorSize")
    return {
        **parts.block(a, ck),
        "conv_traits": ck.instantiate(
            "GroupedConvTraits",
            NDimSpatial=spec.signature.dims,
            ConvSpecialization=cpp(
                "ck_tile::ConvolutionSpecialization::{}", cpp_name(SPECIALIZATIONS, a.specialization, "specialization")
            ),
            InLayout=cpp("LayoutIn"),
            WeiLayout=cpp("LayoutWeight"),
            DsLayout=none,
            OutLayout=cpp("LayoutOut"),
            VectorSizeA=a.vector_a,
            VectorSizeB=a.vector_b,
            VectorSizeC=a.vector_c,
            NumGroupsToMerge=a.groups_to_merge,
        ),
        "traits": parts.traits(
            a,
            ck,
            **dict.fromkeys(("PadM", "PadN", "PadK"), True),
            ALayout=cpp("ConvTraits::AsLayout{}", suffix),
            BLayout=cpp("ConvTraits::BsLayout{}", suffix),
            CLayout=cpp("ConvTraits::CLayout{}", suffix),
            UsePersistentKernel=False,
            NumWaveGroups=1,
        ),
        "problem": parts.problem(
            a,
            ck,
            **dict.fromkeys(("AElementWise", "BElementWise"), same),
            ComputeDataType=cpp("A"),
            FixedVectorSize=wide,
            VectorSizeA=cpp("ConvTraits::VectorSizeA"),
            VectorSizeB=cpp("ConvTraits::VectorSizeB"),
        ),
        "epilogue": parts.epilogue(
            a,
            ck,
            "CShuffleEpilogueProblem",
            **dict.fromkeys(("DsDataType", "DsLayout"), none),
            ODataType=cpp("Stored"),
            ELayout=cpp("ConvTraits::FixedGemmParams::ELayout"),
            CDElementwise=same,
            FixedVectorSize=wide,
            VectorSizeC=cpp("ConvTraits::VectorSizeC"),
        ),
        "kernel": parts.kernel(ck, mapping.kernel, GroupedConvTraitsType=cpp("ConvTraits")),
    }
