"""Bad values, and documents that were right before something in them was changed."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

MARK = "TWMARK"  # no accepted input may carry it into generated source
TEXTS = (
    "",
    " ",
    "*",
    "none",
    "fp32",
    "FP32",
    "cpu",
    "gemm",
    "x" * 1000,
    "é",
    "\0",
    "a\nb",
    "'",
    '"',
    "../../etc/passwd",
    f"1; }}; {MARK}(); //",
    f'\n#include "/etc/{MARK}"\n',
    f"{{{{ {MARK} }}}}",
    "%s%n",
    "-1",
    "1e3",
    "nan",
)
NUMBERS = (
    0,
    1,
    -1,
    2,
    3,
    7,
    64,
    255,
    4096,
    65537,
    2**31 - 1,
    2**31,
    -(2**31),
    2**32,
    2**53 + 1,
    2**62,
    2**63 - 1,
    2**63,
    2**64,
    10**20,
    10**40,
    0.0,
    -0.0,
    0.5,
    1.5,
    1e-320,
    1e308,
    float("nan"),
    float("inf"),
    -float("inf"),
)
OTHERS: tuple[Any, ...] = (
    True,
    False,
    None,
    [],
    {},
    [1],
    [[1, 2]],
    {"a": 1},
    [None],
    [True, "x"],
    {"values": [1]},
    {"min": 0, "max": 10**9, "step": 1},
    {"min": 1, "max": 0, "step": 0},
)


def bad_value(rng: Random) -> Any:
    """One value that may be wrong where it is put."""
    return copy.deepcopy(rng.choice(rng.choice((TEXTS, NUMBERS, OTHERS))))


def places(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value inside a document."""
    found = [path] if path else []
    if isinstance(document, dict):
        for key in document:
            found += places(document[key], (*path, key))
    elif isinstance(document, list):
        for i, item in enumerate(document):
            found += places(item, (*path, i))
    return found


def changed(document: Any, rng: Random) -> Any:
    """A copy of a document with some values replaced, taken out, added, or moved to where another was."""
    made = copy.deepcopy(document)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        paths = places(made)
        if not paths:
            return bad_value(rng)
        path = rng.choice(paths)
        holder = made
        for step in path[:-1]:
            holder = holder[step]
        act = rng.randrange(10)
        if act == 0 and isinstance(holder, dict):
            del holder[path[-1]]
        elif act == 1 and isinstance(holder, dict):
            holder[rng.choice(TEXTS)] = bad_value(rng)
        elif act == 2:
            holder[path[-1]] = [holder[path[-1]]]
        elif act == 3 and isinstance(holder, list):
            holder.append(bad_value(rng))
        else:
            holder[path[-1]] = bad_value(rng)
    return made


def changed_text(document: Any, rng: Random) -> bytes:
    """The text of a document with bytes, keys or nesting changed; often no JSON any more."""
    text = json.dumps(changed(document, rng) if rng.random() < 0.5 else document)
    act = rng.randrange(8)
    if act == 0:
        return b"[" * rng.choice((40, 2000, 100_000)) + text.encode()
    if act == 1:
        return text.replace(":", f': {"9" * rng.choice((21, 4000, 10_000))}, "x":', 1).encode()
    if act == 2 and "{" in text:
        return text.replace("{", '{"twice": 1, "twice": 2, ', 1).encode()
    data = bytearray(text.encode())
    for _ in range(rng.randrange(4)):
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data[: rng.randrange(len(data) + 1)]) if act == 3 else bytes(data)


def changed_bytes(data: bytes, rng: Random) -> bytes:
    """A file with some bytes changed, cut off, taken out, put in or repeated."""
    made = bytearray(data)
    act = rng.randrange(6)
    if act == 0:
        return bytes(made[: rng.randrange(len(made) + 1)])
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at, length = rng.randrange(len(made) + 1), rng.choice((1, 1, 2, 4, 64))
        if act == 1:
            del made[at : at + length]
        elif act == 2:
            made[at:at] = rng.randbytes(length)
        elif act == 3:
            made[at:at] = made[at : at + length]
        else:
            made[at : at + length] = rng.choice((bytes(length), b"\xff" * length, rng.randbytes(length)))
    return bytes(made)
