"""Check a finished build before it is stored: each shared library can be loaded, and is the requested kernel.

The bytes are read first (`binary`); then the library is opened in a separate process, never in the user's.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from .artifact import BuildRequest
from .binary import BadLibraryError, Library, host_machine, machine_of, read_library
from .supervisor import is_python

LIBRARY_SUFFIXES = (".so", ".dylib")
KERNEL_EXPORTS = ("tw_info", "tw_workspace", "tw_run")
PROBE = Path(__file__).with_name("load_probe.py")

# Runs a command in the work folder and returns its output; raises the error that ends the build if it fails.
Run = Callable[[tuple[str, ...]], str]


def check_libraries(request: BuildRequest, folder: Path, run: Run) -> None:
    """Raise `BadLibraryError` if an output that is a shared library cannot be loaded or is not the requested kernel."""
    for name in request.outputs:
        if name.endswith(LIBRARY_SUFFIXES):
            try:
                _check(request, folder / name, run)
            except BadLibraryError as problem:
                raise BadLibraryError(f"{name} was written, but {problem}") from None


def _check(request: BuildRequest, path: Path, run: Run) -> None:
    if path.is_symlink() or not path.is_file():
        raise BadLibraryError("it is a link or not a regular file")
    data = path.read_bytes()
    wanted = target_machine(request)
    library = read_library(data, wanted)
    if request.spec_digest:
        _check_kernel(library, data, request.spec_digest)
    if wanted == host_machine() and is_python(sys.executable):
        said = run(
            (sys.executable, "-I", "-S", os.fspath(PROBE), f"./{path.name}", "1" if request.spec_digest else "0")
        )
        if request.spec_digest:
            _check_info(said, request.spec_digest)


def target_machine(request: BuildRequest) -> int | None:
    """Return the machine that the request's compiler makes code for; this host's if it names none."""
    compiler = request.key.get("compiler")
    target = compiler.get("target", "") if isinstance(compiler, dict) else ""
    return machine_of(target) if target else host_machine()


def _check_kernel(library: Library, data: bytes, digest: str) -> None:
    missing = [name for name in KERNEL_EXPORTS if library.exports and name not in library.exports]
    if missing:
        raise BadLibraryError(f"it does not export {', '.join(missing)}, as every kernel does")
    if digest.encode() not in data:
        raise BadLibraryError(f"it does not hold the digest {digest[:16]}... of the kernel asked for")


def _check_info(said: str, digest: str) -> None:
    """Compare the `tw_info` of the library with what this version builds."""
    import ctypes

    from ..model.abi import ABI_VERSION
    from .launcher import TwArgs

    wanted = f"{ABI_VERSION} {ctypes.sizeof(TwArgs)} {digest}"
    if said.strip() != wanted:
        raise BadLibraryError(f"its tw_info says {said.strip()[:120]!r} (ABI, arguments, digest), not {wanted!r}")
