"""`data` and `ledger`: manage measurements, and list problems without one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import TilewrightError, plural
from .options import AsJson, settings_of
from .output import note, print_json

if TYPE_CHECKING:
    from ..store import Store

Files = Annotated[list[str], typer.Argument(metavar="FILE", help="Files of measurements.", show_default=False)]
OutFile = Annotated[str, typer.Argument(metavar="FILE", help="Ends in .parquet, .jsonl, .jsonl.gz or .sqlite.")]
UnionOut = Annotated[str, typer.Option("--out", metavar="FILE", help="The Parquet file to write.")]
OpName = Annotated[str, typer.Option("--op", metavar="OP", help="Only rows of this op.")]
Arch = Annotated[str, typer.Option("--arch", metavar="ARCH", help="Only rows of this arch.")]
Status = Annotated[
    str, typer.Option("--status", metavar="STATUS", help="Only rows with this status: ok, crash, wrong, ...")
]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Show at most N.")]
Clear = Annotated[bool, typer.Option("--clear", help="Empty the ledger.")]
AsProblems = Annotated[bool, typer.Option("--problems", help="Print JSON lines, ready for `tilewright tune -`.")]


def merge(files: Files, as_json: AsJson = False) -> None:
    """Add measurements of other machines to your store.

    Rows that the store already has are skipped; each row keeps its host and run.
    A file with an invalid row is refused before any of its rows is added.
    Rows that name a kernel or problem that is not theirs are left out.
    """
    from ..report.tables import fitted
    from ..store import merge_file

    with _store() as store:
        counts = {f: merge_file(store, f) for f in files}
    if as_json:
        print_json({f: merged._asdict() for f, merged in counts.items()})
        return
    for name, (new, known, false, reasons) in counts.items():
        left = f", {false} false" if false else ""
        print(fitted(f"{name}: {plural(new, 'new measurement')}, {known} known already{left}"))
        for reason in reasons:
            note(reason)


def union(files: Files, out: UnionOut, as_json: AsJson = False) -> None:
    """Write the measurements of many Parquet files to one, without a store in between.

    Of rows with one identity the latest stays. Rows that name a kernel or problem that is not theirs are left out.
    """
    from ..report.tables import fitted
    from ..store.union import union_parquet

    found = union_parquet(files, out)
    if as_json:
        print_json(vars(found))
        return
    counts = f"{out}: {found.kept} of {found.rows} rows of {found.files} files; {found.same} twice, "
    print(
        fitted(f"{counts}{found.replaced} replaced by later ones, {found.conflicts} in conflict, {found.false} false")
    )
    for reason in found.reasons:
        note(reason)


def export(file: OutFile, op: OpName = "", arch: Arch = "", status: Status = "", as_json: AsJson = False) -> None:
    """Write measurements to a file: Parquet for datasets, JSON lines, or SQLite."""
    from ..store import write_rows

    with _store() as store:
        count = write_rows(store.rows(**_where(op, arch, status)), file)
    if as_json:
        print_json({"file": file, "rows": count})
    else:
        print(f"{plural(count, 'measurement')} written to {file}")


def show(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Files; none: your store.")] = [],  # noqa: B006
    op: OpName = "",
    arch: Arch = "",
    status: Status = "",
    limit: Limit = 20,
    as_json: AsJson = False,
) -> None:
    """Show the measurements: counts, and the latest rows. Rows of a build that is not current are marked stale."""
    from ..report.tables import Table
    from ..store import read_rows

    where = _where(op, arch, status)
    if files:
        rows = [r for f in files for r in read_rows(f)]
        rows = [r for r in rows if all(_value(r, k) == v for k, v in where.items())]
    else:
        with _store() as store:
            rows = list(store.rows(**where))
    shown = [_row(r) for r in rows[-limit:]]
    if as_json:
        print_json({"rows": len(rows), "counts": _counts(rows), "latest": shown})
        return
    if not shown:
        note("no measurement to show; `tilewright tune` creates some")
        return
    table = Table(["op", "backend", "arch", "status", "rows", "problems"], right=["rows", "problems"])
    for c in _counts(rows):
        table.add(*c.values())
    table.show()
    print()
    latest = Table(
        ["problem", "kernel", "launch", "status", "us", "samples", "tier", "build", "host"], right=["us", "samples"]
    )
    for r in shown:
        time = None if r["seconds"] is None else f"{r['seconds'] * 1e6:,.1f}"
        latest.add(
            r["label"], r["kernel"], r["launch"], r["status"], time, r["samples"], r["tier"], r["build"], r["host"]
        )
    latest.show()


def ledger(limit: Limit = 20, problems: AsProblems = False, clear: Clear = False, as_json: AsJson = False) -> None:
    """List the problems that were selected without a measurement.

    Those that take most time come first.
    Tune them next: `tilewright ledger --problems | tilewright tune -`.
    """
    from ..ops import problem_from_dict
    from ..report.tables import Table, milliseconds

    with _store() as store:
        if clear:
            removed = store.forget_missed()
            print_json({"removed": removed}) if as_json else print(f"{removed} entries removed")
            return
        entries = store.missed()[:limit]
    if problems:
        for e in entries:
            print(json.dumps(dict(e.problem)))
        return
    if as_json:
        print_json([{"problem": dict(e.problem), "count": e.count, "seconds": e.seconds, "weight": e.weight,
                     "answered_by": e.answered_by} for e in entries])  # fmt: skip
        return
    if not entries:
        print("no problem was selected without a measurement")
        return
    table = Table(
        ["problem", "times", "predicted ms", "weight ms", "selected by"], right=["times", "predicted ms", "weight ms"]
    )
    for e in entries:
        label = problem_from_dict(dict(e.problem)).label()
        table.add(label, e.count, milliseconds(e.seconds * 1e3), milliseconds(e.weight * 1e3), e.answered_by)
    table.show()


def _store() -> Store:
    from ..store import Store, store_path

    return Store(store_path(settings_of()))


def _where(op: str, arch: str, status: str) -> dict[str, str]:
    from ..store.measurement import STATUSES

    if status and status not in STATUSES:
        raise TilewrightError(f"status {status!r} is not one of {', '.join(STATUSES)}")
    return {k: v for k, v in {"op": op, "arch": arch, "status": status}.items() if v}


def _value(row: Any, name: str) -> Any:
    return {"op": row.problem.get("op"), "arch": row.spec.get("arch"), "status": row.status}[name]


def _counts(rows: list[Any]) -> list[dict[str, Any]]:
    found: dict[tuple[Any, ...], list[Any]] = {}
    for r in rows:
        named = (r.problem.get("op"), r.spec.get("backend"), r.spec.get("arch"), r.status)
        key = tuple("-" if name is None else str(name) for name in named)  # of rows from elsewhere: anything
        found.setdefault(key, []).append(r.tuning_key)
    names = ("op", "backend", "arch", "status")
    return [
        {**dict(zip(names, k, strict=True)), "rows": len(v), "problems": len(set(v))} for k, v in sorted(found.items())
    ]


def _row(row: Any) -> dict[str, Any]:
    """Return one row for people: names instead of digests, and whether the current build would be the same."""
    from ..backends.plain import spec_from_dict
    from ..ops import problem_from_dict
    from ..select.chain import build_keys_now
    from ..store import launch_from_dict

    try:
        problem = problem_from_dict(dict(row.problem)).label()
    except TilewrightError:  # of another version, or from elsewhere
        problem = row.tuning_key[:8]
    try:
        launch = launch_from_dict(row.launch).label()
    except TilewrightError:
        launch = "-"
    try:
        spec = spec_from_dict(dict(row.spec))
        kernel, now = f"{spec.algorithm.label()}_{spec.digest[:8]}", build_keys_now(spec, settings_of())
    except TilewrightError:
        kernel, now = row.spec_digest[:8], ("-",)
    return {
        "label": problem,
        "kernel": kernel,
        "launch": launch,
        "status": row.status,
        "seconds": row.seconds if row.ok else None,
        "samples": len(row.samples),
        "tier": row.tier,
        "build": "now" if row.build_key in now else "stale",
        "host": row.host,
        "message": row.message,
    }
