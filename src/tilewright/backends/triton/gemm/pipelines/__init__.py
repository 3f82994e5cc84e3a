"""The pipelines of a product: a folder and a name in `algorithm.PIPELINES` each.

A folder holds `pipeline.py` (PIPELINE: rules, geometry, values; see `..pipeline`), `source.py` (what is compiled) and
`sets.py` (the kernels on offer).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...pipelines import Pipelines
from ..algorithm import PIPELINES

if TYPE_CHECKING:
    from ..pipeline import Pipeline

FOLDERS: Pipelines[Pipeline] = Pipelines(__name__, PIPELINES, "pipeline", "sets")


def pipeline_of(algorithm: Any) -> Pipeline:
    """Return the pipeline of an algorithm.

    >>> from tilewright.backends.triton.gemm.algorithm import TritonGemm
    >>> pipeline_of(TritonGemm(pipeline="hopper")).name
    'hopper'
    """
    return FOLDERS.get(algorithm.pipeline)
