"""Masks of attention that depend on no input: all of them known when a graph is compiled.

Models make their masks from positions. torch computes such a mask in each call and reads it in each attention; one
whose columns are one repeated column makes torch leave its fast kernels. A mask that hides nothing is dropped here, and
one that hides the keys behind the diagonal becomes `is_causal`, before torch chooses its kernels.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import fx
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from ..writes import is_known, written_by
from .inductor import real_tensors

ATTENTION = functional.scaled_dot_product_attention
NAMES = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal", "scale", "enable_gqa")
MAX_NUMBERS = 1 << 26  # of a value that is computed here: a mask of 8,192 rows and keys


class UnknownValueError(Exception):
    """A value is not known before the program runs."""


class _Certain(TorchDispatchMode):
    """Refuses operations that draw random numbers."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call the operation."""
        if torch.Tag.nondeterministic_seeded in func.tags:
            raise UnknownValueError
        return func(*args, **(kwargs or {}))


def simplify_masks(module: fx.GraphModule) -> int:
    """Drop masks that hide nothing, and use `is_causal` for causal ones; return how many attentions have changed.

    The module is a graph as Dynamo makes it: operations of torch, in the order in which they run.

    >>> simplify_masks(fx.symbolic_trace(torch.nn.Identity()))  # no attention at all
    0
    """
    calls = [node for node in module.graph.nodes if node.target is ATTENTION and _mask_of(node) is not None]
    if not calls:
        return 0
    changed = 0
    known: dict[fx.Node, Any] = {}
    memory: set[int] = set()  # of what is known: other nodes may be views of it
    with real_tensors(), torch.no_grad(), _Certain():
        for node in module.graph.nodes:
            if node in calls:
                changed += _simplify(node, known)
            elif not _follow(node, known, memory):
                break
    if changed:  # what made a mask stays: it may also write to memory, and AOTAutograd removes what is not used
        module.recompile()
    return changed


def _given(node: fx.Node) -> dict[str, Any]:
    return {**dict(zip(NAMES, node.args, strict=False)), **node.kwargs}


def _mask_of(node: fx.Node) -> fx.Node | None:
    given = _given(node)
    mask = given.get("attn_mask")
    return mask if isinstance(mask, fx.Node) and not given.get("is_causal") else None


def _follow(node: fx.Node, known: dict[fx.Node, Any], memory: set[int]) -> bool:
    """Compute a node that depends on nothing; return False if known values can no longer be trusted.

    Known values that share memory are computed with memory that they share, so they follow each other's writes.
    """
    if node.op == "call_module":
        return not any(_shares(arg, memory) for arg in node.all_input_nodes)
    if node.op not in ("call_function", "call_method"):
        return True
    written, own = written_by(node), _memory(node)
    depends = any(arg not in known for arg in node.all_input_nodes)
    if not depends and own is not None and is_known(node.target) and (written or _is_small(node)):
        args, kwargs = fx.map_arg((node.args, dict(node.kwargs)), lambda arg: known[arg])
        try:
            target: Any = getattr(type(args[0]), str(node.target)) if node.op == "call_method" else node.target
            known[node] = target(*args, **kwargs)
        except Exception:  # what cannot be computed here is computed by the program
            return not written
        memory |= own
        return True
    return not any(_shares(arg, memory) for arg in written)


def _memory(node: fx.Node) -> set[int] | None:
    """Return the memory of a node's fake tensors, which have the same one if they are views; None if it is unknown."""
    tensors = [t for t in tree_leaves(node.meta.get("example_value")) if isinstance(t, torch.Tensor)]
    try:
        return {t.untyped_storage()._cdata for t in tensors}
    except (NotImplementedError, RuntimeError):  # tensors that stand for others, as those in `vmap`
        return None


def _shares(node: fx.Node, memory: set[int]) -> bool:
    """Return whether a node may be a view of known values."""
    own = _memory(node)
    return bool(memory) and (own is None or bool(own & memory))


def _is_small(node: fx.Node) -> bool:
    value = node.meta.get("example_value")
    return isinstance(value, torch.Tensor) and all(type(n) is int for n in value.shape) and value.numel() <= MAX_NUMBERS


def _simplify(node: fx.Node, known: dict[fx.Node, Any]) -> bool:
    """Change one attention, if its mask is known and simple."""
    given = _given(node)
    mask = known.get(given["attn_mask"])
    rows, keys = (given[name].meta["example_value"].shape[-2] for name in ("query", "key"))
    seen = None if mask is None else _seen(mask)
    if seen is None or type(rows) is not int or type(keys) is not int:
        return False
    causal = not bool(seen.all())
    if causal and not bool((seen == torch.ones(rows, keys, dtype=torch.bool, device=seen.device).tril()).all()):
        return False
    node.args = tuple(given.pop(name) for name in NAMES[:3])
    node.kwargs = {**given, "attn_mask": None, "is_causal": causal}
    return True


def _seen(mask: Any) -> Any:
    """Return which keys a mask lets through; None if it does more than hiding some."""
    if mask.dtype is torch.bool:
        return mask
    seen = mask == 0
    return seen if bool((seen | (mask == float("-inf"))).all()) else None
