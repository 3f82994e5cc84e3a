"""One part of `compile_nets.py`: a net and a task, compiled in all ways, compared and timed in turn."""

from __future__ import annotations

import copy
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from typing import Any

import torch
from compile_draw import first_tensor, made
from compile_nets import SIDES
from json_rows import machine_of
from kernel_times import longest_kernels
from models_part import _error, _good, exactly
from nets import NETS
from torch import nn
from turns import in_turn

import tilewright.torch as tt

DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}
SAMPLE_S = 0.02  # the least time of one sample
Step = Callable[[], list[torch.Tensor]]


def _start(part: dict[str, Any]) -> tuple[nn.Module, torch.Tensor]:
    source, _, name = part["net"].partition("/")
    dtype = DTYPES[part["dtype"]]
    if source == "own":
        net = NETS[name]
        model, example = (
            net.model(part["size"], part["device"], dtype),
            net.example(part["size"], part["device"], dtype),
        )
    else:
        model, example = made(part["net"], part["device"], dtype)
    return model.train(part["task"] == "train"), example


def _compiled(model: nn.Module, side: str) -> Any:
    backend, mode, tuned = SIDES[side]
    if backend == "inductor":
        return torch.compile(model, mode=mode)
    from tilewright.torch.compile.backend import register

    if not tuned:
        return torch.compile(model, backend=register(), mode=mode)
    options = {**(torch._inductor.list_mode_options(mode) if mode else {}), "tilewright.tune": True}
    return torch.compile(model, backend=register(), options=options)


def _step_of(part: dict[str, Any], model: Any, example: torch.Tensor) -> Step:
    """Return the function that is timed: it returns the output first, then gradients.

    A weight without a gradient has one of zeros: a compiled program returns that for what it does not use.
    """
    weights, gradient = list(model.parameters()), list[torch.Tensor]()
    nothing = torch.zeros((), device=example.device)

    def train() -> list[torch.Tensor]:
        torch.compiler.cudagraph_mark_step_begin()
        for weight in weights:
            weight.grad = None
        out = first_tensor(model(example))
        if not gradient:
            drawn = torch.randn(out.shape, generator=torch.Generator().manual_seed(3))
            gradient.append(drawn.to(out.device, out.dtype) * 4)
        out.backward(gradient[0])
        return [out, *(nothing.expand_as(w) if w.grad is None else w.grad for w in weights)]

    def inference() -> list[torch.Tensor]:
        torch.compiler.cudagraph_mark_step_begin()
        with torch.no_grad():
            return [first_tensor(model(example))]

    return train if part["task"] == "train" else inference


def _wait(part: dict[str, Any]) -> None:
    if part["device"] == "cuda":
        torch.cuda.synchronize()


def _first(part: dict[str, Any], side: str, base: nn.Module, example: torch.Tensor) -> tuple[Step, float]:
    """Return the step of a side, compiled, and the seconds of its first call."""
    torch.manual_seed(0)
    step = _step_of(part, _compiled(copy.deepcopy(base), side), example)
    start = time.perf_counter()
    step()
    _wait(part)
    return step, time.perf_counter() - start


def compiled_and_timed(
    part: dict[str, Any], rounds: int, threads: int, enough: float = float("inf"), listed: int = 0
) -> Iterator[dict[str, Any]]:
    """Yield what the compilation of all sides shows; then, when asked again, their times and longest kernels.

    The first side is what others are compared with. After `enough` seconds no third side is begun.
    """
    start = time.perf_counter()
    _settle(part, threads)
    base, example = _start(part)
    precise = torch.float64 if part["dtype"] == "fp32" else torch.float32
    given = example.to(precise) if example.is_floating_point() else example
    with _alone(), exactly():
        truth = [t.detach() for t in _step_of(part, copy.deepcopy(base).to(precise), given)()]
        _wait(part)
    steps: dict[str, Step] = {}
    shown: dict[str, Any] = {"compile_s": {}, "taken": {}, "reasons": {}, "errors": {}}
    for side in part["sides"]:
        if len(steps) > 1 and time.perf_counter() - start > enough:
            break
        report = tt.compile_report()
        report.clear()
        steps[side], took = _first(part, side, base, example)
        shown["compile_s"][side] = round(took, 2)
        if SIDES[side][0] == "tilewright":
            shown["taken"][side] = f"{len(report.taken)} of {len(report.entries)}"
            shown["reasons"][side] = Counter(str(entry.reason) for entry in report.left)
        with _alone():
            for _ in range(3):  # CUDA graphs are captured in the second call
                found = steps[side]()
            shown["errors"][side] = _error(found, truth)
        del found
    first = part["sides"][0]
    yield {**shown, "ok": {side: _good(error, shown["errors"][first]) for side, error in shown["errors"].items()}}
    times = _timed(part, steps, rounds)
    kernels = {"kernels": {side: longest_kernels(step)[:listed] for side, step in steps.items()}} if listed else {}
    yield {**times, **kernels}


def _inductor_times_alone() -> None:
    """Let Inductor choose among its kernels while no other process of the run computes: its times decide, too."""
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner

    untyped: Any = CachingAutotuner
    benchmark = untyped.benchmark_all_configs

    def alone(self: Any, *args: Any, **kwargs: Any) -> Any:
        with _alone():
            return benchmark(self, *args, **kwargs)

    untyped.benchmark_all_configs = alone


def _alone() -> Any:
    """Return a context in which no other process times operators in its compilation, and none of these computes."""
    from tilewright.settings import Settings
    from tilewright.torch.compile.tuning import tuner_of

    return tuner_of(Settings.from_env()).alone()


def _timed(part: dict[str, Any], steps: dict[str, Step], rounds: int) -> dict[str, Any]:
    for step in steps.values():
        _sample(part, step, 2)
    counts = {side: max(1, min(100, int(SAMPLE_S / max(_sample(part, step, 1), 1e-6)))) for side, step in steps.items()}
    samples = in_turn({side: partial(_sample, part, step, counts[side]) for side, step in steps.items()}, rounds)
    times = {side: median(values) * 1e3 for side, values in samples.items()}
    first, *others = samples
    ratios = {side: median(a / b for a, b in zip(samples[first], samples[side], strict=True)) for side in others}
    return {
        "on": machine_of(part["device"], torch.get_num_threads()),
        "torch": torch.__version__,
        "sides_ms": {side: round(ms, 4) for side, ms in times.items()},
        "ratios": {side: round(ratio, 4) for side, ratio in ratios.items()},
    }


def _settle(part: dict[str, Any], threads: int) -> None:
    if part["device"] == "cpu":
        torch.set_num_threads(threads)
    else:
        torch.backends.cudnn.benchmark = True
        _inductor_times_alone()


def _sample(part: dict[str, Any], step: Step, calls: int) -> float:
    """Return the seconds of one call, host and device together."""
    _wait(part)
    start = time.perf_counter()
    for _ in range(calls):
        step()
    _wait(part)
    return (time.perf_counter() - start) / calls
