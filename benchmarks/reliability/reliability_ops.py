"""The operations that `kill.py` and `faults.py` disturb: each can be run, and what it left can be judged.

An operation works in one folder. `prepare` makes what is there before, `run` is disturbed, `check` looks at what is
left, does the work again undisturbed, and returns what was lost, damaged or unusable: one sentence each. What `run`
returns is called undisturbed afterwards and raises `AssertionError` if the result is wrong.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

from reliability_base import Operation, child_result, judged
from reliability_cache import Build, CacheExport, CacheImport, Clear, Load, Mend, compiled_library
from reliability_store import Export, Merge, RegistryExport, SweepStore, registry

__all__ = ["Operation", "child_result", "judged", "operations", "warm_up"]


def operations(names: Sequence[str] = ()) -> list[Operation]:
    """Return all operations, or those of these names."""
    every: list[Operation] = [
        *(Build(), Mend(), Load(), Clear(), CacheExport(), CacheImport(), Merge(), SweepStore()),
        *(Export("jsonl"), Export("jsonl.gz"), RegistryExport()),
    ]
    if find_spec("pyarrow") is not None:
        every.append(Export("parquet"))
    unknown = {*names} - {operation.name for operation in every}
    if unknown:
        raise SystemExit(f"unknown operations {sorted(unknown)}; there are {[o.name for o in every]}")
    return [operation for operation in every if not names or operation.name in names]


def warm_up() -> None:
    """Import what the operations use, so that a fork starts at once; no thread may run yet."""
    warnings.simplefilter("ignore")
    for name in ("archive", "runner", "upkeep"):
        import_module(f"tilewright.jit.{name}")
    compiled_library()
    registry()
