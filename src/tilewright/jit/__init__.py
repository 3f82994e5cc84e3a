"""Build kernels: a content-addressed cache, a pool of compiler processes, and the values they exchange.

>>> import tempfile
>>> cache = Cache(tempfile.mkdtemp())
>>> request = BuildRequest("", "hello", {"a": "hi"}, (("cp", "a", "b"),), ("b",))
>>> build_one(request, cache).file().read_text()
'hi'
"""

from __future__ import annotations

from .artifact import Artifact, BuildFailure, BuildRequest
from .cache import Cache, CacheEvent, CacheWarning
from .compiler import Compiler, cxx_request, find_compiler
from .headers import HeaderScan, include_closure
from .pool import build_many, build_one
from .progress import LineProgress, LiveProgress, NoProgress, Progress, progress_for

__all__ = [
    "Artifact",
    "BuildFailure",
    "BuildRequest",
    "Cache",
    "CacheEvent",
    "CacheWarning",
    "Compiler",
    "HeaderScan",
    "LineProgress",
    "LiveProgress",
    "NoProgress",
    "Progress",
    "build_many",
    "build_one",
    "cxx_request",
    "find_compiler",
    "include_closure",
    "progress_for",
]
