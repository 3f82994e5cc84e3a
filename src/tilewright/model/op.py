"""The op protocol: what generic code needs from an operation, with defaults for what few ops have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from .abi import AbiLayout
from .problem import P, resized, round_on_cpu
from .tensor import Tensors, Views

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
    parts: Array | None = None  # the sum of the sizes of consecutive parts of the sum, if that is known


class Op(Protocol[P]):
    """An operation: its problems, tensors, reference and ABI slots.

    `name` is that of its folder. `also_called` holds the other names it has in problem files. `index_roles` are the
    tensors whose contents (lengths, pages) decide where a kernel reads. `scalar_roles` are those that kernels read
    number by number, at any address. `extents` are the sizes that change from call to call in a running program: rows
    of a product, images, sequence lengths. `rounding` has a function for each, by which sizes near each other are
    ranked as one.
    """

    name: str
    also_called: tuple[str, ...]
    index_roles: tuple[str, ...] = ()
    scalar_roles: tuple[str, ...] = ()
    extents: tuple[str, ...] = ()
    rounding: tuple[Callable[[int], int], ...] = ()
    abi: AbiLayout

    def abi_for(self, problem: P) -> AbiLayout:
        """Return the slots that a problem uses: `abi`, unless the op has other tensors for some of its problems."""
        return self.abi

    def rounded(self, problem: P, on_cpu: bool) -> P:
        """Return the problem with its `extents` rounded up (`round_rows`): it is ranked in place of `problem`."""
        given = [(getattr(problem, name), up) for name, up in zip(self.extents, self.rounding, strict=True)]
        return resized(problem, self.extents, [round_on_cpu(n) if on_cpu else up(n) for n, up in given])

    def batches(self, problem: P) -> tuple[P, ...]:
        """Return the problem with batches of several sizes, the same ones for every batch of the problem.

        An invariant order of summation is one that serves all of them. Empty if the op has no such order.
        """
        return ()

    def problem_from_dict(self, data: Mapping[str, Any]) -> P:
        """Return a problem from its JSON form."""
        ...

    def signature_from_dict(self, data: Mapping[str, Any]) -> Any:
        """Return a signature from its canonical form."""
        ...

    def signature_value(self, name: str, value: Any) -> Any:
        """Return one signature field from its canonical form."""
        ...

    def plain_problem(self, dtype: str) -> P:
        """Return a medium problem with everything except the dtype at its default, for `tilewright support`."""
        ...

    def roles(self, problem: P) -> tuple[str, ...]:
        """Return the tensors of a problem, in order."""
        ...

    def out_roles(self, problem: P) -> tuple[str, ...]:
        """Return the tensors that are written; a launch returns the first."""
        ...

    def may_alias(self, problem: P) -> Mapping[str, str]:
        """Return the tensors that may share the memory of a written one, and which one that is."""
        ...

    def sizes(self, problem: P) -> tuple[int, ...]:
        """Return the sizes in the order of the ABI."""
        ...

    def mismatches(self, problem: P, views: Views) -> list[str]:
        """Return every mismatch between tensors and problem."""
        ...

    def fitted(self, problem: P, views: Views) -> P:
        """Return the problem with the strides and the pointer alignments of `views`."""
        ...

    def content_mistakes(self, problem: P, tensors: Tensors) -> list[str]:
        """Return every contradiction between the contents of index tensors (NumPy arrays) and the problem."""
        return []

    def strides(self, problem: P, role: str) -> tuple[int, ...]:
        """Return the strides of a role in the order of the ABI."""
        ...

    def scalars(self, problem: P) -> tuple[float, ...]:
        """Return the scalars in the order of the ABI."""
        ...

    def is_empty(self, problem: P) -> bool:
        """Return whether there is nothing to compute."""
        ...

    def packed(self, problem: P) -> Mapping[str, tuple[str, str, tuple[int, ...]]]:
        """Return (format, dtype, shape) of each role that the problem says is packed."""
        return {}

    def padded(self, problem: P) -> P | None:
        """Return the problem padded so that more kernels take it; None if nothing is to pad."""
        return None

    def copy_in(self, problem: P, padded: P, role: str, source: Any, target: Any) -> None:
        """Copy one tensor into its zero-filled padded form."""
        raise NotImplementedError

    def copy_out(self, problem: P, padded: P, role: str, source: Any, target: Any) -> None:
        """Copy the wanted part of a padded result into its tensor."""
        raise NotImplementedError

    def random_tensors(self, problem: P, seed: int) -> dict[str, Any]:
        """Return new NumPy tensors of every role; the output is filled with a poison value."""
        ...

    def expected(self, problem: P, tensors: Tensors) -> Expected:
        """Return the result in float64 and its magnitude."""
        ...

    def verify(self, problem: P, tensors: Tensors, out: Any, **options: Any) -> Any:
        """Compare `out` with the reference, in the tier that the size affords."""
        ...

    def checker(self, problem: P, tensors: Tensors) -> Callable[..., Any]:
        """Return a function (out, product_error=0.0) that verifies many results of one problem."""
        return lambda out, product_error=0.0: self.verify(problem, tensors, out, product_error=product_error)
