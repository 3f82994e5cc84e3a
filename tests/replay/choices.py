"""What is chosen for 10,000 seeded problems on nominal devices, and what its launch hands to the kernel, as digests.

    python tests/replay/choices.py                    compare with choices.json; list changed choices and their loss
    python tests/replay/choices.py --only "sm_90 gemm" --problems 50
    python tests/replay/choices.py --renew            write choices.json: after a change that was meant to alter choices

Every drawn problem comes again with other sizes of the dimensions that change from call to call, so that what is kept
for such problems decides too. Run it alone: it replaces functions of the Triton backend that launch.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from bundle_cases import GPU_RANDOM, RANDOM
from replay_digest import digest
from replay_launches import VALUES
from replay_samples import Sample, identity

from tilewright.backends import get_backend_op
from tilewright.dispatcher import nominal_device
from tilewright.errors import TilewrightError
from tilewright.ops import problem_from_dict
from tilewright.registry import Registry, default_registry
from tilewright.select.chain import Chain
from tilewright.select.decisions import Decisions
from tilewright.select.model_directory import SHIPPED, ModelDirectory
from tilewright.settings import Settings
from tilewright.store import Store

RECORD = Path(__file__).with_name("choices.json")
PROBLEMS, SIZES = 240, 5  # problems of each case; of which this many differ only in sizes that change
DIGITS = 4  # of each digest
ARCHS = {
    "cpu": ("generic", "x86_64", "x86_64_v3", "x86_64_v4", "x86_64_vnni", "x86_64_amx", "aarch64", "aarch64_dot",
            "aarch64_mm", "aarch64_sve"),
    "triton": ("sm_80", "sm_90", "gfx942", "gfx1100"),
    "ck_tile": ("gfx942",),
}  # fmt: skip
CASES = [f"{backend} {arch} {op}" for backend, archs in ARCHS.items() for arch in archs for op in RANDOM]
EXTENTS = {"gemm": ("m",), "grouped_conv": ("n",), "fmha": ("batch", "seqlen_q", "seqlen_k")}


TIE = 1e-4  # relative difference of predicted times that another CPU's rounding may decide the other way


def drawn(backend: str, op: str) -> Iterator[Any]:
    """Yield random legal problems, each followed by some that differ from it only in size."""
    rng, draw = random.Random(36), (RANDOM if backend == "cpu" else GPU_RANDOM)[op]
    while True:
        data = draw(rng)
        data.pop("strides", None)
        for i in range(SIZES):
            if i:
                largest = {"batch": 4, "n": 6}
                data |= {name: int(2 ** rng.uniform(0, largest.get(name, 13))) for name in EXTENTS[data["op"]]}
            try:
                yield problem_from_dict(data if backend == "cpu" else {**data, "device": "cuda"})
            except TilewrightError:
                break


def registry_of(backend: str, op: str) -> Registry:
    """Return the default kernels; of CK Tile the preselected ones, which are found sooner."""
    if backend != "ck_tile":
        return default_registry([backend])
    registry = Registry("preselected")
    for kernel_set in get_backend_op(backend, op).kernel_sets():
        registry.declare(kernel_set)
    return registry


def short(value: Any) -> str:
    return digest(value)[:DIGITS]


def choices(case: str, count: int) -> Iterator[tuple[str, Any, Any]]:
    """Yield for each problem the digests of the choice and its launch, the problem, and the whole ranking."""
    backend, arch, op = case.split(" ")
    registry, device = registry_of(backend, op), nominal_device(arch)
    selector = Chain(
        Store("/nowhere/at/all.sqlite"), ModelDirectory([SHIPPED]), Settings.from_env({**os.environ}, ledger=False)
    )
    decisions = Decisions(registry, selector, device)
    for problem, _ in zip(drawn(backend, op), range(count), strict=False):
        ranked = decisions.rank(problem)
        if not ranked:
            yield "-", problem, ranked
            continue
        best = ranked[0].candidate
        launch = VALUES[backend](best, Sample("", problem, device, (), ()))
        yield f"{short(identity(best))}{short(launch)}", problem, ranked


def predicted(candidate: Any, problem: Any, device: Any) -> float:
    """Return the predicted seconds of a candidate for this very problem, whose sizes selection may have rounded."""
    (ranked,) = Chain(Store("/nowhere/at/all.sqlite"), ModelDirectory([SHIPPED])).predicted(
        problem, [candidate], device
    )
    return ranked.seconds or 0.0


def changed(case: str, count: int, record: list[str]) -> list[tuple[str, float | None]]:
    """Return in words each choice or launch that differs from the record, and the predicted loss of the new choice."""
    found, device = [], nominal_device(case.split(" ")[1])
    for (now, problem, ranked), was in zip(choices(case, count), record, strict=False):
        if now == was:
            continue
        if "-" in (now, was) or now[:DIGITS] == was[:DIGITS]:
            found.append(
                (f"{case}: {problem.label()}: {'launch' if '-' not in (now, was) else 'kernel or none'}", None)
            )
            continue
        old = next((r.candidate for r in ranked if short(identity(r.candidate)) == was[:DIGITS]), None)
        new = ranked[0].candidate
        loss = predicted(new, problem, device) / predicted(old, problem, device) - 1 if old else None
        said = f"{old.spec.name if old else '?'} -> {new.spec.name}"
        if loss is None or abs(loss) > TIE:
            found.append((f"{case}: {problem.label()}: {said}", loss))
    return found


def recorded() -> dict[str, list[str]]:
    """Return the record: the digests of each case."""
    return {case: text.split(" ") for case, text in json.loads(RECORD.read_text()).items()}


def gathered(*words: str) -> str:
    """Return what this script prints in a process of its own, without the user's settings, or raise."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("TILEWRIGHT_", "TRITON_"))}
    env |= {"TILEWRIGHT_CACHE_DIR": os.environ["TILEWRIGHT_CACHE_DIR"], "TILEWRIGHT_QUIET": "1"}
    env["CUDA_VISIBLE_DEVICES"] = ""
    done = subprocess.run([sys.executable, __file__, *words], env=env, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def main() -> int:
    """Compare or renew; return 1 if something changed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", help="cases whose name contains this text")
    parser.add_argument("--problems", type=int, default=PROBLEMS, help="of each case")
    parser.add_argument("--renew", action="store_true")
    asked = parser.parse_args()
    cases = [case for case in CASES if not asked.only or any(text in case for text in asked.only)]
    if asked.renew:
        kept = json.loads(RECORD.read_text()) if RECORD.exists() else {}
        kept |= {case: " ".join(now for now, _, _ in choices(case, PROBLEMS)) for case in cases}
        RECORD.write_text(json.dumps(kept, indent=0) + "\n")
        return 0
    record, count, losses = recorded(), 0, list[float]()
    differ = 0
    for case in cases:
        found = changed(case, asked.problems, record[case])
        count += min(asked.problems, len(record[case]))
        differ += len(found)
        losses += [loss for _, loss in found if loss is not None]
        for said, loss in found:
            print(said, "" if loss is None else f"{loss:+.2%}", flush=True)
    mean = sum(losses) / count if count else 0.0
    print(f"{count} problems, {differ} differ; mean predicted loss over all problems {mean:.4%}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
