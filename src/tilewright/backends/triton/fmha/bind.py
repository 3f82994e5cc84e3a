"""From a problem and its tensors to kernel parameters: grids, strides, windows, workspaces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....model.kernel import KernelSpec, Launch
from ....model.tensor import Addresses
from ....ops.fmha.dropout import threshold
from ....ops.fmha.problem import FmhaProblem
from ...gpu.call import by_number, map_values
from ...gpu.stage import units_of
from ..gemm.operands import ceil_div
from ..pipelines import Arguments, Call
from .algorithm import COPY_ROWS, TritonFmha, padded
from .hopper_backward import LOG2_E
from .hopper_backward import launches as hopper_launches
from .hopper_backward import pieces as hopper_pieces
from .hopper_forward import draws_tiles, list_bytes, list_values, tile_order

ALIGNMENT = 256
NO_STEP = 256  # the stride, in elements, of a dimension of size 1 in a tensor map
LIST_SIZE = "page_table.size"  # beside the addresses: the entries of a list of pages, which no problem says
UNBOUNDED = 1 << 29  # a window past every key of a problem that `triton.fmha.index` takes; sums with it fit 32 bits


def all_rows(p: FmhaProblem) -> int:
    """Query rows of all sequences."""
    return p.total_q if p.mode == "group" else p.batch * p.seqlen_q


def row_blocks(p: FmhaProblem, a: TritonFmha) -> int:
    """Blocks of rows of the longest sequence, for one head or one group of heads."""
    rows = p.seqlen_q * (p.heads_q // max(p.heads_kv, 1) if a.pack else 1)
    return max(1, ceil_div(rows, a.tile_m))


def lanes(p: FmhaProblem, a: TritonFmha) -> int:
    """Programs of one sequence, not counting its blocks of rows: heads, or groups of them."""
    return p.heads_kv if a.pack else p.heads_q


@dataclass(frozen=True)
class Workspace:
    """Offsets of the parts of a workspace, and its size: named pieces one after another, each aligned."""

    offsets: Mapping[str, int]
    bytes: int

    @classmethod
    def of(cls, pieces: Mapping[str, int]) -> Workspace:
        """Return the workspace that holds pieces of these sizes in bytes."""
        offsets, at = {}, 0
        for name, size in pieces.items():
            offsets[name] = at
            at += ceil_div(size, ALIGNMENT) * ALIGNMENT
        return cls(offsets, at)


def workspace(p: FmhaProblem, a: TritonFmha, launch: Launch) -> Workspace:
    """Partial results of splits; dot(dO, O) of a backward pass, and sums of dQ if several programs add to it; the
    counter from which tiles are drawn, and the blocks of keys that a bias leaves."""
    rows = all_rows(p) * p.heads_q
    if p.family == "bwd" and a.pipeline == "hopper":
        return Workspace.of(hopper_pieces(p, a, launch))
    if p.family == "bwd":
        pieces = ("delta", "origin", "factor") if p.bias == "elementwise" else ("delta",)
        return Workspace.of(dict.fromkeys(pieces, 4 * rows))
    if p.family == "fwd_splitkv" and launch.num_splits > 1:
        each = 4 * launch.num_splits * rows
        return Workspace.of({"partial": each * padded(p.hdim_v), "partial_top": each, "partial_sum": each})
    if a.pipeline != "hopper" or not draws_tiles(p.signature):
        return Workspace.of({})
    return Workspace.of({"counter": 4, **({"lists": list_bytes(p, a)} if p.bias != "none" else {})})


def strides_of(p: FmhaProblem, role: str) -> tuple[int, ...]:
    """(batch or page, row, head, column) strides of rows, (batch, head, row) of an LSE; 0 if sequences lie one
    after another, or share a bias."""
    given, shape = p.stride(role), p.shape(role)
    flat = p.mode == "group" and role != "bias" and role != "dbias" and len(shape) in (2, 3)
    full = (0, *given) if flat else given
    if role in ("bias", "dbias"):
        full = tuple(s if n > 1 else 0 for s, n in zip(given, shape, strict=True))
        return (*full, 0, 0) if p.bias == "alibi" else full
    return full


def _window(p: FmhaProblem) -> dict[str, int]:
    left, right = (p.window_left, p.window_right) if "window" in p.mask else (-1, 0)
    bounds = (min(bound, UNBOUNDED) if bound >= 0 else UNBOUNDED for bound in (left, right))
    return by_number("window", (*bounds, p.sink_tokens))


def _index(p: FmhaProblem, at: Mapping[str, int]) -> dict[str, int]:
    pages = p.stride("page_table")[0] if p.lookup == "vllm" else 0
    values = (at.get("cu_seqlens_k", 0), at.get("seqlens_k", 0), int("seqlens_k" in at), at.get("page_table", 0),
              pages, at.get("page_indptr", 0), at.get("last_page_lens", 0))  # fmt: skip
    return by_number("index", values)


def _limits(p: FmhaProblem, at: Mapping[str, int]) -> dict[str, int]:
    """What indices in memory may not exceed, see `kernels.place`: rows and keys of all sequences, pages, and entries of
    a list of pages, which may have more or fewer than there are pages."""
    return by_number("limits", (p.total_q, p.total_k, p.num_pages, at.get(LIST_SIZE, p.num_pages)))


def _signed(word: int) -> int:
    return word - 2**32 if word >= 2**31 else word


def shared_values(p: FmhaProblem, at: Mapping[str, int]) -> Arguments:
    """Return the parameters that every attention kernel may take, by path."""
    group = p.heads_q // max(p.heads_kv, 1)
    values: Arguments = {
        **at, **_window(p), **_index(p, at), **_limits(p, at), "heads_q": p.heads_q, "heads_kv": p.heads_kv,
        "group": group, "seqlen_q": p.seqlen_q, "seqlen_k": p.seqlen_k, "scale": p.softmax_scale, "cap": p.soft_cap,
        "keep_factor": 1.0 / (1.0 - p.dropout), "dropout.0": at.get("rng", 0),
        "dropout.1": _signed(threshold(p.dropout)), "scales.0": p.block_q, "scales.1": p.block_k,
        "scales.2": at.get("scale_q", 0), "scales.3": at.get("scale_k", 0), "scales.4": at.get("scale_v", 0),
    }  # fmt: skip
    for role in p.roles:
        if len(p.shape(role)) > 1 and p.dtype_of(role) != "int32":
            values |= by_number(f"{role}_strides", strides_of(p, role))
    return values


def steps(
    spec: KernelSpec, p: FmhaProblem, launch: Launch, addresses: Addresses, space: int = 0, units: int = 0
) -> list[Call]:
    """Return the launches of a problem, in order: which kernel of the artifact, its grid, its parameters.

    The GPU has `units` multiprocessors; 0: those of the first GPU here of that arch, or of its nominal device.
    """
    units = units or units_of(spec.arch)
    values = shared_values(p, addresses)
    room = workspace(p, spec.algorithm, launch)
    at = {name: space + offset for name, offset in room.offsets.items()}
    if p.family == "fwd_appendkv":
        return [_append(p, values)]
    if p.family == "bwd" and spec.algorithm.pipeline == "hopper":
        maps = _tensor_maps(p, values, ("q", "k", "v", "dout", "dk", "dv"), (0, 2, 1, 3))
        if p.bias != "none":
            maps |= _tensor_maps(p, values, ("bias",), (0, 1, 2, 3))
        return hopper_launches(spec.algorithm, p, launch, values, at, maps, units)
    if p.family == "bwd":
        return _backward(spec.algorithm, p, values, at)
    if spec.algorithm.pipeline == "hopper":
        return _hopper_forward(spec, p, {**values, **at}, units)
    return _forward(spec.algorithm, p, launch, values, at)


def _forward(a: TritonFmha, p: FmhaProblem, launch: Launch, values: Arguments, at: Mapping[str, int]) -> list[Call]:
    splits = launch.num_splits if p.family == "fwd_splitkv" else 1
    plain = p.bias == "none" and not p.soft_cap
    rows = all_rows(p)
    values |= {
        "blocks": row_blocks(p, a), "lanes": lanes(p, a), "splits": splits, "partial_rows": rows,
        "scale": p.softmax_scale * (LOG2_E if plain else 1.0),
    }  # fmt: skip
    if a.pipeline == "tma":
        values |= _tensor_maps(p, values, ("k", "v"), (0, 1, 2, 3))
    grid = (values["blocks"] * values["lanes"] * p.batch * splits, 1, 1)
    if splits == 1:
        return [("forward", grid, values)]
    values |= by_number("partial", [at[name] for name in ("partial", "partial_top", "partial_sum")])
    values["chunk"] = launch.blocks[0] if launch.blocks else 0
    each = {**values, "seqlen_q": rows if p.mode == "group" else p.seqlen_q}
    return [("split", grid, values), ("combine", (rows * p.heads_q, 1, 1), each)]


def _hopper_forward(spec: KernelSpec, p: FmhaProblem, values: Arguments, units: int) -> list[Call]:
    """Programs that walk over tiles: as many as there are multiprocessors. Before them, a look at the bias."""
    found: list[Call] = []
    order = tile_order(p, row_blocks(p, spec.algorithm))
    if p.bias != "none":
        key_blocks = ceil_div(p.seqlen_k, spec.algorithm.tile_n)
        values |= {**list_values(p, values["lists"], key_blocks), "blocks": order["blocks"], "key_blocks": key_blocks}
        rows = p.bias_batch * p.bias_heads * order["blocks"]
        found += [("look", (rows * values["key_blocks"], 1, 1), dict(values)), ("list", (rows, 1, 1), dict(values))]
    maps = _tensor_maps(p, values, ("q", "k", "v", "out"), (0, 2, 1, 3))
    if p.bias != "none":
        maps |= _tensor_maps(p, values, ("bias",), (0, 1, 2, 3))
    values |= {**maps, **order, "scale": p.softmax_scale * LOG2_E}
    return [*found, ("forward", (min(order["tiles"], units), 1, 1), values)]


def _tensor_maps(p: FmhaProblem, values: Mapping[str, Any], roles: tuple[str, ...], axes: tuple[int, ...]) -> Arguments:
    """Descriptions of some tensors, their dimensions in the order of `axes`."""
    found: Arguments = {}
    for role in roles:
        full, steps = p.shape(role), strides_of(p, role)
        if p.mode == "group":  # one batch of all sequences
            full = (1, *full)
        shape, given = ([x[i] for i in axes] for x in (full, steps))
        # The copy engine wants aligned strides even if there is nothing to step over.
        strides = [step if n > 1 or i == 3 else NO_STEP for i, (n, step) in enumerate(zip(shape, given, strict=True))]
        found |= map_values(role, {"address": values[role], "shape": shape, "strides": strides})
    return found


def _backward(a: TritonFmha, p: FmhaProblem, values: Arguments, at: Mapping[str, int]) -> list[Call]:
    group, rows = p.mode == "group", all_rows(p)
    delta = (0, rows, 1) if group else (p.heads_q * p.seqlen_q, p.seqlen_q, 1)
    values |= {**at, **by_number("delta_strides", delta)}
    every = p.batch * p.heads_q

    def step(kind: str, block: int, length: int, count: int, **further: Any) -> Call:
        blocks = ceil_div(length, block)
        return kind, (blocks * count, 1, 1), {**values, "blocks": blocks, **further}

    found = [step("dots", 2 * COPY_ROWS, p.seqlen_q, every)]
    if p.bias == "elementwise":
        found.append(step("origins", a.tile_n, p.seqlen_q, every))
        values |= {"lse": at["origin"], **by_number("lse_strides", delta)}
    found += [
        step("key_gradients", a.tile_n, p.seqlen_k, p.batch * p.heads_kv),
        step("query_gradients", a.tile_n, p.seqlen_q, every),
    ]
    if p.dbias:
        sequences = p.batch if p.bias_batch == 1 and not group else 1
        key_blocks = ceil_div(p.seqlen_k, a.tile_n)
        count = p.batch // sequences * p.bias_heads * key_blocks
        further = {"key_blocks": key_blocks, "bias_heads": p.bias_heads, "sequences": sequences}
        found.append(step("bias_gradients", a.tile_m, p.seqlen_q, count, **further))
    return [s for s in found if s[1][0] > 0]


def _append(p: FmhaProblem, values: Arguments) -> Call:
    blocks = ceil_div(p.seqlen_new * p.heads_kv, COPY_ROWS)
    q_blocks = ceil_div(p.seqlen_q * p.heads_q, COPY_ROWS) if p.rope != "none" else 0
    values |= {
        "blocks": blocks, "q_blocks": q_blocks, "half": p.rotary_dim // 2, "step": int(p.mask != "none"),
        "seqlen_new": p.seqlen_new, "table_stride": values["index.4"],
    }  # fmt: skip
    return "append", (2 * blocks + q_blocks, p.batch, 1), values
