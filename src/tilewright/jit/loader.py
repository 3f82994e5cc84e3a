"""`load_kernel` opens and checks a compiled kernel.

A kernel is a shared library with `tw_info`, `tw_workspace` and `tw_run` (`native/tilewright_abi.h`). Its ABI version,
the size of its argument struct and the digest of the spec it was generated from are compared before the first call.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import CacheError, LaunchError
from ..model.abi import ABI_VERSION
from .launcher import Kernel, TwArgs, address_in
from .library import open_library

if TYPE_CHECKING:
    from .artifact import Artifact


class TwKernelInfo(ctypes.Structure):
    """`tw_kernel_info` of the C ABI: the self-description of a kernel."""

    _fields_ = [("abi_version", ctypes.c_uint32), ("args_size", ctypes.c_uint32), ("digest", ctypes.c_char_p)]


def load_kernel(path: str | os.PathLike[str], digest: str | None = None, sha256: str | None = None) -> Kernel:
    """Return the kernel in the shared library at `path`, checked; `digest` is the spec digest it must have.

    `sha256` is the digest that the bytes of the file must have. Loads with local symbols, so that kernels never see
    each other, and resolves everything at once, so that a missing symbol is an error here rather than in the middle
    of a launch.

        kernel = load_kernel(artifact.file(), spec.digest)
    """
    path = Path(path)
    library = open_library(path, sha256)
    try:
        return _checked(library, path, digest)
    except (CacheError, LaunchError):
        _close(library)
        raise


def load_artifact(artifact: Artifact, digest: str) -> Kernel:
    """Return the kernel of a stored build, loaded from exactly the bytes that were stored."""
    path = artifact.file()
    return load_kernel(path, digest, artifact.files[path.name])


def _checked(library: ctypes.CDLL, path: Path, digest: str | None) -> Kernel:
    info = _read_info(library, path)
    if (info.abi_version, info.args_size) != (ABI_VERSION, ctypes.sizeof(TwArgs)):
        raise LaunchError(
            f"kernel {path} has ABI version {info.abi_version} with {info.args_size} bytes of arguments; this "
            f"tilewright has version {ABI_VERSION} with {ctypes.sizeof(TwArgs)}",
            remedy="build it again with this version (`tilewright cache clear`, then `tilewright build`)",
        )
    found = (info.digest or b"").decode(errors="replace")
    if digest is not None and found != digest:
        raise CacheError(
            f"kernel {path} was generated from spec {found[:16] or '(none)'}, not from {digest[:16]}",
            remedy="remove the entry (`tilewright cache verify`) and build it again",
        )
    return Kernel(path, found, _required(library, "tw_run", path), _required(library, "tw_workspace", path), library)


def _close(library: ctypes.CDLL) -> None:
    """Unload a library that was refused: the loader would return it again for a file of the same name."""
    import _ctypes

    close = getattr(_ctypes, "dlclose", None)
    if close is not None:
        close(library._handle)


def _required(library: ctypes.CDLL, name: str, path: Path) -> int:
    address = address_in(library, name)
    if not address:
        raise LaunchError(
            f"library {path} does not export {name}; a kernel has tw_info, tw_workspace and tw_run",
            remedy="build it again, or check that the file is a tilewright kernel",
        )
    return address


def _read_info(library: ctypes.CDLL, path: Path) -> TwKernelInfo:
    function = ctypes.CFUNCTYPE(ctypes.POINTER(TwKernelInfo))(_required(library, "tw_info", path))
    info = function()
    if not info:
        raise LaunchError(f"tw_info of kernel {path} returned null", remedy="build it again")
    contents: TwKernelInfo = info.contents
    return contents
