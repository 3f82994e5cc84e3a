"""Calls of this package's functions that torch computes, and why.

A function named like one of torch's takes what torch's takes. What no kernel computes is left to torch and recorded
here; layers of a patched model record theirs in the report of the patch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..errors import CaptureError, SelectionError
from .fitness import NOT_COMPUTED, reason_of
from .report import Report
from .ways import is_transformed, transform_error

Tensor = torch.Tensor
PREFIX = "tilewright.torch"
FUNCTIONS = Report()


def left_calls() -> dict[tuple[str, str], int]:
    """Return how often a call of a function of this package was left to torch, by (function, reason).

    >>> import tilewright.torch as tt
    >>> _ = tt.matmul(torch.ones(2, 2, dtype=torch.int64), torch.ones(2, 2, dtype=torch.int64))
    >>> [reason for function, reason in left_calls() if function == "tilewright.torch.matmul"][-1]
    'the dtype is int64; kernels take float32, float16 and bfloat16'
    """
    return FUNCTIONS.left_calls


def note_left(function: str, reason: str) -> None:
    """Record a call that is left to torch; the first one with this reason logs a warning."""
    FUNCTIONS.note_left(f"{PREFIX}.{function}", reason)


def no_invariant(what: str, reason: str) -> SelectionError:
    """Return the error for a call that must not depend on its batch, and that no kernel computes.

    >>> no_invariant("linear", "its weight is float64").message
    'linear has no batch-invariant result: its weight is float64'
    """
    return SelectionError(
        f"{what} has no batch-invariant result: {reason}", remedy="omit invariant, or leave this layer out of the patch"
    )


def ours_or_torchs(
    function: str, reason: str | None, ours: Callable[..., Any], torchs: Callable[..., Any], *values: Any
) -> Any:
    """Return `ours(*values)`; if there is a reason not to, or no kernel computes it, what torch returns.

    A mistake of the caller's, which torch refuses too, is the error of tilewright. A traced call has no second try.

    >>> ours_or_torchs("double", "no kernel doubles", lambda x: None, lambda x: x + x, 2)
    4
    """
    if reason is not None:
        note_left(function, reason)
        return torchs(*values)
    if torch.compiler.is_compiling():
        return ours(*values)
    try:
        return ours(*values)
    except CaptureError:
        raise  # who calls a function knows of the capture, and can build the kernel before
    except NOT_COMPUTED as error:
        found, reason = _torchs_instead_of(error, torchs, values)
        note_left(function, reason)
        return found


def gradient_or_torchs(function: str, ours: Callable[..., Any], torchs: Callable[..., Any], *values: Any) -> Any:
    """Return a gradient by a kernel, or by torch if none computes it: the engine has nobody to turn to.

    >>> gradient_or_torchs("double", lambda x: x + x, lambda x: None, 2)
    4
    """
    try:
        if is_transformed(*(v for v in values if type(v) is Tensor)):
            raise transform_error()
        return ours(*values)
    except NOT_COMPUTED as error:
        found, reason = _torchs_instead_of(error, torchs, values)
        note_left(f"{function} (backward)", reason)
        return found


def _torchs_instead_of(error: Any, torchs: Callable[..., Any], values: tuple[Any, ...]) -> tuple[Any, str]:
    """Return torch's result and the reason, or raise `error` if torch has none either, or if fallbacks are errors."""
    reason = reason_of(error)
    try:
        return torchs(*values), reason
    except (RuntimeError, TypeError, ValueError, IndexError, AssertionError):
        raise error from None
