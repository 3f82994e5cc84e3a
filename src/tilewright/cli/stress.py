"""`stress`: random kernels and problems through validate, correct, build, run and verify."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import TilewrightError, check_known
from .options import AsJson, DeviceName
from .output import note, print_json
from .tune import Budget, seconds_of

if TYPE_CHECKING:
    from ..backends.base import Backend
    from ..tune.stress.hunt import Hunt

Samples = Annotated[int, typer.Option("--samples", metavar="N", min=1, help="Number of samples.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of the samples.")]
Ops = Annotated[str, typer.Option("--op", metavar="NAMES", help="Ops to draw, separated by commas; empty: all.")]
Backends = Annotated[
    str, typer.Option("--backend", metavar="NAMES", help="Backends to draw, separated by commas; empty: all here.")
]
Out = Annotated[str, typer.Option("--out", metavar="FOLDER", help="Folder of the reproducers.")]
Patience = Annotated[
    float, typer.Option("--patience", metavar="SECONDS", min=1, help="Seconds after which a kernel counts as hung.")
]
COLUMNS = ("right", "refused", "hopeless", "corrected", "not a problem")


def stress(
    samples: Samples = 100,
    seed: Seed = 0,
    budget: Budget = "",
    op: Ops = "",
    backend: Backends = "",
    device: DeviceName = "cpu",
    out: Out = "stress",
    patience: Patience = 120.0,
    as_json: AsJson = False,
) -> None:
    """Try random kernels on random problems, and report each disagreement.

    A kernel is drawn without regard to rules. If it breaks some, the nearest legal one is taken. It is built, run in a
    process of its own, and compared with the reference. A legal kernel that does not compile, crashes, hangs or gives a
    wrong result is a failure: it is made as small as possible and written to a file, with the command that repeats it.
    """
    from ..ops import op_names
    from ..tune.stress.draw import strategies
    from ..tune.stress.hunt import Hunter

    strategies()
    ops = _chosen(op, op_names(), "op")
    pairs = _backends(backend, device)
    shown = 0

    def each(hunt: Hunt) -> None:
        nonlocal shown
        if not as_json and hunt.samples >= shown + 25:
            shown = hunt.samples
            note(f"{hunt.samples} of {samples} samples, {len(hunt.failures)} failures")

    hunt = Hunter(ops, pairs, device, patience, each).run(samples, seed, seconds_of(budget), Path(out))
    _show(hunt, as_json)
    if hunt.failures:
        raise typer.Exit(1)


def _chosen(text: str, known: list[str], what: str) -> list[str]:
    names = [n.strip() for n in text.split(",") if n.strip()]
    for name in names:
        check_known(what, name, known)
    return names or known


def _backends(text: str, device: str) -> list[tuple[str, str]]:
    """Return the backends that can run at a place, each with the arch of the device there."""
    from ..arch import get_arch
    from ..backends import backend_names, device_at, get_backend
    from ..model.device import is_emulated
    from .options import settings_of

    settings = settings_of()
    if not text or any(name in text and get_backend(name).libraries for name in backend_names()):
        with suppress(ImportError):
            import torch  # noqa: F401  # its libraries are kernels of a program that has imported it
    here = device_at(device, settings)
    kind = device.partition(":")[0]
    serving = [n for n in backend_names() if get_backend(n).serves(get_arch(here.arch).kind)]

    def missing(backend: Backend) -> str | None:
        return backend.missing_builder(settings) if is_emulated(device) else backend.missing(settings)

    # The reference finds no devices of its own: it runs wherever tensors are on the host. Libraries run on GPUs too.
    places = {n: get_backend(n).places or ("cpu", *(["cuda"] if get_backend(n).libraries else [])) for n in serving}
    able = [n for n in serving if kind in places[n] and not missing(get_backend(n))]
    found = [(n, here.arch) for n in _chosen(text, able, f"backend for {device}")]
    if not found:
        raise TilewrightError(f"no backend runs kernels at {device}", remedy="`tilewright doctor` says what is missing")
    return found


def _show(hunt: Hunt, as_json: bool) -> None:
    from ..report.tables import Table

    groups: dict[tuple[str, str], Counter[str]] = {}
    for (op, backend, state), number in hunt.counts.items():
        groups.setdefault((op, backend), Counter())[state] += number
    if as_json:
        print_json({
            "samples": hunt.samples, "seconds": round(hunt.seconds, 1), "stopped by the budget": hunt.stopped,
            "counts": [{"op": o, "backend": b, **c} for (o, b), c in sorted(groups.items())],
            "failures": [{"kind": v.kind, "message": v.message, "file": str(f)}
                         for v, f in zip(hunt.failures, hunt.files, strict=True)],
        })  # fmt: skip
        return
    table = Table(["op", "backend", *COLUMNS, "failed"], right=[*COLUMNS, "failed"])
    for (op, backend), counts in sorted(groups.items()):
        failed = sum(n for state, n in counts.items() if state not in COLUMNS)
        table.add(op, backend, *(counts[c] for c in COLUMNS), failed)
    table.show()
    print(f"{hunt.samples} samples in {hunt.seconds:.0f} s" + (", stopped by the budget" if hunt.stopped else ""))
    for verdict, file in zip(hunt.failures, hunt.files, strict=True):
        print(f"FAILED {verdict.kind}: {verdict.message}\n  {file}")
