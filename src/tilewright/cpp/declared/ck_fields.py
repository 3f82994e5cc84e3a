"""The setters of the CK dispatcher's builders, and the fields of `ck_tile` that they mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...backends.ck_tile.fmha.rules.features import PAGE_TOKENS
from ...backends.ck_tile.fmha.rules.shape import NO_PADS
from ...errors import SpecError, UnknownNameError
from ...model.fields import Fields, shown
from ...ops.conv.layout import CHANNELS_FIRST, CHANNELS_LAST
from ...ops.gemm.epilogue import CK_NAMES, DTensor
from ...ops.gemm.problem import MAX_D, usual_accumulator, usual_out
from .parse import Call

Values = Mapping[str, list[Any]]
AddNote = Callable[[str], None]
SHAPES = ("m", "n", "k")
ANY_INT = -1
CONV_DEPTH = 32  # of a tile that states groups instead of it
DIRECTIONS = {"forward": "forward", "bwd_data": "backward_data", "bwd_weight": "backward_weight"}
MASKS = {
    "no": "none", "none": "none", "no_mask": "none", "top_left": "causal_top_left", "causal": "causal_top_left",
    "bottom_right": "causal_bottom_right", "generic": "window", "window": "window",
}  # fmt: skip
BIASES = {
    "no": "none",
    "none": "none",
    "no_bias": "none",
    "bias": "elementwise",
    "elementwise": "elementwise",
    "alibi": "alibi",
}
V_LAYOUTS = {"r": "row", "row": "row", "c": "col", "col": "col"}
QSCALES = {"no": "none", "none": "none", "no_scale": "none", "pertensor": "pertensor", "blockscale": "blockscale"}
ROPES = {"none": "none", "no": "none", "inter": "interleaved", "half": "half"}
STAGES = {
    "fwd_splitkv_combine": ("fwd_splitkv", "combine"), "fwd_appendkv": ("fwd_appendkv", "append"),
    "bwd_dot_do_o": ("bwd", "dot_do_o"), "bwd_dq_dk_dv": ("bwd", "dq_dk_dv"), "bwd_convert_dq": ("bwd", "convert_dq"),
}  # fmt: skip


@dataclass(frozen=True)
class Words:
    """The words of one op: builders and their setters (signature, algorithm), and functions that translate them."""

    op: str
    builders: tuple[tuple[str, ...], tuple[str, ...]]
    setters: tuple[tuple[str, ...], tuple[str, ...]]
    short: tuple[int, ...]  # how many arguments its short forms have; empty: there are none
    shortened: Callable[[Call, list[Any]], tuple[Fields, Fields]]
    signature: Callable[[Values, AddNote], Fields]
    algorithm: Callable[[Values, Values, AddNote, AddNote], Fields]  # of the algorithm's setters and the signature's
    stage: Callable[[Values], Fields] = lambda values: {}
    unused: tuple[str, ...] = ()  # setters of the signature that no kernel of ck_tile depends on


def _one(values: Values, name: str, default: Any, add_note: AddNote | None = None) -> Any:
    """Return the only value of a setter; the default, which is reported, if it is absent."""
    if name not in values:
        if add_note is not None:
            add_note(f"{name} {default}")
        return default
    if not values[name] and type(default) is bool:
        return True  # a flag without a value
    if len(values[name]) != 1:
        raise SpecError(f"{name} takes one value; it has {len(values[name])}")
    return values[name][0]


def _three(values: Values, name: str, field: str, default: tuple[int, ...] | None, add_note: AddNote) -> Fields:
    """Return three fields of a shape; two values leave the third to the default."""
    given = values.get(name)
    if given is None:
        if default is None:
            raise SpecError(f"{name} is missing", remedy=f"give .{name}(m, n, k)")
        add_note(f"{name} {','.join(map(str, default))}")
        given = list(default)
    if len(given) == 2 and default is not None:
        add_note(f"{name} k = {default[2]}")
        given = [*given, default[2]]
    if len(given) != 3:
        raise SpecError(f"{name} takes three values; it has {len(given)}")
    return {f"{field}_{axis}": _wild(value) for axis, value in zip(SHAPES, given, strict=True)}


def _wild(value: Any) -> Any:
    """Return an integer of a shape; -1 means any, as the original's ANY_INT does."""
    return "*" if value == ANY_INT else value


def _name(table: Mapping[str, str], value: Any, what: str) -> str:
    if value not in table:
        raise UnknownNameError(what, value, table)
    return table[value]


def _dtypes(values: Values, names: tuple[str, str, str], add_note: AddNote) -> dict[str, str]:
    given = values.get("dtype")
    if not given:
        raise SpecError("dtype is missing", remedy='give .dtype("fp16")')
    if len(given) == 1:
        a = b = given[0]
        out, acc = usual_out(a), usual_accumulator(a)
        add_note(f"dtypes {a}, {b}, {out}, accumulated in {acc}")
    elif len(given) in (3, 4):
        a, b, out = given[:3]
        acc = given[3] if len(given) == 4 else usual_accumulator(a)
    else:
        raise SpecError(f"dtype takes 1, 3 or 4 values; it has {len(given)}")
    return {**dict(zip(names, (a, b, out), strict=True)), "dtype_acc": acc}


def _letters(given: list[Any]) -> str:
    words = {"row": "r", "col": "c"}
    if len(given) == 1:
        return str(given[0])
    return "".join(_name(words, word, "layout") for word in given)


def _gemm_signature(values: Values, add_note: AddNote) -> Fields:
    found: Fields = _dtypes(values, ("dtype_a", "dtype_b", "dtype_out"), add_note)
    found["layout"] = _letters(values["layout"]) if "layout" in values else "rcr"
    if "layout" not in values:
        add_note("layout rcr")
    if _one(values, "structured_sparsity", False):
        raise SpecError("structured sparsity has no kernels", remedy="leave structured_sparsity out")
    elementwise = values.get("elementwise", ["PassThrough"])
    count = _one(values, "num_d", elementwise[1] if len(elementwise) > 1 else 0)
    found |= _name_fields(elementwise[0])
    if type(count) is not int or not 0 <= count <= MAX_D:
        raise SpecError(f"num_d is {shown(count)}; it must be a whole number from 0 to {MAX_D}")
    if count:
        found["d"] = tuple(DTensor(found["dtype_out"]) for _ in range(count))
    return found


def _name_fields(name: Any) -> Fields:
    if name not in CK_NAMES:
        raise UnknownNameError("elementwise operation", name, CK_NAMES)
    return dict(CK_NAMES[name])


def _needed(values: Values, name: str) -> Any:
    if name not in values:
        raise SpecError(f"{name} is missing", remedy=f"give .{name}(...)")
    return _one(values, name, None)


def _gemm_algorithm(values: Values, signature: Values, filled: AddNote, unused: AddNote) -> Fields:
    pipeline = _needed(values, "pipeline")
    pads = values.get("pad")
    if pads is None:
        filled("pad false,false,false")
        pads = [False, False, False]
    if len(pads) != len(SHAPES):
        raise SpecError(f"pad takes three values; it has {len(pads)}")
    return {
        **_three(values, "tile", "tile", None, filled),
        **_three(values, "wave", "waves", (2, 2, 1), filled),
        **_three(values, "warp", "warp_tile", (32, 32, 16), filled),
        "pipeline": pipeline,
        "scheduler": _needed(values, "scheduler"),
        "epilogue": _one(values, "epilogue", "cshuffle", filled),
        **{f"pad_{axis}": bool(pad) for axis, pad in zip(SHAPES, pads, strict=True)},
        "double_smem_buffer": pipeline in ("compv4", "preshufflev2", "comp_async"),
    }


def _gemm_short(call: Call, given: list[Any]) -> tuple[Fields, Fields]:
    if len(given) != 5:
        raise call.token.fail('the short form is .add("fp16", "rcr", 256, 256, 64)')
    rest = {"pipeline": ["compv3"], "scheduler": ["intrawave"]}
    return {"dtype": given[:1], "layout": given[1:2]}, {"tile": given[2:], **rest}


def _conv_signature(values: Values, add_note: AddNote) -> Fields:
    dims = _one(values, "dims", 2, add_note)
    layout = _one(values, "layout", "nhwc", add_note)
    last = layout in ("nhwc", "nhwgc", "nwgc", "ndhwgc", "ndhwc", "nwc")
    if not last and layout not in ("nchw", "ngchw", "ncdhw", "ngcdhw", "ncw", "ngcw"):
        raise UnknownNameError("layout", layout, ("nhwc", "nhwgc", "nchw"))
    return {
        "direction": _name(DIRECTIONS, _one(values, "conv_type", "forward", add_note), "conv_type"),
        **_dtypes(values, ("dtype_input", "dtype_weight", "dtype_output"), add_note),
        "layout": (CHANNELS_LAST if last else CHANNELS_FIRST)[dims],
    }


def _conv_tile(values: Values, filled: AddNote) -> Fields:
    """Return the tile. With a first value of 1 it is (groups, m, n), as in the original's default and examples."""
    if "tile" not in values:
        filled("tile 1,128,128")
    given = values.get("tile", [1, 128, 128])
    if len(given) == 3 and given[0] == 1:
        filled(f"tile k = {CONV_DEPTH}")
        given = [*given[1:], CONV_DEPTH]
    return _three({"tile": given}, "tile", "tile", None, filled)


def _conv_algorithm(values: Values, signature: Values, filled: AddNote, unused: AddNote) -> Fields:
    for name in ("epilogue", "memory_op", "num_wave_groups", "padding", "tile_output"):
        if name in values:
            unused(f"{name} {','.join(map(str, values[name]))}: kernels of ck_tile have no such field")
    vectors = values.get("vector_sizes")
    if vectors is None:
        filled("vector_sizes 4,8,8")
        vectors = [4, 8, 8]
    pipeline = _one(values, "pipeline", "compv4", filled)
    return {
        **_conv_tile(values, filled),
        **_three(values, "wave", "waves", (2, 2, 1), filled),
        **_three(values, "warp", "warp_tile", (32, 32, 16), filled),
        **dict(zip(("vector_a", "vector_b", "vector_c"), vectors, strict=True)),
        "pipeline": pipeline,
        "scheduler": _one(values, "scheduler", "intrawave", filled),
        "double_smem_buffer": bool(_one(values, "double_smem_buffer", pipeline == "compv4")),
        "groups_to_merge": _one(values, "num_groups_to_merge", 1),
        "block_per_cu": _one(values, "block_per_cu", 1),
    }


def _conv_specialization(values: Values) -> Fields:
    name = "spec" if "spec" in values else "specialization"
    return {"specialization": _one(values, name, "default")}


def _conv_short(call: Call, given: list[Any]) -> tuple[Fields, Fields]:
    if len(given) not in (5, 6):
        raise call.token.fail('the short form is .add("fp16", "nhwc", "forward", 128, 128), or with 32 after it')
    signature = {"dtype": given[:1], "layout": given[1:2], "conv_type": given[2:3]}
    if len(given) == 5:
        return signature, {"tile": [1, *given[3:]]}
    return signature, {"tile": given[3:], "pipeline": ["compv3"]}


def _fmha_signature(values: Values, add_note: AddNote) -> Fields:
    family = _one(values, "family", "fwd", add_note)
    dtype, hdim = _one(values, "dtype", "fp16", add_note), values.get("hdim", [])
    if not hdim:
        add_note("hdim 128")
        hdim = [128]
    kv = values.get("kv_cache", [])
    paged = bool(_one(values, "paged_kv", bool(kv)))
    lookup, page_size = (kv[1] if paged and len(kv) > 1 else "none"), 0
    if paged and kv:
        page_size = kv[2] if len(kv) > 2 else 1
    if family != "batch_prefill" and page_size and (lookup == "sglang" or page_size % PAGE_TOKENS):
        add_note(f"pages of {PAGE_TOKENS}, lookup vllm: {family} of CK reads only a block table of such pages")
        lookup, page_size = "vllm", PAGE_TOKENS
    return {
        "family": STAGES.get(family, (family, ""))[0],
        "dtype": dtype,
        "dtype_out": "bf16" if dtype in ("fp8", "bf8", "fp8_fnuz", "bf8_fnuz") else dtype,
        "hdim_q": hdim[0],
        "hdim_v": hdim[-1],
        "mode": _one(values, "mode", "batch", add_note),
        "v_layout": _name(V_LAYOUTS, _one(values, "vlayout", "r"), "vlayout"),
        "mask": _name(MASKS, _one(values, "mask", "no"), "mask"),
        "bias": _name(BIASES, _one(values, "bias", "no"), "bias"),
        "rope": _name(ROPES, _one(values, "rope", "none"), "rope"),
        "lse": bool(_one(values, "lse", str(family).startswith("bwd"))),
        "dropout": "ck" if _one(values, "dropout", False) else "none",
        "qscale": _name(QSCALES, _one(values, "qscale", "no"), "qscale"),
        "soft_cap": bool(_one(values, "logits", False)),
        "sink": bool(_one(values, "sink", False)),
        "dbias": bool(_one(values, "dbias", False)),
        "deterministic": bool(_one(values, "deterministic", False)),
        "lookup": lookup,
        "page_size": page_size,
    }


def _fmha_algorithm(values: Values, signature: Values, filled: AddNote, unused: AddNote) -> Fields:
    stage = _fmha_stage(signature).get("stage", "attend")
    given = _fmha_shapes(values)
    found: Fields = {"pipeline": _one(values, "pipeline", "bwd" if stage == "dq_dk_dv" else "qr", filled)}
    for name, value in given.items():
        part, _, axis = name.partition("_")
        if part == "tile":
            found[name] = value
        elif part == "wave" and axis[0] == "k":
            if value != 1:
                unused(f"{name} {value}: waves of ck_tile share rows and columns only")
        elif axis[1] != "2":
            found[f"{'waves' if part == 'wave' else 'warp'}{axis[1]}_{axis[0]}"] = value
        elif stage == "dq_dk_dv" and part == "wave":
            found[f"waves2_{axis[0]}"] = value
    for name, field in FMHA_NUMBERS.items():
        if name in values:
            found[field] = _one(values, name, 0)
    for name in FMHA_IGNORED:
        if name in values:
            unused(f"{name} {','.join(map(str, values[name]))}: {FMHA_IGNORED[name]}")
    pads = values.get("padding", [True] * 4)
    if "padding" not in values:
        filled("padding true,true,true,true")
    found |= {name: bool(pad) for name, pad in zip(("pad_s", "pad_sk", "pad_d", "pad_dv"), pads, strict=True)}
    hdim = signature.get("hdim", [128])
    return _of_stage(_own_tile(found, stage, hdim[0], hdim[-1]), stage, unused)


def _own_tile(found: Fields, stage: str, hdim_q: int, hdim_v: int) -> Fields:
    """Return the fields with the tile of a stage by our names: the original uses the six of a forward pass for all.

    There, appending has the width of Q in k0; the main backward kernel has the depth of its second product in n1, that
    of its last one in k0max, and the widths of the heads nowhere. Zeros are what a stage does not have.
    """
    if stage == "append" and not found.get("tile_k0max"):
        return {**found, "tile_k0max": found.get("tile_k0", hdim_q)}
    if stage == "dq_dk_dv" and found.get("tile_k0max", hdim_q) < hdim_q:
        depths = {"tile_k1": found.get("tile_n1", 0), "tile_k4": found["tile_k0max"]}
        return {**found, **depths, "tile_k0max": hdim_q, "tile_n1": hdim_v}
    if stage in ("dot_do_o", "convert_dq"):
        own = {"tile_n1": hdim_v, "tile_k0max": hdim_q}
        return {**found, **{name: width for name, width in own.items() if not found.get(name)}}
    return found


def _fmha_shapes(values: Values) -> Fields:
    """Return the tile, the waves and the warp tiles by the names of their single setters; a later setter wins."""
    found: Fields = {}
    for name, given in values.items():
        if name in FMHA_BULK:
            names = FMHA_BULK[name]
            if len(given) > len(names) or (name == "tile" and len(given) != len(names)):
                raise SpecError(f"{name} takes {len(names)} values; it has {len(given)}")
            found |= dict(zip(names, given, strict=False))
        elif name in _FMHA_TILES:
            found[name] = _one(values, name, 0)
    return found


def _of_stage(found: Fields, stage: str, unused: AddNote) -> Fields:
    """Return the fields that a stage has: the original's builders have all of them for every stage."""
    if stage != "combine" and found.pop("log_max_splits", 0):
        unused("max_splits_log2: a field of the kernel that combines the splits")
    found |= dict.fromkeys(NO_PADS.get(stage, ()), False)
    kept = STAGE_FIELDS.get(stage)
    if kept is None:
        return found
    dropped = [name for name in found if name not in (*kept, *PADS)]
    if dropped:
        unused(f"{', '.join(dropped)}: {stage} has no such field")
    rest = {name: 0 for name in SHAPE_FIELDS if name not in kept}
    pipeline = {"pipeline": "appendkv" if stage == "append" else "none"}
    return {**{name: value for name, value in found.items() if name in (*kept, *PADS)}, **rest, **pipeline}


def _fmha_short(call: Call, given: list[Any]) -> tuple[Fields, Fields]:
    raise call.token.fail("attention has no short form", "write .add(FmhaSignature(), FmhaAlgorithm(), arch)")


def _fmha_stage(values: Values) -> Fields:
    stage = STAGES.get(_one(values, "family", "fwd"), ("", ""))[1]
    return {"stage": stage} if stage else {}


_CONV_UNUSED = ("groups", "workspace_dtype", "bias_dtype", "dtype_workspace", "dtype_bias")
_FMHA_UNUSED = ("store_randval", "skip_min_seqlen_q", "skip", "fp8_static_quant", "receipt", "profile")
_TILES = ("tile", "wave", "warp", "pipeline", "scheduler", "epilogue")
_FMHA_TILES = (
    *(f"tile_{name}" for name in ("m0", "n0", "k0", "n1", "k1", "k0max")),
    *(f"{part}_{axis}{i}" for part in ("wave", "warp") for i in "012" for axis in "mnk"),
)
FMHA_BULK = {
    "tile": _FMHA_TILES[:6],
    **{part: tuple(f"{part}_{axis}{i}" for i in "012" for axis in "mnk") for part in ("wave", "warp")},
}
FMHA_NUMBERS = {"block_per_cu": "block_per_cu", "max_splits_log2": "log_max_splits", "max_seq_len_q": "max_seqlen_q"}
FMHA_IGNORED = {
    "alignments": "kernels of ck_tile take every width that their padding allows",
    "num_wave_groups": "attention of ck_tile has one group of waves",
    "selection_rank": "the cost model ranks kernels",
    "constraint": "rules say what a kernel takes",
    "trload": "the pipelines with trload in their name have it",
}
PADS = ("pad_s", "pad_sk", "pad_d", "pad_dv")
STAGE_FIELDS = {
    "combine": ("tile_m0", "tile_n1", "tile_k0max", "log_max_splits"),
    "append": ("tile_m0", "tile_n0", "tile_n1", "tile_k0max"),
    "dot_do_o": ("tile_m0", "tile_n1"),
    "convert_dq": ("tile_m0", "tile_k0max"),
}
SHAPE_FIELDS = (
    *_FMHA_TILES[:6],
    *(
        f"{part}{i}_{axis}"
        for part in ("waves", "warp")
        for i in "01"
        for axis in "mnk"
        if (part, axis) != ("waves", "k")
    ),
)
GEMM = Words(
    "gemm", (("Signature", "GemmSignature"), ("Algorithm", "GemmAlgorithm")),
    (("dtype", "layout", "elementwise", "num_d", "structured_sparsity"), (*_TILES, "pad")),
    (5,), _gemm_short, _gemm_signature, _gemm_algorithm,
)  # fmt: skip
CONV = Words(
    "conv", (("GroupedConvSignature", "ConvSignature", "GroupedConvSig", "ConvSig"),
             ("GroupedConvAlgorithm", "ConvAlgorithm", "GroupedConvAlgo", "ConvAlgo")),
    (("dtype", "layout", "conv_type", "dims", "specialization", "spec", *_CONV_UNUSED),
     (*_TILES, "tile_output", "vector_sizes", "memory_op", "block_per_cu", "num_wave_groups", "num_groups_to_merge",
      "double_smem_buffer", "padding")),
    (5, 6), _conv_short, _conv_signature, _conv_algorithm, _conv_specialization, _CONV_UNUSED,
)  # fmt: skip
FMHA = Words(
    "fmha", (("FmhaSignature",), ("FmhaAlgorithm",)),
    (("family", "dtype", "mode", "vlayout", "hdim", "mask", "bias", "lse", "dropout", "qscale", "rope", "logits",
      "paged_kv", "kv_cache", "sink", "dbias", "deterministic", *_FMHA_UNUSED),
     (*FMHA_BULK, *_FMHA_TILES, *FMHA_NUMBERS, *FMHA_IGNORED, "pipeline", "padding")),
    (), _fmha_short, _fmha_signature, _fmha_algorithm, _fmha_stage, _FMHA_UNUSED,
)  # fmt: skip
