"""What every problem can say of itself. The fields belong to each op."""

from __future__ import annotations

from typing import Any, Protocol


class Problem(Protocol):
    """Everything that decides whether an answer is right. A frozen dataclass owned by its op."""

    @property
    def op(self) -> str:
        """The op's name."""
        ...

    @property
    def exact_key(self) -> str:
        """Identity for the plan cache: strides, pointer-alignment class and device included."""
        ...

    @property
    def tuning_key(self) -> str:
        """Identity for measurements and models: layout, leading-dimension alignment, sizes."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """The JSON form of problem files."""
        ...

    def label(self) -> str:
        """A short readable text for tables."""
        ...
