"""The factors of attention, from the names and rules that the op declares."""

from __future__ import annotations

from typing import Any

from contract_gemm import first
from contract_space import NOT_CHOSEN, Choice, Factor, Space

from tilewright.ops.fmha.problem import FmhaProblem, with_defaults
from tilewright.ops.fmha.rules import FLAGS, NAMES
from tilewright.ops.fmha.signature import EIGHT_BIT

HIDING = ("hide_leading", "hide_trailing", "hide_all", "hide_alternating", "hide_rows", "lowest")
RAGGED = ("empty_sequences",)
ENUMS = {"family": "fwd", "mode": "batch", "layout": "bshd", "v_layout": "row", "mask": "none", "bias": "none",
         "dropout_rng": "philox", "qscale": "none", "rope": "none", "lookup": "none", "dtype": "fp16",
         "dtype_out": "fp16"}  # fmt: skip
FACTORS = (
    *(Factor(name, first(ENUMS.get(name, values[0]), values)) for name, values in NAMES.items()),
    *(Factor(name, (False, True)) for name in FLAGS),
    Factor("batch", (2, 0, 1, 3), weak=(0,)),
    Factor("heads_q", (4, 1, 6)),
    Factor("heads_kv", ("same", "one", "half")),
    Factor("seqlen_q", (33, 0, 1, 70, 129), weak=(0,)),
    Factor("seqlen_k", (70, 0, 1, 33, 130, 200), weak=(0,)),
    Factor("hdim_q", (64, 8, 32, 40, 128, 256)),
    Factor("hdim_v", ("same", 8, 32, 40, 64, 128, 256)),
    Factor("total_q", ("usual", "ragged")),
    Factor("total_k", ("usual", "ragged")),
    Factor("scale", (None, 0.31, 1.0)),
    Factor("window_left", (-1, 0, 5, 66)),
    Factor("window_right", (-1, 0, 3)),
    Factor("sink_tokens", (0, 2)),
    Factor("bias_batch", ("one", "all")),
    Factor("bias_heads", ("one", "all")),
    Factor("soft_cap", (0.0, 2.5)),
    Factor("dropout", (0.0, 0.3)),
    Factor("block_q", (0, 32, 128)),
    Factor("block_k", (0, 32, 128)),
    Factor("rotary_dim", (0, 8, "hdim")),
    Factor("seqlen_new", (0, 1, 5)),
    Factor("page_size", (0, 16, 64, 12, 128, 1)),
    Factor("num_pages", ("usual", "spare")),
    Factor("num_splits", (None, 1, 3)),
    Factor("strides", ("dense", "padded", "odd", "reversed", "expanded_bias")),
    Factor("alignment", ("whole", "element")),
    Factor(
        "data", ("normal", "positive", "tiny", "huge", "zeros", "nan", *HIDING, *RAGGED, "shared_pages"), of=(),
        weak=("zeros", "nan", "hide_all"),
    ),
)  # fmt: skip


def to_dict(choice: Choice) -> dict[str, Any]:
    """Return the JSON form of the problem."""
    heads = choice["heads_q"]
    by_name = {
        "heads_kv": {"same": heads, "one": 1, "half": max(heads // 2, 1)}[choice["heads_kv"]],
        "hdim_v": choice["hdim_q"] if choice["hdim_v"] == "same" else choice["hdim_v"],
        "bias_batch": choice["batch"] if choice["bias_batch"] == "all" else 1,
        "bias_heads": heads if choice["bias_heads"] == "all" else 1,
        "rotary_dim": choice["hdim_q"] if choice["rotary_dim"] == "hdim" else choice["rotary_dim"],
    }
    derived = ("total_q", "total_k", "num_pages", "strides", "alignment", "data")
    found = {"op": "fmha", **{f.name: choice[f.name] for f in FACTORS if f.name not in derived}, **by_name}
    if choice["mode"] == "group":
        for name, longest in (("total_q", found["seqlen_q"]), ("total_k", found["seqlen_k"])):
            if choice[name] == "ragged" and not (name == "total_k" and found["page_size"]):
                found[name] = max(longest if found["batch"] else 0, found["batch"] * longest * 2 // 3)
    if choice["num_pages"] == "spare" and found["page_size"]:
        found["num_pages"] = found["batch"] * -(-found["seqlen_k"] // found["page_size"]) + 3
    if choice["strides"] != "dense":
        found["strides"] = strides(choice, found)
    return found


def strides(choice: Choice, found: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """Return the strides of rows that are longer in memory, of reversed rows, or of a bias that all rows share."""
    plain = FmhaProblem(**with_defaults(found))
    kind, made = choice["strides"], {}
    if kind == "expanded_bias":
        if "bias" not in plain.roles or plain.bias != "elementwise":
            return {}
        steps = list(plain.stride("bias"))
        return {"bias": (*steps[:-2], 0, steps[-1])}
    for role in (r for r in ("q", "k", "v", "out", "dout", "dq", "dk", "dv") if r in plain.roles):
        steps = list(plain.stride(role))
        if kind == "reversed":
            if role == "q":
                steps[-3] = -steps[-3]
        else:
            more = 8 if kind == "padded" else 1
            row = max(min(abs(s) for s in steps if s != 1) if any(s != 1 for s in steps) else 1, 1)
            steps = [s if s == 1 else s // row * (row + more) for s in steps]
        made[role] = tuple(steps)
    return made


def refused(choice: Choice, problem: Any) -> str | None:
    """Return why the choice says nothing new or has no defined answer."""
    p, data = problem, choice["data"]
    if (data in HIDING or choice["strides"] == "expanded_bias") and p.bias != "elementwise":
        return "contract: data that hides keys needs an elementwise bias"
    lengths = p.mode == "group" or p.kv_lengths or p.page_size
    if data in RAGGED and not (lengths and p.family != "fwd_appendkv"):
        return "contract: empty sequences need lengths"
    if data == "shared_pages" and not (p.page_size and p.family != "fwd_appendkv"):
        return "contract: shared pages need pages that nobody writes"
    if p.mode != "group" and "ragged" in (choice["total_q"], choice["total_k"]):
        return "contract: ragged totals need group mode"
    if p.mode == "group" and p.page_size and choice["total_k"] == "ragged":
        return "contract: total_k does not exist with pages"
    if not p.page_size and choice["num_pages"] != "usual":
        return "contract: num_pages needs pages"
    if p.bias == "none" and "all" in (choice["bias_batch"], choice["bias_heads"]):
        return "contract: the extents of a bias need a bias"
    if p.dropout == 0 and choice["dropout_rng"] != "philox":
        return "contract: dropout_rng needs dropout"
    if data == "nan" and p.family in ("bwd", "fwd_appendkv"):
        return "contract: the reference spreads NaN over all keys of a head"
    if p.family == "fwd_appendkv" and (choice["scale"] is not None or p.num_splits):
        return "contract: appending computes no attention"
    return None


def _stems() -> list[dict[str, Any]]:
    families: list[dict[str, Any]] = [
        {"family": "fwd"},
        {"family": "fwd_splitkv"},
        {"family": "fwd_pagedkv", "page_size": 16, "lookup": "vllm"},
        {"family": "fwd_appendkv", "seqlen_new": 5, "seqlen_q": 1},
        {"family": "batch_prefill", "mode": "group", "page_size": 16, "lookup": "sglang"},
        {"family": "bwd", "lse": True},
    ]
    extras: list[dict[str, Any]] = [
        {}, {"mask": "window", "window_left": 5}, {"bias": "elementwise"}, {"bias": "alibi"}, {"mode": "group"},
        {"page_size": 16, "lookup": "vllm"}, {"page_size": 16, "lookup": "sglang"}, {"dropout": 0.3},
        {"page_size": 128, "lookup": "vllm"}, {"page_size": 1, "lookup": "sglang"},
        {"rope": "half", "rotary_dim": 8}, {"mask": "window_top_left", "window_left": 66, "window_right": 3},
        {"bias": "elementwise", "dbias": True}, {"kv_lengths": True}, {"mask": "window", "window_right": 3},
        {"rope": "interleaved", "rotary_dim": 8, "page_size": 16, "lookup": "vllm"},
    ]  # fmt: skip
    found = [{**f, **e} for f in families for e in extras]
    eight = [{"dtype": d, "dtype_out": o} for d in EIGHT_BIT for o in ("bf16", d)]
    found += [{**f, **e} for f in families[:5] for e in eight]
    scaled = [{"qscale": "pertensor"}, {"qscale": "blockscale", "block_q": 32, "block_k": 32},
              {"qscale": "blockscale", "block_q": 128, "block_k": 128}]  # fmt: skip
    found += [{**f, "dtype": "fp8", "dtype_out": "bf16", **s} for f in families[:5] for s in scaled]
    found += [{**f, "dtype": d, "dtype_out": d} for f in families for d in ("fp32", "bf16")]
    return found


def _together() -> list[dict[str, tuple[Any, ...]]]:
    """Return, for each family, what makes sequences or rows differ: slopes, rows of a bias, lengths, lists of pages."""
    several = {"batch": (2, 3), "seqlen_q": (33, 70, 129), "seqlen_k": (70, 33, 130, 200)}
    kinds: list[dict[str, tuple[Any, ...]]] = [
        {"bias": ("alibi",), "bias_batch": ("all",), "heads_q": (4, 6)},
        {"bias": ("elementwise",), "strides": ("dense", "padded", "odd"), "data": ("normal", "positive")},
        {"mode": ("group",), "total_q": ("ragged",)},
        {"mode": ("group",), "total_k": ("ragged",)},
        {"mode": ("group",), "page_size": (16, 64, 12, 128), "lookup": ("sglang",)},
        {"mode": ("group",), "page_size": (16, 128, 64, 12), "lookup": ("vllm",)},
    ]
    return [{"family": (f,), **several, **kind} for f in NAMES["family"] for kind in kinds]


SPACE = Space(
    "fmha", FmhaProblem, FACTORS, to_dict, refused, tuple(_stems()),
    NOT_CHOSEN, tuple(_together()),
)  # fmt: skip
