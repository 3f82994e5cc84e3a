"""Fuzz for long: `make fuzz`, or `python tests/fuzz/fuzz_run.py --inputs 100000`.

Inputs run in a process of their own, so that a crash is counted and the rest goes on. Inputs that failed before are in
`corpus/failed.jsonl` (target and seed) and are tried first. With atheris, `--atheris TARGET` runs one target under its
coverage-guided engine instead, and `--atheris all` each target in turn. Prints the counts: inputs, crashes,
tracebacks, those over 2 s of CPU time, and silent acceptances.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

HERE = Path(__file__).parent
FAILED = HERE / "corpus" / "failed.jsonl"
SLOW_SECONDS = 2.0
BATCH = 64  # inputs that a process is given at once
MAX_MEMORY = 8 << 30  # an input that asks for more is a bomb


def own_folders() -> None:
    """Let this process and those that it starts use caches and data that nobody else uses."""
    os.environ.setdefault("TILEWRIGHT_CACHE_DIR", tempfile.mkdtemp(prefix="tilewright-fuzz-"))
    os.environ.setdefault("TILEWRIGHT_DATA_DIR", tempfile.mkdtemp(prefix="tilewright-fuzz-data-"))


def prepare() -> dict[str, Any]:
    """Every target, in a process whose caches and data nobody else uses."""
    own_folders()
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(HERE))
    from fuzz_all import TARGETS

    return TARGETS


class BytesRandom(Random):
    """Choices that are read from bytes, so that a guided engine can change one of them; zeros after the last byte."""

    def __init__(self, data: bytes) -> None:
        super().__init__(0)
        self._bytes = iter(data)

    def getrandbits(self, k: int) -> int:
        """The next bits."""
        found = 0
        for _ in range(-(-k // 8)):
            found = found << 8 | next(self._bytes, 0)
        return found >> (-k % 8)

    def random(self) -> float:
        """A number from the next two bytes."""
        return self.getrandbits(16) / 65536


def judge(target: Any, choices: int | Random) -> dict[str, Any]:
    """What came of one input: refused, ok, accepted (silently), or a traceback; and its CPU time."""
    from fuzz_targets import AcceptedError

    from tilewright.errors import TilewrightError

    start = time.process_time()
    try:
        target(Random(choices) if isinstance(choices, int) else choices)
        found: dict[str, Any] = {"outcome": "ok"}
    except TilewrightError:
        found = {"outcome": "refused"}
    except AcceptedError as error:
        found = {"outcome": "accepted", "message": str(error)[:300]}
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)[-1:]
        where = "".join(f"{Path(f.filename).name}:{f.lineno}" for f in frames)
        found = {"outcome": "traceback", "message": f"{type(error).__name__}: {error} ({where})"[:300]}
    return {**found, "seconds": time.process_time() - start}


def serve() -> None:
    """The process that runs inputs: (target, seed) lines in, one JSON line of outcome each."""
    targets, out = prepare(), sys.stdout
    sys.stdout = sys.stderr
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    for name in targets:  # what is loaded at first use is no input's fault
        judge(targets[name], 0)
    print(json.dumps(sorted(targets)), file=out, flush=True)
    for line in sys.stdin:
        name, seed = json.loads(line)
        print(json.dumps(judge(targets[name], seed)), file=out, flush=True)


class Child:
    """A process that is replaced when it dies."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            self.command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.targets: list[str] = json.loads(self._read() or "[]")

    def command(self) -> list[str]:
        """Return the program that runs the inputs."""
        return [sys.executable, __file__, "--serve"]

    def ask(self, inputs: list[tuple[str, int]]) -> list[dict[str, Any]]:
        """Return the outcomes of some inputs, in order; fewer if the process died of the first that is missing.

        Several at once: on a busy machine, waiting for each answer takes longer than the inputs themselves.
        """
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.write("".join(json.dumps(one) + "\n" for one in inputs))
            self.process.stdin.flush()
        found: list[dict[str, Any]] = []
        while len(found) < len(inputs) and (line := self._read()).endswith("\n"):
            found.append(json.loads(line))
        return found

    def _read(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()


def outcomes(child: Child, queue: list[tuple[str, int]]) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Yield each input with its outcome; a process that dies is replaced, and the rest goes on. Ctrl-C ends it."""
    at = 0
    try:
        while at < len(queue):
            part = queue[at : at + BATCH]
            found = child.ask(part)
            if len(found) < len(part):
                found.append({"outcome": "crash", "seconds": 0.0})
                child.close()
                child = Child()
            yield from ((*one, outcome) for one, outcome in zip(part, found, strict=False))
            at += len(found)
    except KeyboardInterrupt:
        print("ended by hand", file=sys.stderr)
    finally:
        child.close()


def fuzz(inputs: int, first_seed: int, only: list[str]) -> int:
    """Run `inputs` inputs over all targets in turn; return the number of failures."""
    own_folders()  # a process that replaces another builds nothing again
    child = Child()
    names = [n for n in child.targets if not only or n in only]
    again = [json.loads(line) for line in FAILED.read_text().splitlines()] if FAILED.is_file() else []
    queue = [(n, s) for n, s in again if n in names]
    queue += [(names[i % len(names)], first_seed + i // len(names)) for i in range(inputs)]
    counts = dict.fromkeys(("inputs", "ok", "refused", "crash", "traceback", "slow", "accepted"), 0)
    failed = []
    for name, seed, found in outcomes(child, queue):
        counts["inputs"] += 1
        counts[found["outcome"]] += 1
        counts["slow"] += found["seconds"] > SLOW_SECONDS
        if found["outcome"] in ("crash", "traceback", "accepted") or found["seconds"] > SLOW_SECONDS:
            failed.append((name, seed))
            print(f"{name}, seed {seed}: {found}", file=sys.stderr)
    if failed:
        FAILED.write_text("".join(json.dumps(f) + "\n" for f in dict.fromkeys([*map(tuple, again), *failed])))
    taken = f"{counts['ok']:,} taken, {counts['refused']:,} refused"
    print(f"inputs                 {counts['inputs']:,} over {len(names)} targets ({taken})")
    print(f"crashes                {counts['crash']:,}")
    print(f"tracebacks             {counts['traceback']:,}")
    print(f"over 2 s of CPU time   {counts['slow']:,}")
    print(f"silent acceptances     {counts['accepted']:,}")
    return len(failed)


def guided_all(arguments: list[str]) -> int:
    """Run every target under atheris, each in a process of its own; return how many ended with an error."""
    return sum(
        subprocess.run([sys.executable, __file__, "--atheris", name, *arguments]).returncode != 0 for name in prepare()
    )


def guided(name: str, arguments: list[str]) -> None:
    """Run one target under atheris, whose bytes are the choices."""
    import atheris

    with atheris.instrument_imports(include=["tilewright"]):
        target = prepare()[name]

    def one(data: bytes) -> None:
        found = judge(target, BytesRandom(data))
        if found["outcome"] in ("traceback", "accepted"):
            raise AssertionError(found["message"])

    corpus = HERE.parents[1] / "build" / "fuzz" / name
    corpus.mkdir(parents=True, exist_ok=True)
    atheris.Setup([sys.argv[0], *arguments, str(corpus)], one)
    atheris.Fuzz()


def main() -> int:
    """Read the options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=[], help="targets by name")
    parser.add_argument("--atheris", metavar="TARGET", help="a target, or all; more options are libFuzzer's")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    known, rest = parser.parse_known_args()
    if known.serve:
        serve()
    elif known.atheris == "all":
        return min(1, guided_all(rest))
    elif known.atheris:
        guided(known.atheris, rest)
    else:
        return min(1, fuzz(known.inputs, known.seed, known.only))
    return 0


if __name__ == "__main__":
    sys.exit(main())
