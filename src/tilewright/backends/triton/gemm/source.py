"""What is compiled for a kernel spec: the Triton function, its argument types and its constants. Imports triton.

Here are the parts that pipelines share. Functions whose names begin with an underscore are used by the pipelines'
`source` modules: names and texts are part of build keys (`closure`), so both stay as they are.
"""

from __future__ import annotations

from typing import Any

from ....errors import SpecError
from ....model.dtype import get_dtype
from ....model.kernel import KernelSpec
from ..source import Source, precision, triton_types
from ..target import TRITON_DTYPE
from .algorithm import PIPELINES, KernelView, TritonGemm, exact_int, stage_block, stage_contiguous, view_of
from .kernels.config import BlockScales, EpilogueConfig, PortableConfig
from .pipelines import pipeline_of

STRIDES = ("i64", "i64", "i64")
STAGE_JOB = ("stage_source", "stage:stage_operands")  # what makes the source, and the kernel


def job_source(what: dict[str, Any], spec: KernelSpec) -> Source:
    """Return the source of one compile job of a spec."""
    if what["kind"] == "stage":
        return stage_source(spec, what["vector_bytes"])
    return _made(spec, what["kind"]) if what["kind"] == "reduce" else source_of(spec)


def source_of(spec: KernelSpec) -> Source:
    """Return the source of a GEMM kernel."""
    if spec.algorithm.pipeline not in PIPELINES:
        raise SpecError(f"pipeline {spec.algorithm.pipeline!r} is none of {sorted(PIPELINES)}")
    return _made(spec, pipeline_of(spec.algorithm).kind(spec), view_of(spec.signature, spec.algorithm))


def _made(spec: KernelSpec, kind: str, *view: KernelView) -> Source:
    part = pipeline_of(spec.algorithm).part("source")
    return getattr(part, part.JOBS[kind][0])(spec, *view)


CARRIERS = {8: "i8", 16: "i16", 32: "i32"}


def stage_source(spec: KernelSpec, vector_bytes: int) -> Source:
    """Return the kernel that copies the operands of a staged kernel; its reads are aligned to `vector_bytes`."""
    from .kernels.stage import stage_operands

    s = spec.signature
    carrier = CARRIERS[get_dtype(s.dtype_a).bits]  # only bits are moved
    rows, cols = stage_block(s)
    elements = int(16 // get_dtype(s.dtype_a).bytes)
    given: dict[str, Any] = {"cols": "i32"}
    constants: dict[Any, Any] = {"PDL": spec.algorithm.pdl, "BR": rows, "BC": cols}
    hints: dict[tuple[int, ...], int] = {}
    names = stage_operands.arg_names
    for name, contiguous in zip("ab", stage_contiguous(s), strict=True):
        strides = names.index(f"{name}_strides")
        kinds = {"src": f"*{carrier}", "dst": f"*{carrier}", "line": "i32", "rows": "i32", "batches": "i32"}
        given.update({f"{name}_{k}": v for k, v in kinds.items()})
        given[f"{name}_strides"] = tuple("constexpr" if i == contiguous else "i64" for i in range(3))
        constants[(strides, contiguous)] = 1
        hints.update({(names.index(f"{name}_dst"),): 16, (names.index(f"{name}_line"),): elements})
        if vector_bytes == 16:
            hints[(names.index(f"{name}_src"),)] = 16
            hints.update({(strides, i): elements for i in range(3) if i != contiguous})
            hints[(names.index("cols"),)] = elements
    signature = {n: given.get(n, "constexpr") for n in names}
    options = {"num_warps": 4, "launch_pdl": spec.algorithm.pdl}
    return Source(stage_operands, signature, constants, hints, options)


def _epilogue(spec: KernelSpec, view: KernelView) -> tuple[EpilogueConfig, tuple[Any, ...]]:
    s = spec.signature
    integer = s.dtype_acc == "int32"
    config = EpilogueConfig(view.scale_a, view.scale_b, view.d, s.combine, s.activation, exact_int(s), integer)
    d_types = tuple("*" + TRITON_DTYPE[d.dtype] for d in s.d)
    factors = (("i64", "i64"),) * 2 if "block" in (s.scale_a, s.scale_b) else ()
    return config, ("fp32", "fp32", "*fp32", "*fp32", d_types, (STRIDES,) * len(s.d), factors)


def _variant(spec: KernelSpec, view: KernelView) -> dict[str, Any]:
    """Return the constants of packed operands and of factors per block, which every pipeline has."""
    s, a = spec.signature, spec.algorithm
    packed = s.b_format != "plain"
    # Rows of A have a factor each, columns of B one per block.
    per_row, per_col = (s.scale_block, 1) if a.swap_ab else (1, s.scale_block)
    scales = BlockScales(
        rows=per_row if view.scale_a == "block" else 0,
        cols=per_col if view.scale_b == "block" else 0,
        steps=max(1, s.scale_block // a.tile_k),
    )
    return {"a_blocked": packed and a.swap_ab, "b_blocked": packed and not a.swap_ab, "scales": scales}


def _splits(algorithm: TritonGemm, acc: str, **further: str) -> dict[str, Any]:
    return {"partials": f"*{TRITON_DTYPE[acc]}", "counters": "*i32", **further} if algorithm.split else {}


def _workspace_hints(names: list[str], algorithm: TritonGemm) -> dict[tuple[int, ...], int]:
    """Return the alignment of the workspace, which is ours; it lets shares be written in wide pieces."""
    return {(names.index(n),): 16 for n in ("partials", "counters")} if algorithm.split else {}


def _portable_config(spec: KernelSpec, view: KernelView, epilogue: EpilogueConfig, **traits: Any) -> PortableConfig:
    a, s = spec.algorithm, spec.signature
    types = triton_types((s.dtype_acc, s.dtype_out))
    return PortableConfig(
        bm=a.tile_m, bn=a.tile_n, bk=a.tile_k, group=a.group, a_k=view.a_k, b_k=view.b_k, out_row=view.out_row,
        acc=types[s.dtype_acc], out=types[s.dtype_out], precision=precision(a.precision, s.dtype_a), epilogue=epilogue,
        **traits, **_variant(spec, view),
    )  # fmt: skip
