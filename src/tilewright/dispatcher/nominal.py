"""Devices that this machine does not have."""

from __future__ import annotations

from ..arch import get_nominal_devices
from ..errors import DeviceError
from ..model.device import Device


def nominal_device(arch: str) -> Device:
    """Return the first nominal device of `arch`, for hardware that this machine does not have.

    >>> nominal_device("gfx942").name
    'MI300X'
    """
    devices = get_nominal_devices(arch)
    if not devices:
        raise DeviceError(f"no nominal device is listed for {arch}", remedy="add one to the devices of arch_specs.json")
    return devices[0]
