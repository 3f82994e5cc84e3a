"""From a spec to a build request; that of a gemm convolution is the request of its gemm kernel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ....jit.artifact import BuildRequest
from ....model.kernel import KernelSpec
from ....settings import Settings
from ..closure import Entry
from ..request import build_request
from .pipeline import Pipeline
from .pipelines import ALL, pipeline_of


def jobs_of(spec: KernelSpec) -> dict[str, Any]:
    """Everything that is compiled for a spec, by file prefix."""
    return pipeline_of(spec.algorithm).jobs(spec)


def own_request(spec: KernelSpec, pipeline: Pipeline, settings: Settings) -> BuildRequest:
    """Return the build of a kernel of this op."""
    jobs = pipeline.jobs(spec)
    return build_request(spec, jobs, entries_of(spec, pipeline, jobs), settings)


def entries_of(spec: KernelSpec, pipeline: Pipeline, jobs: Mapping[str, Any]) -> Iterator[Entry]:
    """The definitions that the code of `jobs` is made from: what makes each source, and the kernels themselves."""
    kernels = ALL.module(pipeline.name).kernels(spec)
    for kind in (job["kind"] for job in jobs.values()):
        yield f"conv/pipelines/{pipeline.name}.py", kind
        module, _, function = kernels[kind].partition(":")
        yield f"conv/{module.replace('.', '/')}.py", function


def request_of(spec: KernelSpec, settings: Settings) -> BuildRequest:
    """Return the build of one kernel: machine code, assembly and launch metadata for the spec's arch."""
    return pipeline_of(spec.algorithm).request(spec, settings)
