"""What is compiled for a kernel spec: the Triton function, its argument types and its constants. Imports triton."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ....arch import get_arch
from ....errors import SpecError
from ....model.arch import NvidiaArch
from ....model.dtype import get_dtype
from ....model.kernel import KernelSpec
from ..source import Source, descriptor, finish, precision, set_to_one, triton_types
from ..target import TRITON_DTYPE
from .algorithm import (
    KernelView,
    TritonGemm,
    column_blocks,
    exact_int,
    hopper_stages,
    part_width,
    reduce_block,
    stage_block,
    stage_contiguous,
    view_of,
)
from .kernels.config import BlockScales, EpilogueConfig, HopperConfig, PortableConfig, ReduceConfig

STRIDES = ("i64", "i64", "i64")
REGISTERS_PER_UNIT = 65536


def job_source(what: dict[str, Any], spec: KernelSpec) -> Source:
    """The source of one compile job of a spec."""
    if what["kind"] == "stage":
        return stage_source(spec, what["vector_bytes"])
    return reduce_source(spec) if what["kind"] == "reduce" else source_of(spec)


def source_of(spec: KernelSpec) -> Source:
    """The source of a GEMM kernel."""
    makers = {"pointer": _portable, "tma_persistent": _tma, "hopper": _hopper}
    pipeline = spec.algorithm.pipeline
    if pipeline not in makers:
        raise SpecError(f"pipeline {pipeline!r} is none of {sorted(makers)}")
    return makers[pipeline](spec, view_of(spec.signature, spec.algorithm))


CARRIERS = {8: "i8", 16: "i16", 32: "i32"}


def stage_source(spec: KernelSpec, vector_bytes: int) -> Source:
    """The kernel that copies the operands of a staged kernel; its reads are aligned to `vector_bytes`."""
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
    """The constants of packed operands and of factors per block, which every pipeline has."""
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
    """The workspace is ours, and aligned; saying so lets shares be written in wide pieces."""
    return {(names.index(n),): 16 for n in ("partials", "counters")} if algorithm.split else {}


def _portable_config(spec: KernelSpec, view: KernelView, epilogue: EpilogueConfig, **traits: Any) -> PortableConfig:
    a, s = spec.algorithm, spec.signature
    types = triton_types((s.dtype_acc, s.dtype_out))
    return PortableConfig(
        bm=a.tile_m, bn=a.tile_n, bk=a.tile_k, group=a.group, a_k=view.a_k, b_k=view.b_k, out_row=view.out_row,
        acc=types[s.dtype_acc], out=types[s.dtype_out], precision=precision(a.precision, s.dtype_a), epilogue=epilogue,
        **traits, **_variant(spec, view),
    )  # fmt: skip


def _portable(spec: KernelSpec, view: KernelView) -> Source:
    from .kernels.portable import portable_gemm

    a, s = spec.algorithm, spec.signature
    epilogue, epilogue_types = _epilogue(spec, view)
    traits = {"stream": a.split, "even_k": a.even_k, "wide": a.wide, "imprecise": a.accumulate == "fast"}
    config = _portable_config(spec, view, epilogue, persistent=False, **traits)
    given = {
        "a_ptr": "*" + TRITON_DTYPE[view.a], "b_ptr": "*" + TRITON_DTYPE[view.b],
        "out_ptr": "*" + TRITON_DTYPE[s.dtype_out], "a_strides": STRIDES, "b_strides": STRIDES,
        "out_strides": STRIDES, "M": "i32", "N": "i32", "K": "i32", "batches": "i32", "epilogue": epilogue_types,
        **_splits(a, s.dtype_acc, splits="i32"),
    }  # fmt: skip
    hints, ones = _alignment(portable_gemm.arg_names, view, a, s.dtype_out)
    hints.update(_workspace_hints(portable_gemm.arg_names, a))
    source = finish(portable_gemm, given, config, hints, num_warps=a.warps, num_stages=a.stages)
    set_to_one(source, ones)
    return source


def _alignment(names: list[str], view: KernelView, a: TritonGemm, out: str) -> tuple[dict[Any, int], list[Any]]:
    """(divisibility by argument path, paths of strides that are 1) of the pointer pipeline."""
    hints: dict[Any, int] = {}
    ones = []
    depth = int(a.vector_bytes / max(get_dtype(view.a).bytes, get_dtype(view.b).bytes))
    if depth > 1:
        hints[(names.index("K"),)] = depth
    for name, dtype, contiguous in (("a", view.a, 2 if view.a_k else 1), ("b", view.b, 1 if view.b_k else 2),
                                    ("out", out, 2 if view.out_row else 1)):  # fmt: skip
        pointer, strides = names.index(f"{name}_ptr"), names.index(f"{name}_strides")
        elements = int(a.vector_bytes / get_dtype(dtype).bytes)
        if a.vector_bytes > 1:
            hints[(pointer,)] = a.vector_bytes
        if a.unit:
            ones.append((strides, contiguous))
        if elements > 1:
            hints.update({(strides, i): elements for i in range(3) if i != contiguous})
    return hints, ones


def _tma(spec: KernelSpec, view: KernelView) -> Source:
    from .kernels.tma import tma_gemm

    a, s = spec.algorithm, spec.signature
    epilogue, epilogue_types = _epilogue(spec, view)
    traits = {"stream": False, "even_k": True, "wide": False, "imprecise": True}
    config = _portable_config(spec, view, epilogue, persistent=True, **traits)
    half = a.tile_n // 2
    given = {
        "a_desc": descriptor(view.a, [1, a.tile_m, a.tile_k] if view.a_k else [1, a.tile_k, a.tile_m]),
        "b_desc": descriptor(view.b, [1, a.tile_n, a.tile_k] if view.b_k else [1, a.tile_k, a.tile_n]),
        "out_desc": descriptor(s.dtype_out, [1, a.tile_m, half] if view.out_row else [1, half, a.tile_m]),
        "M": "i32", "N": "i32", "K": "i32", "batches": "i32", "a_batch": "i32", "b_batch": "i32",
        "epilogue": epilogue_types,
    }  # fmt: skip
    return finish(tma_gemm, given, config, {}, num_warps=a.warps, num_stages=a.stages)


@dataclass(frozen=True)
class HopperParts:
    """What every kernel around the hopper ring is compiled with: constants, descriptor types, compile options.

    `rings` lays out whole tiles of B, of which a program of a cluster copies a part.
    """

    constants: dict[str, Any]
    descriptors: dict[str, str]
    rings: dict[str, Any]
    acc: Any
    options: dict[str, Any]


def hopper_parts(spec: KernelSpec, lead: tuple[int, ...] = ()) -> HopperParts:
    """The parts of a gemm spec; descriptors have `lead` further dimensions of one in front."""
    from triton.experimental.gluon.language import BlockedLayout, NVMMADistributedLayout, NVMMASharedLayout

    a, s = spec.algorithm, spec.signature
    view = view_of(s, a)
    types = triton_types((s.dtype_acc, s.dtype_out, view.a, view.b))
    part = part_width(s, a)
    first, rest = column_blocks(a.tile_n)
    arch = get_arch(spec.arch)
    assert isinstance(arch, NvidiaArch), arch.name
    columns = {"b": first, "rest": rest or first}
    whole = {n: [c, a.tile_k] if view.b_k else [a.tile_k, c] for n, c in columns.items()}
    blocks = {
        "a": [a.tile_m, a.tile_k] if view.a_k else [a.tile_k, a.tile_m],
        **{n: [w // a.cluster, k] for n, (w, k) in whole.items()},
        "out": [a.tile_m, part] if view.out_row else [part, a.tile_m],
    }
    blocks = {n: [1, *lead, *b] for n, b in blocks.items()}
    dtypes = {"a": view.a, "b": view.b, "rest": view.b, "out": s.dtype_out}
    shared = {n: NVMMASharedLayout.get_default_for(blocks[n], types[dtypes[n]]) for n in blocks}
    rings = {n: NVMMASharedLayout.get_default_for([1, *whole[n]], types[dtypes[n]]) for n in whole}

    def accumulator(columns: int) -> Any:
        # Integer products have no instruction of 256 columns in the compiler.
        widest = 128 if s.dtype_acc == "int32" else 256
        depth = int(32 // get_dtype(view.a).bytes)
        return NVMMADistributedLayout([3, 0], [a.warps // a.consumers, 1], [16, min(columns, widest), depth])

    lanes, order = ([1, 32], [1, 0]) if view.out_row else ([32, 1], [0, 1])
    coalesced = BlockedLayout([1, 1], lanes, [a.warps // a.consumers, 1], order)
    constants = {
        "bm": a.tile_m, "bn": first, "rest": rest, "bk": a.tile_k, "part": part, "stages": hopper_stages(s, a, arch),
        "a_k": view.a_k, "b_k": view.b_k, "layout": accumulator(first), "rest_layout": accumulator(rest or first),
        "part_layout": accumulator(part), "store_layout": coalesced,
    }  # fmt: skip
    wanted = ["a", "b", *(["rest"] if rest else []), *(["out"] if a.store == "tma" else [])]
    descriptors = {n: descriptor(dtypes[n], blocks[n], shared[n]) for n in wanted}
    options: dict[str, Any] = {"num_warps": a.warps // a.consumers, "launch_pdl": a.pdl}
    if a.blocks_per_unit > 1:
        threads = 32 * (4 * -(-(a.warps + 1) // 4))
        options["maxnreg"] = REGISTERS_PER_UNIT // (a.blocks_per_unit * threads) // 8 * 8
    return HopperParts(constants, descriptors, rings, types[s.dtype_acc], options)


def _hopper(spec: KernelSpec, view: KernelView) -> Source:
    from .kernels.hopper import hopper_gemm

    a, s = spec.algorithm, spec.signature
    parts = hopper_parts(spec)
    epilogue, epilogue_types = _epilogue(spec, view)
    config = HopperConfig(
        group=a.group, cluster=a.cluster, out_row=view.out_row, stream=a.split,
        reduce_after=a.split and a.reduce == "after", consumers=a.consumers, out_buffers=a.out_buffers,
        acc=parts.acc, out=triton_types((s.dtype_out,))[s.dtype_out],
        promote=a.accumulate == "promoted", tma_store=a.store == "tma", pdl=a.pdl, tiles_first=a.order == "tiles",
        b_smem=parts.rings["b"], rest_smem=parts.rings["rest"], epilogue=epilogue, **parts.constants,
        **_variant(spec, view),
    )  # fmt: skip
    given: dict[str, Any] = {
        **{f"{n}_desc": kind for n, kind in parts.descriptors.items()},
        "M": "i32", "N": "i32", "K": "i32", "batches": "i32", "a_batch": "i32", "b_batch": "i32",
        "epilogue": epilogue_types, **_splits(a, s.dtype_acc, whole="i32", slots="i32", splits="i32"),
    }  # fmt: skip
    if a.store != "tma":
        given.update(out_ptr="*" + TRITON_DTYPE[s.dtype_out], out_strides=STRIDES)
    source = finish(hopper_gemm, given, config, _workspace_hints(hopper_gemm.arg_names, a), **parts.options)
    shared = tuple(f"{n}_desc" for n in ("b", "rest") if n in parts.descriptors) if a.cluster > 1 else ()
    return replace(source, cluster=a.cluster, shared=shared)


def reduce_source(spec: KernelSpec) -> Source:
    """The kernel that adds the shares of a `reduce="after"` kernel."""
    from .kernels.reduce import reduce_shares

    a, s = spec.algorithm, spec.signature
    view, types = view_of(s, a), triton_types((s.dtype_acc, s.dtype_out))
    epilogue, epilogue_types = _epilogue(spec, view)
    rows, cols = reduce_block(s, a)
    config = ReduceConfig(
        bm=a.tile_m, width=a.tile_n, part=part_width(s, a), rows=rows, cols=cols, group=a.group,
        acc=types[s.dtype_acc], out=types[s.dtype_out], pdl=a.pdl, epilogue=epilogue,
    )  # fmt: skip
    given = {"partials": f"*{TRITON_DTYPE[s.dtype_acc]}", "out_ptr": "*" + TRITON_DTYPE[s.dtype_out],
             "out_strides": STRIDES, "M": "i32", "N": "i32", "splits": "i32", "epilogue": epilogue_types}  # fmt: skip
    contiguous = 2 if view.out_row else 1
    hints: dict[tuple[int, ...], int] = {(0,): 16}
    if a.store == "tma":
        # The rules of TMA hold for the output although this kernel does not use it.
        elements = int(16 // get_dtype(s.dtype_out).bytes)
        hints[(1,)] = 16
        hints.update({(2, i): elements for i in range(3) if i != contiguous})
    source = finish(reduce_shares, given, config, hints, num_warps=2, launch_pdl=a.pdl)
    set_to_one(source, [(2, contiguous)])
    return source
