"""What plans ask of a stage and selection of formulas. The classes of backends are in `backends.base`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from .tensor import Views

if TYPE_CHECKING:
    from .device import Device
    from .kernel import Candidate, KernelSpec


class Stage(Protocol):
    """One kernel launch of a plan."""

    @property
    def name(self) -> str:
        """The name of its kernel."""
        ...

    @property
    def workspace_bytes(self) -> int:
        """Scratch memory that one launch needs."""
        ...

    def bind(self, views: Views) -> Callable[[Any], None]:
        """Return a function of the stream that launches this stage on `views`."""
        ...

    def call(self, views: Views) -> Any:
        """Return a call on addresses (`run_pointers`), or on tensors (`run_tensors`), like `views`; None if there is
        none."""
        ...


class Features(Protocol):
    """The formulas of a backend's op: a module.

    `CONSTANTS` names the numbers of `constants`, `ADDITIVE` the formulas whose sum a model fits. With `ONLY_SHOWN` a
    model leaves kernels that it was not shown to the cost model. Kernels that differ in a name (a pipeline) or in one
    of `LISTS` have price lists of their own. `near` says for which kernels formulas are not exact (None: for none);
    `searched` returns the blocks that are found when a launch is bound (None: launches hold them).
    """

    VERSION: int
    ADDITIVE: Sequence[str]
    LISTS: Sequence[str]
    CONSTANTS: Sequence[str]
    ONLY_SHOWN: bool
    near: Callable[[KernelSpec], bool] | None
    searched: Callable[[Candidate, Any, Device], tuple[float, ...]] | None

    def constants(self, spec: KernelSpec) -> tuple[float, ...]:
        """Return the numbers of a kernel beside its tunables."""
        ...

    def work(self, k: Any, p: Any, d: Any) -> Mapping[str, Any]:
        """Return the formulas by name, of a kernel `k`, a problem `p` and a device `d`."""
        ...
