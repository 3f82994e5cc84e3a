"""AxpyProblem and AxpySignature: what is computed, with and without the sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...errors import ProblemError
from ...model.canonical import canonical, digest
from ...model.dtype import get_dtype
from ...model.fields import fields_from


@dataclass(frozen=True)
class AxpySignature:
    """What a kernel computes: for any length and factor."""

    dtype: str

    def label(self) -> str:
        return self.dtype


@dataclass(frozen=True)
class AxpyProblem:
    """out = alpha * x + y for vectors of `n` elements."""

    n: int
    dtype: str
    alpha: float = 1.0
    strides: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    alignment: Mapping[str, int] = field(default_factory=dict)
    device: str = "cpu"

    op = "axpy"
    variant = ""
    summation = "any"
    roles = ("x", "y", "out")

    def __post_init__(self) -> None:
        mistakes = [f"n is {self.n}; it must be >= 0"] if self.n < 0 else []
        mistakes += [f"dtype is {self.dtype}; axpy takes floats"] if get_dtype(self.dtype).kind != "float" else []
        if mistakes:
            raise ProblemError.of("axpy problem", mistakes)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> AxpyProblem:
        return cls(**fields_from(cls, {k: v for k, v in data.items() if k != "op"}, "axpy problem"))

    def to_dict(self) -> dict[str, Any]:
        return {"op": self.op, **canonical(self)}

    def label(self) -> str:
        return f"axpy {self.n} {self.dtype}"

    def shape(self, role: str) -> tuple[int, ...]:
        return (self.n,)

    @property
    def operand_dtype(self) -> str:
        return self.dtype

    @property
    def signature(self) -> AxpySignature:
        return AxpySignature(self.dtype)

    @property
    def flops(self) -> int:
        return 2 * self.n

    @property
    def bytes(self) -> int:
        return int(3 * self.n * get_dtype(self.dtype).bytes)

    @cached_property
    def exact_key(self) -> str:
        return digest(self)

    @cached_property
    def tuning_key(self) -> str:
        return digest({"op": self.op, "n": self.n, "dtype": self.dtype})
