"""The pipelines of a convolution, found by their folders: adding one is adding a folder.

A folder holds `__init__.py` (PLACE and WHAT, no imports), `pipeline.py` (PIPELINE: rules, geometry, values; see
`..pipeline`), `source.py` (what is compiled), `cost.py` (what a launch costs) and `sets.py` (the kernels on offer).
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..pipeline import Pipeline


def _declared() -> dict[str, str]:
    """What each pipeline is, by name, in the order of their places.

    The place is the number of a pipeline in trained models: it never changes, and a new pipeline takes the next one.
    """
    found = [(m.name, import_module(f"{__name__}.{m.name}")) for m in pkgutil.iter_modules(__path__) if m.ispkg]
    return {name: module.WHAT for name, module in sorted(found, key=lambda pair: pair[1].PLACE)}


WHAT = _declared()
PIPELINES = tuple(WHAT)


@cache
def get_pipeline(name: str) -> Pipeline:
    """Return the pipeline called `name`.

    >>> get_pipeline("strip").name
    'strip'
    """
    pipeline: Pipeline = import_module(f"{__name__}.{name}.pipeline").PIPELINE
    return pipeline


def pipeline_of(algorithm: Any) -> Pipeline:
    """Return the pipeline of an algorithm."""
    return get_pipeline(algorithm.pipeline)
