"""Build requests: compile jobs that run in a process of their own and never touch a GPU. They serve every op."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ...arch import get_arch
from ...errors import MissingExtraError
from ...jit.artifact import BuildRequest
from ...model.json_text import read_json
from ...model.kernel import KernelSpec
from ...settings import Settings
from .closure import Entry, closure_digest
from .target import FILES, target_of

COMPILER: tuple[Entry, ...] = (("compile_job.py", "compile_source"),)
CLUSTER: Entry = ("cluster.py", "share_copies")
RELEASES: Entry = ("releases.py", "released")
COMMAND = ("-m", "tilewright.backends.triton.compile_job", "job.json")
EARLIER = Path(__file__).parent / "earlier_builds.json"


@cache
def _earlier_builds() -> dict[str, list[dict[str, Any]]]:
    """Earlier sources that gave the same machine code, by the digest of today's.

    `benchmarks/gpu/earlier_builds.py` makes and checks the table. A kernel whose sources changed since is not in it.
    """
    table = read_json(EARLIER)
    return {digest: [table["builds"][name] for name in names] for digest, names in table["same"].items()}


@cache
def triton_version() -> str:
    """Return the version of the installed compiler; an error that names the extra if it is absent."""
    try:
        return version("triton")
    except PackageNotFoundError:
        raise MissingExtraError("triton", extra="triton", why="to compile GPU kernels") from None


def build_request(
    spec: KernelSpec, jobs: Mapping[str, Any], entries: Iterable[Entry], settings: Settings
) -> BuildRequest:
    """Return the build of one spec: machine code, assembly and launch metadata of each job, by file prefix.

    A job is a dict with the key "spec" and what else `job_source` of the op's `source` module reads. `entries` are the
    definitions that the code of the jobs is made from: what makes each source, and the kernels themselves.
    """
    backend = target_of(get_arch(spec.arch))[0]
    changing = (*_clustering(spec), *((RELEASES,) if backend == "hip" else ()))  # the assembly that Triton made
    sources = closure_digest(tuple(sorted({*entries, *COMPILER, *changing})))
    key = {"triton": triton_version(), "kernels": sources}
    outputs = [f"{prefix}.{name.split('.')[1]}" for prefix in jobs for name in (*FILES[backend], "kernel.json")]
    return BuildRequest(
        spec_digest=spec.digest,
        name=spec.name,
        inputs={"job.json": json.dumps({"arch": spec.arch, "jobs": jobs}, sort_keys=True)},
        commands=((sys.executable, *COMMAND),),
        outputs=tuple(outputs),
        key=key,
        timeout=settings.build_timeout,
        spec=spec.to_dict(),
        earlier=tuple(
            {"commands": [[build["python"], *COMMAND]], "key": {**key, "kernels": build["kernels"]}}
            for build in _earlier_builds().get(sources, ())
        ),
    )


def _clustering(spec: KernelSpec) -> tuple[Entry, ...]:
    return (CLUSTER,) if getattr(spec.algorithm, "cluster", 1) > 1 else ()
