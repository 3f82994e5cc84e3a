"""Cost models that are written as formulas (`features.work` of an op's sub-package), evaluated for one candidate.

The same formulas run on whole tables of candidates in `select`, by NumPy and as C. Here they run as Python, generated
once for each kind of kernel: a ranking evaluates one candidate after the other, and only few of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from ..arch import get_arch
from ..model.arch import CpuArch
from ..model.backend import Features
from ..model.device import Device
from ..model.expr import GRID, Symbol
from ..model.expr_code import Each, python_form
from ..model.kernel import Candidate, KernelSpec, Launch
from ..model.problem import Problem, kept_by_problem
from ..model.side_table import SideTable
from ..model.tunable import Tunable

LAUNCH = ("launch_split_k", "launch_num_splits", "launch_threads", "launch_grid", "launch_block_0", "launch_block_1")
DEVICE = ("units", "threads", "clock", "bandwidth", "l1", "l2", "llc", "lanes", "rate")
PREDICTED = "predicted_us"  # the formula that is the cost model
ASSUMED = {"clock": 1.5e9, "bandwidth": 1e12}  # of a GPU that does not report them; other unknown numbers are 1


def kind_of(tunables: Sequence[Tunable]) -> Tunable | None:
    """Return the tunable that formulas differ by most: the first that is a name (a pipeline).

    >>> kind_of(()) is None
    True
    """
    return next((t for t in tunables if any(isinstance(c, str) for c in t.choices)), None)


def tunable_number(tunable: Tunable, value: Any) -> float:
    """Return the value of a tunable as a number for formulas.

    >>> from .cpu.gemm import OP
    >>> [tunable_number(t, t.choices[0]) for t in OP.tunables() if t.name == "pipeline"]
    [0.0]
    """
    return tunable.encode(value) if isinstance(value, str) else float(value)


def launch_numbers(launch: Launch) -> tuple[float, ...]:
    """Return the numbers of a launch, in the order of `LAUNCH`.

    >>> launch_numbers(Launch(threads=2, blocks=(512,)))
    (1, 1, 2, 0.0, 512, 0)
    """
    (x, y), blocks = (*launch.grid, 0, 0)[:2], (*launch.blocks, 0, 0)[:2]
    return (launch.split_k, launch.num_splits, launch.threads, x + GRID * y, *blocks)


@cache
def device_numbers(device: Device, dtype: str) -> dict[str, float]:
    """Return the numbers of a device by name, with an assumption for each that it does not report.

    >>> device_numbers(Device("d", "sm_90", 132, bandwidth_gbps=4800), "fp16")["units"]
    132.0
    """
    arch = get_arch(device.arch)
    lanes = arch.lanes if isinstance(arch, CpuArch) else 1
    rate = arch.ops_per_cycle.get(dtype) or arch.ops_per_cycle.get("fp16") or 1.0
    values = (device.units, device.threads, device.clock_mhz * 1e6, device.bandwidth_gbps * 1e9, device.l1_bytes,
              device.l2_bytes, device.llc_bytes, lanes, rate)  # fmt: skip
    return {name: float(v) or ASSUMED.get(name, 1.0) for name, v in zip(DEVICE, values, strict=True)}


@kept_by_problem
def problem_numbers(problem: Problem) -> Mapping[str, float]:
    """Return the numbers of a problem, as defined by its op; computed once, because several formulas read them."""
    return _numbers_of(problem.op)(problem)


@cache
def _numbers_of(op: str) -> Callable[[Any], Mapping[str, float]]:
    return import_module(f"tilewright.ops.{op}.features").numbers


def least_seconds(p: Mapping[str, float], d: Mapping[str, float]) -> float:
    """Return the time that no kernel beats, by the numbers of a problem and of a device: of its bytes, or its products.

    >>> p = {"bytes": 3e9, "flops": 1e12}
    >>> least_seconds(p, {"bandwidth": 1e12, "rate": 2048.0, "units": 100.0, "clock": 1e9})
    0.0048828125
    """
    return max(p["bytes"] / d["bandwidth"], p["flops"] / (d["rate"] * d["units"] * d["clock"]))


class FormulaCost:
    """The cost model of one backend's op.

    `features` is the module with the formulas: `work` of kernel `k`, problem `p` and device `d`, `constants` of a
    kernel (numbers in addition to its tunables), and `searched` if blocks are found when a launch is bound.
    """

    def __init__(self, op: str, features: Features, tunables: Sequence[Tunable]) -> None:
        self._features, self._tunables, self._kind = features, tuple(tunables), kind_of(tunables)
        self._names = (*(t.name for t in tunables), *features.CONSTANTS)
        self._op: Callable[[Any], Mapping[str, float]] = problem_numbers
        self._searched = features.searched
        self._forms: dict[float, Any] = {}
        self._kernels: SideTable[tuple[float, ...]] = SideTable()
        self._now: tuple[Any, Any, dict[float, Each], tuple[Any, Any]] = (None, None, {}, ((), ()))

    def seconds(self, candidate: Candidate, problem: Problem, device: Device) -> float:
        """Return the predicted seconds of one launch."""
        now = self._now
        if now[0] is not problem or now[1] is not device:
            numbers = self._op(problem), device_numbers(device, problem.operand_dtype)
            now = self._now = (problem, device, {}, numbers)
        kernel = self.kernel_numbers(candidate.spec)
        kind = kernel[0]
        each = now[2].get(kind)
        if each is None:
            p, d = (tuple(map(float, x.values())) for x in now[3])
            each = now[2][kind] = self._form(kind, now[3][0])(p, d)
        return each(kernel, self._launch(candidate, problem, device)) * 1e-6

    def kernel_numbers(self, spec: KernelSpec) -> tuple[float, ...]:
        """Return the kind of a kernel, its tunables and its constants."""
        kept = self._kernels.get(spec)
        if kept is None:
            own = [tunable_number(t, getattr(spec.algorithm, t.name)) for t in self._tunables]
            kind = own[self._tunables.index(self._kind)] if self._kind else 0.0
            known = self._features.constants(spec)
            kept = self._kernels.put(spec, (kind, *own, *known))
        return kept

    def numbers(self, candidate: Candidate, problem: Problem, device: Device) -> tuple[dict[str, float], Any, Any]:
        """Return (kernel and launch, problem, device) by name, as formulas take them."""
        k = dict(zip(self._names, self.kernel_numbers(candidate.spec)[1:], strict=True))
        k.update(zip(LAUNCH, self._launch(candidate, problem, device), strict=True))
        return k, self._op(problem), device_numbers(device, problem.operand_dtype)

    def _launch(self, candidate: Candidate, problem: Problem, device: Device) -> tuple[float, ...]:
        numbers = launch_numbers(candidate.launch)
        if self._searched is None or candidate.launch.blocks:
            return numbers
        return (*numbers[:-2], *self._searched(candidate, problem, device))

    def _form(self, kind: float, problem: Mapping[str, float]) -> Any:
        """Return the formula of a kind of kernels as Python; made when the first of them is evaluated."""
        if kind not in self._forms:
            names = self._names
            k: dict[str, Any] = {n: Symbol(f"k_{n}", True) for n in (*names, *LAUNCH)}
            if self._kind is not None:
                k[self._kind.name] = kind
            p, d = ({n: Symbol(f"{x}_{n}", False) for n in of} for x, of in (("p", problem), ("d", DEVICE)))
            sources = {"k": ("", *names), "x": LAUNCH, "p": tuple(p), "d": DEVICE}
            places = {
                f"{'k' if x == 'x' else x}_{n}": f"{x}[{i}]" for x, of in sources.items() for i, n in enumerate(of)
            }
            own = [f"k_{n}" for n in (*names, *LAUNCH)]
            self._forms[kind] = python_form(self._features.work(k, p, d)[PREDICTED], places, own)
        return self._forms[kind]
