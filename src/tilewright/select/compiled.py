"""A model as C: features generated from their formulas, prices and trees as tables, built through the common cache."""

from __future__ import annotations

import ctypes
import logging
import os
import re
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from struct import Struct
from typing import Any

import numpy as np

from ..backends.formula_cost import DEVICE, PREDICTED
from ..errors import BuildCancelledError, BuildForbiddenError, TilewrightError
from ..model.expr import Symbol
from ..model.expr_code import c_lines
from ..settings import Settings
from .features import FeatureSpec, Table, backend_features
from .model import DOUBT, FIRST_TREES, SHORTER, SelectionModel

NATIVE = Path(__file__).with_name("native")
# As in the headers: candidates per pass of trees and of formulas, nodes per step, bytes of a line.
LANES, WIDTH, STEP, ALIGN = 32, 8, 4, 64
# No fused multiply-add: NumPy rounds after each operation. errno and floating-point flags are not used.
FLAGS = ("-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math")
log = logging.getLogger("tilewright")
_libraries: dict[str, Any] = {}


def source_of(spec: FeatureSpec) -> str:
    """Return the C++ text that computes the work features of a spec, by one function for each kind of kernel.

    >>> from tilewright.select.features import feature_spec
    >>> "static void features_1" in source_of(feature_spec("cpu", "gemm"))
    True
    """
    split = spec.split
    kinds = [{split.name: split.encode(c)} for c in split.choices] if split else [{}]
    column = spec.columns.index(split.name) if split else -1
    names = ", ".join(f"features_{i}" for i in range(len(kinds)))
    lines = [
        "#include <formula.hpp>",
        f"enum {{ COLUMNS = {len(spec.columns)}, KINDS = {len(kinds)}, KIND = {column} }};",
        *(line for i, known in enumerate(kinds) for line in _function(spec, f"features_{i}", known)),
        f"static const formulas by_kind[KINDS] = {{{names}}};",
        f"static const double DOUBT = {DOUBT!r};",
        "#include <score.hpp>",
    ]
    return "\n".join(lines) + "\n"


def _function(spec: FeatureSpec, name: str, known: Mapping[str, float]) -> list[str]:
    """Return a function that computes the work features of candidates whose columns `known` have these values."""
    k = {n: known.get(n, Symbol(f"k_{n}", True)) for n in spec.columns}
    p = {n: Symbol(f"p_{n}", False) for n in spec.problem}
    d = {n: Symbol(f"d_{n}", False) for n in DEVICE}
    work = backend_features(spec.backend, spec.op).work(k, p, d)
    before, body, named = c_lines({n: work[n] for n in spec.work})
    used = sorted(set(re.findall(r"\bk_(\w+)", " ".join([*body, *named.values()]))), key=spec.columns.index)
    return [
        f"static void {name}(int from, int to, int room, const double* rows, const int32_t* at, double* table,",
        "    const double* p, const double* d, double* work) {",
        *(f"  const double p_{n} = p[{i}]; (void)p_{n};" for i, n in enumerate(spec.problem)),
        *(f"  const double d_{n} = d[{i}]; (void)d_{n};" for i, n in enumerate(DEVICE)),
        *(f"  {line}" for line in before),
        "  for (int i = from; i < to; i++) {",
        "    const double* row = rows + (int64_t)at[i] * COLUMNS;",
        *(f"    table[{j} * room + i] = row[{spec.columns.index(n)}];" for j, n in enumerate(used)),
        "  }",
        f"  for (int i = from; i < to; i += {WIDTH}) {{",
        *(f"    const vec k_{n} = *(const loose*)(table + {j} * room + i);" for j, n in enumerate(used)),
        *(f"    {line}" for line in body),
        *(f"    *(loose*)(work + {i} * room + i) = {named[n]};" for i, n in enumerate(spec.work)),
        "  }",
        "}",
    ]


INTEGERS = ("works", "additive", "problems", "candidates", "trees", "keep", "predicted", "first", "shorter")
TABLES = ("additive_at", "prices", "starts", "split", "feature", "threshold", "mask", "leaves")
SEEN = ("rows", "group")
SCRATCH = ("p", "d", "at", "place", "row", "table", "work", "sorted", "x", "kept", "seconds", "score", "by", "best")


class _CModel(ctypes.Structure):
    _fields_ = [
        *((n, ctypes.c_int32) for n in INTEGERS),
        *((name, ctypes.c_void_p) for name in TABLES),
    ]


class _CBench(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in (*SEEN, *SCRATCH)]


class CompiledModel:
    """The C form of a model; `of` returns None if it cannot be built, and the log says why."""

    def __init__(self, model: SelectionModel, function: Any) -> None:
        self.model, self.function = model, function
        self._arrays = _tables(model)
        spec = model.spec
        self.struct = _CModel(
            len(spec.work), len(spec.additive), len(spec.problem), len(spec.candidate), len(model.trees), model.keep,
            spec.work.index(PREDICTED), FIRST_TREES, SHORTER, *(self._arrays[n].ctypes.data for n in TABLES),
        )  # fmt: skip

    @classmethod
    def of(
        cls,
        model: SelectionModel,
        settings: Settings | None = None,
        build: bool = True,
        cancel: threading.Event | None = None,
    ) -> CompiledModel | None:
        """Return the C form of a model; build it if it is not cached, unless `build` is off or `cancel` is set."""
        key, settings = model.spec.digest, settings or Settings.from_env()
        if key not in _libraries:
            found = _load(model.spec, settings, build, cancel)
            if found is None:
                return None  # it may be built later, or by another compiler
            _libraries[key] = found
        return cls(model, _libraries[key])


class Bench:
    """The arrays of the C form; `rows` and `group` have every candidate seen so far."""

    def __init__(self, compiled: CompiledModel, rows: Table, group: Any) -> None:
        self._compiled, self._seen = compiled, (rows, group)
        self._struct = _CBench(*(x.ctypes.data for x in self._seen))
        self._resize(256)

    def _resize(self, most: int) -> None:
        """Make room for `most` candidates in one call."""
        spec = self._compiled.model.spec
        room = most + WIDTH * (len(spec.split.choices) if spec.split else 1)  # each kind fills whole vectors
        x: Any = np.zeros((len(spec.candidate) + len(spec.work)) * LANES + len(spec.problem) + ALIGN, np.float32)
        found = np.empty((3, most))
        self._arrays = a = {
            "p": np.empty(len(spec.problem)), "d": np.empty(len(DEVICE)), "at": np.empty(most, np.int32),
            "place": np.empty(most, np.int32), "row": np.empty(room, np.int32),
            "table": np.empty(room * len(spec.columns)), "work": np.empty(room * len(spec.work)),
            "sorted": np.empty(most), "x": x[-x.ctypes.data % ALIGN // x.itemsize :],
            "kept": np.empty(most + SHORTER, np.int32),
            "seconds": found[0], "score": found[1], "by": found[2], "best": np.zeros(1, np.int32),
        }  # fmt: skip
        for name in SCRATCH:
            setattr(self._struct, name, a[name].ctypes.data)
        self._d, self._at, self._found, self._most = a["d"], a["at"], found, most
        self._p, self._pack = memoryview(a["p"]).cast("B"), Struct(f"{len(spec.problem)}d").pack_into  # the fastest way
        self._best = ctypes.c_int32.from_buffer(a["best"])
        self._device: Mapping[str, Any] | None = None
        self._call = (ctypes.byref(self._compiled.struct), ctypes.byref(self._struct))

    def predict(self, places: Any, problem: Iterable[float], device: Mapping[str, Any]) -> tuple[Any, int, int]:
        """Return (seconds, score and predictor, as rows; the place of the best; how many are as good).

        `problem` has the values of its numbers in order, `places` the rows to predict.
        """
        count = len(places)
        if count > self._most:
            self._resize(2 * count)
        self._pack(self._p, 0, *problem)
        self._at[:count] = places
        if device is not self._device:
            self._d[:] = [device[n] for n in DEVICE]
            self._device = device
        ties = self._compiled.function(*self._call, count)
        return self._found[:, :count].copy(), self._best.value, ties


def _tables(model: SelectionModel) -> dict[str, Any]:
    """Return the model's arrays for C: of each tree first the nodes that test the problem, both kinds padded."""
    spec, t = model.spec, model.trees
    first, last = len(spec.candidate), len(spec.candidate) + len(spec.problem)
    asks = (t.feature >= first) & (t.feature < last)
    column = LANES * np.where(t.feature < first, t.feature, t.feature - (last - first))  # where it starts in `x`
    part = 2 * np.repeat(np.arange(len(t.starts) - 1), np.diff(t.starts)) + ~asks
    counts = np.bincount(part, minlength=2 * (len(t.starts) - 1))
    begin = np.concatenate([[0], np.cumsum(-(-counts // STEP) * STEP)])  # each part is a whole number of steps
    order = np.argsort(part, kind="stable")
    to = begin[part[order]] + np.arange(len(order)) - (np.cumsum(counts) - counts)[part[order]]

    def laid_out(values: Any, padding: float, dtype: Any) -> Any:
        """Return the values of all nodes in their new places; nodes with `padding` have no effect."""
        found = np.full(begin[-1], padding, dtype)
        found[to] = values[order]
        return found

    return {
        "additive_at": np.array([spec.work.index(n) for n in spec.additive], np.int32),
        "prices": np.ascontiguousarray(model.prices),
        "starts": begin[::2].astype(np.int32),
        "split": begin[1::2].astype(np.int32),
        "feature": laid_out(np.where(asks, t.feature - first, column), 0, np.int32),
        "threshold": laid_out(t.threshold, np.inf, np.float32),
        "mask": laid_out(t.mask, 0xFFFFFFFF, np.uint32),
        "leaves": np.ascontiguousarray(t.leaves, np.float32),  # exact: see `Trees.rounded`
    }


def _load(spec: FeatureSpec, settings: Settings, build: bool, cancel: threading.Event | None) -> Any:
    from ..backends.cpu.detect import host_arch
    from ..jit import Cache, cxx_request, find_compiler
    from ..jit.use import load_library

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
        library = load_library(request, cache, _open, may_build=build and settings.may_build, cancel=cancel)
    except (BuildForbiddenError, BuildCancelledError) as error:
        log.debug("selection by NumPy: %s", error)
        return None
    except (TilewrightError, OSError) as error:
        log.warning("selection by NumPy, which is slower: %s", error)
        return None
    function = library.tw_predict
    function.restype = ctypes.c_int
    return function


def _open(name: str) -> ctypes.PyDLL:
    """Open the library so that calls keep the GIL: releasing it takes longer than a prediction."""
    return ctypes.PyDLL(name, mode=os.RTLD_NOW | os.RTLD_LOCAL)
