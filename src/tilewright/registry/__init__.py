"""Registry: kernels and kernel sets, priorities, merge, filter, parallel build, JSON."""

from __future__ import annotations

from .collection import MAX_SETS
from .entry import Consideration, Entry, MergeReport
from .offers import runs
from .registry import Registry, default_registry
from .stored import REGISTRY_SCHEMA

__all__ = [
    "MAX_SETS",
    "REGISTRY_SCHEMA",
    "Consideration",
    "Entry",
    "MergeReport",
    "Registry",
    "default_registry",
    "runs",
]
