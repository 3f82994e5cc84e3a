"""Run the examples on the CPU and compare what each prints with what its docstring promises.

    python examples/run_all.py                          # all
    python examples/run_all.py --only attention         # those whose path has this text
    python examples/run_all.py --only gemm/01 --show    # and their output
    python examples/run_all.py --json                   # for programs
    python examples/run_all.py --list                   # the tables of README.md

Each example runs in a folder and a process of its own, so none depends on another. The processes are forked from one
that has imported tilewright already, which saves most of their time. The exit status is 1 if an example fails.
"""

from __future__ import annotations

import argparse
import ast
import doctest
import importlib.util
import json
import multiprocessing
import os
import runpy
import sys
import tempfile
import textwrap
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent
WARM = ("model", "arch", "ops", "jit", "backends/cpu", "registry", "store", "select", "dispatcher", "frontends")
SAME = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PATIENCE = 300.0  # seconds


@dataclass(frozen=True)
class Example:
    """A file, what it shows, what it prints (`...` is anything) and the modules that it needs."""

    path: Path
    title: str
    prints: str
    needs: tuple[str, ...]

    @property
    def name(self) -> str:
        """Folder and file name without its ending."""
        return f"{self.path.parent.name}/{self.path.stem}"


@dataclass(frozen=True)
class Outcome:
    """What became of an example: ok, failed or skipped, and the reason."""

    name: str
    title: str
    status: str
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    reason: str = ""
    output: str = ""


def read_example(path: Path) -> Example:
    """Return the example of a file: its docstring has a title, perhaps `Needs: MODULE, ...`, and `Prints:` last."""
    text = ast.get_docstring(ast.parse(path.read_text())) or ""
    about, _, prints = text.partition("\nPrints:\n")
    needs = [line.removeprefix("Needs: ") for line in about.splitlines() if line.startswith("Needs: ")]
    modules = tuple(name.strip() for line in needs for name in line.split(","))
    return Example(path, " ".join(about.split("\n\n")[0].split()), textwrap.dedent(prints).strip("\n"), modules)


def find_examples(folder: Path, only: list[str]) -> list[Example]:
    """Return the examples in the order of their names; with `only`, those whose name has one of the texts."""
    paths = sorted(folder.glob("*/[0-9][0-9]_*.py"))
    found = [read_example(p) for p in paths]
    return [e for e in found if not only or any(text in e.name for text in only)]


def run_here(path: str, folder: str, texts: list[str], torch: bool) -> None:
    """Run a file as a program in this process; what it and its processes write goes to two files."""
    os.chdir(folder)
    if not torch:  # as in a program that never imports it: its kernels do not compete
        for name in [m for m in sys.modules if m.partition(".")[0] == "torch"]:
            del sys.modules[name]
    for stream, text in zip((sys.stdout, sys.stderr), texts, strict=True):
        stream.flush()
        os.dup2(os.open(text, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream.fileno())
    sys.argv = [path]
    try:
        runpy.run_path(path, run_name="__main__")
    except Exception:
        traceback.print_exc()
        raise SystemExit(1) from None
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        Path(folder).with_name("cpu").write_text(str(sum(os.times()[:4])))  # of its own processes too


def run_example(example: Example, context: multiprocessing.context.BaseContext) -> Outcome:
    """Run one example in a process and a folder of its own, and judge its output."""
    absent = [name for name in example.needs if importlib.util.find_spec(name) is None]
    if absent:
        return Outcome(example.name, example.title, "skipped", reason=f"not installed: {', '.join(absent)}")
    with tempfile.TemporaryDirectory(prefix="example") as room:
        texts = [Path(room, name) for name in ("stdout", "stderr")]
        folder = Path(room, "here")
        folder.mkdir()
        start = time.perf_counter()
        words = (str(example.path), str(folder), [str(t) for t in texts], "torch" in example.needs)
        process = context.Process(target=run_here, args=words)  # type: ignore[attr-defined]
        process.start()
        process.join(PATIENCE)
        seconds, code = time.perf_counter() - start, process.exitcode
        if code is None:
            process.kill()
            process.join()
        output, errors = (t.read_text() if t.exists() else "" for t in texts)
        cpu = float(Path(room, "cpu").read_text()) if Path(room, "cpu").exists() else 0.0
    reason = reason_of(example, code, output, errors)
    status = "failed" if reason else "ok"
    return Outcome(example.name, example.title, status, round(seconds, 2), round(cpu, 2), reason, output)


def reason_of(example: Example, code: int | None, output: str, errors: str) -> str:
    """Return what is wrong with a run; empty if nothing is."""
    if code is None:
        return f"still running after {PATIENCE:.0f} s"
    if code:
        return f"exit status {code}\n{errors}"
    if not example.prints:
        return "its docstring does not end with `Prints:` and the output"
    if not doctest.OutputChecker().check_output(example.prints, output.strip("\n"), SAME):
        return f"promises\n{example.prints}\nbut prints\n{output}{errors}"
    return ""


def modules_of_most() -> list[str]:
    """Return the modules that most examples import sooner or later."""
    spec = importlib.util.find_spec("tilewright")
    package = Path(spec.origin).parent if spec is not None and spec.origin else EXAMPLES
    files = [file.relative_to(package.parent) for name in WARM for file in sorted((package / name).rglob("*.py"))]
    return ["numpy", "sqlite3", *(".".join(file.with_suffix("").parts).removesuffix(".__init__") for file in files)]


def run_all(examples: list[Example], jobs: int) -> list[Outcome]:
    """Run examples, `jobs` at a time, and return their outcomes in order."""
    context = multiprocessing.get_context("forkserver")
    torch = ("torch",) if any("torch" in e.needs for e in examples) and importlib.util.find_spec("torch") else ()
    context.set_forkserver_preload([*modules_of_most(), *torch])
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda e: run_example(e, context), examples))


def show(outcomes: list[Outcome], outputs: bool) -> None:
    """Print a table of the outcomes, and the reason of each failure below it."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Column, Table

    console, colours = Console(), {"ok": "green", "failed": "red", "skipped": "yellow"}
    title = Column("what it shows", no_wrap=True, ratio=1)
    table = Table("example", title, "seconds", "outcome", box=None, expand=True)
    for o in outcomes:
        table.add_row(o.name, escape(o.title), f"{o.seconds:.2f}", f"[{colours[o.status]}]{o.status}[/]")
    console.print(table)
    for o in outcomes:
        if outputs or o.status == "failed":
            told = o.reason if "but prints" in o.reason else f"{o.reason or o.status}\n{o.output}"
            console.print(f"\n{o.name}: {told}", markup=False, highlight=False, soft_wrap=True)
    for reason in sorted({o.reason for o in outcomes if o.status == "skipped"}):
        names = ", ".join(o.name for o in outcomes if o.reason == reason)
        console.print(f"skipped, {reason} (pip install -e '.[torch,tune]'): {names}", markup=False, highlight=False)
    counts = ", ".join(f"{sum(o.status == s for o in outcomes)} {s}" for s in colours)
    console.print(f"{len(outcomes)} examples: {counts}")


def index(examples: list[Example]) -> str:
    """Return the examples as Markdown: a heading and a table for each folder."""
    lines: list[str] = []
    for e in examples:
        if f"## {e.path.parent.name}" not in lines:
            lines += ["", f"## {e.path.parent.name}", "", "| example | what it shows |", "|---|---|"]
        needs = f" ({', '.join(e.needs)})" if e.needs else ""
        lines.append(f"| `{e.name}.py` | {e.title}{needs} |")
    return "\n".join(lines[1:]) + "\n"


def main() -> int:
    """Run what the command line names; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], metavar="TEXT", help="run those whose name has it")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="how many at a time")
    parser.add_argument("--folder", type=Path, default=EXAMPLES, help="where to look for them")
    parser.add_argument("--list", action="store_true", help="run nothing, print a Markdown table of them")
    parser.add_argument("--show", action="store_true", help="print the output of each")
    parser.add_argument("--json", action="store_true", help="print the outcomes as JSON")
    options = parser.parse_args()
    sys.path[:] = [p for p in sys.path if p != str(EXAMPLES)]  # its folder `torch` would be found if torch is absent
    examples = find_examples(options.folder.resolve(), options.only)
    if not examples:
        parser.error(f"no example has {' or '.join(options.only) or 'a name'} in {options.folder}")
    if options.list:
        print(index(examples), end="")
        return 0
    outcomes = run_all(examples, max(1, options.jobs))
    if options.json:
        print(json.dumps([asdict(o) for o in outcomes], indent=1))
    else:
        show(outcomes, options.show)
    return int(any(o.status == "failed" for o in outcomes))


if __name__ == "__main__":
    sys.exit(main())
