"""The values of the GEMM template: types, shapes and CK's templates with their arguments by name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ....arch import get_arch
from ....model.kernel import KernelSpec
from ....ops.gemm.epilogue import ACTIVATIONS, COMBINES
from ...cpp_text import CppText, cpp, cpp_identifier, cpp_join, cpp_name, cpp_replace
from ..ck_revision import CkRevision
from ..cpp import SCHEDULERS, cpp_layout, cpp_type, eight_bit_encodings, sequence
from ..lower import GEMM_ENTRY, Unit
from . import parts
from .algorithm import QUANT, STREAM_K
from .instances import ALWAYS_HOT, instances, prefetch_stages, serving
from .multi_abd import MULTI_ABD, several

# Steps for which CK's own choice is wrong: BlockHasHotloop(3) of gemm_pipeline_ag_bg_cr_comp_async.hpp is true, and the
# main loop would run once for two steps that there are not.
CK_IS_WRONG = {"comp_async": (3,)}
OPERATIONS = {
    False: cpp("ck_tile::memory_operation_enum::set"),
    True: cpp("ck_tile::memory_operation_enum::atomic_add"),
}


@dataclass(frozen=True)
class Family:
    """The C++ names of one of CK's kernels: header and template, our argument and our host, and what it stores."""

    header: CppText
    kernel: str
    arguments: CppText
    instance: CppText
    host: CppText
    stored: CppText
    entry: CppText


FAMILIES = {
    "universal": Family(
        cpp("gemm.hpp"),
        "UniversalGemmKernel",
        cpp("GemmArgs"),
        cpp("GemmInstance<Kernel<HotLoop, Tail, Operation>, Ds::size()>"),
        cpp("GemmHost"),
        cpp("EDataType"),
        GEMM_ENTRY,
    ),
    "batched": Family(
        cpp("gemm_batched.hpp"),
        "BatchedGemmKernel",
        cpp("BatchedGemmArgs"),
        cpp("BatchedGemmInstance<Kernel<HotLoop, Tail, Operation>>"),
        cpp("BatchedGemmHost"),
        cpp("CDataType"),
        cpp("tilewright_ck/entry_gemm_batched.hpp"),
    ),
    "grouped": Family(
        cpp("gemm_grouped.hpp"),
        "GroupedGemmKernel",
        cpp("GroupedGemmArgs"),
        cpp("GroupedGemmInstance<Kernel<HotLoop, Tail, Operation>>"),
        cpp("GroupedGemmHost"),
        cpp("CDataType"),
        cpp("tilewright_ck/entry_gemm_grouped.hpp"),
    ),
    "quant": Family(
        cpp("gemm_quant.hpp"),
        "QuantGemmKernel",
        cpp("QuantGemmArgs"),
        cpp("QuantGemmInstance<Kernel<HotLoop, Tail, Operation>>"),
        cpp("QuantGemmHost"),
        cpp("CDataType"),
        cpp("tilewright_ck/entry_gemm_quant.hpp"),
    ),
}
CONTRACTION = Family(
    cpp("gemm_contraction.hpp"),
    "BatchedContractionKernel",
    cpp("ContractionArgs"),
    cpp("ContractionInstance<Kernel<HotLoop, Tail, Operation>>"),
    cpp("ContractionHost"),
    cpp("EDataType"),
    cpp("tilewright_ck/entry_gemm_contraction.hpp"),
)
FOLDED = cpp("ck_tile::BatchedContractionProblem<A, B, Ds, Out, 1, 1, 1, 1, Ds::size()>")  # one each of G, M, N, K
REDUCTIONS = {"stream_k_atomic": cpp("Atomic"), "stream_k_linear": cpp("Reduction")}
FAMILIES |= dict.fromkeys(
    REDUCTIONS,
    Family(
        cpp("gemm_stream_k.hpp"),
        "StreamKKernel",
        cpp("StreamKArgs"),
        cpp("StreamKInstance<Kernel<HotLoop, Tail, Operation>>"),
        cpp("StreamKHost"),
        cpp("CDataType"),
        cpp("tilewright_ck/entry_gemm_stream_k.hpp"),
    ),
)


def family_of(spec: KernelSpec) -> Family:
    """Return CK's kernel of a spec.

    That of prologues is the universal one with our own argument: CK's GemmKernelMultiABD is it behind an assertion that
    there are D operands. A batch with D operands is a contraction: CK's batched kernel has none.
    """
    if spec.algorithm.family == "batched" and spec.signature.d:
        return CONTRACTION
    if not spec.signature.has_prologue:
        return FAMILIES[spec.algorithm.family]
    return replace(
        FAMILIES["universal"],
        header=cpp("gemm_multi_abd.hpp"),
        arguments=cpp("MultiAbdArgs"),
        instance=cpp("MultiAbdInstance<Kernel<HotLoop, Tail, Operation>, As::size() - 1, Bs::size() - 1, Ds::size()>"),
        host=cpp("MultiAbdHost"),
        entry=cpp("tilewright_ck/entry_gemm_multi_abd.hpp"),
    )


def generate(spec: KernelSpec, ck: CkRevision) -> Unit:
    """Return the header of one GEMM kernel."""
    s, a = spec.signature, spec.algorithm
    arch: Any = get_arch(spec.arch)
    kernels, stages, family = instances(spec), prefetch_stages(a, s, arch), family_of(spec)
    stream_k = a.family in STREAM_K
    values = {
        "types": {role: cpp_type(getattr(s, f"dtype_{role}")) for role in ("a", "b", "acc", "out")},
        "layouts": dict(zip(("a", "b", "out"), map(cpp_layout, s.layout), strict=True)),
        "d": cpp_join(cpp_type(d.dtype) for d in s.d),
        "d_count": len(s.d),
        "repeated_d": sum(1 << i for i, d in enumerate(s.d) if d.broadcast != "none"),
        "combine": cpp_name(COMBINES, s.combine, "combine"),
        "activation": cpp_name(ACTIVATIONS, s.activation, "activation"),
        "fused": bool(s.d or s.activation != "none"),
        "algorithm": a,
        "encodings": eight_bit_encodings((s.dtype_a, s.dtype_b, s.dtype_out)),
        "wave_size": arch.wave_size,
        "stages": stages,
        "always_hot": a.pipeline in ALWAYS_HOT or a.ends_at_run_time,
        "stream_k": stream_k,
        "quant": a.family == "quant",
        "more": several(s) if s.has_prologue else None,
        "groups": [s.scale_block if scale == "block" else 0 for scale in (s.scale_a, s.scale_b)],
        "kernels": kernels,
        "endings": [
            (n, serving(spec, n))
            for n in range(1, 2 * stages + 2)
            if n not in CK_IS_WRONG.get(a.pipeline, ()) and not a.ends_at_run_time
        ],
        "operations": OPERATIONS,
        "header": family.header,
        "instance": family.instance,
        "stored": family.stored,
        "host": family.host,
        "ck": _templates(spec, ck),
    }
    return Unit(
        "gemm.hpp.j2",
        values,
        tuple(k.name for k in kernels),
        cpp("tilewright_ck::{}", family.arguments),
        block_per_cu=a.block_per_cu,
        entry=family.entry,
    )


def _templates(spec: KernelSpec, ck: CkRevision) -> dict[str, CppText]:
    """Return the C++ of every CK template of the header; `A`, `Out`, `Shape` and so on are names of the header."""
    a = spec.algorithm
    if a.family == "quant":
        return _quant(spec, ck)
    multi, family = spec.signature.has_prologue, family_of(spec)
    return {
        **parts.block(a, ck),
        "traits": parts.traits(
            a,
            ck,
            PadM=a.pad_m,
            PadN=a.pad_n,
            PadK=a.pad_k,
            ALayout=cpp("LayoutAs") if multi else cpp("LayoutA"),
            BLayout=cpp("LayoutBs") if multi else cpp("LayoutB"),
            CLayout=cpp("LayoutOut"),
            UsePersistentKernel=a.persistent,
            NumWaveGroups=a.num_wave_groups,
            Preshuffle=spec.signature.variant == "preshuffle",
        ),
        "problem": parts.problem(a, ck, **(MULTI_ABD if multi else {})),
        "epilogue": _epilogue(a, ck),
        "kernel": parts.kernel(ck, family.kernel, **({"Problem": FOLDED} if family is CONTRACTION else {})),
        **(_stream_k(a, ck) if a.family in STREAM_K else {}),
    }


def _quant(spec: KernelSpec, ck: CkRevision) -> dict[str, CppText]:
    """Return the templates of a product with scales, which has traits and pipeline problems of its own."""
    a, s = spec.algorithm, spec.signature
    kind = cpp("ck_tile::QuantType::{}", cpp_identifier(QUANT[s.scale_a, s.scale_b]))
    traits = ck.instantiate(
        "TileGemmQuantTraits",
        **{f"Pad{d.upper()}": getattr(a, f"pad_{d}") for d in "mnk"},
        PreshuffleQuant=False,
        PreshuffleB=False,
        ALayout=cpp("LayoutA"),
        BLayout=cpp("LayoutB"),
        CLayout=cpp("LayoutOut"),
        QuantType=kind,
    )
    own = {
        "ADataType": cpp("A"),
        "BDataType": cpp("B"),
        "CDataType": cpp("Acc"),
        "BlockGemmShape": cpp("Shape"),
        "Traits": cpp("Traits"),
        "TransposeC": False,
        "ComputeDataType": cpp("B"),
        "Scheduler": cpp_name(SCHEDULERS, a.scheduler, "scheduler"),
        "HasHotLoop": cpp("HotLoop"),
        "TailNum": cpp("Tail"),
    }
    found = {**parts.block(a, ck), "traits": traits, "epilogue": _epilogue(a, ck)}
    if s.scale_a == "block":
        group = cpp("ck_tile::QuantGroupShape<{}>", sequence((1, 1, s.scale_block)))
        own |= {"AQDataType": cpp("float"), "QuantGroupSize": group}
        found |= {
            "problem": ck.instantiate("GemmAQuantPipelineProblem", **own),
            "pipeline": cpp("ck_tile::AQuantGemmPipelineAgBgCrCompV3<Problem<HotLoop, Tail>>"),
        }
    elif s.scale_b == "block":
        group = cpp("ck_tile::QuantGroupShape<{}>", sequence((1, s.scale_block, s.scale_block)))
        own |= {"BQDataType": cpp("float"), "QuantGroupSize": group, "ComputeDataType": cpp("A")}
        del own["TransposeC"]
        found |= {
            "problem": ck.instantiate("GemmBQuantPipelineProblem", **own),
            "pipeline": cpp("ck_tile::BQuantGemmPipelineAgBgCrCompV3<Problem<HotLoop, Tail>>"),
        }
    else:
        found["problem"] = ck.instantiate("GemmRowColTensorQuantPipelineProblem", **own, AccDataType=cpp("Acc"))
    return {**found, "kernel": parts.kernel(ck, "QuantGemmKernel", QuantType=kind)}


def _stream_k(a: Any, ck: CkRevision) -> dict[str, CppText]:
    """Return the order of blocks, which has no primary template to parse, and the kernel, of which CK has two."""
    shares = cpp(
        "ck_tile::StreamKTilePartitioner_v2<Shape, ck_tile::StreamKReductionStrategy::{}, {}>",
        REDUCTIONS[a.family],
        a.persistent,
    )
    kernel = parts.kernel(ck, FAMILIES[a.family].kernel)
    return {"partitioner": shares, "kernel": cpp_replace(kernel, "::StreamK", cpp("::reboot::StreamK"))}


STORED = {
    "DsDataType": cpp("Ds"), "ODataType": cpp("Out"), "DsLayout": cpp("LayoutDs"), "CDElementwise": cpp("Elementwise"),
}  # fmt: skip


def _epilogue(a: Any, ck: CkRevision) -> CppText:
    if a.epilogue == "cshuffle":
        problem = parts.epilogue(a, ck, "CShuffleEpilogueProblem", **STORED, ELayout=cpp("LayoutOut"))
        return cpp("ck_tile::CShuffleEpilogue<{}>", problem)
    # Raw stores skip the bounds that padding relies on.
    pads = {"PadM": a.pad_m, "PadN": a.pad_n}
    own = {"CLayout": cpp("LayoutOut"), **pads, "UseRawStore": False}
    problem = parts.epilogue(a, ck, "DefaultGemm2DEpilogueProblem", **STORED, **own)
    return cpp("ck_tile::DefaultGemm2DEpilogue<{}>", problem)
