"""Says which CPU kernels have other machine code than at another revision: `kernel_diff.py BASE [--archs A ...]`.

A sample of the kernels of BASE (the one that the digest replay holds) is compiled to assembly for every x86-64 level,
once with the sources and headers of BASE and once with those of this checkout. A proof for one occasion, not a test:
it takes minutes. Exits with 1 if any kernel differs.

    python benchmarks/cpu/kernel_diff.py main --count 8
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FAILED = "does not compile"
LEVELS = ("x86_64", "x86_64_v3", "x86_64_v4", "x86_64_vnni", "x86_64_amx")
NOT_CODE = re.compile(r"^\s*(?:\.(?:file|ident)\b|#).*\n", re.M)  # names of files, comments
# Prints the kernels of one checkout: specs of the sample if none are given, else the build of each given spec.
LISTER = """
import json, sys
from tilewright.backends import get_backend_op
from tilewright.backends.plain import spec_from_dict
from tilewright.settings import Settings
sys.path.insert(0, {replay!r})
archs, given = json.load(sys.stdin)
if given is None:
    from replay_samples import samples
    given = [c.spec.to_dict() for s in samples("cpu") if s.device.arch in archs for c in s.chosen]
made = {{}}
for data in given:
    spec = spec_from_dict(data)
    request = get_backend_op("cpu", spec.op).request(spec, Settings.from_env())
    made[spec.digest] = [spec.name, data, request.inputs, request.commands[0]]
json.dump(made, sys.stdout)
"""


def kernels(checkout: Path, archs: list[str], given: Any = None) -> dict[str, Any]:
    """[name, spec, sources, command] by digest: of the sample, or of the given specs."""
    script = LISTER.format(replay=str(ROOT / "tests" / "replay"))
    env = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    command = [sys.executable, "-c", script]
    said = subprocess.run(command, input=json.dumps([archs, given]), env=env, capture_output=True, text=True)
    if said.returncode:
        raise SystemExit(f"{checkout}: {said.stderr}")
    found: dict[str, Any] = json.loads(said.stdout)
    return found


def assembly(sources: dict[str, str], command: list[str]) -> str:
    """Return the assembly of one kernel, without what names files."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in sources.items():
            (Path(folder) / name).write_text(text)
        out = command.index("-o")
        words = [w for w in [*command[:out], *command[out + 2 :]] if not w.startswith(("-Wl,", "-l", "-shared"))]
        done = subprocess.run([*words, "-S", "-o", "out.s"], cwd=folder, capture_output=True, text=True)
        if done.returncode:
            return f"{FAILED}: {done.stderr}"
        return NOT_CODE.sub("", (Path(folder) / "out.s").read_text())


def chosen(found: dict[str, Any], count: int) -> list[Any]:
    """At most `count` kernels of each arch and op, spread evenly over the sample."""
    groups: dict[Any, list[Any]] = {}
    for digest in sorted(found):
        spec = found[digest][1]
        groups.setdefault((spec["arch"], spec["op"]), []).append(spec)
    return [spec for group in groups.values() for spec in group[:: max(1, len(group) // count)][:count]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", help="the revision to compare with")
    parser.add_argument("--archs", nargs="+", default=list(LEVELS), choices=LEVELS)
    parser.add_argument("--count", type=int, default=12, help="kernels of each arch and op")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        archive = subprocess.run(
            ["git", "-C", str(ROOT), "archive", asked.base, "src"], capture_output=True, check=True
        )
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        given = chosen(kernels(base, asked.archs), asked.count)
        old, new = kernels(base, asked.archs, given), kernels(ROOT, asked.archs, given)
        with ThreadPoolExecutor(asked.jobs) as pool:
            made = [list(pool.map(lambda k: assembly(*k[2:]), side.values())) for side in (old, new)]
    names = [kernel[0] for kernel in new.values()]
    failed = [n for n, text in zip(names, made[1], strict=True) if text.startswith(FAILED)]
    other = [n for n, before, after in zip(names, *made, strict=True) if before != after and n not in failed]
    for word, found in (("differs", other), (FAILED, failed)):
        for name in found:
            print(f"{word}: {name}")
    print(f"{len(names)} kernels of {', '.join(asked.archs)} compared with {asked.base}:")
    print(f"{len(other)} differ, {len(failed)} do not compile")
    return 1 if other or failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
