"""Common parts of attention calls: masks, seeds, the order of dimensions, the problem, new results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..errors import ProblemError, TensorError
from ..jit.arrays import as_numpy, is_torch, view_at, view_of
from ..model.fields import FACTOR, factor_of, shown
from ..model.tensor import TensorView
from ..ops.fmha.contents import offset_mistakes
from ..ops.fmha.problem import FmhaProblem
from ..ops.fmha.tensors import problem_of
from .call import Result, Tensors, Views

ROWS = ("q", "k", "v", "out", "dout", "dq", "dk", "dv")
NO_WINDOW = (-1, -1)
CORNERS = ("bottom_right", "top_left")


def masking(causal: bool, window: Any, align: str, sink_tokens: int) -> dict[str, Any]:
    """Return the fields of a mask. A causal window ends at the diagonal; `align` places the diagonal.

    >>> masking(True, (-1, -1), "bottom_right", 0)["mask"], masking(False, (16, 4), "top_left", 0)["mask"]
    ('causal_bottom_right', 'window_top_left')
    >>> masking(True, (16, -1), "bottom_right", 0)["window_right"]
    0
    """
    if align not in CORNERS:
        raise ProblemError(f"align is {shown(align)}; it must be {' or '.join(CORNERS)}")
    if not isinstance(causal, (bool, int)):
        raise ProblemError(f"causal is {shown(causal)}; it must be True or False")
    if not isinstance(window, (tuple, list)) or len(window) != 2 or not all(isinstance(w, int) for w in window):
        raise ProblemError(f"window is {shown(window)}; it must be (left, right); -1 is unbounded")
    if tuple(window) == NO_WINDOW:
        return {"mask": f"causal_{align}" if causal else "none", "sink_tokens": sink_tokens}
    left, right = window
    if causal and right > 0:
        raise ProblemError(
            f"window is {tuple(window)}, and causal", remedy="give (left, 0), or omit causal to see keys ahead"
        )
    mask = "window" if align == "bottom_right" else "window_top_left"
    return {"mask": mask, "window_left": left, "window_right": 0 if causal else right, "sink_tokens": sink_tokens}


def seed_tensor(dropout: Any, rng: Any, like: Any) -> Any:
    """Return the tensor with the seed of a dropout mask, of the kind of `like`; None if nothing is dropped.

    There is no default seed: every call would drop the same elements.

    >>> seed_tensor(0.1, (1, 2, 3), None).tolist(), seed_tensor(0.0, None, None)
    ([1, 2, 3], None)
    """
    if rng is not None and not (isinstance(rng, (tuple, list)) and len(rng) == 3 and all(type(x) is int for x in rng)):
        raise ProblemError(f"rng is {shown(rng)}; it must be three integers (key, key, offset)")
    if factor_of(dropout) is None:
        raise ProblemError(f"dropout is {shown(dropout)}; {FACTOR}")
    if not dropout:
        return None
    if rng is None:
        raise ProblemError(
            f"dropout is {dropout}, but its seed is missing",
            remedy="give rng=(key, key, offset), with a new offset for each call; a backward pass needs the same",
        )
    import numpy as np

    words = np.array([int(x) & 0xFFFFFFFF for x in rng], np.uint32).view(np.int32)
    if not is_torch(like):
        return words
    import torch

    return torch.from_numpy(words).to(like.device)


def bias_of(bias: Any, alibi_slopes: Any) -> Any:
    """Return the one that is given, as the bias of the op.

    >>> bias_of(None, None) is None
    True
    """
    if alibi_slopes is None:
        return bias
    if bias is not None:
        raise TensorError("bias and alibi_slopes are both given", remedy="give one of them, or add the slopes to bias")
    return alibi_slopes


def view_in_order(tensor: Any, role: str, place: str | None, choices: Mapping[str, Any]) -> TensorView:
    """Return the view with dimensions in the order of the op: rows before heads; slopes as [batch or 1, heads]."""
    view = view_at(tensor, role, place)
    if role == "bias":
        return _bias_view(view, choices["alibi"])
    if role not in ROWS or choices["layout"] != "bhsd" or len(view.shape) != 4:
        return view
    order = (0, 2, 1, 3)
    return replace(view, shape=tuple(view.shape[i] for i in order), strides=tuple(view.strides[i] for i in order))


def _bias_view(view: TensorView, alibi: bool) -> TensorView:
    if not alibi and len(view.shape) != 4:
        slopes = "pass ALiBi slopes as alibi_slopes=" if len(view.shape) <= 2 else "give all four dimensions"
        raise TensorError(f"bias has shape {view.shape}; it must be [batch, heads, rows, keys]", remedy=slopes)
    if alibi and len(view.shape) not in (1, 2):
        raise TensorError(f"alibi_slopes has shape {view.shape}; it must be [heads] or [batch, heads]")
    if alibi and len(view.shape) == 1:
        return replace(view, shape=(1, *view.shape), strides=(view.shape[0], *view.strides))
    return view


def new_result(problem: FmhaProblem, role: str, views: Views, choices: Mapping[str, Any]) -> Result:
    """Return the shape and strides of a dense result, in the caller's order of dimensions."""
    shape = problem.shape(role)
    if role in ROWS and choices.get("layout") == "bhsd":
        shape = (shape[0], shape[2], shape[1], shape[3])
    return Result(shape, problem.dtype_of(role))


def posed(given: Tensors, views: Views, fields: Mapping[str, Any]) -> FmhaProblem:
    """Return the problem of these tensors and `fields`; fields that are None are ignored.

    If it is not valid, the error also says what is wrong with offsets, if they can be read on the host.
    """
    try:
        return problem_of(views, **{name: value for name, value in fields.items() if value is not None})
    except ProblemError as error:
        found = []
        for role in ("cu_seqlens_q", "cu_seqlens_k", "page_indptr"):
            if role in given and view_of(given[role], role).device == "cpu":
                found += offset_mistakes(role, as_numpy(given[role]))
        raise type(error)("; ".join([error.message, *found]), remedy=error.remedy) from None
