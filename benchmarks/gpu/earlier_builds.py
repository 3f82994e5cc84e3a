"""Which earlier builds of Triton kernels gave the code of today's: makes `backends/triton/earlier_builds.json`.

    python benchmarks/gpu/earlier_builds.py 823ab71 b0e42d4     # revisions at which `benchmarks/data` was measured
    python benchmarks/gpu/earlier_builds.py --since REVISION    # at which the table was right
    python benchmarks/gpu/earlier_builds.py --since REVISION --compile 4

A build key changes with the sources of its kernel, even if the code does not. For every kernel of `benchmarks/data`
whose rows carry a key of one of these revisions, this compares what Triton is given at the revision and now: the
definitions that the kernel is made of, argument types, constants, hints and options. Where nothing differs, the digest
of today's sources is written beside that of the revision's, and rows of the earlier build count as measured on this one
(`BuildRequest.same_keys`). A kernel that differs is reported and left out: its rows are stale. With `--since` the table
of that revision is renewed by the same comparison: what it says of a kernel's sources there is said of today's, and
kernels that were measured as they were there are added. With `--compile`, sources that differ are not given up: so many
kernels of each are compiled at the revision and now, and if their files are the same, the sources are, too.
`tests/backends/triton/test_triton_builds.py` compiles some of them and compares the bytes with the measured ones.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from places import HERE  # first, for the path to the package

from tilewright.backends import get_backend_op
from tilewright.backends.plain import spec_from_dict
from tilewright.backends.triton import closure, request
from tilewright.jit.artifact import canonical_json, sha256_text
from tilewright.settings import Settings

TRITON = Path("src/tilewright/backends/triton")
PYTHON = "<path>/python3"  # the interpreter's name was part of the key
SHARED = ("cluster", "compile_job", "ring", "source", "target")
# Prints what each job of the specs on stdin gives to Triton; runs at any of the revisions.
ASK = """
import json, sys
from tilewright.backends.triton.compile_job import _source
for jobs in json.load(sys.stdin):
    said = []
    for prefix, job in sorted(jobs.items()):
        try:
            s = _source(job)
        except Exception:  # this revision has no such kernel
            said = None
            break
        constants = sorted(map(repr, s.constants.items()))
        kernel = f"{s.function.__module__.partition('.triton.')[2]}:{s.function.__name__}"
        other = s.options, s.cluster, s.shared, getattr(s, "lines", False)
        said.append([prefix, kernel, repr((s.signature, constants, s.hints, *other))])
    print(json.dumps(said))
"""


@dataclass(frozen=True)
class Kernel:
    """A kernel of the data: its request of today and the key of the build that was measured."""

    request: request.BuildRequest
    key: str

    @property
    def jobs(self) -> dict:
        return json.loads(self.request.inputs["job.json"])["jobs"]


def measured_kernels() -> list[Kernel]:
    """Return the kernels of `benchmarks/data`."""
    import pyarrow.parquet as parquet

    found = {}
    for path in sorted((HERE / "data").glob("*_h200.parquet")):
        table = parquet.read_table(path, columns=["spec", "build_key"])
        for pair in zip(*(table.column(name).to_pylist() for name in ("spec", "build_key")), strict=True):
            found.setdefault(pair, None)
    made = []
    for spec, key in found:
        known = spec_from_dict(json.loads(spec))
        made.append(Kernel(get_backend_op("triton", known.op).request(known, Settings()), key))
    return made


def listed_files(tree: Path, op: str) -> list[Path]:
    """Return the files whose digest was part of every key of an op."""
    found = []
    for folder in ("gemm",) if op == "gemm" else ("gemm", "conv"):
        at = tree / TRITON / folder
        more = [at / name for name in ("source.py", "algorithm.py", "strips.py") if (at / name).exists()]
        found += [*sorted((at / "kernels").glob("*.py")), *more]
    return [*found, *(tree / TRITON / f"{name}.py" for name in SHARED)]


def listed_digest(tree: Path, op: str) -> str:
    """Return the digest of those files."""
    parts = hashlib.sha256()
    for path in listed_files(tree, op):
        parts.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return parts.hexdigest()


def key_of(kernel: Kernel, digest: str, python: str = PYTHON) -> str:
    """Return the key of a kernel's build at the revision whose listed files have `digest`."""
    material = kernel.request.material
    earlier = {"commands": [[python, *request.COMMAND]], "key": {**material["key"], "kernels": digest}}
    return sha256_text(canonical_json({**material, **earlier}))


def given_to_triton(tree: Path, kernels: list[Kernel]) -> list[list]:
    """What the jobs of kernels give to Triton at `tree`: arguments and constants, and the kernels' definitions."""
    said = subprocess.run(
        [sys.executable, "-c", ASK], input=json.dumps([k.jobs for k in kernels]), capture_output=True, text=True,
        check=True, env={**os.environ, "PYTHONPATH": str(tree / "src")},
    )  # fmt: skip
    closure.ROOT = tree / TRITON
    for cached in (closure.closure, closure.closure_digest, closure._module):
        cached.cache_clear()
    found = [json.loads(line) for line in said.stdout.splitlines()]
    for jobs in filter(None, found):
        for job in jobs:
            module, _, function = job[1].partition(":")
            job.append(closure.closure_digest(((f"{module.replace('.', '/')}.py", function),)))
    return found


def compare(revision: str, kernels: list[Kernel], builds: dict, same: dict) -> list[Kernel]:
    """Add what is equal at `revision` to `builds` and `same`; the kernels that were not measured there are left."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        archive = subprocess.run(["git", "archive", revision, "src"], cwd=HERE.parent, capture_output=True, check=True)
        subprocess.run(["tar", "x", "-C", folder], input=archive.stdout, check=True)
        left = kernels
        for op in ("gemm", "conv"):
            digest = listed_digest(tree, op)
            mine = [k for k in left if key_of(k, digest) == k.key]
            left = [k for k in left if key_of(k, digest) != k.key]
            if not mine:
                continue
            pairs = zip(mine, given_to_triton(tree, mine), given_to_triton(HERE.parent, mine), strict=True)
            equal = {True: set(), False: set()}
            for kernel, before, now in pairs:
                equal[before == now].add(kernel.request.key["kernels"])
            name = f"{op} {revision}"
            builds[name] = {"kernels": digest, "python": PYTHON}
            for sources in sorted(equal[True] - equal[False]):
                same.setdefault(sources, []).append(name)
            print(f"{name}: {len(mine)} kernels of {len(set().union(*equal.values()))} sources, "
                  f"{len(equal[False])} sources differ")  # fmt: skip
    return left


# Prints the digest of the sources of each spec on stdin, at any revision that has one for each kernel.
DIGESTS = """
import json, sys
from tilewright.backends import get_backend_op
from tilewright.backends.plain import spec_from_dict
from tilewright.settings import Settings
for spec in map(spec_from_dict, json.load(sys.stdin)):
    print(get_backend_op("triton", spec.op).request(spec, Settings()).key["kernels"])
"""


# Builds the specs on stdin, at any revision, and prints the digest of each one's files.
BUILD = """
import json, sys
from tilewright.backends import get_backend_op
from tilewright.backends.plain import spec_from_dict
from tilewright.jit import Cache, build_many
from tilewright.settings import Settings
settings = Settings.from_env()
specs = list(map(spec_from_dict, json.load(sys.stdin)))
requests = [get_backend_op("triton", spec.op).request(spec, settings) for spec in specs]
for built in build_many(requests, Cache.from_settings(settings)):
    print(built.content_sha256)
"""


def asked(tree: Path, program: str, specs: list) -> list[str]:
    """Return the lines that a program prints about specs, with the package at `tree`."""
    said = subprocess.run([sys.executable, "-c", program], input=json.dumps(specs), capture_output=True, text=True,
                          check=True, env={**os.environ, "PYTHONPATH": str(tree / "src")})  # fmt: skip
    return said.stdout.split()


def compiled_alike(tree: Path, kernels: list[Kernel], count: int) -> bool:
    """Return whether some of these kernels, from all over the list, compile to the same files as at `tree`."""
    chosen = [k.request.spec for k in kernels[:: max(1, -(-len(kernels) // count))]]
    before, now = (asked(place, BUILD, chosen) for place in (tree, HERE.parent))
    same = sum(a == b for a, b in zip(before, now, strict=True))
    print(f"{same} of {len(chosen)} have the same files, of {len(kernels)} kernels like {kernels[0].request.name}")
    return same == len(chosen)


def renew(revision: str, count: int) -> None:
    """Move what the table of `revision` says to today's sources; `count` kernels of those that differ are compiled."""
    kernels = [k for k in measured_kernels() if k.key != k.request.build_key]  # the others were measured as they are
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        archive = subprocess.run(["git", "archive", revision, "src"], cwd=HERE.parent, capture_output=True, check=True)
        subprocess.run(["tar", "x", "-C", folder], input=archive.stdout, check=True)
        table = json.loads((tree / TRITON / request.EARLIER.name).read_text())
        digests = asked(tree, DIGESTS, [k.request.spec for k in kernels])
        pairs = zip(kernels, given_to_triton(tree, kernels), given_to_triton(HERE.parent, kernels), strict=True)
        moved, differ, known = {}, {}, {old: list(names) for old, names in table["same"].items()}
        for old, (kernel, before, now) in zip(digests, pairs, strict=True):
            moved[kernel.request.key["kernels"]] = old
            if before != now:
                differ.setdefault(old, []).append(kernel)
            python = kernel.request.material["commands"][0][0]
            name = f"{kernel.request.spec['op']} {old[:8]}"
            if key_of(kernel, old, python) == kernel.key and name not in known.get(old, ()):  # measured as it was there
                table["builds"][name] = {"kernels": old, "python": python}
                known.setdefault(old, []).append(name)
        if count:
            differ = {old: found for old, found in differ.items() if not compiled_alike(tree, found, count)}
    same = {new: known[old] for new, old in moved.items() if old in known and old not in differ}
    write({**table, "same": dict(sorted(same.items()))})
    print(f"{len(same)} of {len(known)} sources moved, {len(differ)} differ")


def write(table: dict) -> None:
    request.EARLIER.write_text(json.dumps(table, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("revisions", nargs="*")
    parser.add_argument("--since", help="renew the table of this revision")
    parser.add_argument("--compile", type=int, default=0, metavar="N", help="kernels of sources that differ")
    args = parser.parse_args()
    if args.since:
        renew(args.since, args.compile)
        return
    revisions = args.revisions
    left, builds, same = measured_kernels(), {}, {}
    for revision in revisions:
        left = compare(revision, left, builds, same)
    write({"schema": 1, "builds": builds, "same": dict(sorted(same.items()))})
    print(f"{len(same)} sources in {request.EARLIER.name}; {len(left)} kernels of no such revision")


if __name__ == "__main__":
    main()
