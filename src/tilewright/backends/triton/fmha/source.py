"""What is compiled for an attention: functions, argument types and constants. Imports triton."""

from __future__ import annotations

from typing import Any

from ....arch import get_arch
from ....model.arch import NvidiaArch
from ....model.dtype import get_dtype
from ....model.kernel import KernelSpec
from ....ops.fmha.signature import EIGHT_BIT
from ..source import Source, descriptor, finish, leave_out, precision, set_to_one, triton_types
from ..target import TRITON_DTYPE
from .algorithm import COPY_ROWS, backward_columns, padded, second_operand
from .hopper_backward import SINK_BLOCK, convert_keys_source, convert_source, gradients_source, has_sink_rows
from .hopper_forward import forward_source
from .kernels.config import FmhaConfig

ROWS = ("i64", "i64", "i64", "i64")
TRIPLE = ("i64", "i64", "i64")
INDEX = ("*i32", "*i32", "i32", "*i32", "i64", "*i32", "*i32")
FLOATS = ("delta", "lse", "origin", "factor", "stats", "dq_sum", "key_sums", "sink_sums")
MEMORY = ("q", "k", "v", "out", "dout", "dq", "dk", "dv", "k_new", "v_new")


def job_source(what: dict[str, Any], spec: KernelSpec) -> Source:
    """Return the source of one compile job of a spec."""
    return _MAKERS[what["kind"]](spec)


def config_of(spec: KernelSpec, **changes: Any) -> FmhaConfig:
    """Return the constants of a spec's kernels."""
    s, a = spec.signature, spec.algorithm
    window = "window" in s.mask
    operand = second_operand(s.dtype)
    types = triton_types((operand, s.dtype_out))
    fields: dict[str, Any] = {
        "bm": a.tile_m, "bn": a.tile_n, "hdim_q": s.hdim_q, "hdim_v": s.hdim_v, "dq": padded(s.hdim_q),
        "dv": padded(s.hdim_v), "varlen": s.mode == "group", "lookup": s.lookup, "page_size": s.page_size,
        "pack": a.pack, "split": False, "left": window, "right": s.mask != "none",
        "top_left": s.mask.endswith("top_left"), "sink": s.sink, "bias": s.bias, "soft_cap": s.soft_cap,
        "dropout": s.dropout != "none", "lse": s.lse, "qscale": s.qscale,
        "plain": s.bias == "none" and not s.soft_cap, "precision": precision(a.precision, s.dtype),
        "operand": types[operand], "out": types[s.dtype_out], "rope": s.rope, "tma": a.pipeline == "tma",
        "pdl": s.family == "fwd_splitkv" and has_tma(spec.arch),
    }  # fmt: skip
    return FmhaConfig(**{**fields, **changes})


def _given(spec: KernelSpec, function: Any) -> dict[str, Any]:
    """Return the types of the arguments that the kernels share."""
    s = spec.signature
    element, out = "*" + TRITON_DTYPE[s.dtype], "*" + TRITON_DTYPE[s.dtype_out]
    bias = "*fp32" if s.bias == "alibi" or s.dtype in EIGHT_BIT else element
    turned = s.family != "fwd_appendkv" or s.rope != "none"
    there = {
        **dict.fromkeys(("q", "q_strides", "out", "out_strides"), turned),
        "lse": s.lse, "bias": s.bias != "none", "bias_strides": s.bias != "none", "lse_strides": s.lse,
        "factor": s.bias == "elementwise",
        "dropout": s.dropout != "none", "scales": s.qscale != "none", "cu_seqlens_q": s.mode == "group",
        "cos": s.rope != "none", "sin": s.rope != "none", "page_table": s.lookup != "none",
        "page_indptr": s.lookup == "sglang", "limits": s.mode == "group" or s.lookup != "none",
    }  # fmt: skip
    table: dict[str, Any] = dict.fromkeys((*MEMORY, "dbias", "cos", "sin"), element)
    table |= {"out": out, "bias": bias, **dict.fromkeys(FLOATS, "*fp32")}
    table |= {f"{name}_strides": ROWS for name in (*MEMORY, "bias", "dbias")}
    table |= {"lse_strides": TRIPLE, "delta_strides": TRIPLE, "index": INDEX, "partial": ("*fp32", "*fp32", "*fp32")}
    table |= {"dropout": ("*i32", "i32"), "scales": ("i32", "i32", "*fp32", "*fp32", "*fp32")}
    table |= {"window": ("i32", "i32", "i32"), "limits": ("i32", "i32", "i32", "i32")}
    table |= {"scale": "fp32", "cap": "fp32", "keep_factor": "fp32"}
    table |= dict.fromkeys(("cu_seqlens_q", "seqlens_k", "page_table", "page_indptr", "block_list", "turns"), "*i32")
    table["table_stride"] = "i64"
    names = [n for n in function.arg_names if n != "C" and there.get(n, True)]
    return {n: table.get(n, "i32") for n in names}


def has_tma(arch: str) -> bool:
    """Return whether an arch has the copy engine of Hopper; launches that overlap came with it."""
    found = get_arch(arch)
    return isinstance(found, NvidiaArch) and found.tma is not None


def _source(spec: KernelSpec, function: Any, config: FmhaConfig, warps: int = 0, stages: int = 0) -> Source:
    """Return a source whose row strides end in 1, with alignment if the algorithm promises it."""
    s, a = spec.signature, spec.algorithm
    names = function.arg_names
    hints: dict[tuple[int, ...], int] = {}
    given = _given(spec, function)
    elements = int(16 // get_dtype(s.dtype).bytes)
    options = {"num_warps": warps or a.warps, "num_stages": stages or a.stages}
    source = finish(function, given, config, hints, **options)
    for name in given:
        tensor = name.removesuffix("_strides")
        if tensor not in MEMORY:
            continue
        at = names.index(name)
        if name == tensor:
            hints.update({(at,): 16} if a.aligned else {})
            continue
        unit = 1 if tensor == "v" and s.v_layout == "col" else 3
        set_to_one(source, [(at, unit)])
        if a.aligned:
            step = int(16 // get_dtype(s.dtype_out).bytes) if tensor == "out" else elements
            hints.update({(at, i): step for i in range(4) if i != unit})
    return source


def _forward(spec: KernelSpec, split: bool) -> Source:
    if spec.algorithm.pipeline == "hopper":
        return forward_source(spec)
    from .kernels.forward import attention_forward

    source = _source(spec, attention_forward, config_of(spec, split=split))
    if spec.algorithm.pipeline == "tma":
        _describe(source, spec)
    for name in ("out", "out_strides", "lse", "lse_strides") if split else ("partial", "chunk"):
        leave_out(source, name)
    if split:
        source.options["launch_pdl"] = has_tma(spec.arch)
    return source


def _describe(source: Source, spec: KernelSpec) -> None:
    """Keys and values as tensor maps instead of pointers with strides."""
    s, names = spec.signature, source.function.arg_names
    for name, hdim in (("k", s.hdim_q), ("v", s.hdim_v)):
        source.signature[name] = descriptor(s.dtype, (1, spec.algorithm.tile_n, 1, padded(hdim)))
        source.hints.pop((names.index(name),), None)
        leave_out(source, f"{name}_strides")


def _combine(spec: KernelSpec) -> Source:
    from .kernels.forward import combine_splits

    config = config_of(spec, split=True)
    source = _source(spec, combine_splits, config, warps=4 if spec.signature.hdim_v > 128 else 2)
    source.options["launch_pdl"] = config.pdl
    return source


def _dots(spec: KernelSpec) -> Source:
    from .kernels.backward import row_dots

    return _source(spec, row_dots, config_of(spec, bm=COPY_ROWS * 2), warps=4)


def _origins(spec: KernelSpec) -> Source:
    from .kernels.backward import row_origins

    a = spec.algorithm
    return _source(spec, row_origins, config_of(spec, bm=a.tile_n, bn=a.tile_m))


def _key_gradients(spec: KernelSpec) -> Source:
    from .kernels.backward import key_gradients

    return _source(spec, key_gradients, config_of(spec))


def _query_gradients(spec: KernelSpec) -> Source:
    from .kernels.backward import query_gradients

    a = spec.algorithm
    return _source(spec, query_gradients, config_of(spec, bm=a.tile_n, bn=a.tile_m))


def _bias_gradients(spec: KernelSpec) -> Source:
    from .kernels.backward import bias_gradients

    return _source(spec, bias_gradients, config_of(spec), stages=1)


def _prepare(spec: KernelSpec) -> Source:
    from .kernels.backward import prepare_rows

    source = _source(spec, prepare_rows, config_of(spec, dq=backward_columns(spec.signature.hdim_q)), warps=4)
    s = spec.signature
    sums = spec.algorithm.share or has_sink_rows(s)
    given = {"keep_factor": s.dropout != "none", "turns": s.deterministic, "key_sums": sums, "zeros": sums}
    for name in (n for n, there in given.items() if not there):
        leave_out(source, name)
    aligned = ("stats", "dq_sum", *(("key_sums",) if sums else ()))
    source.hints.update({(prepare_rows.arg_names.index(n),): 16 for n in aligned})
    return source


def _sinks(spec: KernelSpec) -> Source:
    from .kernels.backward import sink_gradients

    columns = backward_columns(spec.signature.hdim_q)
    config = config_of(spec, bn=SINK_BLOCK, dq=columns, dv=columns)
    # So two programs of up to 128 columns share a multiprocessor.
    source = _source(spec, sink_gradients, config, warps=4 if columns == 128 else 8, stages=2 if columns == 256 else 1)
    source.hints.update({(sink_gradients.arg_names.index(n),): 16 for n in ("stats", "dq_sum", "sink_sums")})
    return source


def _append(spec: KernelSpec) -> Source:
    from .kernels.append import append_rows

    return _source(spec, append_rows, config_of(spec, bm=COPY_ROWS), warps=4)


def _look(spec: KernelSpec) -> Source:
    from .kernels.bias_blocks import look_at_bias

    source = _source(spec, look_at_bias, config_of(spec, by_keys=spec.signature.family == "bwd"), warps=4)
    at, strides = (look_at_bias.arg_names.index(n) for n in ("bias", "bias_strides"))
    set_to_one(source, [(strides, 3)])
    source.hints.update({(at,): 16, **{(strides, i): 8 for i in range(3)}})  # triton.fmha.forward_bias
    return source


def _list(spec: KernelSpec) -> Source:
    from .kernels.bias_blocks import list_blocks

    return _source(spec, list_blocks, config_of(spec, by_keys=spec.signature.family == "bwd"), warps=1)


_MAKERS = {
    "forward": lambda spec: _forward(spec, split=False),
    "split": lambda spec: _forward(spec, split=True),
    "combine": _combine,
    "dots": _dots,
    "origins": _origins,
    "key_gradients": _key_gradients,
    "query_gradients": _query_gradients,
    "bias_gradients": _bias_gradients,
    "append": _append,
    "sinks": _sinks,
    "look": _look,
    "list": _list,
    "hopper_gradients": gradients_source,
    "prepare": _prepare,
    "convert": convert_source,
    "convert_keys": convert_keys_source,
}
