"""Both ways of a site timed in turn on random tensors: our kernel, and torch's operator with a pass over its result.

The pass stands for the kernel of Inductor's that computes what follows. Times are kept for the process, by problem.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import fx

from ...dispatcher import Dispatcher
from ...errors import TilewrightError
from ...model.locks import new_lock
from ...model.problem import Problem
from ..formats import FORMATS
from .decide import Times
from .inductor import hint_of, real_tensors
from .values import example_of

Run = Callable[[Mapping[fx.Node, Any]], Any]
ROUNDS, LEAST_SECONDS = 5, 2e-3  # each way is called until so many seconds have passed, in so many rounds
CALLS = 8  # in one CUDA graph
cuda: Any = torch.cuda
NOISE = 1.02  # what our kernel must be faster by


class Tuner:
    """Measures, and remembers what it has measured."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Times | str] = {}
        self._lock = new_lock()

    def prepare(self, problems: Sequence[Problem], where: Dispatcher) -> None:
        """Build what will be measured, in parallel; what cannot be built is left when it is measured."""
        if problems:
            with contextlib.suppress(TilewrightError), real_tensors():
                where.warm_up(problems)

    def measured(
        self, expected: Times, problem: Problem, node: fx.Node, run: Run, args: Sequence[Any] | None = None,
        more: Sequence[fx.Node] = (),
    ) -> Times | str:  # fmt: skip
        """Return the times of a problem that stands at a node, measured, or why it is left.

        `run` computes it by our operator, which reads `more` than the node does. `args` are those of torch's operator,
        if they are not those of the node.
        """
        key = (problem.exact_key, str(node.target))
        with self._lock:
            known = self._known.get(key)
        if known is None:
            try:
                with real_tensors(), torch.no_grad():
                    known = _times(expected, node, run, node.args if args is None else args, more)
            except TilewrightError as error:
                known = error.message
            with self._lock:
                self._known[key] = known
        return known


def _times(expected: Times, node: fx.Node, run: Run, given: Sequence[Any], more: Sequence[fx.Node]) -> Times:
    operands = dict.fromkeys((*node.all_input_nodes, *more))
    real = {arg: drawn(arg.meta["val"], number) for number, arg in enumerate(operands)}
    torchs = _for_torch(node, real)
    args, kwargs = fx.map_arg((tuple(given), dict(node.kwargs)), lambda n: torchs[n])
    target: Any = node.target
    result = _first(target(*args, **kwargs))
    ways: dict[str, Callable[[], Any]] = {
        "ours": lambda: run(real), "library": lambda: target(*args, **kwargs), "after": result.relu_,
    }  # fmt: skip
    found = (_on_gpu if result.is_cuda else _on_cpu)(ways)
    return replace(expected, ours=found["ours"] * NOISE, library=found["library"], after=found["after"])


def drawn(value: Any, seed: int = 0) -> Any:
    """Return a tensor of random numbers with the sizes, strides and device of a fake tensor; or a number for a size.

    >>> drawn(torch.ones(2, 3).mT).stride()
    (1, 3)
    """
    if not isinstance(value, torch.Tensor):
        return hint_of(value)
    example = example_of(value)
    if example is None:
        raise TilewrightError("a size is not known")
    made = torch.empty_strided(example.shape, example.stride(), dtype=value.dtype, device=value.device)
    whole = made.as_strided((made.untyped_storage().nbytes() // made.element_size(),), (1,))
    if value.is_floating_point():
        whole.normal_(generator=torch.Generator(value.device).manual_seed(seed))
    else:
        whole.zero_()
    return made


def _for_torch(node: fx.Node, real: Mapping[fx.Node, Any]) -> dict[fx.Node, Any]:
    """Return the tensors as Inductor hands them to torch's operator: images in channels-last memory."""
    if "convolution" not in str(node.target):
        return dict(real)
    return {
        arg: t.contiguous(memory_format=FORMATS[t.dim()]) if isinstance(t, torch.Tensor) and t.dim() in FORMATS else t
        for arg, t in real.items()
    }


def _first(found: Any) -> Any:
    return next(t for t in found if isinstance(t, torch.Tensor)) if isinstance(found, (tuple, list)) else found


def _on_cpu(ways: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
    best = dict.fromkeys(ways, float("inf"))
    for call in ways.values():
        call()
    for _ in range(ROUNDS):
        for name, call in ways.items():
            started, calls = time.perf_counter(), 0
            while time.perf_counter() - started < LEAST_SECONDS:
                call()
                calls += 1
            best[name] = min(best[name], (time.perf_counter() - started) / calls)
    return best


def _on_gpu(ways: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
    """Return the least time of each way in a CUDA graph of several calls: without the time of Python."""
    graphs = {}
    for name, call in ways.items():
        side = cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                call()
        torch.cuda.current_stream().wait_stream(side)
        graphs[name] = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graphs[name]):
            for _ in range(CALLS):
                call()
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(ROUNDS):
        for name, graph in graphs.items():
            begin, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
            best[name] = min(best[name], begin.elapsed_time(end) * 1e-3 / CALLS)
    return best


TUNER = Tuner()
