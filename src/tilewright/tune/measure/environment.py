"""The environment of a measuring process: how many threads each library may use."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ...settings import QUIET_BLAS


def worker_env(peers: Sequence[str], threads: int) -> dict[str, str]:
    """Return the environment of a worker: our threads for all libraries, and a quiet BLAS unless NumPy is timed.

    >>> worker_env(["torch"], 2)["OPENBLAS_NUM_THREADS"]
    '1'
    """
    blas = threads if "numpy" in peers else 1
    counts = {"OPENBLAS_NUM_THREADS": blas, "OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads}
    return {**os.environ, **{k: str(v) for k, v in counts.items()}, **QUIET_BLAS}
