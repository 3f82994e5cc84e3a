"""`show`: show one built (or failed) kernel of the cache, with the contents of its code."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import TilewrightError, UnknownNameError
from ..jit.artifact import LOG_NAME, META_NAME
from ..jit.ownership import LAYOUT
from ..model.json_text import Json, read_json
from ..settings import Settings
from .options import AsJson
from .output import note, print_json

Kernel = Annotated[str, typer.Argument(metavar="KERNEL", help="A name, or the first digits of a digest or build key.")]
Log = Annotated[bool, typer.Option("--log", help="Also print the whole log of the build.")]
FACTS = ("vgprs", "agprs", "sgprs", "vgpr_spills", "sgpr_spills", "lds_bytes", "scratch_bytes", "code_bytes")


def show(kernel: Kernel, log: Log = False, as_json: AsJson = False) -> None:
    """Show one kernel of the cache.

    Prints its files, and for AMD GPUs the target, registers, LDS, spills, scratch, code size and matrix instructions,
    and what executing it showed (`build --verify`).
    For a failed build, prints its command, its spec and the whole compiler log.
    """
    from ..jit import Cache
    from ..tune.verify.record import stored_verdict

    cache = Cache.from_settings(Settings.from_env())
    records = [*_entries(cache)]
    found = [r for r in records if _is_meant(kernel, r)]
    if not found:
        raise UnknownNameError("kernel of the cache", kernel, sorted({r["name"] for r in records})[:200])
    if len({r["build_key"] for r in found}) > 1 and len({r["name"] for r in found}) > 1:
        names = ", ".join(sorted({r["name"] for r in found})[:5])
        raise TilewrightError(f"{kernel!r} matches {len(found)} kernels: {names}", remedy="give more digits")
    found.sort(key=lambda r: r["created"])
    for record in found:
        record["executed"] = stored_verdict(record["build_key"], cache)
        if log and record["state"] == "built":
            record["log"] = (Path(record["path"]) / LOG_NAME).read_text(errors="replace")
        if not as_json:
            _print(record)
    if as_json:
        print_json(found[0] if len(found) == 1 else found)


def _is_meant(text: str, record: Json) -> bool:
    if record["name"] == text or record["name"].endswith(f"_{text}"):
        return True
    return len(text) >= 6 and any(record[key].startswith(text) for key in ("build_key", "spec_digest"))


def _entries(cache: Any) -> Iterator[Json]:
    """Yield every built and failed kernel of all layers; report and skip what cannot be read."""
    for layer in (cache.root, *cache.shared):
        for meta in sorted((layer / LAYOUT / "entries").glob(f"*/*/{META_NAME}")):
            yield from _read(meta, _built)
    for path in sorted(cache.folder("failures").glob("*/*.json")):
        yield from _read(path, _failed)


def _read(path: Path, record: Callable[[Path, Json], Json]) -> Iterator[Json]:
    try:
        found = record(path, read_json(path))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, TilewrightError) as problem:
        note(f"{path} cannot be read ({problem}); see `tilewright cache verify`")
        return
    yield found


def _built(meta: Path, data: Json) -> Json:
    return {
        **{k: data[k] for k in ("name", "build_key", "spec_digest", "metadata", "seconds", "created")},
        "state": "built",
        "path": str(meta.parent),
        "files": {name: fact["size"] for name, fact in data["files"].items()},
        "spec": data.get("spec") or _spec(meta.parent),
    }


def _failed(path: Path, data: Json) -> Json:
    known = {k: data[k] for k in ("name", "build_key", "spec_digest", "reason", "command", "log", "seconds", "created")}
    return {**known, "state": "failed", "path": str(path), "metadata": {}, "spec": data.get("spec")}


def _spec(folder: Path) -> Any:
    """Return the spec of an entry whose `meta.json` has none: older kernels for AMD GPUs have it in a file."""
    path = folder / "expect.json"
    return read_json(path)["spec"] if path.is_file() else None


def _print(record: Json) -> None:
    print(f"{record['name']}\n  digest     {record['spec_digest'] or '-'}\n  build key  {record['build_key']}")
    print(f"  {record['state']} in {record['seconds']:.1f} s: {record['path']}")
    if record["state"] == "failed":
        print(f"  reason     {record['reason']}\n  command    {record['command']}")
        _print_spec(record["spec"])
        print(record["log"])
        return
    for name, size in record["files"].items():
        print(f"  file       {name}, {size:,} bytes")
    _print_code(record["metadata"])
    _print_executed(record)
    _print_spec(record["spec"])
    if "log" in record:
        print(record["log"])


def _print_executed(record: Json) -> None:
    """Print the verdict, and each execution; nothing for kernels that cannot be executed here."""
    from ..tune.verify.record import in_words

    verdict = record["executed"]
    if verdict is None and record["metadata"].get("code") is None:
        return
    print(f"  executed   {in_words(verdict)}")
    for run in verdict["outcomes"] if verdict is not None else ():
        found = f", {len(run['findings'])} findings of the sanitizer" if run["findings"] else ""
        print(f"    {run['state']:<8} {run['path']}: {run['problem']} {run['launch']}, {run['seconds']:.1f} s{found}")


def _print_spec(spec: Any) -> None:
    if spec:
        print(f"  spec       {json.dumps(spec, sort_keys=True)}")


def _print_code(metadata: Json) -> None:
    from ..report.tables import Table

    code = metadata.get("code")
    if code is None:
        for name, value in metadata.items():
            print(f"  {name:<10} {value}")
        return
    matrix = ", ".join(f"{n} x {name}" for name, n in code["matrix"].items()) or "none"
    print(f"  target     {code['target']}\n  matrix     {matrix}")
    wanted = {symbol: name for name, symbol in metadata.get("symbols", {}).items()}
    kernels = [k for k in code["kernels"] if k["symbol"] in wanted and "vgprs" in k]
    if kernels:
        heads = [name.replace("_bytes", " B").replace("_", " ") for name in FACTS]
        table = Table(["instance", *heads], right=heads)
        for k in kernels:
            table.add(wanted[k["symbol"]], *(f"{k[name]:,}" for name in FACTS))
        table.show()
