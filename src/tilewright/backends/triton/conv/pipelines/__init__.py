"""The pipelines of a convolution: a file and a line of `WHAT` each.

A file holds its rules, what is compiled (a function for each compile job, and `kernels`), `PIPELINE` (geometry, values
and cost; see `..pipeline`) and the kernels on offer (`SETS`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...pipelines import Pipelines

if TYPE_CHECKING:
    from ..pipeline import Pipeline

# In the order of their numbers in trained models: a new one comes last.
WHAT = {
    "implicit": "a matrix product over gathered pixels",
    "window": "pixels of few channels read once per filter row",
    "depthwise": "the same on vector units",
    "strip": "such pixels read once, rows wait in shared memory",
    "gemm": "1x1 as a product of the gemm backend",
    "hopper": "a matrix product over boxes of pixels that TMA fetches",
    "thin": "1x1 of few channels, each pixel read once past weights that stay",
}
PIPELINES = tuple(WHAT)
ALL: Pipelines[Pipeline] = Pipelines(__name__, PIPELINES)


def get_pipeline(name: str) -> Pipeline:
    """Return the pipeline called `name`.

    >>> get_pipeline("strip").name
    'strip'
    """
    return ALL.get(name)


def pipeline_of(algorithm: Any) -> Pipeline:
    """Return the pipeline of an algorithm."""
    return ALL.get(algorithm.pipeline)
