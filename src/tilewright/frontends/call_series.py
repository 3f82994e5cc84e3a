"""Calls whose sizes grow by one, as the keys of a decoder do: the C launcher then knows the next ones too.

Each call of a new size would otherwise go through Python, once for a token. The launches of a series are made for the
first two sizes and the last one, by templates; the memo in C keeps a series if all numbers are on a line between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..dispatcher import Dispatcher
from ..jit.memo import Series, is_host_call
from .call_template import CallTemplate, CallTemplates

SPANS = (64, 16)  # sizes of a series; the fewer if another kernel is better for the last of the more


def keep_series(
    in_c: Any, key: tuple[Any, ...], prepared: Any, given: Mapping[str, Any], template: CallTemplate,
    known: CallTemplates, sizes: Mapping[str, int], field: str, where: Dispatcher,
) -> None:  # fmt: skip
    """Keep the launches of the sizes that follow: the size `field` is one more than that of the last such call.

    `key` has what was asked for, and the keys of all tensors.
    """
    record = prepared.record(given)
    if not is_host_call(record.call):
        return
    steps = known.steps(key[1:], field)
    for span in SPANS:
        more = [_member(template, sizes, {field: sizes[field] + by}, where, [0] * len(given)) for by in (1, span - 1)]
        if None not in more and in_c.keep_series(
            key[0], prepared.tensors(given), *record, *Series(span, steps, tuple(more))
        ):
            template.expect({**sizes, field: sizes[field] + span - 1})
            return


def _member(
    template: CallTemplate, first: Mapping[str, int], grown: Mapping[str, int], where: Dispatcher,
    no_addresses: list[int],
) -> Any:  # fmt: skip
    """Return (call, extents) of a later member; None if its results are other ones, or its kernel is not loaded."""
    before, found = template.posed(first), template.posed({**first, **grown})
    if found is None or before is None or found[1][2] != before[1][2]:
        return None
    plan = where.plan_if_loaded(found[0])
    call = None if plan is None else plan.prepared_call(template.views(found[1], no_addresses))
    return (call, template.extents(found[1])) if is_host_call(call) else None
