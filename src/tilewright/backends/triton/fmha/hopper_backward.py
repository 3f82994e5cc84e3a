"""The Hopper backward pass on the host: what is compiled (imports triton there), its workspace, its launches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....model.kernel import KernelSpec, Launch
from ....ops.fmha.problem import FmhaProblem
from ....ops.fmha.signature import FmhaSignature
from ...gpu.call import by_number, map_values
from ..pipelines import Arguments, Call
from ..source import Source, descriptor, finish, triton_types
from ..target import TRITON_DTYPE
from .algorithm import (
    TritonFmha,
    adds_from_registers,
    backward_bias_stages,
    backward_columns,
    is_narrow,
    is_wide,
    row_numbers,
    shares_in_flight,
)
from .hopper_forward import list_values
from .kernels.config import HopperBackwardConfig

KINDS = ("hopper_gradients", "prepare", "convert")
BIAS_KINDS = ("look", "list", "origins")
SHARE_KINDS = ("convert_keys",)
SINK_KINDS = ("sinks",)
LINE = 256  # numbers of a line of sums, the widest box of a tensor map
STRIDES = ("i64", "i64", "i64")
SEQUENCES = ("cu_seqlens_q", "cu_seqlens_k")
LOG2_E = 1.4426950408889634
MAX_PARTS = 32  # of the walk of a block of keys
SINK_BLOCK = 16  # sink tokens that `sink_gradients` takes at a time
SINK_SPAN = 4  # blocks of rows of one of its programs
MAX_SECTION = 16  # key heads whose programs come in turn if their walks are in a fixed order
LONGEST_SECTION = 8  # the same if they begin at the last rows: then they stay close to one another
SECTION_BYTES = 32 << 20  # of what they read and add to where walks begin at different rows: it stays in the L2 cache


def gradients_source(spec: KernelSpec) -> Source:
    """Return the kernel of the five products."""
    from triton.experimental.gluon.language import NVMMASharedLayout

    from .kernels.hopper_backward import hopper_gradients

    s, a = spec.signature, spec.algorithm
    config = _config(spec)
    types = triton_types((s.dtype,))

    def tile(rows: int, columns: int = config.d) -> str:
        shape = [1, 1, rows, columns]
        return descriptor(s.dtype, shape, NVMMASharedLayout.get_default_for(shape, types[s.dtype]))

    plain = NVMMASharedLayout(swizzle_byte_width=0, element_bitwidth=32, rank=2)
    given: dict[str, Any] = {
        **dict.fromkeys(("q", "dout"), tile(a.tile_m)), **dict.fromkeys(("k", "v", "dk", "dv"), tile(a.tile_n)),
        "stats": descriptor("fp32", [1, 2 * a.tile_m], plain), "window": ("i32", "i32"), "scale": "fp32",
        "sums": descriptor("fp32", [a.tile_m * config.d // LINE, LINE], plain), "out_scale": "fp32",
        **dict.fromkeys(("heads_kv", "group", "seqlen_q", "seqlen_k", "items", "key_blocks", "blocks"), "i32"),
    }  # fmt: skip
    if config.varlen:
        given |= dict.fromkeys(("dk_end", "dv_end"), "*" + TRITON_DTYPE[s.dtype])
        given |= dict.fromkeys(("dk_strides", "dv_strides"), STRIDES) | dict.fromkeys(SEQUENCES, "*i32")
        given["limits"] = ("i32", "i32")
    if s.sink:
        given["window"] = ("i32", "i32", "i32")
    if config.sink_rows:
        given["sink_sums"] = "*fp32"
    if config.soft_cap:
        given["cap"] = "fp32"
    if config.dropout:
        given |= {"dropout": ("*i32", "i32"), "keep_factor": "fp32"}
    if config.ordered:
        given |= {"turns": "*i32", "order": ("i32", "i32")}
    if config.direct:
        given["sums"] = "*fp32"
    if config.shares:
        given |= {"shares": ("i32", "i32", "i32"), "key_sums": "*fp32"}
    if config.bias:
        given |= {"bias": tile(a.tile_m, a.tile_n), "listed": ("*i32", "i32", "i32", "i32"),
                  "stats": descriptor("fp32", [4, a.tile_m], plain)}  # fmt: skip
    return finish(hopper_gradients, given, config, {}, num_warps=a.warps)


def convert_source(spec: KernelSpec) -> Source:
    """Return the kernel that turns the sums of dQ into the gradient."""
    from .kernels.hopper_sums import convert_sums

    names = convert_sums.arg_names
    given: dict[str, Any] = {
        "dq_sum": "*fp32", "dq": "*" + TRITON_DTYPE[spec.signature.dtype], "dq_strides": STRIDES,
        "out_scale": "fp32", **dict.fromkeys(("heads_q", "seqlen_q", "row_blocks", "blocks"), "i32"),
        **({"cu_seqlens_q": "*i32", "limits": ("i32", "i32")} if spec.signature.mode == "group" else {}),
    }  # fmt: skip
    hints: dict[tuple[int, ...], int] = {(names.index("dq_sum"),): 16, (names.index("dq"),): 16}
    hints.update({(names.index("dq_strides"), i): 8 for i in range(3)})
    return finish(convert_sums, given, _config(spec), hints, num_warps=spec.algorithm.warps)


def convert_keys_source(spec: KernelSpec) -> Source:
    """Return the kernel that turns the sums of dK and dV of shared walks into the gradients."""
    from .kernels.hopper_sums import convert_key_sums

    names = convert_key_sums.arg_names
    given: dict[str, Any] = {
        "key_sums": "*fp32", **dict.fromkeys(("dk", "dv"), "*" + TRITON_DTYPE[spec.signature.dtype]),
        **dict.fromkeys(("dk_strides", "dv_strides"), STRIDES),
        **dict.fromkeys(("heads_kv", "seqlen_k", "shared_blocks"), "i32"),
        **({"cu_seqlens_k": "*i32", "limits": ("i32", "i32")} if spec.signature.mode == "group" else {}),
    }  # fmt: skip
    hints: dict[tuple[int, ...], int] = {(names.index(n),): 16 for n in ("key_sums", "dk", "dv")}
    hints.update({(names.index(f"{n}_strides"), i): 8 for n in ("dk", "dv") for i in range(3)})
    return finish(convert_key_sums, given, _config(spec), hints, num_warps=spec.algorithm.warps)


def _config(spec: KernelSpec) -> HopperBackwardConfig:
    from triton.experimental.gluon.language import (
        BlockedLayout,
        DotOperandLayout,
        NVMMADistributedLayout,
        NVMMASharedLayout,
    )

    s, a = spec.signature, spec.algorithm
    d, operand = backward_columns(s.hdim_q), triton_types((s.dtype,))[s.dtype]
    rows = min(a.warps, a.tile_m // 16)  # warps that share the rows of dQ; the others share its columns

    def accumulator(down: int, columns: int) -> Any:
        return NVMMADistributedLayout([3, 0], [down, a.warps // down], [16, columns, 16])

    wide = is_wide(s)
    keys = a.warps // 2 if wide else a.warps  # warps that share the keys of a block
    out = accumulator(keys, d * keys // a.warps)
    return HopperBackwardConfig(
        bm=a.tile_m, bn=a.tile_n, d=d, hdim=s.hdim_q, hdim_v=s.hdim_v, stages=a.stages, varlen=s.mode == "group",
        left="window" in s.mask, right=s.mask != "none", top_left=s.mask.endswith("top_left"), line=LINE,
        blocks_per_item=blocks_per_item(s), operand=operand, s_layout=accumulator(keys, a.tile_m * keys // a.warps),
        left_layout=DotOperandLayout(0, out, 2), out_layout=out, dq_layout=accumulator(rows, d * rows // a.warps),
        store_layout=BlockedLayout([1, 8], [256 // d, d // 8], [a.warps, 1], [1, 0]),
        ds_shared=NVMMASharedLayout.get_default_for([a.tile_n, a.tile_m], operand),
        sink=s.sink and s.bias != "none", sink_rows=has_sink_rows(s), sink_block=SINK_BLOCK,
        bias=s.bias != "none", bias_stages=backward_bias_stages(s, a), soft_cap=s.soft_cap, dropout=s.dropout != "none",
        ordered=s.deterministic, shares=a.share, wide=wide, direct=adds_from_registers(s, a),
        narrow=is_narrow(s.hdim_q) and is_narrow(s.hdim_v), shares_in_flight=shares_in_flight(s, a),
    )  # fmt: skip


def blocks_per_item(s: FmhaSignature) -> int:
    """How many blocks of keys a program takes at a time: two if their walks differ in length, a long one and a
    short one. A bias may be a causal mask. Programs that take turns must come to a block of rows in the order of their
    keys."""
    return 2 if (s.mask.startswith("causal") or s.bias != "none") and not s.deterministic else 1


def has_sink_rows(s: FmhaSignature) -> bool:
    """Whether rows that see keys only as sink tokens have a kernel of their own. With a bias, lists of blocks have
    them."""
    return s.sink and s.bias == "none"


def walk_order(p: FmhaProblem) -> tuple[int, int]:
    """(key heads whose programs come in turn, whether walks begin at the last rows), if they are in a fixed order.

    Walks of a key head are at different rows at a time. What they read and add to, Q, dO and the sums of dQ of all its
    rows, is met by later walks in the L2 cache only if there is little of it. Under a causal mask few key heads with
    long walks take their longest ones first, lest those are left at the end.
    """
    group = p.heads_q // p.heads_kv
    row = 2 * (p.hdim_q + p.hdim_v) + 4 * backward_columns(p.hdim_q)
    if p.mask.startswith("causal") and group > 1:
        return LONGEST_SECTION, 1
    if "window" in p.mask or not p.deterministic:  # only turns read it: sizes that are compared become guards
        return MAX_SECTION, 0
    return max(1, min(MAX_SECTION, SECTION_BYTES // (group * p.seqlen_q * row))), 0


def shared_walks(p: FmhaProblem, a: TritonFmha, launch: Launch) -> tuple[int, int, int]:
    """(items of a key head whose walks are shared, programs that share one, blocks of keys of these items): all of
    them, as often as the launch says."""
    key_blocks, parts = -(-p.seqlen_k // a.tile_n), min(launch.num_splits, MAX_PARTS)
    if not a.share or parts == 1:
        return 0, 1, 0
    return -(-key_blocks // blocks_per_item(p.signature)), parts, key_blocks


def pieces(p: FmhaProblem, a: TritonFmha, launch: Launch) -> dict[str, int]:
    """Bytes of the workspace: LSE and dot(dO, O) of every row, and fp32 sums of dQ; rows padded to whole blocks. With a
    bias also what `row_origins` finds of every row, and the blocks of rows that are left to each block of keys. Of
    walks that are shared and of sink tokens, sums of dK and dV."""
    rows = p.heads_q * _blocks(p, a) * a.tile_m * (1 if p.mode == "group" else p.batch)
    found = {"stats": 4 * row_numbers(p.signature) * rows, "dq_sum": 4 * rows * backward_columns(p.hdim_q)}
    if p.deterministic:
        found["turns"] = 4 * rows // a.tile_m
    sums = _shared_bytes(p, a, launch) + _sink_bytes(p, a)
    if sums:
        found["key_sums"] = sums
    if p.bias != "none":
        lists = p.bias_batch * p.bias_heads * -(-p.seqlen_k // a.tile_n)
        found |= {"lists": 4 * lists * (1 + 2 * _blocks(p, a)), **dict.fromkeys(("origin", "factor"), 4 * rows)}
    return found


def _shared_bytes(p: FmhaProblem, a: TritonFmha, launch: Launch) -> int:
    """Bytes of the sums of dK and dV of walks that are shared."""
    return 8 * p.batch * p.heads_kv * shared_walks(p, a, launch)[2] * a.tile_n * backward_columns(p.hdim_q)


def _sink_bytes(p: FmhaProblem, a: TritonFmha) -> int:
    """Bytes of the sums of dK and dV of sink tokens: tiles that `prepare_rows` sets to zero."""
    if not has_sink_rows(p.signature):
        return 0
    tokens = 2 * p.batch * p.heads_kv * -(-p.sink_tokens // SINK_BLOCK) * SINK_BLOCK
    return 4 * -(-tokens // a.tile_m) * a.tile_m * backward_columns(p.hdim_q)


def _blocks(p: FmhaProblem, a: TritonFmha) -> int:
    """Blocks of rows of one head, of one sequence or of all sequences that lie one after another."""
    return p.total_q // a.tile_m + p.batch if p.mode == "group" else -(-p.seqlen_q // a.tile_m)


def launches(
    a: TritonFmha, p: FmhaProblem, launch: Launch, values: Arguments, at: Mapping[str, int],
    maps: Mapping[str, Any], units: int,
) -> list[Call]:  # fmt: skip
    """(kernel, grid, parameters) of the three steps, before them of those that look at a bias, after the first of the
    one for sink tokens, and after them of one that converts sums of shared walks. `maps` describes rows, keys and the
    bias; `units` programs run at a time."""
    room, numbers, sinks = pieces(p, a, launch), row_numbers(p.signature), has_sink_rows(p.signature)
    key_blocks, row_blocks = -(-p.seqlen_k // a.tile_n), -(-p.seqlen_q // a.tile_m)
    shared, parts, shared_blocks = shared_walks(p, a, launch)
    order = walk_order(p)
    items = p.batch * p.heads_kv * (-(-key_blocks // blocks_per_item(p.signature)) + shared * (parts - 1))
    common = {
        **values, "key_sums": 0, **at, "blocks": _blocks(p, a), "row_blocks": row_blocks, "key_blocks": key_blocks,
        "shares.0": shared, "shares.1": parts, "shares.2": shared_blocks, "shared_blocks": shared_blocks,
        "order.0": order[0], "order.1": order[1],
        "zeros": room.get("key_sums", 0) // (4 * a.tile_m * backward_columns(p.hdim_q)),
        "out_scale": p.softmax_scale * (values["keep_factor"] if p.dropout else 1.0),
    }  # fmt: skip
    first = _bias_launches(a, p, common) if p.bias != "none" else []
    wide = 2 * a.tile_m if numbers == 2 else a.tile_m
    if sinks:
        common["sink_sums"] = at["key_sums"] + _shared_bytes(p, a, launch)
    main = {
        **common, **{f"{r}_end": values[r] for r in ("dk", "dv")}, **maps, **_scales(p),
        **_map(at["stats"], "stats", room["stats"] // (4 * wide), wide),
        **_map(at["dq_sum"], "sums", room["dq_sum"] // (4 * LINE), LINE), "items": items,
    }  # fmt: skip
    if adds_from_registers(p.signature, a):
        main["sums"] = at["dq_sum"]
    every = (p.batch * p.heads_q * row_blocks, 1, 1)
    # Programs that take turns wait for those of earlier items. If each has one item, those were started before it, so
    # somebody can always go on, also where other launches take a part of the GPU.
    programs = items if p.deterministic else min(items, units)
    spans = (p.batch * p.heads_q * -(-row_blocks // SINK_SPAN), 1, 1)
    found = [
        *first,
        ("prepare", every, common),
        *([("sinks", spans, {**common, "span": SINK_SPAN})] if sinks else []),
        ("hopper_gradients", (programs, 1, 1), main),
        ("convert", every, common),
    ]
    if parts > 1:
        found.append(("convert_keys", (2 * p.batch * p.heads_kv * shared_blocks, 1, 1), common))
    return found


def _scales(p: FmhaProblem) -> dict[str, float]:
    """What scores are multiplied by, and what the result of a soft cap is: see `kernels.hopper_logits.powers`."""
    unit = LOG2_E if p.bias == "none" else 1.0
    if p.soft_cap:
        return {"scale": p.softmax_scale * 2.0 * LOG2_E / p.soft_cap, "cap": p.soft_cap * unit}
    return {"scale": p.softmax_scale * unit}


def _bias_launches(a: TritonFmha, p: FmhaProblem, common: Arguments) -> list[Call]:
    """The kernels that look at a bias. Changes `common`: from then on the LSE is what `row_origins` found."""
    blocks, key_blocks = common["blocks"], common["key_blocks"]
    lists = p.bias_batch * p.bias_heads * key_blocks
    common |= list_values(p, common["lists"], blocks)
    common |= by_number("delta_strides", (p.heads_q * p.seqlen_q, p.seqlen_q, 1))
    each = -(-p.seqlen_q // a.tile_n)
    found = [
        ("look", (lists * blocks, 1, 1), dict(common)),
        ("list", (lists, 1, 1), {**common, "key_blocks": blocks}),
        ("origins", (p.batch * p.heads_q * each, 1, 1), {**common, "blocks": each}),
    ]
    common |= {"lse": common["origin"], **{f"lse_strides.{i}": common[f"delta_strides.{i}"] for i in range(3)}}
    return found


def _map(address: int, name: str, rows: int, columns: int) -> Arguments:
    """Return a tensor map over a dense matrix, and the shape and strides that the kernel is handed as well."""
    return map_values(name, {"address": address, "shape": [rows, columns], "strides": [columns, 1]})
