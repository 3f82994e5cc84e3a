"""From a spec to a build request: what is compiled for a GEMM."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ....jit.artifact import BuildRequest
from ....model.kernel import KernelSpec
from ....settings import Settings
from ..closure import Entry
from ..request import build_request
from .pipelines import pipeline_of
from .source import STAGE_JOB

STAGE_VECTORS = (1, 16)  # copy kernels for any alignment, and for rows that begin on 16 bytes


def jobs_of(spec: KernelSpec) -> dict[str, Any]:
    """Everything that is compiled for a spec, by file prefix: the product, its reduction, its copies."""
    kind = pipeline_of(spec.algorithm).kind(spec)
    jobs: dict[str, Any] = {"kernel": {"kind": kind, "spec": spec.to_dict()}}
    if spec.algorithm.split and spec.algorithm.reduce == "after":
        jobs["reduce"] = {"kind": "reduce", "spec": spec.to_dict()}
    if spec.algorithm.operands == "staged":
        for width in STAGE_VECTORS:
            jobs[f"stage{width}"] = {"kind": "stage", "spec": spec.to_dict(), "vector_bytes": width}
    return jobs


# The compiler's job rewrites kernels by these.
NARROWING: Entry = ("columns.py", "leave_out_columns")
LOOSENING: Entry = ("loose.py", "free_stages")


def request_of(spec: KernelSpec, settings: Settings) -> BuildRequest:
    """Return the build of one kernel: machine code, assembly and launch metadata for the spec's arch."""
    jobs = jobs_of(spec)
    return build_request(spec, jobs, entries_of(spec, jobs), settings)


def entries_of(spec: KernelSpec, jobs: Mapping[str, Any]) -> Iterator[Entry]:
    """Yield the definitions that the code of `jobs` is made from."""
    pipeline = pipeline_of(spec.algorithm)
    own, makers = f"gemm/pipelines/{pipeline.name}/source.py", pipeline.part("source").JOBS
    for kind in (job["kind"] for job in jobs.values()):
        file, (maker, kernel) = ("gemm/source.py", STAGE_JOB) if kind == "stage" else (own, makers[kind])
        module, _, function = kernel.partition(":")
        yield from ((file, maker), (f"gemm/kernels/{module}.py", function))
        if kind in ("columns", "abreast"):
            yield NARROWING
        if spec.algorithm.loose and kind in makers:
            yield LOOSENING
