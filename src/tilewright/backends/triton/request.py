"""Build requests: compile jobs that run in a process of their own and never touch a GPU, whatever the op."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ...arch import get_arch
from ...errors import MissingExtraError
from ...jit.artifact import BuildRequest
from ...model.kernel import KernelSpec
from ...settings import Settings
from .target import FILES, target_of

HERE = Path(__file__).parent
SHARED_SOURCES = tuple(HERE / f"{name}.py" for name in ("cluster", "compile_job", "ring", "source", "target"))


@cache
def source_digest(paths: tuple[Path, ...]) -> str:
    """Digest of what decides the machine code beside the spec."""
    parts = hashlib.sha256()
    for path in (*paths, *SHARED_SOURCES):
        parts.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return parts.hexdigest()


@cache
def triton_version() -> str:
    """The version of the installed compiler; an error that names the extra where it is absent."""
    try:
        return version("triton")
    except PackageNotFoundError:
        raise MissingExtraError("triton", extra="triton", why="to compile GPU kernels") from None


def build_request(
    spec: KernelSpec, jobs: Mapping[str, Any], sources: tuple[Path, ...], settings: Settings
) -> BuildRequest:
    """The build of one spec: machine code, assembly and launch metadata of each job, by file prefix.

    A job is a dict with the key "spec" and whatever `job_source` of the op's `source` module reads beside it.
    """
    backend = target_of(get_arch(spec.arch))[0]
    outputs = [f"{prefix}.{name.split('.')[1]}" for prefix in jobs for name in (*FILES[backend], "kernel.json")]
    return BuildRequest(
        spec_digest=spec.digest,
        name=spec.name,
        inputs={"job.json": json.dumps({"arch": spec.arch, "jobs": jobs}, sort_keys=True)},
        commands=((sys.executable, "-m", "tilewright.backends.triton.compile_job", "job.json"),),
        outputs=tuple(outputs),
        key={"triton": triton_version(), "kernels": source_digest(sources)},
        timeout=settings.build_timeout,
        spec=spec.to_dict(),
    )
