"""From a spec to a build request: a compile job that runs in a process of its own and never touches a GPU."""

from __future__ import annotations

import hashlib
import json
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ....arch import get_arch
from ....errors import MissingExtraError
from ....jit.artifact import BuildRequest
from ....model.kernel import KernelSpec
from ....settings import Settings
from ..target import FILES, target_of

HERE = Path(__file__).parent
STAGE_VECTORS = (1, 16)  # copy kernels for any alignment, and for rows that begin on 16 bytes
# What decides the machine code beside the spec: the kernels, and how a spec is turned into constants and types.
SOURCES = (*sorted((HERE / "kernels").glob("*.py")), HERE / "source.py", HERE / "algorithm.py",
           HERE.parent / "compile_job.py", HERE.parent / "target.py")  # fmt: skip


@cache
def source_digest() -> str:
    """Digest of the kernel sources."""
    parts = hashlib.sha256()
    for path in SOURCES:
        parts.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return parts.hexdigest()


@cache
def triton_version() -> str:
    """The version of the installed compiler; an error that names the extra where it is absent."""
    try:
        return version("triton")
    except PackageNotFoundError:
        raise MissingExtraError("triton", extra="triton", why="to compile GPU kernels") from None


def jobs_of(spec: KernelSpec) -> dict[str, Any]:
    """Everything that is compiled for a spec, by file prefix: the product, its reduction, its copies."""
    jobs: dict[str, Any] = {"kernel": {"kind": "gemm", "spec": spec.to_dict()}}
    if spec.algorithm.split and spec.algorithm.reduce == "after":
        jobs["reduce"] = {"kind": "reduce", "spec": spec.to_dict()}
    if spec.algorithm.operands == "staged":
        for width in STAGE_VECTORS:
            jobs[f"stage{width}"] = {"kind": "stage", "spec": spec.to_dict(), "vector_bytes": width}
    return jobs


def request_of(spec: KernelSpec, settings: Settings) -> BuildRequest:
    """The build of one kernel: machine code, assembly and launch metadata for the spec's arch."""
    backend = target_of(get_arch(spec.arch))[0]
    jobs = jobs_of(spec)
    outputs = [f"{prefix}.{name.split('.')[1]}" for prefix in jobs for name in (*FILES[backend], "kernel.json")]
    return BuildRequest(
        spec_digest=spec.digest,
        name=spec.name,
        inputs={"job.json": json.dumps({"arch": spec.arch, "jobs": jobs}, sort_keys=True)},
        commands=((sys.executable, "-m", "tilewright.backends.triton.compile_job", "job.json"),),
        outputs=tuple(outputs),
        key={"triton": triton_version(), "kernels": source_digest()},
        timeout=settings.build_timeout,
    )
