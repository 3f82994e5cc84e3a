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
    of `LISTS` have price lists of their own.
    """

    @property
    def VERSION(self) -> int:  # noqa: N802
        """The version of the formulas."""
        ...

    @property
    def ADDITIVE(self) -> Sequence[str]:  # noqa: N802
        """The formulas whose sum a model fits."""
        ...

    @property
    def LISTS(self) -> Sequence[str]:  # noqa: N802
        """The tunables, besides names, by which kernels have price lists of their own."""
        ...

    @property
    def CONSTANTS(self) -> Sequence[str]:  # noqa: N802
        """The names of a kernel's numbers beside its tunables."""
        ...

    @property
    def ONLY_SHOWN(self) -> bool:  # noqa: N802
        """Whether a model leaves kernels that it was not shown to the cost model."""
        ...

    @property
    def near(self) -> Callable[[KernelSpec], bool] | None:
        """Whether formulas only come near a kernel's cost; None: they are exact for every kernel."""
        ...

    @property
    def searched(self) -> Callable[[Candidate, Any, Device], tuple[float, ...]] | None:
        """The blocks that are found for a device when a launch is bound; None: launches hold them."""
        ...

    def constants(self, spec: KernelSpec) -> tuple[float, ...]:
        """Return the numbers of a kernel beside its tunables."""
        ...

    def work(self, k: Any, p: Any, d: Any) -> Mapping[str, Any]:
        """Return the formulas by name, of a kernel `k`, a problem `p` and a device `d`."""
        ...
