"""The factors of a GEMM: from the enumerations that the op declares, and sizes, strides and data beside them."""

from __future__ import annotations

from typing import Any

from contract_space import NOT_CHOSEN, Choice, Factor, Space

from tilewright.model.dtype import DTYPES, get_dtype
from tilewright.model.layout import dense_strides
from tilewright.ops.gemm.epilogue import ACTIVATIONS, BROADCASTS, COMBINES
from tilewright.ops.gemm.problem import GemmProblem, usual_accumulator, usual_out
from tilewright.ops.gemm.signature import SCALE_BLOCK, GemmSignature

ALLOWED: dict[str, Any] = dict(GemmSignature.ALLOWED)
# Exact infinities in and NaN out (-inf * 0): the reference and torch disagree in which of them a negative one gives.
UNDEFINED_AT_INFINITY = ("gelu_erf", "gelu_tanh", "silu", "hard_swish")
NO_INFINITY = ("fp8", "fp8_fnuz", "bf8_fnuz")


def first(value: str, values: Any) -> tuple[str, ...]:
    """Return the values with `value` before the others."""
    return (value, *(v for v in values if v != value))


# Steps of A and B before the product; tensors have the dtype of their operand.
PROLOGUES: dict[str, dict[str, Any]] = {
    "a": {
        "none": (),
        "add": ({"op": "add"},),
        "scale_shift": ({"op": "multiply", "broadcast": "row"}, {"op": "add", "broadcast": "row"}, "silu"),
        "relu": ("relu",),
    },
    "b": {"none": (), "multiply": ({"op": "multiply"},), "column": ({"op": "add", "broadcast": "col"}, "relu")},
}
D_KINDS = ("none", *(f"one_{b}" for b in BROADCASTS), "two", "eight")
FACTORS = (
    *(Factor(name, first("fp16", DTYPES)) for name in ("dtype_a", "dtype_b", "dtype_out")),
    Factor("dtype_acc", first("fp32", DTYPES)),
    Factor("m", (64, 0, 1, 17, 129), weak=(0,)),
    Factor("n", (64, 0, 1, 8, 136), weak=(0,)),
    Factor("k", (64, 0, 1, 40, 136, 257), weak=(0,)),
    Factor("batch", (1, 0, 3), weak=(0,)),
    Factor("layout", first("rcr", ALLOWED["layout"])),
    Factor("layout_d", ("", "r", "c"), of=("layout",)),
    Factor("scale_a", ALLOWED["scale_a"]),
    Factor("scale_b", ALLOWED["scale_b"]),
    Factor("scale_block", (SCALE_BLOCK, 32)),
    Factor("combine", COMBINES, of=("epilogue.combine",)),
    Factor("activation", ACTIVATIONS, of=("epilogue.activation",)),
    Factor("alpha", (1.0, -0.75, 0.0), of=("epilogue.alpha",), weak=(0.0,)),
    Factor("beta", (1.0, 0.5), of=("epilogue.beta",)),
    Factor("d", D_KINDS, of=("d.broadcast",)),
    Factor("d_dtype", ("out", *DTYPES), of=("d.dtype",)),
    Factor("b_format", ("plain", "packed")),
    *(
        Factor(
            f"prologue_{r}", tuple(PROLOGUES[r]), of=tuple(f"prologue_{r}.{x}" for x in ("op", "dtype", "broadcast"))
        )
        for r in PROLOGUES
    ),
    Factor("split_k", (None, 1, 3)),
    Factor("groups", (0, 3)),
    Factor("strides", ("dense", "padded", "odd", "reversed", "shared_b", "expanded_d")),
    Factor("alignment", ("whole", "element")),
    Factor("data", ("normal", "positive", "tiny", "huge", "zeros", "inf", "nan"), of=(), weak=("zeros", "inf", "nan")),
)


def operands(choice: Choice) -> list[dict[str, str]]:
    """Return the d operands of a choice."""
    dtype = choice["dtype_out"] if choice["d_dtype"] == "out" else choice["d_dtype"]
    kinds = {"none": (), "two": ("row", "none"), "eight": ("row", "col", "none", "row", "none", "col", "row", "none")}
    return [{"dtype": dtype, "broadcast": b} for b in kinds.get(choice["d"], (choice["d"][4:],))]


def to_dict(choice: Choice) -> dict[str, Any]:
    """Return the JSON form of the problem."""
    names = ("dtype_a", "dtype_b", "dtype_out", "dtype_acc", "m", "n", "k", "batch", "scale_a", "scale_b", "split_k",
             "groups")  # fmt: skip
    epilogue = {name: choice[name] for name in ("combine", "activation", "alpha", "beta")}
    found = {"op": "gemm", **{name: choice[name] for name in names}, "epilogue": epilogue, "d": operands(choice)}
    found |= {"scale_block": choice["scale_block"], "layout": choice["layout"] + choice["layout_d"]}
    for role, kinds in PROLOGUES.items():
        steps = kinds[choice[f"prologue_{role}"]]
        named = [s if isinstance(s, str) else {**s, "dtype": choice[f"dtype_{role}"]} for s in steps]
        found |= {f"prologue_{role}": named} if named else {}
    found["strides"] = strides(choice, found["d"])
    return found


def strides(choice: Choice, d: list[dict[str, str]]) -> dict[str, tuple[int, int, int]]:
    """Return the strides of the roles that are not dense."""
    kind, (m, n, k) = choice["strides"], (choice[name] for name in "mnk")
    sizes = {"a": (m, k), "b": (k, n), "out": (m, n)}
    if kind == "dense" or (choice["b_format"] == "packed" and kind != "padded"):
        return {}
    if kind == "expanded_d":
        return {"d0": (0, 0, 1)} if d and d[0]["broadcast"] == "none" else {}
    letters = dict(zip(sizes, choice["layout"], strict=False))
    dense = {r: dense_strides(letters[r], *sizes[r]) for r in sizes}
    if kind == "shared_b":
        return {"b": (0, *dense["b"][1:])}
    more = {"padded": 8, "odd": 1}.get(kind, 0)
    found = {}
    for role, (rows, cols) in sizes.items():
        if role == "b" and choice["b_format"] == "packed":
            continue
        along_rows = letters[role] == "r"
        lead = (cols if along_rows else rows) + more
        batch = lead * max(rows if along_rows else cols, 1) + more
        step = -lead if kind == "reversed" and role != "out" else lead
        found[role] = (batch, step, 1) if along_rows else (batch, 1, step)
        if choice.get(f"prologue_{role}") in ("add", "multiply"):
            found[f"{role}1"] = found[role]
    return found


def refused(choice: Choice, problem: Any) -> str | None:
    """Return why the choice says nothing new or has no defined answer."""
    if choice["strides"] == "expanded_d" and not (problem.d and problem.d[0].broadcast == "none"):
        return "contract: expanded_d needs a full d operand"
    if choice["strides"] == "shared_b" and problem.batch < 2:
        return "contract: shared_b needs a batch"
    if not problem.d and (choice["beta"] != 1.0 or choice["d_dtype"] != "out" or choice["layout_d"]):
        return "contract: beta, d_dtype and layout_d need a d operand"
    if choice["scale_block"] != SCALE_BLOCK and "block" not in (problem.scale_a, problem.scale_b):
        return "contract: scale_block needs a scale of kind block"
    if any(get_dtype(problem.dtype(r)).numpy is None for r in problem.roles):
        return "contract: NumPy has no such dtype, so no tensor holds it"
    if choice["b_format"] == "packed" and (problem.batch != 1 or problem.groups):
        return "contract: pack_weights packs one matrix"
    special = choice["data"] in ("inf", "nan")
    if special and get_dtype(problem.dtype_a).kind == "int":
        return "contract: integers have no infinity and no NaN"
    if special and get_dtype(problem.dtype_out).kind == "int":
        return "contract: an integer result has no infinity and no NaN"
    if choice["data"] == "inf" and problem.dtype_a in NO_INFINITY:
        return "contract: the dtype has no infinity"
    if choice["b_format"] == "packed" and problem.prologue_b:
        return "contract: the steps of B belong to the matrix that was packed"
    undefined = problem.epilogue.activation in UNDEFINED_AT_INFINITY or choice["prologue_a"] == "scale_shift"
    if special and (undefined or problem.epilogue.alpha == 0):
        return "contract: the answer at infinity depends on the order of operations"
    return None


def _usual(dtype: str, **more: Any) -> dict[str, Any]:
    acc, out = usual_accumulator(dtype), usual_out(dtype)
    return {"dtype_a": dtype, "dtype_b": dtype, "dtype_out": out, "dtype_acc": acc, **more}


STEMS = (
    {},
    *(_usual(dtype) for dtype in DTYPES if dtype != "fp16"),
    {"d": "one_row"},
    {"d": "one_none"},
    {"d": "one_none", "combine": "gradient", "activation": "relu"},
    {"batch": 3},
    {"scale_a": "row", "scale_b": "row"},
    _usual("fp8", dtype_out="bf16", scale_a="tensor", scale_b="tensor"),
    _usual("fp8", dtype_out="bf16", scale_a="block", scale_b="block"),
    _usual("int8", dtype_out="fp32", scale_a="row", scale_b="row"),
    _usual("int8", dtype_out="int8"),
    _usual("fp16", dtype_out="fp32"),
    _usual("bf16", dtype_out="fp32"),
    {"layout": "rrr", "b_format": "packed"},
    {"prologue_a": "add", "prologue_b": "multiply"},
    {"prologue_a": "scale_shift"},
    {"prologue_b": "column"},
    {"groups": 3},
)
SPACE = Space("gemm", GemmProblem, FACTORS, to_dict, refused, STEMS, NOT_CHOSEN)
