"""All steps of `tilewright tune`: choose candidates, build, measure, train, evaluate on held-out problems.

Builds come before measurements, because compilers would disturb the times on a CPU. After training, the choices of the
new model for held-out problems are measured if they were not yet, so that the model is evaluated on its real choices.
A model that does not beat the cost model there is not installed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from ...errors import BudgetError, BuildError, MissingExtraError, TilewrightError, plural
from ...model.device import Device
from ...model.kernel import Candidate
from ...model.problem import Problem
from ...model.selector import Selector
from ...registry import Registry
from ...select import get_selector
from ...select.features import family_of
from ...select.learned import Learned
from ...select.model import SelectionModel
from ...select.model_directory import ModelDirectory, models_folder
from ...settings import Settings
from ...store import Store
from ..measure.candidates import BASELINES, Wanted, kernel_order, wanted_of
from ..measure.station import Built, Station
from ..measure.sweep import Progress, Sweep, SweepReport, build_failures
from ..measure.task import SweepPolicy
from .dataset import Dataset, datasets_of, is_held_out
from .evaluate import Flips, Gain, Nearest, Score, gain, judge, winner_flips
from .train import TrainOptions, train

QUICK = TrainOptions(trees=200, rate=0.08, focus=2.0)  # little data, much noise, and a waiting user


@dataclass(frozen=True)
class TuneOptions:
    """The options. `seconds` None means no limit; `top` and `explore` are candidates per problem."""

    seconds: float | None = None
    top: int = 12
    explore: int = 12
    kernels: int = 0
    refresh: bool = False
    measure: bool = True
    learn: bool = True
    build_share: float = 0.4
    held_out: float = 0.33
    finish_share: float = 0.12


@dataclass
class Learnt:
    """The result of training and evaluation for one dataset."""

    name: str
    model: SelectionModel | None = None
    scores: dict[str, Score] = field(default_factory=dict)
    gain: Gain | None = None
    flips: Flips | None = None
    note: str = ""
    path: str = ""
    refused: str = ""  # why the model was not installed
    unsteady: int = 0  # held-out problems that were not judged


@dataclass
class Outcome:
    """The result of a tuning run."""

    sweep: SweepReport
    learnt: list[Learnt]
    kernels: int
    failed_builds: list[str]
    notes: list[str]
    seconds: float


class TuningSession:
    """Runs a tuning session over stations; `report` receives progress messages."""

    def __init__(
        self,
        registry: Registry,
        device: Device,
        store: Store,
        stations: Sequence[Station],
        settings: Settings,
        options: TuneOptions | None = None,
        policy: SweepPolicy | None = None,
        report: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.registry, self.device, self.store, self.stations = registry, device, store, list(stations)
        self.settings, self.options = settings, options or TuneOptions()
        self.policy = policy or SweepPolicy.for_cpu(settings.resolved_threads())
        self.report = report
        self.built: dict[str, Built] = {}  # by spec digest, on any of the stations
        self.built_at: dict[str, dict[str, Built]] = {}  # the same, by the name of the station

    def run(self, problems: Sequence[Problem], progress: Progress | None = None, build_progress: Any = None) -> Outcome:
        """Tune `problems`; every measurement is stored at once.

        Raise `BudgetError` if the time runs out before the first measurement, `BuildError` if no kernel can be built.
        """
        begin, limit = time.monotonic(), self.options.seconds
        end = None if limit is None else begin + limit
        wanted, notes = wanted_of(problems, self.registry, self.device, self._guide())
        share = self.options.build_share if self.options.measure else 1.0
        failed = self._build(wanted, None if limit is None else share * limit, build_progress)
        notes += self._partly_built()
        if not self.options.measure:
            return Outcome(SweepReport(), [], len(self.built) - len(failed), failed, notes, time.monotonic() - begin)
        stop = None if end is None or limit is None else end - self._finish(limit)
        building = time.monotonic() - begin
        work = self._spread(wanted)
        report = self._measure(work, stop, progress)
        if not report.measurements and not report.skipped:
            raise self._nothing(failed, building)
        if len(work) < len(wanted):
            left = f"not measured, as no kernel was built for them: {len(wanted) - len(work)} of {len(wanted)} problems"
            notes.append(f"{left}; run it again with a larger --budget or more --kernels, what is built is kept")
        learnt = self._learn(wanted, end) if self.options.learn else []
        return Outcome(report, learnt, len(self.built) - len(failed), failed, notes, time.monotonic() - begin)

    def _nothing(self, failed: Sequence[str], building: float) -> TilewrightError:
        """Return why nothing was measured although there are candidates."""
        limit, count = self.options.seconds, len(self.built) - len(failed)
        if limit is None or (failed and not count):
            first = failed[0] if failed else "no kernel was built"
            return BuildError(f"nothing was measured: none of {len(failed)} kernels could be built; the first: {first}")
        return BudgetError(
            f"a budget of {limit:g} s ran out before anything was measured: choosing and building {count} kernels took "
            f"{building:.1f} s, and {self._finish(limit):.1f} s are reserved for the model",
            remedy="give a larger --budget, or build fewer --kernels; built kernels are kept, so that the same command "
            "gets further",
        )

    def _finish(self, limit: float) -> float:
        """Return the seconds of a budget that are reserved for training and evaluation."""
        return max(2.0, self.options.finish_share * limit) if self.options.learn else 0.0

    def _guide(self) -> Selector:
        """Return the selector that predicts what is fast: existing models, then the cost model."""
        return get_selector("learned", self.settings)

    def _build(self, wanted: Sequence[Wanted], seconds: float | None, progress: Any) -> list[str]:
        specs = kernel_order(wanted, self.options.top)
        specs = specs[: self.options.kernels] if self.options.kernels else specs
        self.report(f"building up to {plural(len(specs), 'kernel')}")
        plain, limit = [s.to_dict() for s in specs], float("inf") if seconds is None else seconds
        for station, part in zip(self.stations, self._built_everywhere(plain, limit, progress), strict=True):
            own = self.built_at[station.name] = {b.digest: b for b in part if not b.cancelled}
            self.built |= {d: b for d, b in own.items() if d not in self.built or not b.failure}
        first: dict[str, tuple[Any, Any]] = {}
        for w in wanted:
            for c in w.ranked:
                first.setdefault(c.spec.digest, (w.problem, c.spec))
        self.store.put(build_failures(self.built.values(), first, self.device))
        return [f"{b.digest[:8]}: {b.failure}" for b in self.built.values() if b.failure]

    def _partly_built(self) -> list[str]:
        """Return a line for each station on which kernels failed that others built."""
        lines = []
        for name, own in self.built_at.items():
            failed = [b for b in own.values() if b.failure and not self.built[b.digest].failure]
            if failed:
                lines.append(f"{name} lacks {plural(len(failed), 'kernel')}; the first: {failed[0].failure}")
        return lines

    def _built_everywhere(self, plain: list[dict[str, Any]], limit: float, progress: Any) -> list[Any]:
        """Return what each machine built, all in parallel; a single one in this thread, where Ctrl-C reaches it."""
        first, *others = self.stations
        if not others:
            return [first.build(plain, limit, progress)]
        with ThreadPoolExecutor(len(self.stations)) as pool:
            waiting = [pool.submit(s.build, plain, limit, None) for s in others]
            return [pool.submit(first.build, plain, limit, progress).result(), *(w.result() for w in waiting)]

    def _spread(self, wanted: Sequence[Wanted]) -> list[tuple[Any, list[Candidate]]]:
        """Return problems with their candidates, held-out and others mixed, so that any prefix is fair.

        Problems for which the cost model's choice was not built come last: nothing can be compared on them.
        """
        usable = {d for d, b in self.built.items() if not b.failure}
        whole = sorted(wanted, key=lambda w: not any(c.spec.digest in usable for c in w.firsts[-1:]))
        pairs = [(w.problem, w.order(self.options.top, self.options.explore, usable)) for w in whole]
        return [(p, candidates) for p, candidates in pairs if candidates]

    def _measure(
        self, work: Sequence[tuple[Any, Sequence[Candidate]]], stop: float | None, progress: Progress | None
    ) -> SweepReport:
        everything = self.store, self.stations, self.device, self.built, self.policy, self.options.refresh
        return Sweep(*everything, built_at=self.built_at).run(work, stop, progress)

    def _learn(self, wanted: Sequence[Wanted], end: float | None) -> list[Learnt]:
        families = {family_of(w.problem) for w in wanted}
        found = []
        for data in datasets_of(self.store.rows(arch=self.device.arch, device=self.device.digest)):
            if data.family in families:
                self.report(
                    f"training {data.name} on {plural(data.count, 'row')} of {plural(len(data.problems), 'problem')}"
                )
                found.append(self._learn_one(data, end))
        return found

    def _learn_one(self, data: Dataset, end: float | None) -> Learnt:
        out = [is_held_out(m.problem, self.options.held_out) for m in data.problems]
        kept, judged = data.part([not x for x in out]), data.part(out)
        options = QUICK
        try:
            trial = train(kept, options)
        except MissingExtraError as error:
            return Learnt(data.name, note=str(error))
        except TilewrightError as error:
            apart = f", and {sum(out)} of {plural(len(out), 'problem')} held out to judge the model" if any(out) else ""
            return Learnt(data.name, note=f"{error.message}{apart}. What was measured is used without a model.")
        learned = Learned(models_of(trial), self.settings)
        if judged.problems:
            self._measure_choices(judged, learned, end)
            judged = self._again(data, judged)
        learnt = Learnt(data.name, flips=winner_flips(data))
        judged, left = self._comparable(judged)
        if left:
            learnt.note = f"{left} held-out problems are not evaluated: the cost model's choice was not built in time"
        if judged.problems:
            selectors = [*(get_selector(n) for n in BASELINES), Nearest(kept), learned]
            learnt.scores = judge(judged, selectors, self.registry)
            learnt.gain = gain(learnt.scores["learned"], learnt.scores["analytical"])
        learnt.refused = why_refused(learnt.gain)
        if learnt.refused:
            return learnt
        final = train(data, options)
        held = {name: s.summary() for name, s in learnt.scores.items()}
        learnt.model = replace(final, card={**final.card, "held_out": held})
        learnt.path = str(learnt.model.save(models_folder(self.settings)))
        return learnt

    def _comparable(self, judged: Dataset) -> tuple[Dataset, int]:
        """Return the problems on which the cost model's choice was measured, and the number of others."""
        cost_model = get_selector("analytical")
        measured = []
        for m in judged.problems:
            legal = self.registry.legal(m.problem, m.device)
            measured.append(bool(legal) and cost_model.rank(m.problem, legal, m.device)[0].candidate.key in m.times)
        return judged.part(measured), measured.count(False)

    def _measure_choices(self, judged: Dataset, learned: Selector, end: float | None) -> None:
        """Measure the model's choices on held-out problems, if they were not measured yet."""
        work = []
        for m in judged.problems:
            legal = self.registry.legal(m.problem, m.device)
            if not legal:  # of an earlier version's kernels
                continue
            first = learned.rank(m.problem, legal, m.device)[0].candidate
            if first.key not in m.times and first.spec.digest in self.built:
                best = sorted((r for r in m.rows if r.ok), key=lambda r: r.seconds)[:2]
                work.append((m.problem, [first, *(r.candidate for r in best)]))
        if work:
            self.report(f"measuring {len(work)} choices of the model on held-out problems")
            self._measure(work, None if end is None else max(end, time.monotonic() + 2.0), None)

    def _again(self, data: Dataset, judged: Dataset) -> Dataset:
        """Return the held-out part as the store has it now."""
        keys = {m.problem.tuning_key for m in judged.problems}
        rows = self.store.rows(arch=self.device.arch, device=self.device.digest)
        for fresh in datasets_of(r for r in rows if r.tuning_key in keys):
            if fresh.name == data.name:
                return fresh
        return judged


def why_refused(over_cost_model: Gain | None) -> str:
    """Return why a model is not installed; "" if it chooses better than the cost model on held-out problems.

    >>> why_refused(Gain(-0.0049, -0.02, 0.01, 40))
    'it does not beat the cost model on 40 held-out problems'
    >>> why_refused(Gain(0.031, 0.02, 0.04, 40))
    ''
    """
    if over_cost_model is None:
        return "no held-out problem shows that it beats the cost model"
    if over_cost_model.mean > 0:
        return ""
    return f"it does not beat the cost model on {over_cost_model.problems} held-out problems"


def models_of(model: SelectionModel) -> ModelDirectory:
    """Return a directory with only one model."""
    models = ModelDirectory([])
    models.put(model)
    return models
