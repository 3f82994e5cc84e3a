"""A small covering-array generator: rows in which every pair of values occurs that some target takes.

Deterministic: the same factors and the same rules give the same rows. Nothing is excluded by hand: a pair is left out
only if the problem itself, the contract (`Space.refused`) or a rule of every kernel refuses all rows that were tried.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from contract_space import Choice, Space

Item = tuple[str, Any]
Pair = frozenset[Item]
Takes = Callable[[Choice], str | None]  # why a choice is refused, or None
RULE = "rule"  # what `Takes` says if the problem is sound and a rule refuses every kernel
MAX_REFUSALS = 12  # rows with a pair that a target refuses before the pair counts as refused
PATIENCE = 25  # rows that are tried for a pair after those that a stem makes
WISHES = 6  # ways to make a row show more, of which the best is tried
IMPROVEMENTS = 64  # questions to a target while a row is made to show more


def all_pairs(space: Space) -> list[Pair]:
    """Return every pair of declared values of two factors."""
    return [
        frozenset({(f.name, v), (g.name, w)})
        for f, g in combinations(space.factors, 2)
        for v in f.values
        for w in g.values
    ]


def pairs_of(space: Space, choice: Choice) -> Iterator[Pair]:
    """Yield the pairs that a row shows: all of them, or those with its weak values."""
    weak = space.weak(choice)
    for f, g in combinations(choice, 2):
        if weak <= {f, g}:
            yield frozenset({(f, choice[f]), (g, choice[g])})


def is_together(space: Space, choice: Choice, wanted: Mapping[str, Sequence[Any]]) -> bool:
    """Return whether a row that computes something has one of the wanted values of each factor."""
    return not space.weak(choice) and all(choice[name] in values for name, values in wanted.items())


class Cover:
    """Rows of one space; `takes` says which a target accepts."""

    def __init__(self, space: Space, seed: int = 0) -> None:
        self.space, self.rows = space, list[Choice]()
        self._rng = random.Random(seed)
        self._values = {f.name: f.values for f in space.factors}
        self._strong = {f.name: [v for v in f.values if v not in f.weak] for f in space.factors}

    def extend(
        self, takes: Takes, explain: Callable[[Choice], str], pairs: Iterable[Pair] | None = None
    ) -> dict[Pair, str]:
        """Add rows until each pair that the target takes is shown; return the other pairs with a reason.

        `explain` names the rule by which a target refuses a row; it is asked once for each pair that is left out.
        `pairs`: not all pairs, but these.
        """
        self._explain = explain
        todo = dict.fromkeys(all_pairs(self.space) if pairs is None else pairs)
        for row in self.rows:
            if takes(row) is None:
                self._drop(todo, row)
        refused: dict[Pair, str] = self._refused_values(todo, takes)
        order = list(todo)
        self._rng.shuffle(order)
        for pair in order:
            if pair not in todo:
                continue
            row, why = self._row_with(dict(pair), takes)
            if row is None:
                refused[pair] = why
                del todo[pair]
                continue
            row = self._improved(row, dict(pair), todo, takes)
            self._drop(todo, row)
            todo.pop(pair, None)
            self.rows.append(row)
        self._show_together(takes)
        return refused

    def _show_together(self, takes: Takes) -> None:
        """Add a row for each of the space's values that belong together, if the target takes one."""
        for wanted in self.space.together:
            if not any(is_together(self.space, row, wanted) and takes(row) is None for row in self.rows):
                row = self._row_like(wanted, takes) or self._row_with({n: v[0] for n, v in wanted.items()}, takes)[0]
                self.rows += [row] if row is not None else []

    def _row_like(self, wanted: Mapping[str, Sequence[Any]], takes: Takes) -> Choice | None:
        """Return a row that differs in few values from one that the target takes, and not in the first of `wanted`."""

        def lacking(row: Choice) -> Choice:
            return {name: values[0] for name, values in wanted.items() if row[name] not in values}

        first = next(iter(wanted))
        taken = [row for row in self.rows if row[first] in wanted[first] and takes(row) is None]
        for row in sorted(taken, key=lambda row: len(lacking(row))):
            made = {**row, **lacking(row)}
            if is_together(self.space, made, wanted) and (self.space.mistake(made) or takes(made)) is None:
                return made
        return None

    def pruned(self, targets: list[Takes], since: int) -> None:
        """Remove rows from `since` on whose pairs others show as well for every target that takes them, last first."""
        taken = [[takes(row) is None for takes in targets] for row in self.rows]
        shown = [list(pairs_of(self.space, row)) for row in self.rows]
        counts = [Counter[Pair]() for _ in targets]
        for pairs, takers in zip(shown, taken, strict=True):
            for count, takes in zip(counts, takers, strict=True):
                count.update(pairs if takes else ())
        kept = []
        for number in range(len(self.rows) - 1, -1, -1):
            own = [c for c, takes in zip(counts, taken[number], strict=True) if takes]
            together = any(is_together(self.space, self.rows[number], wanted) for wanted in self.space.together)
            if number < since or together or any(count[pair] < 2 for count in own for pair in shown[number]):
                kept.append(self.rows[number])
                continue
            for count in own:
                count.subtract(shown[number])
        self.rows = kept[::-1]

    def _drop(self, todo: dict[Pair, None], row: Choice) -> None:
        for pair in pairs_of(self.space, row):
            todo.pop(pair, None)

    def _refused_values(self, todo: dict[Pair, None], ask: Takes) -> dict[Pair, str]:
        """Remove the pairs of values that no row with this value alone is taken with."""
        refused: dict[Pair, str] = {}
        for name, values in self._values.items():
            for value in values:
                concerned = [p for p in todo if (name, value) in p]
                row, why = self._row_with({name: value}, ask) if concerned else ({}, "")
                if row is None:
                    for pair in concerned:
                        refused[pair] = why
                        del todo[pair]
        return refused

    def _row_with(self, fixed: Choice, ask: Takes) -> tuple[Choice | None, str]:
        """Return a row with these values, from a stem or from a few random changes; else the most common reason."""
        plain, reasons, valid = self.space.plain(), Counter[str](), list[Choice]()
        starts = [{**plain, **stem, **fixed} for stem in self.space.stems]
        for row in starts:
            why = self.space.mistake(row) or ask(row)
            if why is None:
                return row, ""
            if why == RULE:
                valid.append(row)
            else:
                reasons[why] += 1
            if len(valid) > MAX_REFUSALS:
                break
        others = [name for name in self._values if name not in fixed]
        for _ in range(PATIENCE):
            row = dict(self._rng.choice(starts))
            for name in self._rng.sample(others, self._rng.randint(1, 2)):
                row[name] = self._rng.choice(self._strong[name])
            why = self.space.mistake(row) or ask(row)
            if why is None:
                return row, ""
            if why == RULE:
                valid.append(row)
            if len(valid) > MAX_REFUSALS:
                break
        return None, self._explain(valid[0]) if valid else max(reasons, key=lambda r: reasons[r])

    def _improved(self, row: Choice, fixed: Choice, todo: dict[Pair, None], ask: Takes) -> Choice:
        """Change the other values to those that show more pairs of `todo`, as far as the target takes the row."""
        wishes = [self._wished(row, fixed, todo) for _ in range(WISHES)]
        wanted = max(wishes, key=lambda w: sum(p in todo for p in pairs_of(self.space, {**row, **dict(w)})))
        left = IMPROVEMENTS

        def add(row: Choice, changes: list[Item]) -> Choice:
            nonlocal left
            if not changes or left <= 0:
                return row
            left -= 1
            if ask({**row, **dict(changes)}) is None:
                return {**row, **dict(changes)}
            half = len(changes) // 2
            return add(add(row, changes[:half]), changes[half:]) if half else row

        return add(row, wanted)

    def _wished(self, row: Choice, fixed: Choice, todo: dict[Pair, None]) -> list[Item]:
        """Return changes that show more pairs and keep the problem sound; whether a target takes them is not asked."""
        names = [name for name in row if name not in fixed]
        self._rng.shuffle(names)
        weak = {f.name: f.weak for f in self.space.factors}
        weak_fixed = {name for name, value in fixed.items() if value in weak[name]}
        changes = list[Item]()
        for name in names:
            partners = weak_fixed or (set(row) - {name})
            gains = {
                value: sum(frozenset({(name, value), (o, row[o])}) in todo for o in partners)
                for value in self._values[name]
                if value not in weak[name]
            }
            now = gains.get(row[name], 0)
            for value in sorted((v for v in gains if gains[v] > now), key=lambda v: -gains[v]):
                if self.space.mistake({**row, name: value}) is None:
                    row = {**row, name: value}
                    changes.append((name, value))
                    break
        return changes
