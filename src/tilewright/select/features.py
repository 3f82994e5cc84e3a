"""Features of candidates, one implementation for training and serving.

A feature is a tunable or launch choice of the candidate (`k`), a number of the problem (`p`, from the op), or a count
of what the launch does (from the backend's `features.work`). Ops and backends are found by their modules, so a new one
needs no edit here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from ..backends import get_backend_op
from ..backends.formula_cost import (
    DEVICE,
    LAUNCH,
    kind_of,
    launch_numbers,
    tunable_number,
)
from ..backends.formula_cost import problem_numbers as kept_numbers
from ..errors import SelectionError
from ..model.backend import Features
from ..model.canonical import digest
from ..model.device import full_device_name
from ..model.dtype import get_dtype
from ..model.kernel import Candidate, KernelSpec
from ..model.locks import cached_property
from ..model.problem import Problem
from ..model.side_table import SideTable
from ..model.tunable import Tunable
from ..ops import get_op

FEATURE_SCHEMA = 1
# dtypes that share kernels and speed are one family, and so one model.
FAMILIES = {"fp16": "16bit", "bf16": "16bit", "fp8": "fp8", "bf8": "fp8", "fp8_fnuz": "fp8", "bf8_fnuz": "fp8"}

Table = npt.NDArray[np.float64]
_rows: SideTable[Table] = SideTable()  # of kernels


@dataclass(frozen=True)
class FeatureSpec:
    """The features of a backend's kernels for an op, in order, and the versions of the code that computes them.

    >>> spec = feature_spec("cpu", "gemm")
    >>> "mr" in spec.names and "m" in spec.names and "waste_m" in spec.names
    True
    """

    backend: str
    op: str
    tunables: tuple[Tunable, ...]
    problem: tuple[str, ...]
    work: tuple[str, ...]
    additive: tuple[str, ...]
    versions: tuple[int, int, int]
    constants: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()

    @cached_property
    def candidate(self) -> tuple[str, ...]:
        """The names of a candidate's own values."""
        return (*(t.name for t in self.tunables), *LAUNCH)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of a table of candidates: their own values, and the constants of their kernel in formulas."""
        return (*self.candidate, *self.constants)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All feature names: candidate, problem, device, work."""
        return (*self.candidate, *(f"p.{n}" if n in self.candidate else n for n in self.problem), *self.work)

    @cached_property
    def digest(self) -> str:
        """Identity: a model can be used only with features of the identity that it was trained on."""
        choices = [(t.name, [str(c) for c in t.choices if isinstance(c, str)]) for t in self.tunables]
        parts = {"versions": self.versions, "names": self.names, "choices": choices, "additive": self.additive}
        return digest({**parts, "constants": self.constants, **({"lists": self.lists} if self.lists else {})})

    def row(self, candidate: Candidate) -> tuple[float, ...]:
        """Return a candidate's own values and the constants of its kernel, as numbers."""
        return tuple(self.table([candidate])[0].tolist())

    def _of_kernel(self, spec: KernelSpec) -> Table:
        """Return the row of a kernel without a launch; kept, because the same kernels appear in every problem."""
        made = _rows.get(spec)
        if made is None:
            own = [tunable_number(t, getattr(spec.algorithm, t.name)) for t in self.tunables]
            known = backend_features(self.backend, self.op).constants(spec) if self.constants else ()
            made = _rows.put(spec, np.array([*own, *(0.0 for _ in LAUNCH), *known], np.float64))
        return made

    def table(self, candidates: Sequence[Candidate]) -> Table:
        """Return one row per candidate."""
        if not candidates:
            return np.zeros((0, len(self.columns)))
        table, first = np.array([self._of_kernel(c.spec) for c in candidates]), len(self.tunables)
        table[:, first : first + len(LAUNCH)] = [launch_numbers(c.launch) for c in candidates]
        return table

    @cached_property
    def digits(self) -> tuple[tuple[int, int], ...]:
        """(column, base) of each tunable by which price lists differ: those that are names, and the backend's `LISTS`.

        >>> len(feature_spec("cpu", "gemm").digits)
        7
        """
        return tuple((column, _base(t)) for column, t in enumerate(self.tunables) if is_name(t) or t.name in self.lists)

    def groups(self, table: Table) -> npt.NDArray[np.int64]:
        """Return a number for each distinct setting of the tunables by which price lists differ."""
        code: npt.NDArray[np.int64] = np.zeros(len(table), np.int64)
        for column, base in self.digits:
            code = code * base + table[:, column].astype(np.int64)
        return code

    def kinds(self, table: Table) -> dict[str, npt.NDArray[np.float64]]:
        """Return the columns of the tunables that define the kind of kernel: their values are names, or yes and no."""
        return {t.name: table[:, i] for i, t in enumerate(self.tunables) if is_name(t) or _is_switch(t)}

    @cached_property
    def split(self) -> Tunable | None:
        """The tunable that formulas differ by most: the first that is a name (a pipeline); None without one."""
        return kind_of(self.tunables)

    def compute(self, table: Table, problem: Mapping[str, Any], device: Mapping[str, Any]) -> Table:
        """Return the work features of each row; problem and device hold a number, or one per row."""
        k = dict(zip(self.columns, table.T, strict=True))
        with np.errstate(divide="ignore", invalid="ignore"):
            found = backend_features(self.backend, self.op).work(k, problem, device)
        columns = [np.broadcast_to(np.asarray(found[n], np.float64), len(table)) for n in self.work]
        return np.column_stack(columns) if columns else np.zeros((len(table), 0))

    def matrix(self, table: Table, problem: Mapping[str, Any], work: Table) -> npt.NDArray[np.float32]:
        """Return the feature matrix in single precision, so that thresholds mean the same in every form."""
        own = [np.broadcast_to(np.asarray(problem[n], np.float64), len(table)) for n in self.problem]
        return np.column_stack([table[:, : len(self.candidate)], *own, work]).astype(np.float32)


def is_name(tunable: Tunable) -> bool:
    """Return whether the values of a tunable are names.

    >>> is_name(feature_spec("triton", "gemm").tunables[0])
    True
    """
    return any(isinstance(c, str) for c in tunable.choices)


def _is_switch(tunable: Tunable) -> bool:
    return all(isinstance(c, bool) for c in tunable.choices)


def _base(tunable: Tunable) -> int:
    """Return a base for the digit of a tunable: more than its largest value."""
    if is_name(tunable) or _is_switch(tunable):
        return len(tunable.choices) + 1
    return tunable.bounds[1] + 1


@cache
def backend_features(backend: str, op: str) -> Features:
    """Return the module that defines the features of a backend's kernels for an op.

    >>> backend_features("triton", "conv").ONLY_SHOWN
    True
    """
    found = get_backend_op(backend, op).features()
    if found is None:
        raise _no_features(f"{backend} kernels for {op}")
    return found


@cache
def _op_features(op: str) -> Any:
    name = f"tilewright.ops.{get_op(op).name}.features"
    if find_spec(name) is None:
        raise _no_features(f"problems of {op}")
    return import_module(name)


def _no_features(what: str) -> SelectionError:
    return SelectionError(f"{what} have no features to learn from", remedy="select with 'analytical'")


def reach_of(op: str) -> tuple[str, ...]:
    """Return the numbers of a problem outside of whose measured range a model is not used: `REACH` of an op's features,
    and the flop.

    >>> reach_of("gemm"), "dropout" in reach_of("fmha")
    (('flops',), True)
    """
    return ("flops", *getattr(_op_features(op), "REACH", ()))


def only_shown(backend: str, op: str) -> bool:
    """Return whether a model leaves kernels that it was not trained on to the cost model: `ONLY_SHOWN` of features.

    >>> only_shown("triton", "conv"), only_shown("triton", "gemm")
    (True, False)
    """
    return backend_features(backend, op).ONLY_SHOWN


def has_features(backend: str, op: str) -> bool:
    """Return whether kernels of a backend can be learned for an op.

    >>> has_features("cpu", "gemm"), has_features("reference", "gemm")
    (True, False)
    """
    return get_backend_op(backend, op).features() is not None and find_spec(f"tilewright.ops.{op}.features") is not None


@cache
def feature_spec(backend: str, op: str) -> FeatureSpec:
    """Return the features of a backend's kernels for an op.

    >>> feature_spec("triton", "gemm").versions[0]
    1
    """
    own, tunables = backend_features(backend, op), get_backend_op(backend, op).tunables()
    plain = _op_features(op).numbers(get_op(op).plain_problem("fp32"))
    constants = tuple(own.CONSTANTS)
    k = dict.fromkeys((*(t.name for t in tunables), *LAUNCH, *constants), 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        work = tuple(own.work(k, plain, dict.fromkeys(DEVICE, 1.0)))
    versions = (FEATURE_SCHEMA, _op_features(op).VERSION, own.VERSION)
    return FeatureSpec(backend, op, tunables, tuple(plain), work, tuple(own.ADDITIVE), versions, constants,
                       tuple(own.LISTS))  # fmt: skip


def problem_numbers(problem: Problem) -> Mapping[str, float]:
    """Return the numbers of a problem, as defined by its op.

    >>> from tilewright.ops import problem_from_dict
    >>> problem_numbers(problem_from_dict({"op": "gemm", "m": 2, "n": 3, "k": 4, "dtype": "fp32"}))["n"]
    3.0
    """
    _op_features(problem.op)  # raises an error if it has none
    return kept_numbers(problem)


def family_of(problem: Problem) -> str:
    """Return the key of problems that share a model: op, direction if it has one, and family of the operands' dtype.

    >>> from tilewright.ops import problem_from_dict
    >>> family_of(problem_from_dict({"op": "gemm", "m": 2, "n": 3, "k": 4, "dtype": "bf16"}))
    'gemm_16bit'
    """
    return _family(problem.op, problem.variant, problem.operand_dtype)


@cache
def _family(op: str, direction: str, dtype: str) -> str:
    kind = FAMILIES.get(dtype, get_dtype(dtype).name)
    return "_".join(part for part in (op, direction, kind) if part)


def group_key(problem: Problem) -> str:
    """Return the key of problems that differ only in their batch: they are always on the same side of a split.

    The number of a GPU does not count: another machine may measure the same problem on another one.

    >>> from tilewright.ops import problem_from_dict
    >>> a, b = ({"op": "gemm", "m": 2, "n": 3, "k": 4, "dtype": "bf16", "batch": n} for n in (1, 7))
    >>> group_key(problem_from_dict(a)) == group_key(problem_from_dict(b))
    True
    """
    data = problem.to_dict()
    for name in _op_features(problem.op).BATCH_FIELDS:
        data.pop(name, None)
    if "device" in data:
        data["device"] = full_device_name(data["device"].partition(":")[0])
    return digest(data)
