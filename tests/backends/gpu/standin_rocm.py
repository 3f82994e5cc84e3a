"""A folder laid out like ROCm whose HIP runtime is the stand-in, for tests of the code that runs on AMD GPUs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from code_objects import ELF

from tilewright.backends.gpu import detect, hip_detect, hip_driver, places
from tilewright.backends.gpu.emulated.standin import LIBRARY, standin_library

DATA = Path(__file__).parents[2] / "emulator" / "data"


def make_rocm(root: Path) -> Path:
    """A copy of the stand-in: a library of its own, not the one behind the emulated places."""
    (root / "lib").mkdir()
    shutil.copy(standin_library(), root / "lib" / LIBRARY)
    return root


@contextmanager
def rocm_machine(root: Path, gpus: str, monkeypatch: pytest.MonkeyPatch, **env: str) -> Iterator[None]:
    """A machine with these AMD GPUs and no NVIDIA driver."""
    for name, value in {"ROCM_PATH": str(root), "TILEWRIGHT_EMULATED_GPUS": gpus, **env}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(hip_driver, "_DRIVERS", {})
    monkeypatch.setattr(places, "gpu_devices", lambda: ())
    forget()
    yield
    monkeypatch.undo()
    forget()


def forget() -> None:
    for known in (hip_detect._asked, hip_detect.hip_devices, detect.gpu_devices):
        known.cache_clear()


def code_object(folder: Path, arch: str = "gfx942") -> Path:
    """A CK Tile GEMM as a build leaves it: a code object, and the assembly text that is executed."""
    (folder / "kernel.co").write_bytes(ELF)
    (folder / "kernel.s").write_text((DATA / f"ck_gemm_fp16_{arch}.s").read_text())
    return folder / "kernel.co"


def spied(runtime: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """The words of every call of an entry point from now on."""
    calls: list[tuple[int, ...]] = []
    real = getattr(runtime, name)

    def spy(*words: int) -> None:
        calls.append(words)
        real(*words)

    monkeypatch.setattr(runtime, name, spy)
    return calls
