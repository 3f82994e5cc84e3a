"""Gathers the digests of one backend and prints them as JSON: `python replay_gather.py cpu`.

It runs in a process of its own with a clean environment (see `gather`), so that no variable of the user, and nothing
that another test changed, has a say.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

Digests = dict[str, dict[str, str]]  # by group, then by kernel, header or file
BACKENDS = ("cpu", "ck_tile", "triton")
CLEANED = ("TILEWRIGHT_", "TRITON_", "CUDA_", "HIP_", "ROCR_", "CPATH", "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH")


def gather(backend: str) -> tuple[Digests, dict[str, str]]:
    """(digests of a backend as the code is now, names of kernels by the first digits of their digest)."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(CLEANED)}
    env |= {"CUDA_VISIBLE_DEVICES": "", "LC_ALL": "C"}
    with tempfile.TemporaryDirectory() as folder:
        env |= {"TRITON_CACHE_DIR": folder, "TILEWRIGHT_CACHE_DIR": folder}
        command = [sys.executable, __file__, backend, folder]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"the digests of {backend} cannot be gathered:\n{done.stderr}")
    found = json.loads(done.stdout)
    return found["digests"], found["names"]


def _main(backend: str, folder: Path) -> None:
    from replay_samples import Sample, samples

    found = tuple(samples(backend))
    names = {c.spec.digest[:8]: c.spec.name for s in found for c in s.chosen}
    parts: dict[str, Callable[[tuple[Sample, ...], Path], Digests]] = {"cpu": _cpu, "ck_tile": _ck, "triton": _triton}
    json.dump({"digests": parts[backend](found, folder), "names": names}, sys.stdout)


def _cpu(found: tuple, folder: Path) -> Digests:
    import replay_cpu

    settings = replay_cpu.stand_ins(folder)
    groups = _kernels(found, lambda spec: replay_cpu.source(spec, settings["gcc"]))
    return groups | replay_cpu.flags(found, settings) | replay_cpu.headers(found, settings["gcc"], folder)


def _ck(found: tuple, folder: Path) -> Digests:
    from replay_gpu import ck_source

    return _kernels(found, ck_source)


def _triton(found: tuple, folder: Path) -> Digests:
    from replay_gpu import triton_code

    return _kernels(found, lambda spec: "-") | triton_code(found)


def _kernels(found: tuple, source: Callable) -> Digests:
    """For each arch and problem: all candidates in one digest, then source and launch values of the sampled kernels."""
    from replay_digest import digest
    from replay_launches import launch_values
    from replay_samples import identity

    groups: Digests = {"coverage": _coverage(found)}
    for s in found:
        group = groups[f"{s.device.arch} {s.name}"] = {}
        group["candidates"] = f"{len(s.candidates)} {digest([identity(c) for c in s.candidates])}"
        for c in s.chosen:
            group[c.spec.digest[:8]] = f"{source(c.spec)} {launch_values(c, s)}"
    return groups


def _coverage(found: tuple) -> dict[str, str]:
    """How many kernels the sample has of each op, direction or family, pipeline and inner."""
    from replay_samples import variant

    specs = {c.spec.digest: c.spec for s in found for c in s.chosen}.values()
    shown = ((s.op, getattr(s.signature, "direction", getattr(s.signature, "family", "")), *variant(s)) for s in specs)
    return {name: str(n) for name, n in Counter(" ".join(x or "-" for x in line) for line in shown).items()}


if __name__ == "__main__":
    _main(sys.argv[1], Path(sys.argv[2]))
