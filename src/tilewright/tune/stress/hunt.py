"""The hunt for disagreements: draw, check rules, correct, build, run, verify, and shrink what fails."""

from __future__ import annotations

import json
import os
import shlex
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...arch import get_arch
from ...backends import get_backend_op
from ...backends.corrections import nearest_legal
from ...errors import TilewrightError
from ...jit.files import replacing
from ...model.json_text import Json
from ...model.kernel import KernelSpec
from ..worker_process import WorkerFault, WorkerProcess
from .draw import Sample, samples, strategies

SEARCH = 1500  # kernels that a correction may look at
SHRINKS = 40  # kernels that may be built to make one failure smaller
# What a sample may end in without a disagreement.
AGREE = ("right", "refused", "hopeless", "not a problem")


@dataclass(frozen=True)
class Verdict:
    """What became of one sample; `spec` is the kernel that ran, `corrected` whether it had to be corrected."""

    state: str
    message: str = ""
    spec: KernelSpec | None = None
    problem: Mapping[str, Any] | None = None
    launch: str = ""
    corrected: bool = False

    @property
    def agrees(self) -> bool:
        """Whether rules, compiler and result agree."""
        return self.state in AGREE

    @property
    def kind(self) -> str:
        """Failures of one kind are reported once: the state, and the kind of kernel."""
        if self.spec is None:
            return self.state
        names = [str(v) for k, v in vars(self.spec.algorithm).items() if k in ("pipeline", "inner")]
        return " ".join([self.state, self.spec.backend, self.spec.op, *names])


class Bench(WorkerProcess):
    """A worker process that is started again after a crash, and killed after `patience` seconds without an answer."""

    def __init__(self, cache: str, patience: float = 120.0, environment: Mapping[str, str] | None = None) -> None:
        super().__init__("tilewright.tune.stress.worker")
        self.patience = patience
        own = {"TILEWRIGHT_CACHE_DIR": cache, "TILEWRIGHT_LEDGER": "0"}
        self._environment = {**os.environ, **own, **(environment or {})}

    def ask(self, task: Mapping[str, Any]) -> Json:
        """Return the worker's answer; the state is crash or hang if there is none."""
        try:
            self.launch(self._environment)
            self.send(task)
            return self.receive(self.patience)
        except WorkerFault as fault:
            return {"state": fault.status, "message": str(fault)}


def judge(sample: Sample, ask: Callable[[Mapping[str, Any]], Json]) -> Verdict:
    """Take one sample all the way: rules, correction, then build, run and verify by `ask`."""
    try:
        problems, spec = sample.parsed(), sample.spec()
    except TilewrightError as error:
        return Verdict("not a problem", str(error))
    own, arch = get_backend_op(spec.backend, spec.op), get_arch(spec.arch)
    corrected = bool(own.check(spec, arch, problems[0]))
    if corrected:
        found = nearest_legal(spec, problems[0], limit=SEARCH)
        if found is None:
            return Verdict("hopeless", "no legal kernel is near", spec)
        spec = found.spec
        broken = own.check(spec, arch, problems[0])
        if broken:
            return Verdict("correction", f"a corrected kernel breaks {broken[0]}", spec, problems[0].to_dict())
    asked = [p.to_dict() for p in problems]
    answer = ask({"spec": spec.to_dict(), "problems": asked, "pick": sample.pick, "seed": sample.seed})
    problem = answer.get("problem") or asked[0]
    return Verdict(answer["state"], answer.get("message", ""), spec, problem, answer.get("launch", ""), corrected)


@dataclass
class Hunt:
    """The outcome: how many samples ended in each state by op and backend, and one failure of each kind."""

    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    failures: list[Verdict] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    samples: int = 0
    seconds: float = 0.0
    stopped: bool = False


class _DisagreementError(Exception):
    """Rule, compiler and result disagree; Hypothesis shrinks what led here."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.kind)
        self.verdict = verdict


class _TimeIsUp(BaseException):
    """The budget is spent."""


@dataclass
class Hunter:
    """Draws samples with Hypothesis until enough were judged or the time is up."""

    ops: Sequence[str]
    backends: Sequence[tuple[str, str]]
    device: str = "cpu"
    patience: float = 120.0
    each: Callable[[Hunt], None] = lambda hunt: None
    ask: Callable[[Mapping[str, Any]], Json] | None = None  # in place of a worker process

    def run(self, count: int, seed: int, budget: float | None = None, folder: Path | None = None) -> Hunt:
        """Judge `count` samples; each kind of disagreement is shrunk once and written to `folder`."""
        from hypothesis import HealthCheck, Phase, Verbosity, given, settings
        from hypothesis import seed as seeded

        strategies()
        hunt, known, start = Hunt(), set[str](), time.monotonic()
        options = settings(
            max_examples=max(1, count), database=None, deadline=None, phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck), verbosity=Verbosity.quiet, report_multiple_bugs=False,
            print_blob=False,
        )  # fmt: skip
        with tempfile.TemporaryDirectory() as cache:
            bench = Bench(cache, self.patience)
            turn = 0
            try:
                while hunt.samples < count:
                    check = self._checker(hunt, known, self.ask or bench.ask, count, start, budget)
                    drawn: Any = given(samples(self.ops, self.backends, self.device))
                    test = seeded(seed * 1000 + turn)(options(drawn(check)))
                    turn += 1
                    try:
                        test()
                    except _DisagreementError as found:
                        known.add(found.verdict.kind)
                        hunt.failures.append(found.verdict)
                        if folder is not None:
                            hunt.files.append(write_reproducer(found.verdict, folder))
                    except _TimeIsUp:
                        hunt.stopped = hunt.samples < count
                        break
                    else:
                        if turn > 3 * count:  # the space is used up
                            break
            finally:
                bench.close()
        hunt.seconds = time.monotonic() - start
        return hunt

    def _checker(
        self, hunt: Hunt, known: set[str], ask: Any, count: int, start: float, budget: float | None
    ) -> Callable[[Sample], None]:
        seen: dict[str, Verdict] = {}
        failing: list[str] = []  # kinds that are being shrunk
        shrinks = 0

        def check(sample: Sample) -> None:
            nonlocal shrinks
            over = budget is not None and time.monotonic() - start > budget
            if not failing and (over or hunt.samples >= count):
                raise _TimeIsUp
            key = repr(sample)
            if key not in seen:
                if failing:
                    shrinks += 1
                    if shrinks > SHRINKS or (over and shrinks > 5):
                        return
                seen[key] = judge(sample, ask)
                if not failing:
                    _count(hunt, sample, seen[key])
                    self.each(hunt)
            verdict = seen[key]
            if verdict.agrees or verdict.kind in known or (failing and verdict.kind != failing[0]):
                return
            if not failing:
                failing.append(verdict.kind)
            raise _DisagreementError(verdict)

        return check


def _count(hunt: Hunt, sample: Sample, verdict: Verdict) -> None:
    hunt.samples += 1
    op = str(sample.problems[0]["op"])
    hunt.counts[op, sample.backend, verdict.state] += 1
    if verdict.corrected:
        hunt.counts[op, sample.backend, "corrected"] += 1


def write_reproducer(verdict: Verdict, folder: Path) -> Path:
    """Write what failed as two files, the kernel and the whole case with the command that repeats it."""
    assert verdict.spec is not None
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{verdict.kind.replace(' ', '_')}_{verdict.spec.digest[:8]}"
    kernel, case = folder / f"{name}.spec.json", folder / f"{name}.json"
    problem = json.dumps(verdict.problem)
    command = f"tilewright run {shlex.quote(problem)} --spec {shlex.quote(str(kernel))} --check"
    record = {"state": verdict.state, "message": verdict.message, "problem": verdict.problem, "launch": verdict.launch,
              "spec": verdict.spec.to_dict(), "command": command}  # fmt: skip
    for path, data in ((kernel, verdict.spec.to_dict()), (case, record)):
        with replacing(path) as temporary:
            temporary.write_text(json.dumps(data, indent=2) + "\n")
    return case
