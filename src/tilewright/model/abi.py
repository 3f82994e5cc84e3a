"""AbiLayout: which slot of the C struct carries which role, size and scalar of an operation."""

from __future__ import annotations

from dataclasses import dataclass

ABI_VERSION = 1
MAX_TENSORS, MAX_RANK, MAX_SIZES, MAX_SCALARS, MAX_LAUNCH, ERROR_BYTES = 16, 6, 32, 8, 8, 256


@dataclass(frozen=True)
class AbiLayout:
    """The slots of one operation, in order. The struct is `tw_args` of `tilewright_abi.h`.

    >>> AbiLayout(("a", "b"), ("m",), ("alpha",)).slot("b")
    1
    """

    roles: tuple[str, ...]
    sizes: tuple[str, ...]
    scalars: tuple[str, ...]
    launch: tuple[str, ...] = ("threads", "split_k", "grid_m", "grid_n", "kc", "mc")

    def __post_init__(self) -> None:
        limits = (
            (self.roles, MAX_TENSORS),
            (self.sizes, MAX_SIZES),
            (self.scalars, MAX_SCALARS),
            (self.launch, MAX_LAUNCH),
        )
        for names, limit in limits:
            if len(names) > limit or len(set(names)) != len(names):
                raise ValueError(f"{len(names)} slots {names}: need at most {limit}, all different")

    def slot(self, role: str) -> int:
        """Return the tensor slot of `role`."""
        return self.roles.index(role)
