"""A model as C: features generated from their formulas, prices and trees as tables, built through the common cache."""

from __future__ import annotations

import ctypes
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import TilewrightError
from ..model.formula import Symbol, c_lines
from ..settings import Settings
from .features import DEVICE, FeatureSpec, Table, _backend_features

if TYPE_CHECKING:
    from .model import SelectionModel

NATIVE = Path(__file__).with_name("native")
FLAGS = ("-O3", "-ffp-contract=off")  # no fused multiply-add: NumPy rounds after each operation
log = logging.getLogger("tilewright")
_libraries: dict[str, Any] = {}


def source_of(spec: FeatureSpec) -> str:
    """The C++ text that computes the work features of a spec.

    >>> from tilewright.select.features import feature_spec
    >>> "static void features" in source_of(feature_spec("cpu", "gemm"))
    True
    """
    k = {n: Symbol(f"k_{n}", True) for n in spec.columns}
    p = {n: Symbol(f"p_{n}", False) for n in spec.problem}
    d = {n: Symbol(f"d_{n}", False) for n in DEVICE}
    work = _backend_features(spec.backend, spec.op).work(k, p, d)
    before, body, named = c_lines({n: work[n] for n in spec.work})
    lines = [
        "#include <math.h>",
        "#include <stdint.h>",
        "static void features(int n, const double* table, const double* p, const double* d, double* work) {",
        *(f"  const double p_{n} = p[{i}]; (void)p_{n};" for i, n in enumerate(spec.problem)),
        *(f"  const double d_{n} = d[{i}]; (void)d_{n};" for i, n in enumerate(DEVICE)),
        *(f"  {line}" for line in before),
        "  for (int i = 0; i < n; i++) {",
        *(f"    const double k_{n} = table[{i} * n + i]; (void)k_{n};" for i, n in enumerate(spec.columns)),
        *(f"    {line}" for line in body),
        *(f"    work[{i} * n + i] = {named[n]};" for i, n in enumerate(spec.work)),
        "  }",
        "}",
        "#include <score.hpp>",
    ]
    return "\n".join(lines) + "\n"


class _CModel(ctypes.Structure):
    _fields_ = [
        *((n, ctypes.c_int32) for n in ("works", "additive", "problems", "candidates", "trees", "groups", "keep")),
        *((name, ctypes.c_void_p) for name in ("additive_at", "prices", "starts", "split", "feature", "threshold",
                                               "mask", "leaves")),
    ]  # fmt: skip


class CompiledModel:
    """The C form of a model; `of` answers None where it cannot be built, and the log says why."""

    def __init__(self, model: SelectionModel, function: Any) -> None:
        self.model, self._function = model, function
        self._arrays = _tables(model)
        spec, a = model.spec, self._arrays
        self._struct = _CModel(
            len(spec.work), len(spec.additive), len(spec.problem), len(spec.candidate), len(model.trees),
            len(model.prices), model.keep,
            *(a[n].ctypes.data for n in ("additive_at", "prices", "starts", "split", "feature", "threshold", "mask",
                                         "leaves")),
        )  # fmt: skip

    @classmethod
    def of(cls, model: SelectionModel, settings: Settings | None = None) -> CompiledModel | None:
        """The C form of a model, built where the cache has none."""
        key = model.spec.digest
        if key not in _libraries:
            _libraries[key] = _load(model.spec, settings or Settings.from_env())
        function = _libraries[key]
        return cls(model, function) if function is not None else None

    def bind(self, table: Table) -> Callable[..., tuple[Any, Any]]:
        """A function (problem numbers, device numbers) -> (seconds, kept) for one table of candidates.

        The arrays that it answers are its own: they hold until the next call.
        """
        n, keep = len(table), min(self.model.keep, len(table))
        columns = np.ascontiguousarray(table.T)
        group = self.model.groups(table)
        width = len(self.model.spec.candidate) + len(self.model.spec.work)
        p, d = np.empty(len(self.model.spec.problem)), np.empty(len(DEVICE))
        seconds, kept = np.empty(n), np.empty(n, np.uint8)
        scratch = (np.empty(len(self.model.spec.work) * n), np.empty(width * keep, np.float32),
                   np.empty(keep, np.uint32), np.empty(n), np.empty(n, np.int32))  # fmt: skip
        address = [x.ctypes.data for x in (columns, group, p, d, *scratch, seconds, kept)]
        arguments = tuple(ctypes.c_void_p(x) for x in (ctypes.addressof(self._struct), *address))
        function, model, rest, count = self._function, arguments[0], arguments[1:], ctypes.c_int(n)
        hold = (self, columns, group, scratch)

        def predict(problem: Any, device: Any, _hold: Any = hold) -> tuple[Any, Any]:
            p[:] = list(problem)
            d[:] = device
            function(model, count, *rest)
            return seconds, kept

        return predict


def _tables(model: SelectionModel) -> dict[str, Any]:
    """The model's arrays as C wants them: of each tree the nodes that test the problem first."""
    spec, t = model.spec, model.trees
    first, last = len(spec.candidate), len(spec.candidate) + len(spec.problem)
    of_problem = (t.feature >= first) & (t.feature < last)
    tree = np.repeat(np.arange(len(t)), np.diff(t.starts))
    order = np.lexsort((~of_problem, tree))
    places = np.where(of_problem, t.feature - first, np.where(t.feature < first, t.feature, t.feature - (last - first)))
    counts = np.bincount(tree[of_problem], minlength=len(t)) if len(t) else np.zeros(0, np.int64)
    return {
        "additive_at": np.array([spec.work.index(n) for n in spec.additive], np.int32),
        "prices": np.ascontiguousarray(model.prices),
        "starts": np.ascontiguousarray(t.starts),
        "split": (t.starts[:-1] + counts).astype(np.int32),
        "feature": np.ascontiguousarray(places[order].astype(np.int32)),
        "threshold": np.ascontiguousarray(t.threshold[order]),
        "mask": np.ascontiguousarray(t.mask[order]),
        "leaves": np.ascontiguousarray(t.leaves),
    }


def _load(spec: FeatureSpec, settings: Settings) -> Any:
    from ..backends.cpu.detect import host_arch
    from ..jit import Cache, build_one, cxx_request, find_compiler

    try:
        cache, arch = Cache.from_settings(settings), host_arch(settings)
        request = cxx_request(
            source_of(spec),
            name=f"tw_select_{spec.backend}_{spec.op}",
            include_dirs=(NATIVE,),
            flags=(*arch.compiler_flags[find_compiler(settings).family], *FLAGS),
            isa=arch.name,
            settings=settings,
        )
        artifact = cache.find(request.build_key)
        if artifact is None and not settings.allow_build:
            log.info("selection by NumPy: %s is not built, and building is switched off", request.name)
            return None
        library = ctypes.CDLL(str((artifact or build_one(request, cache)).file()))
    except (TilewrightError, OSError) as error:
        log.warning("selection by NumPy, which is slower: %s", error)
        return None
    function = library.tw_predict
    function.restype = ctypes.c_int
    return function
