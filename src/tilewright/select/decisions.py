"""Decisions: the choice for a problem, made once. A later request costs a dictionary lookup."""

from __future__ import annotations

from typing import Any

from ..errors import SelectionError
from ..model.device import Device
from ..model.locks import new_lock
from ..model.problem import Problem, identity_of
from ..model.selector import Ranked, Selector
from ..registry import Registry


class Decisions:
    """The candidate that a selector chooses from a registry on a device, remembered per problem.

    >>> from tilewright.registry import Registry
    >>> from tilewright.select import get_selector
    >>> len(Decisions(Registry(), get_selector("analytical"), Device("d", "x86_64_v3", 1)))
    0
    """

    def __init__(self, registry: Registry, selector: Selector, device: Device) -> None:
        self.registry, self.selector, self.device = registry, selector, device
        self._made: dict[Any, Ranked] = {}
        self._lock = new_lock()

    def __len__(self) -> int:
        return len(self._made)

    def choose(self, problem: Problem) -> Ranked:
        """Return the choice for `problem`."""
        key = identity_of(problem)
        made = self._made.get(key)
        if made is not None:
            return made
        ranked = self.registry.select(problem, self.selector, self.device)
        if not ranked:
            raise SelectionError(f"no candidate is left for {problem.label()}", remedy="see `tilewright explain`")
        with self._lock:
            return self._made.setdefault(key, ranked[0])
