"""From a spec to a build request: what is compiled for an attention."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ....jit.artifact import BuildRequest
from ....model.kernel import KernelSpec
from ....settings import Settings
from ..request import build_request
from .hopper_backward import KINDS

HERE = Path(__file__).parent
COMPILING = ("source.py", "hopper_forward.py", "hopper_backward.py", "algorithm.py")
SOURCES = (*sorted((HERE / "kernels").glob("*.py")), *(HERE / name for name in COMPILING))


def kinds_of(spec: KernelSpec) -> tuple[str, ...]:
    """The kernels of a spec, the one that names it first."""
    s = spec.signature
    if s.family == "fwd_appendkv":
        return ("append",)
    if s.family == "bwd" and spec.algorithm.pipeline == "hopper":
        return KINDS
    if s.family == "bwd":
        return ("key_gradients", "query_gradients", "dots", *(("bias_gradients",) if s.dbias else ()))
    return ("forward", "split", "combine") if s.family == "fwd_splitkv" else ("forward",)


def jobs_of(spec: KernelSpec) -> dict[str, Any]:
    """Everything that is compiled for a spec, by file prefix; the first is called `kernel`."""
    kinds = kinds_of(spec)
    return {k if i else "kernel": {"kind": k, "spec": spec.to_dict()} for i, k in enumerate(kinds)}


def request_of(spec: KernelSpec, settings: Settings) -> BuildRequest:
    """The build of one spec: machine code, assembly and launch metadata for its arch."""
    return build_request(spec, jobs_of(spec), SOURCES, settings)
