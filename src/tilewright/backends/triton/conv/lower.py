"""From a spec to a build request; that of a gemm convolution is the request of its gemm kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ....jit.artifact import BuildRequest
from ....model.kernel import KernelSpec
from ....settings import Settings
from ..gemm.lower import SOURCES as GEMM_SOURCES
from ..gemm.lower import request_of as gemm_request
from ..request import build_request
from .algorithm import gemm_spec, sums_shares

HERE = Path(__file__).parent
# The kernels of a convolution use parts of the gemm kernels.
SOURCES = (*GEMM_SOURCES, *sorted((HERE / "kernels").glob("*.py")), HERE / "source.py", HERE / "algorithm.py",
           HERE / "strips.py")  # fmt: skip


def jobs_of(spec: KernelSpec) -> dict[str, Any]:
    """Everything that is compiled for a spec, by file prefix: the convolution, its copies, what adds its shares."""
    jobs: dict[str, Any] = {"kernel": {"kind": "conv", "spec": spec.to_dict()}}
    if spec.algorithm.fold and spec.algorithm.pipeline == "hopper":
        jobs["fold"] = {"kind": "fold", "spec": spec.to_dict()}
    if sums_shares(spec):
        jobs["finish"] = {"kind": "finish", "spec": spec.to_dict()}
    return jobs


def request_of(spec: KernelSpec, settings: Settings) -> BuildRequest:
    """The build of one kernel: machine code, assembly and launch metadata for the spec's arch."""
    if spec.algorithm.pipeline == "gemm":
        return gemm_request(gemm_spec(spec), settings)
    return build_request(spec, jobs_of(spec), SOURCES, settings)
