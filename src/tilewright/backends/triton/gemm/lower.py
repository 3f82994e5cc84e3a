"""From a spec to a build request: what is compiled for a GEMM."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ....jit.artifact import BuildRequest
from ....model.kernel import KernelSpec
from ....settings import Settings
from ..request import build_request

HERE = Path(__file__).parent
STAGE_VECTORS = (1, 16)  # copy kernels for any alignment, and for rows that begin on 16 bytes
# What decides the machine code beside the spec: the kernels, and how a spec is turned into constants and types.
SOURCES = (*sorted((HERE / "kernels").glob("*.py")), HERE / "source.py", HERE / "algorithm.py")


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
    return build_request(spec, jobs_of(spec), SOURCES, settings)
