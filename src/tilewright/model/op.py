"""The op protocol: what generic code needs from an operation."""

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
    """A reference result and the magnitude that its rounding errors scale with, element by element."""

    value: Array
    magnitude: Array  # the same computation on absolute values: rounding errors scale with it


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
        """Return a problem from its JSON form."""
        ...

    def signature_from_dict(self, data: Mapping[str, Any]) -> Any:
        """Return a signature from its canonical form."""
        ...

    def signature_value(self, name: str, value: Any) -> Any:
        """Return one signature field from its canonical form."""
        ...

    def plain_problem(self, dtype: str) -> Any:
        """Return a medium problem with everything except the dtype at its default, for `tilewright support`."""
        ...

    def roles(self, problem: Any) -> tuple[str, ...]:
        """Return the tensors of a problem, in order."""
        ...

    def out_roles(self, problem: Any) -> tuple[str, ...]:
        """Return the tensors that are written; a launch returns the first."""
        ...

    def may_alias(self, problem: Any) -> Mapping[str, str]:
        """Return the tensors that may share the memory of a written one, and which one that is."""
        ...

    def sizes(self, problem: Any) -> tuple[int, ...]:
        """Return the sizes in the order of the ABI."""
        ...

    def mismatches(self, problem: Any, views: Mapping[str, TensorView]) -> list[str]:
        """Return every mismatch between tensors and problem."""
        ...

    def fitted(self, problem: Any, views: Mapping[str, TensorView]) -> Any:
        """Return the problem with the strides and the pointer alignments of `views`."""
        ...

    def content_mistakes(self, problem: Any, tensors: Mapping[str, Any]) -> list[str]:
        """Return every contradiction between the contents of index tensors (NumPy arrays) and the problem."""
        ...

    def strides(self, problem: Any, role: str) -> tuple[int, ...]:
        """Return the strides of a role in the order of the ABI."""
        ...

    def scalars(self, problem: Any) -> tuple[float, ...]:
        """Return the scalars in the order of the ABI."""
        ...

    def is_empty(self, problem: Any) -> bool:
        """Return whether there is nothing to compute."""
        ...

    def random_tensors(self, problem: Any, seed: int) -> dict[str, Any]:
        """Return new NumPy tensors of every role; the output is filled with a poison value."""
        ...

    def expected(self, problem: Any, tensors: Mapping[str, Any]) -> Expected:
        """Return the result in float64 and its magnitude."""
        ...

    def verify(self, problem: Any, tensors: Mapping[str, Any], out: Any, **options: Any) -> Any:
        """Compare `out` with the reference, in the tier that the size affords."""
        ...
