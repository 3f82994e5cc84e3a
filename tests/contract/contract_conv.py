"""The factors of a convolution. Channels are given for each group; sizes are the same along every dimension."""

from __future__ import annotations

from typing import Any

from contract_gemm import NO_INFINITY, UNDEFINED_AT_INFINITY, first
from contract_space import Choice, Factor, Space

from tilewright.model.dtype import DTYPES, get_dtype
from tilewright.ops.conv.layout import CONV_LAYOUTS, dense_strides, dims_of, memory_order
from tilewright.ops.conv.problem import ConvProblem
from tilewright.ops.conv.signature import DIRECTIONS, RESULT
from tilewright.ops.gemm.epilogue import ACTIVATIONS, BROADCASTS, COMBINES

FILTERS = {"one": (1, 1, 1), "three": (3, 3, 3), "flat": (1, 1, 3), "large": (5, 2, 5)}
PADS = {"none": (0, 0), "one": (1, 1), "uneven": (2, 0)}
FACTORS = (
    Factor("direction", DIRECTIONS),
    *(Factor(name, first("fp16", DTYPES)) for name in ("dtype_input", "dtype_weight", "dtype_output")),
    Factor("dtype_acc", first("fp32", DTYPES)),
    Factor("layout", first("nhwgc", CONV_LAYOUTS)),
    Factor("n", (2, 1, 5)),
    Factor("g", (1, 2, 3, 16)),
    Factor("c", (16, 1, 3, 8, 40)),
    Factor("k", (16, 1, 2, 8, 72)),
    Factor("input", (9, 1, 6, 18)),
    Factor("filter", tuple(first("three", FILTERS))),
    Factor("stride", (1, 2, 3)),
    Factor("dilation", (1, 2)),
    Factor("pad", tuple(first("one", PADS))),
    Factor("combine", COMBINES, of=("epilogue.combine",)),
    Factor("activation", ACTIVATIONS, of=("epilogue.activation",)),
    Factor("alpha", (1.0, -0.75), of=("epilogue.alpha",)),
    Factor("beta", (1.0, 0.5), of=("epilogue.beta",)),
    Factor("d", ("none", *(f"one_{b}" for b in BROADCASTS), "two"), of=("d.broadcast",)),
    Factor("d_dtype", ("result", *DTYPES), of=("d.dtype",)),
    Factor("split_k", (None, 1, 3)),
    Factor("strides", ("dense", "padded", "odd", "slice", "reversed")),
    Factor("alignment", ("whole", "element")),
    Factor("data", ("normal", "positive", "tiny", "huge", "zeros", "inf", "nan"), of=(), weak=("zeros", "inf", "nan")),
)


def to_dict(choice: Choice) -> dict[str, Any]:
    """Return the JSON form of the problem."""
    dims, g = dims_of(choice["layout"]), choice["g"]
    result = choice[f"dtype_{RESULT[choice['direction']]}"]
    kinds = {"none": (), "two": ("row", "none")}.get(choice["d"], (choice["d"][4:],))
    d = [{"dtype": result if choice["d_dtype"] == "result" else choice["d_dtype"], "broadcast": b} for b in kinds]
    names = ("direction", "dtype_input", "dtype_weight", "dtype_output", "dtype_acc", "layout", "n", "g", "split_k")
    found = {"op": "grouped_conv", **{name: choice[name] for name in names}, "d": d}
    found |= {"c": g * choice["c"], "k": g * choice["k"], "input": [choice["input"] + i for i in range(dims)]}
    found |= {"filter": list(FILTERS[choice["filter"]][-dims:]), "pad": [list(PADS[choice["pad"]])] * dims}
    found |= {"stride": [choice["stride"]] * dims, "dilation": [choice["dilation"]] * dims}
    found["epilogue"] = {name: choice[name] for name in ("combine", "activation", "alpha", "beta")}
    found["strides"] = strides(choice, found)
    return found


def strides(choice: Choice, found: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """Return the strides of the images that are not dense: more channels or columns in memory than are used."""
    kind, layout = choice["strides"], choice["layout"]
    if kind == "dense":
        return {}
    plain = ConvProblem.from_dict({**{n: v for n, v in found.items() if n != "op"}, "strides": {}})
    more = {"padded": 8, "odd": 1, "slice": choice["c"] * choice["g"]}.get(kind, 0)
    made = {}
    for role in ("input", "output"):
        order, extents = memory_order(layout, role), list(plain.extents(role))
        last = order[-1] if kind != "slice" else 2
        padded = list(extents)
        padded[last] += more if extents[1] == 1 or last != 2 else 0
        steps = list(dense_strides(layout, role, padded))
        if kind == "reversed" and role == "input":
            steps[3] = -steps[3]
        made[role] = tuple(steps)
    return made


def refused(choice: Choice, problem: Any) -> str | None:
    """Return why the choice says nothing new or has no defined answer."""
    if not problem.d and (choice["beta"] != 1.0 or choice["d_dtype"] != "result"):
        return "contract: beta and d_dtype need a d operand"
    if any(get_dtype(problem.dtype(r)).numpy is None for r in problem.roles):
        return "contract: NumPy has no such dtype, so no tensor holds it"
    source = "output" if problem.direction == "backward_data" else "input"
    special = choice["data"] in ("inf", "nan")
    kinds = {get_dtype(problem.dtype(r)).kind for r in (source, problem.result)}
    if special and "int" in kinds:
        return "contract: integers have no infinity and no NaN"
    if choice["data"] == "inf" and problem.dtype(source) in NO_INFINITY:
        return "contract: the dtype has no infinity"
    if special and problem.epilogue.activation in UNDEFINED_AT_INFINITY:
        return "contract: the answer at infinity depends on the order of operations"
    return None


def _usual(dtype: str, direction: str = "forward") -> dict[str, Any]:
    p = ConvProblem.from_dict({"direction": direction, "n": 1, "c": 1, "k": 1, "input": [1], "filter": [1],
                               "dtype": dtype})  # fmt: skip
    names = ("dtype_input", "dtype_weight", "dtype_output", "dtype_acc")
    return {"direction": direction, **{name: getattr(p, name) for name in names}}


STEMS = (
    {},
    *(_usual(dtype, direction) for dtype in DTYPES for direction in DIRECTIONS),
    {"d": "one_row"},
    {"d": "one_none"},
    {"direction": "backward_data", "d": "one_none"},
    {"direction": "backward_weight", "d": "one_none"},
    {"filter": "one", "pad": "none"},
    {"g": 16, "c": 1, "k": 1},
    {"layout": "ngchw"},
    {"g": 1, "c": 8, "k": 8, "filter": "one", "pad": "none", "direction": "backward_weight"},
)
SPACE = Space(
    "conv", ConvProblem, FACTORS, to_dict, refused, STEMS, {"device": "the executor says where a problem runs"}
)
