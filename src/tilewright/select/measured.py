"""measured: the store's times for exactly this problem on this device. They are valid for the build that would run now;
times of another build of the same kernel are priors: they may rank, and are marked stale."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from ..backends import get_backend_op
from ..errors import TilewrightError
from ..model.device import Device
from ..model.kernel import Candidate, KernelSpec, candidate_key
from ..model.problem import Problem
from ..model.selector import Ranked
from ..settings import Settings
from ..store import CALL_PATIENCE, Measurement, Store, store_path
from .analytical import Analytical

TIE = 0.02
log = logging.getLogger("tilewright")


class Measured:
    """Ranks measured candidates by time, valid ones before stale ones; the others follow by the analytical model.

    >>> Measured(Store("/nowhere/at/all.sqlite")).rank(None, [], None)
    []
    """

    name = "measured"

    def __init__(self, store: Store | None = None, settings: Settings | None = None) -> None:
        self.settings = settings or Settings.from_env()
        self.store = store if store is not None else Store(store_path(self.settings), CALL_PATIENCE)
        self._build_keys: dict[str, tuple[str, ...]] = {}
        self._reported: set[str] = set()

    def rank(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> list[Ranked]:
        """Return the candidates in this order: measured on this build, measured on another, not measured."""
        if not candidates:
            return []
        true, stale, other = self.known(problem, candidates, device)
        return [*true, *stale, *Analytical(self.settings).rank(problem, other, device)]

    def known(
        self, problem: Problem, candidates: Sequence[Candidate], device: Device
    ) -> tuple[list[Ranked], list[Ranked], Sequence[Candidate]]:
        """Return (measured on the build that would run, measured on another one, not measured or failed)."""
        rows = self.rows(problem, device)
        if not rows:
            return [], [], candidates
        true: list[tuple[float, Ranked]] = []
        stale: list[tuple[float, Ranked]] = []
        other = []
        for candidate in candidates:
            found = rows.get(candidate.key, [])
            mine = [r for r in found if r.build_key in self._same_keys(candidate.spec)]
            row = min(mine or found, key=lambda r: r.seconds, default=None)
            if row is None:
                other.append(candidate)
                continue
            what = f"{row.seconds * 1e6:.4g} us, {len(row.samples)} samples, {row.tier}"
            text = f"measured: {what}" if mine else f"stale: measured on another build: {what}"
            (true if mine else stale).append((row.seconds, Ranked(candidate, row.seconds, text)))
        return settled(true), settled(stale), other

    def rows(self, problem: Problem, device: Device) -> dict[str, list[Measurement]]:
        """Return the measurements of this very problem, by the key of the candidate."""
        try:
            if not self.store.holds(problem.op, device.digest):
                return {}
            rows = list(self.store.rows(tuning_key=problem.tuning_key, device=device.digest, status="ok"))
        except TilewrightError as error:
            self._report(f"measurements not used: {error}")
            return {}
        from ..store import launch_from_dict

        found: dict[str, list[Measurement]] = {}
        for row in rows:
            try:
                key = candidate_key(row.spec_digest, launch_from_dict(row.launch))
            except (TilewrightError, TypeError) as error:
                self._report(f"measurements with such a launch are not used: {error}")
                continue
            found.setdefault(key, []).append(row)
        return found

    def _report(self, text: str) -> None:
        """Log a warning once: every new problem reads the store."""
        if text not in self._reported:
            self._reported.add(text)
            log.warning("%s", text)

    def _same_keys(self, spec: KernelSpec) -> tuple[str, ...]:
        """Return the keys of the build that would run now; computed once per kernel."""
        keys = self._build_keys.get(spec.digest)
        if keys is None:
            keys = self._build_keys[spec.digest] = build_keys_now(spec, self.settings)
        return keys


def build_keys_now(spec: KernelSpec, settings: Settings) -> tuple[str, ...]:
    """Return the key of the build that would run now, then those of earlier builds of the same bytes.

    ("-",) if it cannot be built here, which matches no measurement.
    """
    op = get_backend_op(spec.backend, spec.op)
    try:
        request = op.request(spec, settings)
    except TilewrightError:
        return ("-",)
    return request.same_keys if request is not None else (op.library(spec),)


def settled(timed: Sequence[tuple[float, Ranked]], tie: float = TIE) -> list[Ranked]:
    """Return candidates by time; among those within `tie` of the best, the smallest key comes first, so that noise does
    not decide.

    >>> settled([])
    []
    """
    ordered = sorted(timed, key=lambda pair: (pair[0], pair[1].candidate.key))
    if not ordered:
        return []
    limit = ordered[0][0] * (1.0 + tie)
    close = sorted((r for s, r in ordered if s <= limit), key=lambda r: r.candidate.key)
    return [*close, *(r for s, r in ordered if s > limit)]
