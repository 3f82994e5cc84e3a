"""The space of an op's problems: one factor per choice, with the fields of the problem that each factor sets."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, get_args, get_type_hints

from tilewright.errors import TilewrightError
from tilewright.model.dtype import get_dtype
from tilewright.ops import get_op, problem_from_dict

Choice = dict[str, Any]  # a value of every factor, by name


@dataclass(frozen=True)
class Factor:
    """One choice. The first value is the plain one. `of` names the fields that it sets, `epilogue.alpha` for a nested
    one. A row with a value of `weak` computes little (an empty result, zeros): it counts only for pairs with that
    value."""

    name: str
    values: tuple[Any, ...]
    of: tuple[str, ...] = ()
    weak: tuple[Any, ...] = ()

    @property
    def fields(self) -> tuple[str, ...]:
        return self.of or (self.name,)


@dataclass(frozen=True, eq=False)
class Space:
    """The factors of one op. `to_dict` makes the JSON form of a problem from a choice; `refused` says why the reference
    defines no answer for a choice, or None. `stems` are choices to start from: each makes some values legal that no
    change of a single factor would. `together` has values of more than two factors that one row must have at once
    (one of the values of each): without them an operand is the same at every index of an axis."""

    op: str
    problem: type
    factors: tuple[Factor, ...]
    to_dict: Callable[[Choice], dict[str, Any]]
    refused: Callable[[Choice, Any], str | None]
    stems: tuple[Mapping[str, Any], ...] = ({},)
    not_chosen: Mapping[str, str] = field(default_factory=dict)  # fields without values, and why
    together: tuple[Mapping[str, tuple[Any, ...]], ...] = ()

    def plain(self) -> Choice:
        """Return the choice with the first value of every factor."""
        return {f.name: f.values[0] for f in self.factors}

    def problem_of(self, choice: Choice, device: str = "cpu") -> Any:
        """Return the problem of a choice at a place; raise as the problem itself does."""
        place = {} if device == "cpu" else {"device": device}
        problem = problem_from_dict({**self.to_dict(choice), **place})
        return with_shifted_tensors(problem) if choice["alignment"] == "element" else problem

    def mistake(self, choice: Choice) -> str | None:
        """Return why the problem or the contract refuses a choice, or None."""
        key = tuple(choice.items())
        known: dict[Any, str | None] = self.__dict__.setdefault("_known", {})
        if key not in known:
            try:
                known[key] = self.refused(choice, self.problem_of(choice))
            except TilewrightError as error:
                known[key] = f"problem: {_shortened(str(error))}"
        return known[key]

    def weak(self, choice: Choice) -> set[str]:
        """Return the factors whose value makes a row compute little."""
        return {f.name for f in self.factors if choice[f.name] in f.weak}


def with_shifted_tensors(problem: Any) -> Any:
    """Return the problem of tensors that begin at any of their elements, as a call says it of each of them."""
    sizes = {r: int(get_dtype(dtype_of(problem, r)).bytes) for r in problem.roles}
    numbers = get_op(problem.op).scalar_roles
    return replace(problem, alignment={r: max(1, size) for r, size in sizes.items() if r not in numbers})


def dtype_of(problem: Any, role: str) -> str:
    """Return the dtype of a role of any op."""
    return str(problem.dtype_of(role) if problem.op == "fmha" else problem.dtype(role))


def _shortened(text: str) -> str:
    """Return the rule that a message names, or its words without numbers, so that reasons can be counted."""
    named = re.search(r"fmha\.\w+", text)
    return named[0] if named else re.sub(r"-?\d+", "#", text.split(";")[0])[:90]


def declared_fields(problem: type) -> list[str]:
    """Return every field of a problem class; those of nested dataclasses with a dot: `epilogue.alpha`."""
    hints, found = get_type_hints(problem), []
    for f in fields(problem):
        kinds = [hints[f.name], *get_args(hints[f.name])]
        nested = [k for k in kinds if isinstance(k, type) and is_dataclass(k)]
        found += [f"{f.name}.{inner.name}" for k in nested for inner in fields(k)] or [f.name]
    return found


NOT_CHOSEN = {
    "device": "the executor says where a problem runs",
    "summation": "it leaves kernels out and changes no answer; tests of invariance compare the bits",
}


def fields_without_values(space: Space) -> list[str]:
    """Return a sentence for each declared field that no factor sets and that no line excludes."""
    known = {name for f in space.factors for name in f.fields} | set(space.not_chosen)
    return [
        f"field {name} of {space.problem.__name__} has no values in the contract"
        for name in declared_fields(space.problem)
        if name not in known
    ]
