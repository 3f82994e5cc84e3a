"""Threads on the CPU: kernels run on those of torch's OpenMP, so that two pools do not share the cores.

Idle threads of OpenMP keep their cores awake for milliseconds. A pool beside it got half of each core in the calls that
follow an operator of torch: whole transformers took 1.3 times torch's time with two threads, and less than it now.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any

import torch

from ..jit.library import borrow_threads
from ..jit.loaded import loaded_files

LIBRARIES = ("libgomp", "libiomp5", "libomp")  # all of them have the functions of the first
FUNCTIONS = ("GOMP_parallel", "omp_get_thread_num", "omp_get_num_threads", "omp_get_max_threads", "omp_in_parallel")
PAUSE = "omp_pause_resource_all"  # of OpenMP 5.0


def loaded_openmp() -> str | None:
    """Return the path of the OpenMP library that torch has loaded; None if it is unknown."""
    found = [p for p in loaded_files() if os.path.basename(p).startswith(LIBRARIES)]
    package = Path(torch.__file__).parent
    own = [p for p in found if {package, package.with_name("torch.libs")} & set(Path(p).parents)]
    return own[0] if len(own) == 1 else found[0] if len(found) == 1 else None


def share_threads() -> bool:
    """Let kernels run on torch's threads; False if torch has no OpenMP library that is known."""
    path = loaded_openmp()
    if path is None:
        return False
    try:
        library = ctypes.CDLL(path, os.RTLD_NOLOAD | os.RTLD_NOW)
        addresses = [_address(getattr(library, name)) for name in FUNCTIONS]
    except (OSError, AttributeError):
        return False
    borrow_threads((*addresses, _address(getattr(library, PAUSE, None))))
    return True


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0 if function is not None else 0
