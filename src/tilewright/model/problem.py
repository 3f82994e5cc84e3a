"""The common interface of problems. The fields belong to each op."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ClassVar, Protocol, TypeGuard, TypeVar

KEPT = 4096  # results per function; then the memo is cleared
P = TypeVar("P", bound="Problem")
P_contra = TypeVar("P_contra", bound="Problem", contravariant=True)  # of protocols that only take problems
T = TypeVar("T")


class Problem(Protocol):
    """Everything that decides whether a result is correct. A frozen dataclass owned by its op."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def op(self) -> str:
        """The op's name."""
        ...

    @property
    def variant(self) -> str:
        """Which of the op's computations it is, if each has models of its own: the direction of a convolution."""
        ...

    @property
    def device(self) -> str:
        """The place of its tensors: cpu, cuda:0."""
        ...

    @property
    def roles(self) -> tuple[str, ...]:
        """Its tensors, in order."""
        ...

    @property
    def operand_dtype(self) -> str:
        """The dtype of its first operand."""
        ...

    @property
    def strides(self) -> Mapping[str, tuple[int, ...]]:
        """The strides in elements of each role whose tensor is not dense."""
        ...

    @property
    def alignment(self) -> Mapping[str, int]:
        """The pointer alignment class in bytes of each role where it is known."""
        ...

    @property
    def signature(self) -> Any:
        """What is computed, without the sizes; a frozen dataclass owned by the op."""
        ...

    @property
    def flops(self) -> int:
        """Multiplications and additions."""
        ...

    @property
    def bytes(self) -> int:
        """The fewest bytes that must move: each tensor once."""
        ...

    @property
    def exact_key(self) -> str:
        """Identity for the plan cache: strides, pointer-alignment class and device included."""
        ...

    @property
    def tuning_key(self) -> str:
        """Identity for measurements and models: layout, leading-dimension alignment, sizes."""
        ...

    def shape(self, role: str) -> tuple[int, ...]:
        """The shape of a role."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of problem files."""
        ...

    def label(self) -> str:
        """Return a short readable text for tables."""
        ...


def is_problem(value: object) -> TypeGuard[Problem]:
    """Return whether `value` is a problem; a call may give a tensor of any library in its place.

    >>> is_problem([1.0, 2.0])
    False
    """
    return hasattr(type(value), "exact_key")


def kept_by_problem(make: Callable[[P], T]) -> Callable[[P], T]:
    """Return a memo of `make` by the exact key of the problem; rules call it for every kernel.

    >>> from types import SimpleNamespace
    >>> asked = []
    >>> size = kept_by_problem(lambda p: asked.append(p) or len(p.exact_key))
    >>> size(SimpleNamespace(exact_key="abc")), size(SimpleNamespace(exact_key="abc")), len(asked)
    (3, 3, 1)
    """
    kept: dict[str, T] = {}

    @wraps(make)
    def answer(problem: P) -> T:
        try:
            return kept[problem.exact_key]
        except KeyError:
            if len(kept) >= KEPT:
                kept.clear()
            found = kept[problem.exact_key] = make(problem)
            return found

    return answer
