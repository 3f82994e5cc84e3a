"""The op protocol: what generic code may ask of an operation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from .abi import AbiLayout
from .tensor import TensorView

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]
else:
    Array = Any


@dataclass(frozen=True)
class Expected:
    """A reference answer and what a correct kernel may differ from it by, element by element."""

    value: Array
    magnitude: Array  # the same computation on absolute values: what rounding errors scale with


class Op(Protocol):
    """An operation: its problems, tensors, reference and ABI slots.

    `name` is that of its folder. `also_called` holds the other names it has in problem files. `index_roles` are the
    tensors whose contents (lengths, pages) decide where a kernel reads.
    """

    name: str
    also_called: tuple[str, ...]
    index_roles: tuple[str, ...]
    abi: AbiLayout

    def problem_from_dict(self, data: Mapping[str, Any]) -> Any:
        """A problem from its JSON form."""
        ...

    def signature_from_dict(self, data: Mapping[str, Any]) -> Any:
        """A signature from its canonical form."""
        ...

    def signature_value(self, name: str, value: Any) -> Any:
        """One signature field from its canonical form."""
        ...

    def plain_problem(self, dtype: str) -> Any:
        """A middle-sized problem with everything but the dtype at its default: what `tilewright support` asks for."""
        ...

    def roles(self, problem: Any) -> tuple[str, ...]:
        """The tensors of a problem, in order."""
        ...

    def out_roles(self, problem: Any) -> tuple[str, ...]:
        """The tensors that are written; a launch returns the first."""
        ...

    def may_alias(self, problem: Any) -> Mapping[str, str]:
        """The tensors that may be the very same memory as a written one, and which one that is."""
        ...

    def sizes(self, problem: Any) -> tuple[int, ...]:
        """The sizes in the order of the ABI."""
        ...

    def mismatches(self, problem: Any, views: Mapping[str, TensorView]) -> list[str]:
        """Every way in which the tensors do not fit the problem."""
        ...

    def fitted(self, problem: Any, views: Mapping[str, TensorView]) -> Any:
        """The problem with the strides and the pointer alignments of `views`."""
        ...

    def content_mistakes(self, problem: Any, tensors: Mapping[str, Any]) -> list[str]:
        """Every way in which the contents of index tensors, given as NumPy arrays, contradict the problem."""
        ...

    def strides(self, problem: Any, role: str) -> tuple[int, ...]:
        """The strides of a role in the order of the ABI."""
        ...

    def scalars(self, problem: Any) -> tuple[float, ...]:
        """The scalars in the order of the ABI."""
        ...

    def is_empty(self, problem: Any) -> bool:
        """Whether there is nothing to compute."""
        ...

    def random_tensors(self, problem: Any, seed: int) -> dict[str, Any]:
        """Fresh NumPy tensors of every role; the output is filled with a poison value."""
        ...

    def expected(self, problem: Any, tensors: Mapping[str, Any]) -> Expected:
        """The answer in float64 and its magnitude."""
        ...

    def verify(self, problem: Any, tensors: Mapping[str, Any], out: Any, **options: Any) -> Any:
        """Compare `out` with the reference, in the tier that the size affords."""
        ...
