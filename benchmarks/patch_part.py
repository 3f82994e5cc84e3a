"""One net of `patch_nets.py`: patched and built, then timed beside torch in turn, in inference and in training."""

from __future__ import annotations

import copy
import sys
import time
from collections.abc import Iterator
from statistics import median
from typing import Any

import torch
from compile_draw import SHAPES, first_tensor, made
from models_part import _by_torch, _error, _good
from torch import nn

import tilewright.torch as tt
from tilewright.frontends.default import default_dispatcher

DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}
SAMPLE_S = 0.03  # the least time of one sample
SETTLE_CALLS = 2000  # after which a contest is over


class Step:
    """One side of a net: the function that is timed, with its patch if it is ours."""

    def __init__(self, part: dict[str, Any], side: str, base: nn.Module, example: torch.Tensor, task: str) -> None:
        self.side, self._task, self._example = side, task, example
        self._model = copy.deepcopy(base).train(task == "train")
        self.patch = None if side == "torch" else tt.patch(self._model, fuse=side == "fused")
        self.call = self._train if task == "train" else self._infer
        if side == "torch":
            self.call = _by_torch(self.call)
        self._weights = list(self._model.parameters())
        self._gradient: torch.Tensor | None = None
        self._device = part["device"]

    def _infer(self) -> list[torch.Tensor]:
        with torch.no_grad():
            return [first_tensor(self._model(self._example))]

    def _train(self) -> list[torch.Tensor]:
        """Run both passes; the optimizer is the same for all sides, and left out."""
        for weight in self._weights:
            weight.grad = None
        out = first_tensor(self._model(self._example))
        if self._gradient is None:
            drawn = torch.randn(out.shape, generator=torch.Generator().manual_seed(3))
            self._gradient = drawn.to(out.device, out.dtype) * 4
        out.backward(self._gradient)
        return [out, *(w.grad for w in self._weights if w.grad is not None)]

    def seconds(self, calls: int) -> float:
        """Return the seconds of one call, host and device together."""
        wait(self._device)
        start = time.perf_counter()
        for _ in range(calls):
            self.call()
        wait(self._device)
        return (time.perf_counter() - start) / calls

    def is_settled(self) -> bool:
        """Return whether no call of this side is compared with a library any more."""
        if self.patch is None:
            return True
        turns = self.patch.report.turns.values()
        return default_dispatcher().open_contests == 0 and all(isinstance(state, str) for state in turns)

    def end(self) -> None:
        """Give torch its functions back."""
        if self.patch is not None:
            self.patch.undo()

    def report(self) -> dict[str, Any]:
        """Return what the patch took and left."""
        if self.patch is None:
            return {}
        found = self.patch.report
        reasons = [str(entry.reason) for entry in found.left]
        return {
            "taken": len(found.taken), "left": len(reasons),
            "slower": [f"{e.path}: {e.reason}" for e in found.left if "torch is faster" in str(e.reason)],
            "left_calls": sum(found.left_calls.values()),
        }  # fmt: skip


def built(part: dict[str, Any]) -> dict[str, Any]:
    """Build the kernels of all tasks on tensors without memory, and return how long it took."""
    begin, found = time.perf_counter(), {}
    model, example = made(part["net"], "meta", DTYPES[part["dtype"]], SHAPES[part["device"]])
    for task in part["tasks"]:
        problems = tt.warm_up(model.train(task == "train"), example, backward=task == "train", device=part["device"])
        found[task] = len(problems)
    return {"build_s": round(time.perf_counter() - begin, 1), "problems": found}


def wait(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def rows(part: dict[str, Any], rounds: int, threads: int) -> Iterator[dict[str, Any]]:
    """Yield what the preparation shows; then, each time when asked again, the row of a task."""
    if part["device"] == "cpu":
        torch.set_num_threads(threads)
    torch.backends.cudnn.benchmark = True
    begin = time.perf_counter()
    base, example = made(part["net"], part["device"], DTYPES[part["dtype"]])
    prepared = {task: _prepared(part, base, example, task) for task in part["tasks"]}
    dispatcher = default_dispatcher()
    kinds = ("stand-in", "switched", "build-failed")
    events = {kind: sum(e.kind == kind for e in dispatcher.events) for kind in kinds}
    if part["device"] == "cuda":
        torch.cuda.empty_cache()  # others are prepared at the same time
    yield {"prepare_s": round(time.perf_counter() - begin, 1), "events": events}
    for task, (steps, errors) in prepared.items():
        yield {**_timed(part, task, steps, rounds), "task": task, "errors": errors,
               "ok": {side: _good(error, errors["torch"]) for side, error in errors.items()}}  # fmt: skip
        for step in reversed(steps.values()):
            step.end()
        steps.clear()


def _prepared(
    part: dict[str, Any], base: nn.Module, example: torch.Tensor, task: str
) -> tuple[dict[str, Step], dict[str, float]]:
    """Return all sides after their first calls and builds, and their errors against a higher precision."""
    precise = torch.float64 if part["dtype"] == "fp32" else torch.float32
    exact = copy.deepcopy(base).to(precise)
    given = example.to(precise) if example.is_floating_point() else example
    truth = [t.detach() for t in Step(part, "torch", exact, given, task).call()]
    del exact
    steps, errors = dict[str, Step](), dict[str, float]()
    for side in part["sides"]:
        if side == "fused" and task == "train":
            continue  # fusion is for inference: a training step would be that of the side "patch"
        step = steps[side] = Step(part, side, base, example, task)
        step.call()
        if side != "torch":
            default_dispatcher().wait_for_builds(part["build_s"])
        errors[side] = _error(step.call(), truth)
        step._model.zero_grad(set_to_none=True)
        if step.patch is not None and len(part["sides"]) > 1:
            print(task, side, step.report(), file=sys.stderr, flush=True)
    return steps, errors


def _timed(part: dict[str, Any], task: str, steps: dict[str, Step], rounds: int) -> dict[str, Any]:
    """Let contests come to an end, then time the sides in turn."""
    begin = time.perf_counter()
    calls = 0
    for step in steps.values():
        end = time.perf_counter() + part["settle_s"]
        for calls in range(1, SETTLE_CALLS + 1):
            step.call()
            if calls % 5 == 0:
                wait(part["device"])
                if step.is_settled() or time.perf_counter() > end:
                    break
        wait(part["device"])
    settle_s = round(time.perf_counter() - begin, 2)
    counts = {side: max(1, min(100, int(SAMPLE_S / max(step.seconds(1), 1e-6)))) for side, step in steps.items()}
    samples: dict[str, list[float]] = {side: [] for side in steps}
    order = list(steps)
    for number in range(rounds):
        for side in order[number % len(order) :] + order[: number % len(order)]:
            samples[side].append(steps[side].seconds(counts[side]))
    base = samples["torch"]
    return {
        "on": torch.cuda.get_device_name() if part["device"] == "cuda" else f"cpu, {torch.get_num_threads()} threads",
        "torch": torch.__version__,
        "settle": {"s": settle_s, "calls": calls, "all": all(s.is_settled() for s in steps.values())},
        "sides_ms": {side: round(median(values) * 1e3, 4) for side, values in samples.items()},
        "ratios": {
            side: round(median(a / b for a, b in zip(base, samples[side], strict=True)), 4) for side in order[1:]
        },
        "report": {side: step.report() for side, step in steps.items() if step.patch is not None},
    }
