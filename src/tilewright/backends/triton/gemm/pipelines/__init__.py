"""The pipelines of a product, found by their folders. A new one is also named in `algorithm.PIPELINES`.

A folder holds `__init__.py` (PLACE and WHAT, no imports), `pipeline.py` (PIPELINE: rules, geometry, values; see
`..pipeline`), `source.py` (what is compiled) and `sets.py` (the kernels on offer).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...pipelines import Folders

if TYPE_CHECKING:
    from ..pipeline import Pipeline

FOLDERS: Folders[Pipeline] = Folders(__name__, __path__)


def pipeline_of(algorithm: Any) -> Pipeline:
    """Return the pipeline of an algorithm.

    >>> from tilewright.backends.triton.gemm.algorithm import TritonGemm
    >>> pipeline_of(TritonGemm(pipeline="hopper")).name
    'hopper'
    """
    return FOLDERS.get(algorithm.pipeline)
