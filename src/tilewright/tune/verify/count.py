"""Count what a compiled kernel for an AMD GPU does: registers, LDS, spills, and what the emulator executes of it.

The counts go into the cost models of AMD GPUs (`backends/gpu/kernel_counts.py`). They are no times.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...backends import get_backend_op
from ...backends.gpu.emulated.runtime import CountedLaunch
from ...backends.gpu.emulated.standin import emulated_runtime
from ...backends.gpu.kernel_counts import SCHEMA, rows_of, short_row
from ...backends.packed import stored
from ...emulator import instruction_counts
from ...jit.arrays import view_of
from ...model.kernel import Candidate, KernelSpec
from ...model.trial import Trial
from ...ops import get_op
from ...plan import make_plan
from ...settings import Settings
from .execute import SEED, place_for


@contextmanager
def counting() -> Iterator[list[CountedLaunch]]:
    """Count the launches on emulated GPUs of this process while the block runs."""
    runtime = emulated_runtime()
    with runtime.lock:
        runtime.counted = found = list[CountedLaunch]()
        try:
            yield found
        finally:
            runtime.counted = None


def count_kernel(spec: KernelSpec, kernel: Any, settings: Settings) -> dict[str, Any] | None:
    """Return the counts of a loaded kernel as a row for the file of counts; None if it cannot be counted.

    Two problems are executed that differ only in how often the main loop runs. The difference is the work of the loop;
    its unit is the multiply-add. Kernels without matrix instructions in their loop have no counts.
    """
    place = place_for(spec)
    trials = get_backend_op(spec.backend, spec.op).counted_trials(spec, place) if place is not None else ()
    if len(trials) != 2:
        return None
    short, long = (_main_launch(spec, kernel, trial, settings) for trial in trials)
    before, after = short.counts(), long.counts()
    if short.kernel.name != long.kernel.name or after["multiply_adds"] <= before["multiply_adds"]:
        return None
    code = long.kernel
    return {
        "schema": SCHEMA, "digest": spec.digest, "name": spec.name, "spec": spec.to_dict(), "threads": long.threads,
        "vector_registers": code.vector_registers, "accumulation_registers": code.accumulation_registers,
        "lds_bytes": long.lds_bytes, "scratch_bytes": code.number("private_segment_fixed_size"),
        "code": instruction_counts(code.instructions), "workgroups": long.workgroups,
        "whole": after, "loop": {name: max(0, after[name] - before[name]) for name in after},
    }  # fmt: skip


def add_counts(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    """Append the rows of kernels that a file of counts does not have; return how many."""
    known = {row["digest"] for _, row in rows_of(path)}
    new = {row["digest"]: short_row(row) for row in rows if row["digest"] not in known}
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(row, sort_keys=True, separators=(",", ":")) + "\n" for row in new.values())
    return len(new)


def _main_launch(spec: KernelSpec, kernel: Any, trial: Trial, settings: Settings) -> CountedLaunch:
    """Execute a trial and return its launch with the most products."""
    op = get_op(spec.op)
    plan = make_plan(trial.problem, Candidate(spec, trial.launch), kernel, settings)
    held = stored(spec, op.random_tensors(trial.problem, SEED), lambda: kernel)
    bound = plan.bind({role: view_of(t, role) for role, t in held.items()})
    with counting() as launches:
        bound()
    return max(launches, key=lambda launch: launch.counts()["multiply_adds"])
