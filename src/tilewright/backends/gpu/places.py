"""Where GPUs are: `cuda:0`, `hip:0`, `emu:gfx942`; the device and the driver behind each of these names.

`cuda:0` is NVIDIA's, or AMD's under ROCm, where torch calls it so. `hip:0` is always AMD's. `emu:gfx942` is an AMD GPU
that is emulated: it computes on host arrays, and says nothing about speed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, ClassVar

from ...arch import get_nominal_devices
from ...errors import DeviceError, TensorError
from ...model.backend import Stage
from ...model.device import EMULATED, Device
from ...model.tensor import Views
from ...settings import Settings
from ..base import Backend
from .detect import gpu_devices
from .hip_detect import hip_devices


def cuda_is_amd() -> bool:
    """Return whether `cuda:0` is an AMD GPU: torch was built for ROCm, or, without torch, only AMD GPUs are here."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        return torch.version.hip is not None
    return not gpu_devices() and bool(hip_devices())


def devices_here(amd_only: bool = False) -> dict[str, Device]:
    """Return the GPUs of this machine by their places; asking creates no context.

    >>> all(place.startswith(("cuda:", "hip:")) for place in devices_here())
    True
    """
    amd = hip_devices()
    cuda = amd if cuda_is_amd() else () if amd_only else gpu_devices()
    return {**{f"cuda:{i}": d for i, d in enumerate(cuda)}, **{f"hip:{i}": d for i, d in enumerate(amd)}}


def emulated_device(place: str) -> Device | None:
    """Return the nominal device of an emulated place; None for any other place.

    >>> emulated_device("emu:gfx942").name
    'MI300X'
    """
    from ...emulator import ISAS

    kind, _, arch = place.partition(":")
    if kind != EMULATED:
        return None
    if arch not in ISAS:
        raise DeviceError(f"{place!r:.80} names no emulated GPU", remedy=f"use emu: with one of {', '.join(ISAS)}")
    return get_nominal_devices(arch)[0]


def driver_at(place: str, runtime: str) -> Any:
    """Return the driver of the GPU at a place for kernels of a runtime ("cuda" or "hip"); initialises the GPU."""
    kind, _, which = place.partition(":")
    if kind == EMULATED:
        from .emulated.standin import emulated_driver

        return emulated_driver(which)
    if runtime == "hip":
        from .hip_driver import hip_driver

        return hip_driver(int(which or 0))
    from .cuda_driver import cuda_driver

    return cuda_driver(int(which or 0))


def place_of(views: Views) -> str:
    """Return the place of the GPU that all tensors are on."""
    places = {v.device for v in views.values()}
    if len(places) != 1 or not next(iter(places)).startswith(("cuda", "hip", EMULATED)):
        raise TensorError(f"tensors are on {', '.join(sorted(places))}", remedy="put all of them on one GPU")
    return next(iter(places))


class GpuBackend(Backend):
    """What backends of GPUs share: their places, and how a plan runs at an emulated one."""

    amd_only: ClassVar[bool] = False
    untried = ("amd",)

    def placed(self, settings: Settings) -> dict[str, Device]:
        """Return the GPUs of this machine by their places."""
        return devices_here(self.amd_only)

    def devices(self, settings: Settings) -> Sequence[Device]:
        """Return the GPUs of this machine, each once."""
        found = self.placed(settings)
        return [d for place, d in found.items() if place.startswith("hip") or not cuda_is_amd()]

    def device_at(self, place: str, settings: Settings) -> Device | None:
        """Return the GPU at a place; at an emulated one, the nominal device of its arch."""
        return emulated_device(place) or super().device_at(place, settings)

    def at_place(self, place: str, stages: tuple[Stage, ...], settings: Settings) -> tuple[Stage, ...]:
        """Return the stages as they are, or, at an emulated place, with copies of host arrays around them."""
        if place.partition(":")[0] != EMULATED:
            return stages
        from .emulated.stage import EmulatedStage

        return (EmulatedStage(place, stages, settings.sanitize),)
