"""hopper: what is compiled."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ......arch import get_arch
from ......model.arch import NvidiaArch
from ......model.dtype import get_dtype
from ......model.kernel import KernelSpec
from ....source import Source, descriptor, finish, set_to_one, triton_types
from ....target import TRITON_DTYPE
from ...algorithm import KernelView, column_blocks, view_of
from ...kernels.config import HopperConfig, ReduceConfig
from ...source import STRIDES, _epilogue, _splits, _variant, _workspace_hints
from .ring import hopper_stages, part_width, parts_together, reduce_block, residual_of, residual_parts

REGISTERS_PER_UNIT = 65536
JOBS = {"gemm": ("_hopper", "hopper:hopper_gemm"), "columns": ("_hopper_columns", "hopper_columns:hopper_columns"),
        "abreast": ("_hopper_abreast", "hopper_abreast:hopper_abreast"),
        "reduce": ("reduce_source", "reduce:reduce_shares")}  # fmt: skip


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
    """Return the parts of a gemm spec; descriptors have `lead` further dimensions of one in front."""
    from triton.experimental.gluon.language import BlockedLayout, NVMMADistributedLayout, NVMMASharedLayout

    a, s = spec.algorithm, spec.signature
    view = view_of(s, a)
    types = triton_types((s.dtype_acc, s.dtype_out, view.a, view.b))
    part = part_width(s, a)
    first, rest = column_blocks(a)
    arch = get_arch(spec.arch)
    assert isinstance(arch, NvidiaArch), arch.name
    second = max(rest, 0) or first
    columns = {"b": first, "rest": second}
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
        "a_k": view.a_k, "b_k": view.b_k, "layout": accumulator(first), "rest_layout": accumulator(second),
        "part_layout": accumulator(part), "store_layout": coalesced,
    }  # fmt: skip
    wanted = ["a", "b", *(["rest"] if rest > 0 else []), *(["out"] if a.store == "tma" else [])]
    descriptors = {n: descriptor(dtypes[n], blocks[n], shared[n]) for n in wanted}
    options: dict[str, Any] = {"num_warps": a.warps // a.consumers, "launch_pdl": a.pdl}
    if a.blocks_per_unit > 1:
        threads = 32 * (4 * -(-(a.warps + 1) // 4))
        options["maxnreg"] = REGISTERS_PER_UNIT // (a.blocks_per_unit * threads) // 8 * 8
    return HopperParts(constants, descriptors, rings, types[s.dtype_acc], options)


def _hopper(spec: KernelSpec, view: KernelView) -> Source:
    from ...kernels.hopper import hopper_gemm

    return _hopper_source(hopper_gemm, spec, view, hopper_parts(spec))


def _hopper_columns(spec: KernelSpec, view: KernelView) -> Source:
    """Return a kernel whose tiles have any multiple of 8 columns."""
    from ...kernels.hopper_columns import hopper_columns

    return _narrowed_source(hopper_columns, spec, view)


def _hopper_abreast(spec: KernelSpec, view: KernelView) -> Source:
    """Return the same whose programs share tiles, and stay in their column of tiles."""
    from ...kernels.hopper_abreast import hopper_abreast

    return _narrowed_source(hopper_abreast, spec, view)


def _narrowed_source(function: Any, spec: KernelSpec, view: KernelView) -> Source:
    """Return a kernel in which a stage of B is made of slabs of 8 columns."""
    from triton.experimental.gluon.language import NVMMASharedLayout

    a, parts = spec.algorithm, hopper_parts(spec)
    slab = NVMMASharedLayout.get_default_for([1, 8, a.tile_k], triton_types((view.b,))[view.b])
    source = _hopper_source(function, spec, view, replace(parts, rings={"b": slab, "rest": slab}))
    return replace(source, columns=("b_desc", a.tile_n // a.cluster, parts.constants["bn"], a.tile_n))


def _hopper_source(function: Any, spec: KernelSpec, view: KernelView, parts: HopperParts) -> Source:
    a, s = spec.algorithm, spec.signature
    epilogue, epilogue_types = _epilogue(spec, view)
    residual = residual_of(s, a)
    if residual is not None:
        epilogue = replace(epilogue, residual=residual)
    config = HopperConfig(
        group=a.group, cluster=a.cluster, out_row=view.out_row, stream=a.split,
        reduce_after=a.split and a.reduce == "after", consumers=a.consumers,
        out_buffers=a.out_buffers * parts_together(s, a), acc=parts.acc, out=triton_types((s.dtype_out,))[s.dtype_out],
        promote=a.accumulate == "promoted", tma_store=a.store == "tma", pdl=a.pdl, tiles_first=a.order == "tiles",
        b_smem=parts.rings["b"], rest_smem=parts.rings["rest"], epilogue=epilogue,
        residual_parts=residual_parts(s, a), **parts.constants,
        **_variant(spec, view),
    )  # fmt: skip
    given: dict[str, Any] = {
        **{f"{n}_desc": kind for n, kind in parts.descriptors.items()},
        "M": "i32", "N": "i32", "K": "i32", "batches": "i32", "a_batch": "i32", "b_batch": "i32",
        "epilogue": epilogue_types, **_splits(a, s.dtype_acc, whole="i32", slots="i32", splits="i32"),
    }  # fmt: skip
    if residual is not None:
        given.update(residual_desc=given["out_desc"], residual_batch="i32")
    if a.store != "tma":
        given.update(out_ptr="*" + TRITON_DTYPE[s.dtype_out], out_strides=STRIDES)
    source = finish(function, given, config, _workspace_hints(function.arg_names, a), **parts.options)
    shared = tuple(f"{n}_desc" for n in ("b", "rest") if n in parts.descriptors) if a.cluster > 1 else ()
    loose = a.warps // a.consumers // 4 if a.loose else 0
    return replace(source, cluster=a.cluster, shared=shared, loose=loose)


def reduce_source(spec: KernelSpec) -> Source:
    """Return the kernel that adds the shares of a `reduce="after"` kernel."""
    from ...kernels.reduce import reduce_shares

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
