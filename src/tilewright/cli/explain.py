"""`select` and `explain`: which kernel, why, and why not the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import plural
from .groups import takes_groups
from .kernels import Choice
from .options import ArchName, AsJson, ProblemText, ProblemTexts
from .output import print_json
from .problems import read_problems

if TYPE_CHECKING:
    from ..dispatcher import Explanation
    from ..model.kernel import KernelSpec

Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Number of ranked candidates to show.")]
All = Annotated[bool, typer.Option("--all", help="Show every candidate, each with every rule that it breaks.")]


@takes_groups
def select(
    problems: ProblemTexts,
    arch: ArchName = "",
    *,
    kernels: Choice,
    as_json: AsJson = False,
) -> None:
    """Name the kernel that would run each problem.

    Shows its predicted time and the reason for the choice. Nothing is built.
    """
    from ..dispatcher import no_candidate
    from ..report.tables import Table, milliseconds

    wanted = read_problems(problems)
    dispatcher = kernels.over(wanted, arch=arch)
    found = [dispatcher.explain(p, arch or None) for p in wanted]
    for explanation in found:
        if explanation.chosen is None:
            raise no_candidate(explanation)
    if as_json:
        print_json([{**e.to_dict(0), "chosen": e.to_dict(1)["ranked"][0]} for e in found])
        return
    table = Table(
        ["problem", "kernel", "launch", "predicted ms", "candidates", "why"], right=["predicted ms", "candidates"]
    )
    for e in found:
        best = e.ranked[0]
        predicted = None if best.seconds is None else best.seconds * 1e3
        counts = f"{len(e.ranked)} of {len(e.ranked) + len(e.rejected)}"
        launch = best.candidate.launch.label()
        table.add(e.problem.label(), best.candidate.spec.name, launch, milliseconds(predicted), counts, best.reason)
    table.show()


@takes_groups
def explain(
    problem: ProblemText,
    arch: ArchName = "",
    show_all: All = False,
    limit: Limit = 10,
    *,
    kernels: Choice,
    as_json: AsJson = False,
) -> None:
    """Show why a kernel is chosen and others are not.

    Every candidate for the problem is ranked with its predicted time, or named with the rule that removed it and the
    numbers that broke the rule. Nothing is built.
    """
    wanted = read_problems([problem])
    dispatcher = kernels.over(wanted, arch=arch)
    found = [dispatcher.explain(p, arch or None) for p in wanted]
    if as_json:
        shown = [e.to_dict(None if show_all else limit) for e in found]
        print_json(shown[0] if len(shown) == 1 else shown)
        return
    for explanation in found:
        _print_head(explanation)
        _print_ranked(explanation, None if show_all else limit)
        if explanation.rejected:
            _print_rules(explanation)
            if show_all:
                _print_rejected(explanation)


def _print_head(e: Explanation) -> None:
    from ..report.tables import fitted

    device = f"{e.device.name}{' (nominal: described, not present)' if e.device.nominal else ''}"
    print(f"problem   {e.problem.label()}")
    if e.note:
        print(fitted(f"note      {e.note}", indent=10))
    if e.predicted_as:
        print(fitted(f"as        {e.predicted_as} (sizes near each other share their predicted times)", indent=10))
    if e.summation:
        print(fitted(f"order     {e.summation} (of summation: all ranked candidates give the same bits)", indent=10))
    print(fitted(f"device    {e.device.arch}, {device}", indent=10))
    print(f"selector  {e.selector}")
    if len(e.steps) > 1:
        print(fitted(f"steps     {' -> '.join(step.label() for step in e.steps)}", indent=10))
    print(fitted(f"verdict   {_verdict(e)}", indent=10) + "\n")


def _verdict(e: Explanation) -> str:
    if e.chosen is None:
        return f"no kernel is left of {len(e.rejected)} declared" if e.rejected else "no kernel is declared for it"
    return f"{e.chosen.candidate.spec.name}: {e.chosen.reason}"


def _print_ranked(e: Explanation, limit: int | None) -> None:
    from ..report.tables import Table, milliseconds

    if not e.ranked:
        return
    shown = _worth_showing(e, limit)
    title = f"ranked: {plural(len(e.ranked), 'candidate')}" + (
        f", the best {limit}" if len(shown) < len(e.ranked) else ""
    )
    table = Table(["#", "backend", "algorithm", "launch", "predicted ms", "why"], title, right=["#", "predicted ms"])
    for number, r in shown:
        predicted = None if r.seconds is None else r.seconds * 1e3
        launch = r.candidate.launch.label().replace(", ", ",")  # no line break within a list
        spec = r.candidate.spec
        table.add(number, spec.backend, short_name(spec), launch, milliseconds(predicted), _why(r, e.ranked[0]))
    table.show()
    print()


def _why(ranked: Any, first: Any) -> str:
    """Return the reason of a candidate; if it equals that of the first one, how much slower the candidate would be."""
    if ranked is first or ranked.reason != first.reason or not (ranked.seconds and first.seconds):
        return str(ranked.reason)
    return f"{ranked.seconds / first.seconds:.2f}x the first"


def _worth_showing(e: Explanation, limit: int | None) -> list[tuple[int, Any]]:
    """Return (place, candidate) of the best `limit`, and the best of each backend that is not among them."""
    numbered = list(enumerate(e.ranked, 1))
    seen: set[str] = set()
    shown = []
    for place, ranked in numbered:
        backend = ranked.candidate.spec.backend
        if limit is None or place <= limit or backend not in seen:
            shown.append((place, ranked))
        seen.add(backend)
    return shown


def _print_rules(e: Explanation) -> None:
    from ..report.tables import Table

    examples = _first_of_each_rule(e)
    title = f"rejected: {plural(len(e.rejected), 'candidate')} (one counts under each rule that it breaks)"
    table = Table(["rule", "removes", "for example", "numbers"], title, right=["removes"])
    for rule, count in sorted(e.counts.items(), key=lambda item: (-item[1], item[0])):
        spec, rejection = examples[rule]
        remedy = f" ({rejection.remedy})" if rejection.remedy else ""
        table.add(rule, count, short_name(spec), f"{rejection.message}{remedy}")
    table.show()


def _first_of_each_rule(e: Explanation) -> dict[str, Any]:
    """Return for each rule a candidate that it removed; one that breaks no other rule, if there is any."""
    found: dict[str, Any] = {}
    for spec, rejections in sorted(e.rejected, key=lambda item: len(item[1])):
        for rejection in rejections:
            found.setdefault(rejection.rule, (spec, rejection))
    return found


def _print_rejected(e: Explanation) -> None:
    from ..report.tables import Table

    print()
    table = Table(["algorithm", "rule", "numbers", "remedy"], "every rejected candidate")
    for spec, rejections in e.rejected:
        for i, r in enumerate(rejections):
            table.add(short_name(spec) if i == 0 else "", r.rule, r.message, r.remedy)
    table.show()


def short_name(spec: KernelSpec) -> str:
    """Return the short name of a kernel for tables: its algorithm and the first digits of its digest."""
    return f"{spec.algorithm.label()}_{spec.digest[:8]}"
