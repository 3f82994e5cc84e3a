"""The pipelines of a convolution, found by their folders: adding one is adding a folder.

A folder holds `__init__.py` (PLACE and WHAT, no imports), `pipeline.py` (PIPELINE: rules, geometry, values; see
`..pipeline`), `source.py` (what is compiled), `cost.py` (what a launch costs) and `sets.py` (the kernels on offer).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...pipelines import Folders

if TYPE_CHECKING:
    from ..pipeline import Pipeline

FOLDERS: Folders[Pipeline] = Folders(__name__, __path__)
WHAT, PIPELINES = FOLDERS.what, FOLDERS.names


def get_pipeline(name: str) -> Pipeline:
    """Return the pipeline called `name`.

    >>> get_pipeline("strip").name
    'strip'
    """
    return FOLDERS.get(name)


def pipeline_of(algorithm: Any) -> Pipeline:
    """Return the pipeline of an algorithm."""
    return FOLDERS.get(algorithm.pipeline)
