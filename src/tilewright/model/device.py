"""Device: an arch as found on one machine (H100 and H200 are both sm_90, but two devices)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from .canonical import canonical, digest
from .fields import Bounds, Limit, fields_from
from .locks import cached_property


def full_device_name(name: str) -> str:
    """Return the full device name, with the number of the GPU, as in torch. There is one CPU, so it has no number.

    >>> full_device_name("cuda"), full_device_name("cuda:1"), full_device_name("cpu"), full_device_name("cpu:0")
    ('cuda:0', 'cuda:1', 'cpu', 'cpu')
    """
    if name in ("cpu", "cpu:0"):
        return "cpu"
    return name if ":" in name else f"{name}:0"


EMULATED = "emu"  # prefix of emulated GPUs: emu:gfx942


def memory_of(place: str) -> str:
    """Return the device of the tensors of a problem at `place`, as torch names it.

    An emulated GPU computes on arrays of the host. An AMD GPU has two names; torch's is `cuda:0`.

    >>> memory_of("emu:gfx942"), memory_of("hip:1"), memory_of("cuda:0")
    ('cpu', 'cuda:1', 'cuda:0')
    """
    kind, _, which = place.partition(":")
    return "cpu" if kind == EMULATED else f"cuda:{which}" if kind == "hip" else place


def how_to_move(place: str) -> str:
    """Return how arrays of the host come to a place; nothing copies them there silently at each call.

    >>> how_to_move("hip:0")
    "copy host arrays to the GPU once (torch.from_numpy(x).to('cuda:0')), or use device='cpu' or 'emu:gfx942'"
    """
    return (
        f"copy host arrays to the GPU once (torch.from_numpy(x).to({memory_of(place)!r})), "
        f"or use device='cpu' or '{EMULATED}:gfx942'"
    )


def is_emulated(place: str) -> bool:
    """Return whether the device at a place is emulated: its results are meaningful, its times are not.

    >>> is_emulated("emu:gfx942"), is_emulated("hip:0")
    (True, False)
    """
    return place.partition(":")[0] == EMULATED


@dataclass(frozen=True)
class Device:
    """What cost models, measurements and model cards need to know about the hardware a kernel runs on.

    `units` are cores, SMs or compute units. `nominal` marks a device that is described but not present.
    """

    # What no hardware exceeds for years; formulas divide by these numbers.
    ALLOWED: ClassVar[Mapping[str, Limit]] = {
        "units": Bounds(0, 1 << 20),
        "clock_mhz": Bounds(0, 10**6),
        "bandwidth_gbps": Bounds(0, 10**9),
        **dict.fromkeys(("l1_bytes", "l2_bytes", "llc_bytes", "memory_bytes"), Bounds(0, 1 << 60)),
        "threads": Bounds(0, 1 << 20),
    }

    name: str
    arch: str
    units: int
    clock_mhz: float = 0.0
    bandwidth_gbps: float = 0.0
    l1_bytes: int = 0
    l2_bytes: int = 0
    llc_bytes: int = 0
    memory_bytes: int = 0
    threads: int = 1
    nominal: bool = False

    @property
    def cache_bytes(self) -> int:
        """The bytes of its largest cache: the last-level one, if it has one behind L2."""
        return max(self.l2_bytes, self.llc_bytes)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:  # every new shape looks things up by its device
        return hash((self.name, self.arch, self.units, self.clock_mhz, self.bandwidth_gbps, self.nominal))

    @cached_property
    def digest(self) -> str:
        """Identity of the device, for keys."""
        return digest(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return canonical(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Device:
        """Return a device from its plain form; raise `SchemaError` for a wrong type or a number out of its bounds.

        >>> Device.from_dict({"name": "one", "arch": "sm_90", "units": 132}).units
        132
        """
        return cls(**fields_from(cls, data, "device"))
