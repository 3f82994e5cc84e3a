"""The environment of a measuring process: how many threads each library may use, and where its answers go."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TextIO

from ...settings import QUIET_BLAS


def worker_env(peers: Sequence[str], threads: int) -> dict[str, str]:
    """Return the environment of a worker: our threads for all libraries, and a quiet BLAS unless NumPy is timed.

    >>> worker_env(["torch"], 2)["OPENBLAS_NUM_THREADS"]
    '1'
    """
    blas = threads if "numpy" in peers else 1
    counts = {"OPENBLAS_NUM_THREADS": blas, "OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads}
    return {**os.environ, **{k: str(v) for k, v in counts.items()}, **QUIET_BLAS}


def answer_file() -> TextIO:
    """Return this process's stdout as a file of its own; from now on, what kernels and libraries print is stderr."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return out
