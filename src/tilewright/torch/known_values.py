"""Values of meta tensors that depend on no input: positions and masks, at which some models look to choose a way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map
from torch.utils.weak import WeakTensorKeyDictionary

ASKED = torch.ops.aten._local_scalar_dense.default  # item(), bool() and the like
MAX_ELEMENTS = 1 << 20  # of a tensor whose values are kept
RANDOM = torch.Tag.nondeterministic_seeded


class KnownValues:
    """Runs operators on meta tensors, and on the CPU as well if all values that they read are known.

    A twin on the CPU goes through the same operators as its tensor, so views and in-place operators need no care.

    >>> known = KnownValues()
    >>> positions = known.run(torch.ops.aten.arange.default, (4,), {"device": torch.device("meta")})
    >>> last = known.run(torch.ops.aten.select.int, (positions, 0, -1), {})
    >>> last.device.type, known.run(ASKED, (last,), {})
    ('meta', 3)
    """

    def __init__(self) -> None:
        self._twins: Any = WeakTensorKeyDictionary()

    def run(self, func: Any, args: Any, given: dict[str, Any]) -> Any:
        """Return the operator's result; a number that it reads from a tensor is that of the twin."""
        if func is ASKED and args[0] in self._twins:
            return func(self._twins[args[0]])
        result = func(*args, **given)
        made = [t for t in tree_leaves(result) if isinstance(t, torch.Tensor)]
        if made and all(t.device.type == "meta" for t in made):
            self._follow(func, args, given, made)
        return result

    def _follow(self, func: Any, args: Any, given: dict[str, Any], made: list[torch.Tensor]) -> None:
        """Do the same with the twins. What is written with unknown values is forgotten."""
        read = [t for t in tree_leaves((args, given)) if isinstance(t, torch.Tensor)]
        writes = func._schema.is_mutable
        is_known = all(t.device.type == "cpu" or t in self._twins for t in read)
        if not is_known or not _is_defined(func) or sum(t.numel() for t in made) > MAX_ELEMENTS:
            if writes and any(t in self._twins for t in read):
                self._twins.clear()  # a view of it may be known
            return
        on_cpu = {**given, "device": torch.device("cpu")} if "device" in given else given
        here, options = tree_map(self._twin, (args, on_cpu))
        found = func(*here, **options)
        for tensor, twin in zip(made, tree_leaves(found), strict=True):
            self._twins[tensor] = twin

    def _twin(self, value: Any) -> Any:
        return self._twins.get(value, value) if isinstance(value, torch.Tensor) else value


def _is_defined(func: Callable[..., Any]) -> bool:
    """Return whether an operator's result follows from what it reads: it is neither random nor uninitialised."""
    name: str = func._schema.name  # type: ignore[attr-defined]
    return "empty" not in name and RANDOM not in func.tags  # type: ignore[attr-defined]
