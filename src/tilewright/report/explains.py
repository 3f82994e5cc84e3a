"""Why each kernel is chosen, as text for a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from ..errors import TilewrightError
from .readers import parse_problem
from .results import Run
from .svg import time

if TYPE_CHECKING:
    from ..dispatcher import Dispatcher, Explanation

OTHERS = 3  # candidates after the first that are named
RULES = 4  # rules that are named


def explain_runs(
    runs: Sequence[Run], dispatcher_for: Callable[[int], Dispatcher], most: int
) -> dict[tuple[str, str, int], str]:
    """Return what today's selection says of at most `most` problems, by label, arch and threads; nothing is built.

    `dispatcher_for` makes the dispatcher for a number of threads. Problems of all places come in turn, so that each
    place has some. The choice of today may differ from the kernel that was timed.
    """
    queues: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        queues.setdefault((run.place, run.op), []).append(run)
    found: dict[tuple[str, str, int], str] = {}
    dispatchers: dict[int, Dispatcher] = {}
    for run in (r for turn in zip_longest(*queues.values()) for r in turn if r is not None):
        if run.key in found or len(found) >= most:
            continue
        if run.threads not in dispatchers:
            dispatchers[run.threads] = dispatcher_for(run.threads)
        try:
            explanation = dispatchers[run.threads].explain(parse_problem(run.problem), run.arch or None)
            found[run.key] = explanation_text(explanation)
        except TilewrightError as error:
            found[run.key] = f"cannot be explained here: {error}"
    return found


def explanation_text(e: Explanation) -> str:
    """Return the choice with its reason, the next candidates, and the rules that removed others.

    >>> from tilewright.dispatcher import Dispatcher
    >>> from tilewright.ops import problem_from_dict
    >>> problem = problem_from_dict({"op": "gemm", "m": 64, "n": 64, "k": 64, "dtype": "fp16"})
    >>> "legal" in explanation_text(Dispatcher().explain(problem, "gfx942"))
    True
    """
    if e.chosen is None:
        return f"no kernel is left of {len(e.rejected)} declared"
    best = e.ranked[0]
    predicted = f", predicted {time(best.seconds)}" if best.seconds else ""
    lines = [f"{best.candidate.spec.name}{predicted}", str(best.reason)]
    lines.append(f"{len(e.ranked)} legal candidates of {len(e.ranked) + len(e.rejected)} kernels and launches")
    for r in e.ranked[1 : OTHERS + 1]:
        slower = f": {r.seconds / best.seconds:.2f}x the time" if r.seconds and best.seconds else ""
        lines.append(f"next: {r.candidate.spec.algorithm.label()} {r.candidate.launch.label()}{slower}")
    rules = sorted(e.counts.items(), key=lambda item: (-item[1], item[0]))
    lines += [f"removed by {rule}: {count}" for rule, count in rules[:RULES]]
    if len(rules) > RULES:
        lines.append(f"removed by {len(rules) - RULES} more rules: {sum(n for _, n in rules[RULES:])}")
    return "\n".join(lines)
