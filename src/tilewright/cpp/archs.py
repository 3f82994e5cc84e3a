"""The facts of CPU archs, as data for the translated selection."""

from __future__ import annotations

from ..arch import get_arch, get_supported_archs
from ..model.arch import CpuArch

ARCHS: dict[str, CpuArch] = {
    name: arch for name, arch in ((n, get_arch(n)) for n in get_supported_archs()) if isinstance(arch, CpuArch)
}
