"""The prologue of an operand: what is done to A or B before it is multiplied, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ...errors import ProblemError, UnknownNameError, check_known
from ...model.dtype import DTYPES, get_dtype
from ...model.fields import Limit
from .epilogue import ACTIVATIONS, BROADCASTS, PAIRS, spread

STEPS = (*PAIRS, *(name for name in ACTIVATIONS if name != "none"))
MAX_STEPS = 8
MAX_OPERANDS = 3  # tensors that one operand is combined with: the C ABI has no more slots


@dataclass(frozen=True)
class PrologueStep:
    """One step: `add` or `multiply` by a tensor of `dtype`, or an activation, which has no tensor.

    The tensor has the shape of the operand. `broadcast` is that of D operands: `row` is one row for all rows of the
    operand, `col` one column for all columns.

    >>> PrologueStep("multiply", "fp16", "row").shape(4, 8), PrologueStep("silu").dtype
    ((1, 8), '')
    """

    ALLOWED: ClassVar[Mapping[str, Limit]] = {"op": STEPS, "dtype": ("", *DTYPES), "broadcast": BROADCASTS}

    op: str
    dtype: str = ""
    broadcast: str = "none"

    def __post_init__(self) -> None:
        check_known("prologue op", self.op, STEPS)
        check_known("broadcast", self.broadcast, BROADCASTS)
        if self.op in PAIRS:
            get_dtype(self.dtype)
        elif self.dtype or self.broadcast != "none":
            raise ProblemError(f"prologue step {self.op} takes no tensor", remedy="omit its dtype and broadcast")

    def shape(self, rows: int, columns: int) -> tuple[int, int]:
        """Return the rows and columns of the tensor of the step."""
        return spread(self.broadcast, rows, columns)


def prologue_of(data: Any) -> tuple[PrologueStep, ...]:
    """Return the steps of a prologue from its JSON form; an activation may be its name alone.

    >>> [s.op for s in prologue_of([{"op": "multiply", "dtype": "fp16", "broadcast": "row"}, "relu"])]
    ['multiply', 'relu']
    """
    if not isinstance(data, (list, tuple)):
        raise ProblemError(f"prologue {data!r} is no list of steps", remedy='write [{"op": "add", "dtype": "fp16"}]')
    return tuple(prologue_step(s) for s in data)


def prologue_step(data: Any) -> PrologueStep:
    """Return one step from its JSON form.

    >>> prologue_step({"op": "add", "dtype": "bf16"}).broadcast
    'none'
    """
    if isinstance(data, PrologueStep):
        return data
    if isinstance(data, str):
        return PrologueStep(data)
    if not isinstance(data, Mapping) or "op" not in data:
        raise ProblemError(f"prologue step {data!r} needs an op", remedy='write {"op": "add", "dtype": "bf16"}')
    unknown = set(data) - {"op", "dtype", "broadcast"}
    if unknown:
        raise UnknownNameError("prologue field", sorted(unknown)[0], ("op", "dtype", "broadcast"))
    return PrologueStep(data["op"], data.get("dtype", ""), data.get("broadcast", "none"))


def with_tensor(steps: tuple[PrologueStep, ...]) -> tuple[PrologueStep, ...]:
    """Return the steps that have a tensor: those of A are the roles a1, a2, ...

    >>> len(with_tensor((PrologueStep("add", "fp16"), PrologueStep("relu"))))
    1
    """
    return tuple(s for s in steps if s.op in PAIRS)


def prologue_mistakes(name: str, steps: tuple[PrologueStep, ...], dtype: str) -> list[str]:
    """Return what is wrong with the prologue of an operand of `dtype`."""
    found = []
    if len(steps) > MAX_STEPS:
        found.append(f"{name} has {len(steps)} steps; at most {MAX_STEPS}")
    if len(with_tensor(steps)) > MAX_OPERANDS:
        found.append(f"{name} has {len(with_tensor(steps))} tensors; at most {MAX_OPERANDS}")
    if steps and get_dtype(dtype).kind != "float":
        found.append(f"{name} of {dtype}; only floats have prologues")
    return found


def prologue_label(steps: tuple[PrologueStep, ...]) -> str:
    """Return a short readable text; display only.

    >>> prologue_label((PrologueStep("multiply", "fp16", "row"), PrologueStep("gelu_tanh")))
    'multiply-row-gelu-tanh'
    """
    words = [s.op.replace("_", "-") + ("" if s.broadcast == "none" else f"-{s.broadcast}") for s in steps]
    return "-".join(words)


def prologue_error(dtype: str, steps: tuple[PrologueStep, ...]) -> float:
    """Return how far an operand may be off, relative to it, after steps that a kernel rounds in its own way.

    >>> prologue_error("fp16", (PrologueStep("relu"),)) == 2.0**-10
    True
    """
    return 2.0 * len(steps) * get_dtype(dtype).unit_roundoff
