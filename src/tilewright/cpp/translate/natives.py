"""What the C++ runtime provides itself: builtin functions and types, by their Python objects."""

from __future__ import annotations

import builtins
import collections.abc
import contextlib
import dataclasses
import functools
import itertools
import math
import numbers
import operator
import typing
from typing import Any

from ...errors import nearest
from ...model.canonical import canonical, canonical_json, digest
from ...model.expr import ceil_div, floor_div, is_true, least, most, pick
from ...model.numbers import Numbers
from ...model.problem import resized

BUILTIN_NAMES = (
    "len", "min", "max", "sum", "abs", "any", "all", "sorted", "zip", "enumerate", "map", "reversed", "next",
    "iter", "isinstance", "getattr", "hasattr", "type", "repr", "setattr", "range", "round",
    "pow",
)  # fmt: skip
NATIVES: dict[Any, str] = {
    **{getattr(builtins, name): name for name in BUILTIN_NAMES if not isinstance(getattr(builtins, name), type)},
    math.prod: "prod", math.ceil: "ceil", math.floor: "floor", math.sqrt: "sqrt", math.log2: "log2", math.gcd: "gcd",
    math.isfinite: "isfinite", typing.cast: "cast", operator.mul: "mul", dataclasses.fields: "fields",
    dataclasses.replace: "replace", canonical: "canonical", canonical_json: "canonical_json", digest: "digest",
    nearest: "nearest", ceil_div: "ceil_div", floor_div: "floor_div", least: "least", most: "most", pick: "pick",
    is_true: "is_true", resized: "resized",
}  # fmt: skip
# Arguments that the runtime takes by name; of functions that are not here, none. It would pass over others.
NAMED: dict[str, tuple[str, ...]] = {
    "min": ("key", "default"), "max": ("key", "default"), "sorted": ("key",), "zip": ("strict",),
}  # fmt: skip
ANY_NAMED = ("replace",)
# Types that are called like functions.
FUNCTION_TYPES: dict[type, str] = {
    **{getattr(builtins, name): name for name in BUILTIN_NAMES if isinstance(getattr(builtins, name), type)},
    functools.partial: "partial", itertools.chain: "chain",
    itertools.product: "product", Numbers: "zipped_numbers", contextlib.suppress: "suppress",
    contextlib.nullcontext: "nullcontext",
}  # fmt: skip


def native_name(value: Any) -> str | None:
    """Return the name of a function of the runtime; None if the value is none of them.

    >>> native_name(sorted), native_name(zip), native_name(native_name)
    ('sorted', 'zip', None)
    """
    try:
        return FUNCTION_TYPES.get(value) or NATIVES.get(value)
    except TypeError:  # it has no hash
        return None


TYPES: dict[Any, str] = {
    **{t: t.__name__ for t in (int, float, str, bool, tuple, list, set, frozenset, dict, object)},
    collections.abc.Sequence: "Sequence", collections.abc.Mapping: "Mapping", numbers.Real: "Real",
}  # fmt: skip
