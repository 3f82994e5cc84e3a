"""What every attention call does: views, the problem they pose, checks, the plan, new tensors for what is written.

A call on tensors that look like those of an earlier one is prepared already: what index tensors hold, and whether
written memory meets other tensors, is still checked each time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..errors import ProblemError, TensorError
from ..jit.arrays import as_numpy, view_of
from ..model.device import memory_of
from ..model.dtype import numpy_dtype
from ..model.fields import real_number, shown
from ..model.tensor import TensorView
from ..ops.fmha.contents import content_mistakes, offset_mistakes
from ..ops.fmha.problem import FmhaProblem
from ..ops.fmha.shapes import INDEX_ROLES
from ..ops.fmha.tensors import may_alias, mismatches
from . import functional
from .memo import look_of

ROWS = ("q", "k", "v", "out", "dout", "dq", "dk", "dv")
CHECKED = tuple(r for r in INDEX_ROLES if r != "rng")
NO_SEED = (0, 0, 0)
NO_WINDOW = (-1, -1)
Views = dict[str, TensorView]
Pose = Callable[[Mapping[str, TensorView]], FmhaProblem]


@dataclass(frozen=True)
class Options:
    """What a call has beside its tensors. `key` holds every choice that decides the problem."""

    key: tuple[Any, ...]
    pose: Pose
    layout: str = "bshd"
    rng: tuple[int, int, int] = NO_SEED


def seed_of(dropout: float, rng: tuple[int, int, int] | None) -> tuple[int, int, int]:
    """The seed of a dropout mask, which there is no default for: every call would drop the same elements.

    >>> seed_of(0.1, (1, 2, 3)), seed_of(0.0, None)
    ((1, 2, 3), (0, 0, 0))
    """
    if rng is not None and not (isinstance(rng, (tuple, list)) and len(rng) == 3 and all(type(x) is int for x in rng)):
        raise ProblemError(f"rng is {shown(rng)}; it must be three integers (key, key, offset)")
    if not isinstance(dropout, (int, float)) and real_number(dropout) is None:
        raise ProblemError(f"dropout is {shown(dropout)}; it must be a finite number")
    if dropout and rng is None:
        raise ProblemError(
            f"dropout is {dropout}, but its seed is missing",
            remedy="give rng=(key, key, offset), and a new offset for each call; a backward pass takes the same",
        )
    return rng or NO_SEED


def masking(mask: str, window: tuple[int, int], sink_tokens: int) -> dict[str, Any]:
    """The fields of a mask; a window replaces `mask`, and counts from the corner that it names.

    >>> masking("none", (16, 0), 4)["mask"], masking("causal_top_left", (16, 0), 4)["mask"]
    ('window', 'window_top_left')
    """
    if type(window) is tuple and window == NO_WINDOW:
        return {"mask": mask, "sink_tokens": sink_tokens}
    if not isinstance(window, (tuple, list)) or len(window) != 2 or not all(isinstance(w, int) for w in window):
        raise ProblemError(f"window is {shown(window)}; it must be (left, right), -1 being unbounded")
    if not isinstance(mask, str):
        raise ProblemError(f"mask is {shown(mask)}; it must be a name")
    if tuple(window) == NO_WINDOW:
        return {"mask": mask, "sink_tokens": sink_tokens}
    corner = "window_top_left" if mask.endswith("top_left") else "window"
    return {"mask": corner, "window_left": window[0], "window_right": window[1], "sink_tokens": sink_tokens}


def at_place(device: str | None) -> dict[str, Any]:
    """The field that says where a call runs; none if it runs where its tensors are.

    >>> at_place("emu:gfx942"), at_place(None)
    ({'device': 'emu:gfx942'}, {})
    """
    return {} if device is None else {"device": device}


def run(given: Mapping[str, Any], options: Options) -> dict[str, Any]:
    """Every tensor of the problem, by role, with those that are written filled in."""
    tensors = {role: t for role, t in given.items() if t is not None}
    looks = {role: look_of(t) for role, t in tensors.items()}
    known = None not in looks.values()
    memo = functional.current_memo()
    key = ("fmha", options.key, options.layout, *((r, look[0]) for r, look in looks.items() if look))
    prepared = memo.find(key) if known else None
    if prepared is None:
        prepared = _prepare(tensors, options)
        if known and prepared.call is not None:
            memo.keep(key, prepared)
    return prepared.run(tensors, options.rng)


class Prepared:
    """A plan for tensors of one look."""

    def __init__(self, problem: FmhaProblem, plan: Any, views: Views, device: Any, layout: str, strict: bool) -> None:
        self.problem, self.plan, self.device, self.layout = problem, plan, device, layout
        self.call = plan.prepared_call(views) if plan.candidate is not None else None
        self._extents = {role: view.extent for role, view in views.items()}
        self._written = problem.outputs
        read = (
            memory_of(problem.device) == "cpu" or strict
        )  # what is on a GPU is copied to the host only where asked for
        self._indices = [r for r in problem.roles if r in CHECKED] if read else []

    def run(self, given: Mapping[str, Any], rng: tuple[int, int, int]) -> dict[str, Any]:
        """Check what can differ from call to call, and launch."""
        tensors = {
            r: given[r] if r in given else new_tensor(self.problem, r, self.device, self.layout, rng)
            for r in self.problem.roles
        }
        if self._indices:
            mistakes = content_mistakes(self.problem, {r: as_numpy(tensors[r]) for r in self._indices})
            if mistakes:
                raise TensorError.of(f"tensors of {self.problem.label()}", mistakes)
        if self.call is None:
            views = {role: view_in_order(t, role, self.layout) for role, t in tensors.items()}
            self.plan.bind(views)()
            return tensors
        addresses = {role: _address(t) for role, t in tensors.items()}
        self._refuse_overlap(given, addresses)
        self.call.run_pointers(*addresses.values())
        return tensors

    def _refuse_overlap(self, given: Mapping[str, Any], addresses: Mapping[str, int]) -> None:
        reach = {r: (addresses[r] + low, addresses[r] + high) for r, (low, high) in self._extents.items()}
        mistakes = [
            f"{role} overlaps {other} in memory"
            for role in self._written
            if role in given
            for other in given
            if other != role and reach[role][0] < reach[other][1] and reach[other][0] < reach[role][1]
            if not (other in may_alias(self.problem) and role == "out" and addresses[role] == addresses[other])
        ]
        if mistakes:
            raise TensorError.of(f"tensors of {self.problem.label()}", mistakes)


def new_tensor(problem: FmhaProblem, role: str, device: Any, layout: str, rng: tuple[int, int, int]) -> Any:
    """A new tensor of the kind of the caller's: torch where `device` is one of torch, NumPy where it is None."""
    if role == "rng":
        return _seed(rng, device)
    shape = problem.shape(role)
    if role in ROWS and layout == "bhsd":
        shape = (shape[0], shape[2], shape[1], shape[3])
    dtype = numpy_dtype(problem.dtype_of(role))
    if device is not None:
        import torch

        return torch.empty(shape, dtype=getattr(torch, dtype.name), device=device)
    import numpy as np

    return np.empty(shape, dtype)


def _prepare(tensors: Mapping[str, Any], options: Options) -> Prepared:
    """The whole way: views, problem, every mismatch at once, plan."""
    views = {role: view_in_order(t, role, options.layout) for role, t in tensors.items()}
    try:
        problem = options.pose(views)
    except ProblemError as error:
        raise _with_offsets(error, tensors) from None
    device, layout = _torch_device(next(iter(tensors.values()))), options.layout
    made = {r: new_tensor(problem, r, device, layout, options.rng) for r in problem.roles if r not in views}
    views |= {role: view_in_order(t, role, layout) for role, t in made.items()}
    dense = {r: views[r].strides for r in made if len(views[r].shape) > 1}
    problem = replace(problem, strides={**problem.strides, **dense})
    mistakes = mismatches(problem, views)
    if mistakes:
        raise TensorError.of(f"tensors of {problem.label()}", mistakes)
    ordered = {role: views[role] for role in problem.roles}
    dispatcher = functional.default_dispatcher()
    return Prepared(problem, dispatcher.plan(problem), ordered, device, layout, dispatcher.settings.strict)


def _with_offsets(error: ProblemError, tensors: Mapping[str, Any]) -> ProblemError:
    """The error with what is wrong with offsets too, where they can be read on the host."""
    found = []
    for role in ("cu_seqlens_q", "cu_seqlens_k", "page_indptr"):
        if role in tensors and view_of(tensors[role], role).device == "cpu":
            found += offset_mistakes(role, as_numpy(tensors[role]))
    return type(error)("; ".join([error.message, *found]), remedy=error.remedy)


def view_in_order(tensor: Any, role: str, layout: str) -> TensorView:
    """The view with dimensions in the order of the op: rows before heads."""
    view = view_of(tensor, role)
    if role not in ROWS or layout != "bhsd" or len(view.shape) != 4:
        return view
    order = (0, 2, 1, 3)
    return replace(view, shape=tuple(view.shape[i] for i in order), strides=tuple(view.strides[i] for i in order))


def _torch_device(like: Any) -> Any:
    """The device of a torch tensor; None for any other kind."""
    return like.device if type(like).__module__.split(".")[0] == "torch" else None


def _address(tensor: Any) -> int:
    look = look_of(tensor)
    return look[1] if look else view_of(tensor, "").address


def _seed(rng: tuple[int, int, int], device: Any) -> Any:
    import numpy as np

    words = np.array([int(x) & 0xFFFFFFFF for x in rng], np.uint32).view(np.int32)
    if device is None:
        return words
    import torch

    return torch.from_numpy(words).to(device)
