"""The verdict on a built kernel: compiled, inspected, executed; kept in the cache beside its entry, with its counts."""

from __future__ import annotations

import hashlib
import time
from functools import cache as cached
from pathlib import Path

from ...backends import get_backend_op
from ...jit.artifact import Artifact
from ...jit.cache import Cache
from ...jit.verdicts import read_verdict, write_verdict
from ...model.json_text import Json
from ...model.kernel import KernelSpec
from ...settings import Settings
from .count import count_kernel
from .execute import Executed, execute, place_for

SCHEMA = 1
STATES = ("right", "wrong", "refused")


@cached
def emulator_digest() -> str:
    """Return the identity of the emulator that executes here: a verdict of another one is made again."""
    folder = Path(__file__).parents[2] / "emulator"
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        whole.update(path.read_bytes())
    return whole.hexdigest()[:16]


def verdict_on(spec: KernelSpec, artifact: Artifact, cache: Cache, settings: Settings) -> Json | None:
    """Return the verdict on a built kernel: the stored one of this emulator, or a new one, which is stored.

    None if the arch of the kernel is not emulated.
    """
    if place_for(spec) is None:
        return None
    known = stored_verdict(artifact.build_key, cache)
    if known is not None and known["emulator"] == emulator_digest():
        return known
    kernel = get_backend_op(spec.backend, spec.op).load(spec, artifact)
    found = record_of(execute(spec, kernel, settings))
    if found["state"] == "right":
        found["counts"] = count_kernel(spec, kernel, settings)
    write_verdict(cache, artifact.build_key, found)
    return found


def record_of(executed: Executed) -> Json:
    """Return the JSON form of a verdict.

    >>> record_of(Executed((), "no trial"))["state"]
    'refused'
    """
    made = {"schema": SCHEMA, "emulator": emulator_digest(), "created": round(time.time(), 3)}
    return {**made, **executed.to_dict()}


def stored_verdict(build_key: str, cache: Cache) -> Json | None:
    """Return the verdict that is kept with an entry; None if there is none, or none that this version can read."""
    found = read_verdict(cache, build_key)
    if found is None or found.get("schema") != SCHEMA or found.get("state") not in STATES:
        return None
    readable = isinstance(found.get("outcomes"), list) and isinstance(found.get("why"), str)
    return found if readable and isinstance(found.get("emulator"), str) else None


def in_words(verdict: Json | None) -> str:
    """Return a verdict in a few words, for tables.

    >>> in_words({"state": "right", "outcomes": [{}, {}], "why": ""})
    'right (2 runs)'
    """
    if verdict is None:
        return "not executed"
    runs = len(verdict["outcomes"])
    return f"{verdict['state']} ({runs} run{'s'[: runs != 1]})" + (f": {verdict['why']}" if verdict["why"] else "")
