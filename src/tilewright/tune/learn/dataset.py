"""Measurements as arrays for training and evaluation. One `Dataset` per (op, direction, dtype family) and arch."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ...arch import get_arch
from ...backends.formula_cost import DEVICE, device_numbers
from ...backends.plain import spec_from_dict
from ...errors import TilewrightError
from ...model.canonical import digest
from ...model.device import Device
from ...model.kernel import Candidate, KernelSpec
from ...model.problem import Problem
from ...ops import get_op, problem_from_dict
from ...select.features import FeatureSpec, family_of, feature_spec, group_key, has_features, problem_numbers
from ...store import Measurement, launch_from_dict

Floats = npt.NDArray[np.float64]
log = logging.getLogger("tilewright")


@dataclass(frozen=True)
class Row:
    """One usable measurement: the candidate, its time, and whether the kernel was correct."""

    candidate: Candidate
    seconds: float
    ok: bool
    source: Measurement = field(repr=False)


@dataclass
class Measured:
    """All rows of one problem on one device; the latest of each candidate."""

    problem: Problem
    device: Device
    rows: list[Row]

    @property
    def times(self) -> dict[str, float]:
        """Seconds by candidate key; infinity if it failed."""
        return {r.candidate.key: r.seconds if r.ok else float("inf") for r in self.rows}

    @property
    def best(self) -> float:
        """Seconds of the fastest correct candidate."""
        return min((r.seconds for r in self.rows if r.ok), default=float("inf"))

    @property
    def group(self) -> str:
        """The key of problems that must stay on one side of a split."""
        return group_key(self.problem)


@dataclass
class Dataset:
    """Measured problems of one family on one arch and backend."""

    family: str
    backend: str
    op: str
    arch: str
    problems: list[Measured]

    @property
    def name(self) -> str:
        """The name of the model that it trains."""
        return f"{self.family}-{self.backend}-{self.arch}"

    @property
    def count(self) -> int:
        """The number of rows."""
        return sum(len(m.rows) for m in self.problems)

    @property
    def digest(self) -> str:
        """Identity of the data: over the identities and samples of its rows."""
        rows = sorted((r.source.id, r.source.samples) for m in self.problems for r in m.rows)
        return digest(rows)

    def part(self, chosen: Sequence[bool]) -> Dataset:
        """Return the dataset with only some of its problems."""
        kept = [m for m, yes in zip(self.problems, chosen, strict=True) if yes]
        return Dataset(self.family, self.backend, self.op, self.arch, kept)

    def held_out(self, share: float = 0.3, seed: int = 0) -> list[bool]:
        """Return which problems are held out: by a hash of the problem without its batch, the same on every machine."""
        return [is_held_out(m.problem, share, seed) for m in self.problems]


def is_held_out(problem: Problem, share: float = 0.3, seed: int = 0) -> bool:
    """Return whether a problem is held out for evaluation.

    >>> from tilewright.ops import problem_from_dict
    >>> is_held_out(problem_from_dict({"op": "gemm", "m": 2, "n": 2, "k": 2, "dtype": "fp32"}), share=1.0)
    True
    """
    lot = hashlib.sha256(f"{seed}|{group_key(problem)}".encode()).digest()
    return int.from_bytes(lot[:4], "big") < share * 2**32


def datasets_of(rows: Iterable[Measurement]) -> list[Dataset]:
    """Return the datasets of measurements, largest first, without rows of backends that have no features.

    Rows whose problem, launch or device this version cannot read are skipped, with one warning.
    """
    reader, bad = _Reader(), []
    for row in sorted(rows, key=lambda r: r.at):
        try:
            reader.take(row)
        except (TilewrightError, TypeError, ValueError) as error:
            bad.append(str(error))
    if bad:
        log.warning("%d measurements are skipped: %s", len(bad), bad[0])
    found = [
        Dataset(*key, problems=[m for m in problems.values() if m.best < float("inf")])
        for key, problems in reader.found.items()
    ]
    return sorted((d for d in found if d.problems), key=lambda d: -d.count)


class _Reader:
    """Turns measurements into values; problems, specs and devices are read once each."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str, str, str], dict[Any, Measured]] = {}
        self._rows: dict[tuple[Any, ...], int] = {}
        self._problems: dict[str, Any] = {}
        self._specs: dict[str, KernelSpec | None] = {}
        self._devices: dict[str, Device] = {}
        self._candidates: dict[Any, Candidate] = {}

    def take(self, row: Measurement) -> None:
        spec = self._spec(row)
        if spec is None or row.status == "build" or not has_features(spec.backend, spec.op):
            return
        problem = self._problems.get(row.tuning_key)
        if problem is None:
            problem = self._problems[row.tuning_key] = problem_from_dict(dict(row.problem))
        if get_op(problem.op).is_empty(problem):
            return  # nothing was computed, and features divide by its sizes
        device = self._device(row)
        candidate = self._candidates.get(row.candidate)
        if candidate is None:
            candidate = self._candidates[row.candidate] = Candidate(spec, launch_from_dict(row.launch))
        key = (family_of(problem), spec.backend, problem.op, spec.arch)
        place = (row.tuning_key, row.device_digest)
        measured = self.found.setdefault(key, {}).setdefault(place, Measured(problem, device, []))
        new = Row(candidate, row.seconds, row.ok, row)
        at = self._rows.setdefault((*key, *place, row.candidate), len(measured.rows))
        if at < len(measured.rows):
            measured.rows[at] = new
        else:
            measured.rows.append(new)

    def _device(self, row: Measurement) -> Device:
        if row.device_digest not in self._devices:
            device = Device.from_dict(row.device)
            get_arch(device.arch)  # its numbers are computed later, where a row can no longer be skipped
            self._devices[row.device_digest] = device
        return self._devices[row.device_digest]

    def _spec(self, row: Measurement) -> KernelSpec | None:
        """Return the spec of a row; None if this version no longer knows such kernels."""
        if row.spec_digest not in self._specs:
            try:
                spec = spec_from_dict(dict(row.spec))
                self._specs[row.spec_digest] = spec if spec.digest == row.spec_digest else None
            except TilewrightError:
                self._specs[row.spec_digest] = None
        return self._specs[row.spec_digest]


@dataclass
class Arrays:
    """A dataset as arrays: one row per correct measurement."""

    spec: FeatureSpec
    table: Floats
    problem: dict[str, Floats]
    work: Floats
    seconds: Floats
    best: Floats
    index: npt.NDArray[np.int64]

    @property
    def x(self) -> npt.NDArray[np.float32]:
        """The feature matrix."""
        return self.spec.matrix(self.table, self.problem, self.work)


def arrays_of(data: Dataset) -> Arrays:
    """Return the arrays of a dataset."""
    spec = feature_spec(data.backend, data.op)
    rows = [(i, m, r) for i, m in enumerate(data.problems) for r in m.rows if r.ok]
    known: dict[str, tuple[float, ...]] = {}
    table = np.array(
        [known.get(r.candidate.key) or known.setdefault(r.candidate.key, spec.row(r.candidate)) for _, _, r in rows]
    ).reshape(len(rows), len(spec.columns))
    index = np.array([i for i, _, _ in rows], np.int64)
    numbers = [problem_numbers(m.problem) for m in data.problems]
    devices = [device_numbers(m.device, m.problem.operand_dtype) for m in data.problems]
    problem = {n: np.array([x[n] for x in numbers])[index] for n in spec.problem}
    device = {n: np.array([x[n] for x in devices])[index] for n in DEVICE}
    seconds = np.array([r.seconds for _, _, r in rows])
    best = np.array([m.best for m in data.problems])[index]
    return Arrays(spec, table, problem, spec.compute(table, problem, device), seconds, best, index)
