"""One part of the model benchmarks: a net, a task and a mode, with all its sides in one interleaved run.

A side is one way to compute the net: torch, torch.compile, tilewright (patched), tilewright with fusion. All start from
the same weights. Outputs, and the gradients of a training step, are compared with torch in higher precision.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from math import inf, isfinite
from statistics import median
from typing import Any

import torch
from json_rows import machine_of
from nets import NETS, Net
from torch import nn
from torch.nn import functional
from turns import in_turn

TASKS = ("inference", "train", "generate")
MODES = ("eager", "graphs", "autotune", "compile")
COMPILED = {"graphs": "reduce-overhead", "autotune": "max-autotune"}  # both capture CUDA graphs; modes of torch.compile
# The sides of each mode; the first is what the others are compared with. "fused" is "tilewright" in training.
SIDES = {
    "eager": ("torch", "tilewright", "fused"),
    "graphs": ("torch", "torch_compile", "fused"),
    "autotune": ("torch", "torch_compile", "fused"),
    "compile": ("torch_compile", "tilewright"),
}
OURS = ("tilewright", "fused")
GENERATED = 32  # tokens
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
SAMPLE_S = 0.03  # the least time of one sample
SDPA = functional.scaled_dot_product_attention
Step = Callable[[], list[torch.Tensor]]


@dataclass(frozen=True)
class Part:
    """What is measured: sizes are `gpu`, `cpu` or `quick`."""

    net: str
    task: str
    mode: str
    size: str
    device: str

    @property
    def dtype(self) -> torch.dtype:
        return torch.float32 if self.device == "cpu" else torch.float16

    @property
    def sides(self) -> list[str]:
        """Fusion folds batch norm of evaluation mode: a training step has no fused side."""
        names = [("tilewright" if side == "fused" and self.task == "train" else side) for side in SIDES[self.mode]]
        return list(dict.fromkeys(names))

    def to_dict(self) -> dict[str, str]:
        return {"net": self.net, "task": self.task, "mode": self.mode, "size": self.size, "device": self.device}


@dataclass
class Side:
    """One way to compute the net: its step, what its first call took, and the times of later ones."""

    name: str
    step: Step
    first_s: float
    notes: dict[str, Any] = field(default_factory=dict)
    samples: list[float] = field(default_factory=list)
    error: float | None = None
    patch: Any = None

    def to_dict(self) -> dict[str, Any]:
        times = {"ms": median(self.samples), "first_s": round(self.first_s, 3), "samples": self.samples}
        return {**times, "error": self.error, **self.notes}


def _start(part: Part) -> tuple[nn.Module, torch.Tensor]:
    net = NETS[part.net]
    model = net.model(part.size, part.device, part.dtype).train(part.task == "train")
    return model, net.example(part.size, part.device, part.dtype)


def prepared(part: Part) -> dict[str, float]:
    """Build what a part needs into the caches of tilewright and torch, and return the seconds of each side.

    Parts can be prepared side by side: nothing is measured but the time until all kernels are there.
    """
    base, example = _start(part)
    seconds = {}
    for name in part.sides:
        start = time.perf_counter()
        model = copy.deepcopy(base)
        if name in OURS:
            _warm(part, _patched(name, model).model, example)
        elif name == "torch_compile":
            _step_of(part, _compiled(part, model), example)()
        else:
            continue
        seconds[name] = round(time.perf_counter() - start, 2)
    return seconds


def measured(part: Part, rounds: int, tell: Callable[[str], None], clock: str = "wall") -> dict[str, Any]:
    """Return the row of a part. The clock `cpu` counts the CPU time of this process, for a busy machine."""
    net = NETS[part.net]
    base, example = _start(part)
    truth = _truth(part, base, example)
    torch.backends.cudnn.benchmark = True
    made = []
    for name in part.sides:
        tell(f"{part.net} {part.task} {part.mode}: first call of {name}")
        side = _side(name, part, copy.deepcopy(base), example)
        side.error = _error(side.step(), truth)
        made.append(side)
    ways = {side.name: partial(_sample, part, side, _calls(part, side), CLOCKS[clock]) for side in made}
    samples = in_turn(ways, rounds)
    for side in made:
        side.samples = [round(ms, 5) for ms in samples[side.name]]
        if side.patch is not None:
            side.patch.undo()
    return {**_row(part, net, made), "clock": clock}


def _row(part: Part, net: Net, made: list[Side]) -> dict[str, Any]:
    return {
        **part.to_dict(),
        "shape": list(net.sizes[part.size].shape),
        "convolutional": net.is_convolutional,
        "dtype": str(part.dtype).removeprefix("torch."),
        "on": machine_of(part.device, torch.get_num_threads()),
        "torch": torch.__version__,
        "sides": {side.name: side.to_dict() for side in made},
        "ok": all(_good(side.error, made[0].error) for side in made),
    }


def _good(error: float | None, torchs: float | None) -> bool:
    """Return whether a side is as near to the truth as torch is, or nearly. Where torch overflows, nothing is known."""
    return error is not None and torchs is not None and isfinite(torchs) and error <= 3 * torchs + 1e-5


def _truth(part: Part, base: nn.Module, example: torch.Tensor) -> list[torch.Tensor]:
    """Return the outputs and gradients in the next higher precision."""
    dtype = torch.float64 if part.dtype is torch.float32 else torch.float32
    with exactly():
        precise = copy.deepcopy(base).to(dtype)
        given = example.to(dtype) if example.is_floating_point() else example
        return [t.detach() for t in _step_of(part, precise, given)()]


@contextmanager
def exactly() -> Iterator[None]:
    """Compute fp32 as such: cuDNN's usual TF32 is no nearer to the truth than fp16."""
    tf32 = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    try:
        yield
    finally:
        torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32 = tf32


def _error(found: list[torch.Tensor], truth: list[torch.Tensor]) -> float:
    """Return the largest error of an output, or of all gradients as one vector, relative to the size of the truth."""
    errors = []
    for some, exact in ((found[:1], truth[:1]), (found[1:], truth[1:])):
        if exact:
            pairs = [(a.detach(), b) for a, b in zip(some, exact, strict=True)]
            distance = sum(float((a.to(b.device, b.dtype) - b).square().sum()) for a, b in pairs)
            errors.append((distance / max(sum(float(b.square().sum()) for _, b in pairs), 1e-30)) ** 0.5)
    return max(error if isfinite(error) else inf for error in errors)  # `max` alone may pass over a NaN


def _side(name: str, part: Part, model: nn.Module, example: torch.Tensor) -> Side:
    notes: dict[str, Any] = {}
    if name in OURS:
        patched = _patched(name, model)
        notes = {"taken": len(patched.report.taken), "left": len(patched.report.left)}
        start = time.perf_counter()
        _warm(part, model, example)
        notes["warm_up_s"] = round(time.perf_counter() - start, 3)
    start = time.perf_counter()
    if name == "torch_compile" or part.mode == "compile":
        model = _compiled(part, model)
    step = _step_of(part, model, example)
    if part.mode in COMPILED and name != "torch_compile":
        step = _graph(step)
    if name not in OURS:
        step = _by_torch(step)
    step()
    _wait(part)
    side = Side(name, step, time.perf_counter() - start, notes)
    for _ in range(2):  # compilers and cuDNN decide in the first calls
        step()
    if name in OURS:
        side.patch, notes["left_calls"] = patched, len(patched.report.left_calls)
    return side


def _patched(name: str, model: nn.Module) -> Any:
    import tilewright.torch

    return tilewright.torch.patch(model, fuse=name == "fused")


def _compiled(part: Part, model: nn.Module) -> Any:
    return torch.compile(model, mode=COMPILED.get(part.mode))


def _warm(part: Part, model: nn.Module, example: torch.Tensor) -> None:
    """Build the kernels of one step in parallel. Tokens are generated with as many lengths as there are tokens."""
    import tilewright.torch

    tilewright.torch.warm_up(model, example)
    if part.task == "generate":
        with torch.no_grad():
            model.generate(example, 2)


def _by_torch(step: Step) -> Step:
    """Return the step with torch's own attention, which a patch replaces in the whole process."""

    def alone() -> list[torch.Tensor]:
        replaced, functional.scaled_dot_product_attention = functional.scaled_dot_product_attention, SDPA
        try:
            return step()
        finally:
            functional.scaled_dot_product_attention = replaced

    return alone


def _step_of(part: Part, model: Any, example: torch.Tensor) -> Step:
    """Return the function that is measured: it returns the output first, then gradients."""
    if part.task == "train":
        return _training_step(model, example)

    def step() -> list[torch.Tensor]:
        with torch.no_grad():
            if part.task == "generate":
                return [model.generate(example, GENERATED)[:, :1]]  # later tokens follow those that were chosen
            return [model(example)]

    return step


def _training_step(model: nn.Module, example: torch.Tensor) -> Step:
    """Return forward and backward pass; the optimizer is the same for all, and left out."""
    weights = list(model.parameters())
    gradient: list[torch.Tensor] = []

    def step() -> list[torch.Tensor]:
        for weight in weights:
            weight.grad = None
        out = model(example)
        if not gradient:
            drawn = torch.Generator().manual_seed(3)
            # 4: what is left of it in the first layers is not too small for fp16
            gradient.append(torch.randn(out.shape, generator=drawn).to(out.device, out.dtype) * 4)
        out.backward(gradient[0])
        return [out, *(w.grad for w in weights if w.grad is not None)]

    return step


def _graph(step: Step) -> Step:
    """Return a step that replays a CUDA graph; kernels are chosen and built before it is captured."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        results = step()

    def replay() -> list[torch.Tensor]:
        graph.replay()
        return results

    return replay


def _wait(part: Part) -> None:
    if part.device == "cuda":
        torch.cuda.synchronize()


def _calls(part: Part, side: Side) -> int:
    """Return how many calls make a sample long enough for the clock."""
    return max(1, min(200, int(SAMPLE_S / max(_sample(part, side, 1) / 1e3, 1e-6))))


def _sample(part: Part, side: Side, calls: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the milliseconds of one call, host and device together."""
    _wait(part)
    start = clock()
    for _ in range(calls):
        side.step()
    _wait(part)
    return (clock() - start) * 1e3 / calls
