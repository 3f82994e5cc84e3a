"""Groups of options: a parameter of a command that is a dataclass becomes an option for each of its fields."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints


def takes_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with options in place of its parameters that are dataclasses.

    >>> from tilewright.cli.kernels import Choice
    >>> def show(*, kernels: Choice) -> None:
    ...     print(kernels.backend, kernels.threads)
    >>> takes_groups(show)(backend="cpu")
    cpu 0
    """
    signature = inspect.signature(command, eval_str=True)
    groups: dict[str, Any] = {n: p.annotation for n, p in signature.parameters.items() if is_dataclass(p.annotation)}

    @wraps(command)
    def expanded(*args: Any, **given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{f.name: given.pop(f.name) for f in fields(group) if f.name in given})
        command(*args, **given)

    parameters = [q for n, p in signature.parameters.items() for q in (_options(groups[n]) if n in groups else [p])]
    expanded.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return expanded


def _options(group: Any) -> list[inspect.Parameter]:
    kinds = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            f.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=f.default if f.default is not MISSING else [],
            annotation=kinds[f.name],
        )
        for f in fields(group)
    ]
