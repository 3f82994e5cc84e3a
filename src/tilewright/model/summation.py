"""Orders of summation. Two launches that sum in the same order give a row the same bits.

A backend names the order of each launch (`BackendOp.summation`): a class of bits. A problem asks for any order, for
one that is the same for every batch, or for the order of a name. "invariant" is replaced by a name before kernels are
ranked (`select.invariance`).
"""

from __future__ import annotations

from typing import Any

from ..errors import ProblemError
from .fields import shown

ANY = "any"  # what a problem asks for by default, and always if its op has no other order
INVARIANT = "invariant"
MAX_LETTERS = 80  # of a name
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:-_.+/="


def asked_summation(invariant: Any) -> str:
    """Return the order that the option `invariant` of a call asks for.

    >>> asked_summation(True), asked_summation(False)
    ('invariant', 'any')
    """
    if not isinstance(invariant, bool):
        raise ProblemError(f"invariant is {shown(invariant)}; it must be True or False")
    return INVARIANT if invariant else ANY


def accepts(asked: str, order: str) -> bool:
    """Return whether a launch that sums in `order` (empty: none is declared) serves a problem that asks for `asked`.

    >>> accepts("any", ""), accepts("invariant", ""), accepts("invariant", "cpu:fma"), accepts("cpu:fma", "cpu:mm")
    (True, False, True, False)
    """
    return asked == ANY or (bool(order) and asked in (INVARIANT, order))


def is_summation(value: Any) -> bool:
    """Return whether a value may stand in a problem: the name of an order. C++ bundles ask it too.

    >>> is_summation("invariant"), is_summation("cpu:fma:k512"), is_summation(""), is_summation(3)
    (True, True, False, False)
    """
    return isinstance(value, str) and 0 < len(value) <= MAX_LETTERS and all(letter in LETTERS for letter in value)
