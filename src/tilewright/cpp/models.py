"""Trained models as data for C++: prices, kinds, reach, trees, and the formulas of their work features."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..backends.formula_cost import DEVICE, LAUNCH, PREDICTED
from ..select.model import BEYOND, DOUBT, FIRST_TREES, SHORTER, SelectionModel
from ..select.model_directory import ModelDirectory
from .formulas import work_programs
from .selection import backend_parts


def bundled_models(backend: str, arch: str, ops: Iterable[str], models: ModelDirectory) -> list[dict[str, Any]]:
    """Return the models of a directory for the kernels of a backend on an arch, as plain data."""
    wanted, found = set(ops), []
    for path in models.files():
        family, _, rest = path.stem.partition("-")
        model = models.find(family, backend, arch) if rest == f"{backend}-{arch}" else None
        if model is not None and model.op in wanted:
            found.append(model_data(model))
    return found


def model_data(model: SelectionModel) -> dict[str, Any]:
    """Return a model as plain data.

    >>> from tilewright.select.model_directory import SHIPPED
    >>> model = ModelDirectory([SHIPPED]).find("gemm_16bit", "triton", "sm_90")
    >>> sorted(model_data(model))[:4]
    ['additive', 'arch', 'backend', 'beyond']
    """
    spec, trees = model.spec, model.trees
    names = [t.name for t in spec.tunables]
    return {
        "name": model.name,
        "family": model.family,
        "backend": model.backend,
        "arch": model.arch,
        "tunables": len(names),
        "launches": len(LAUNCH),
        "keep": model.keep,
        "first": FIRST_TREES,
        "shorter": SHORTER,
        "beyond": BEYOND,
        "doubt": DOUBT,
        "predicted": spec.work.index(PREDICTED),
        "additive": [spec.work.index(n) for n in spec.additive],
        "digits": [list(digit) for digit in spec.digits],
        "kinds": [[names.index(name), list(map(float, values))] for name, values in model.kinds.items()],
        "shown": model.shown.tolist() if model.shown.size else [],
        "codes": model.codes.tolist(),
        "prices": model.prices.tolist(),
        "reach": [_bound(name, spec.problem, *bounds) for name, bounds in model.reach.items()],
        "trees": {
            "feature": trees.feature.tolist(),
            "threshold": trees.threshold.astype(float).tolist(),
            "mask": trees.mask.tolist(),
            "starts": trees.starts.tolist(),
            "leaves": trees.leaves.tolist(),
        },
        "works": work_programs(model.op, backend_parts(model.backend)),
    }


def _bound(name: str, problem: tuple[str, ...], low: float, high: float) -> list[Any]:
    """Return where a bounded number is (of the problem, else of the device), and its bounds."""
    if name in problem:
        return ["p", problem.index(name), float(low), float(high)]
    return ["d", DEVICE.index(name), float(low), float(high)]
