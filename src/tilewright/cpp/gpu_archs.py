"""The facts of GPU archs and their nominal devices, as data for the translated selection."""

from __future__ import annotations

from ..arch import get_arch, get_nominal_devices, get_supported_archs
from ..errors import UnknownNameError
from ..model.arch import Arch, CpuArch
from ..model.device import Device

ARCHS: dict[str, Arch] = {n: get_arch(n) for n in get_supported_archs() if not isinstance(get_arch(n), CpuArch)}
NOMINAL: dict[str, tuple[Device, ...]] = {n: get_nominal_devices(n) for n in ARCHS}


def arch_named(name: str) -> Arch:
    """Return the facts of a GPU arch."""
    if name not in ARCHS:
        raise UnknownNameError("GPU arch", name, ARCHS)
    return ARCHS[name]


def nominal_devices(name: str) -> tuple[Device, ...]:
    """Return the nominal devices of a GPU arch."""
    return NOMINAL[arch_named(name).name]
