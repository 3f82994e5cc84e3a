"""One net of `patch_nets.py`: patched and built, then timed beside torch in turn, in inference and in training."""

from __future__ import annotations

import contextlib
import copy
import cProfile
import fcntl
import json
import os
import pstats
import select
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from functools import partial
from statistics import median
from typing import Any

import torch
from compile_draw import SHAPES, first_tensor, made
from json_rows import machine_of
from models_part import _by_torch, _error, _good, exactly
from torch import nn
from turns import in_turn

import tilewright.torch as tt
from tilewright.dispatcher import contest
from tilewright.frontends.default import default_dispatcher

DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}
SAMPLE_S = 0.03  # the least time of one sample
SETTLE_CALLS = 2000  # after which a contest is over
SAME_CALLS = 60  # in which no contest ended: nobody calls those that are left
AT_ONCE = 3  # calls of a side, one after the other as in a program, before the times of contests are looked at
FIRST_S = 60.0  # at most, for torch's first calls
KERNELS, FUNCTIONS = 16, 25  # lines of the profiles of a side that is slower than torch


class Step:
    """One side of a net: the function that is timed, with its patch if it is ours."""

    def __init__(self, part: dict[str, Any], side: str, base: nn.Module, example: torch.Tensor, task: str) -> None:
        self.side, self.task, self._example = side, task, example
        self._model = copy.deepcopy(base).train(task == "train")
        self.patch = None if side == "torch" else tt.patch(self._model, fuse=side == "fused")
        self.call = self._train if task == "train" else self._infer
        if side == "torch":
            self.call = _by_torch(self.call)
        self._weights = list(self._model.parameters())
        self._gradient: torch.Tensor | None = None
        self.device = part["device"]

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
        wait(self.device)
        start = time.perf_counter()
        for _ in range(calls):
            self.call()
        wait(self.device)
        return (time.perf_counter() - start) / calls

    def host_seconds(self) -> float:
        """Return the seconds that the host is busy with one call."""
        wait(self.device)
        start = time.perf_counter()
        self.call()
        taken = time.perf_counter() - start
        wait(self.device)
        return taken

    @property
    def is_settled(self) -> bool:
        """Whether nothing of this side is compared with torch any more."""
        return self.patch is None or self.patch.is_settled

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
            "slower": [f"{e.path}: {e.reason}" for e in found.left if e.path in found.slower],
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


def free(device: str) -> None:
    """Give back memory that is kept for later: cuDNN's search takes gigabytes, and other nets run beside."""
    if device == "cuda":
        torch.cuda.empty_cache()


@contextlib.contextmanager
def alone(part: dict[str, Any], how: int = fcntl.LOCK_EX) -> Iterator[None]:
    """Let no other net use the device meanwhile; with LOCK_SH, let none be timed."""
    with contextlib.ExitStack() as stack:
        if part.get("lock"):
            fcntl.flock(stack.enter_context(open(part["lock"], "w")), how)
        yield


def rows(part: dict[str, Any], rounds: int, threads: int) -> Iterator[dict[str, Any]]:
    """Yield a row for each task: first calls, then calls until everything is built and decided, then times in turn."""
    torch.set_num_threads(threads if part["device"] == "cpu" else 1)  # threads would not survive the fork
    torch.backends.cudnn.benchmark = True
    contest.SHARE = part["share"]
    base, example = made(part["net"], "cpu", DTYPES[part["dtype"]], SHAPES[part["device"]])
    _await_gate(part)
    begin = time.perf_counter()
    with alone(part):  # first calls are timed, and cuDNN's search is a timing too
        first = {"torch": _first_of_torch(part, base, example)} if part["first"] else {"torch": {}}
        base, example = base.to(part["device"]), example.to(part["device"])
        if part["first"]:
            begin, ours = time.perf_counter(), _steps(part, base, example, part["sides"][1:])
            first |= _first_calls(ours)
        else:
            theirs = _called(_steps(part, base, example, ["torch"]))
    if not part["first"]:
        with alone(part, fcntl.LOCK_SH):
            begin, ours = time.perf_counter(), _steps(part, base, example, part["sides"][1:])
            first |= _first_calls(ours)
    finished = default_dispatcher().wait_for_builds(part["build_s"])
    built_s = round(time.perf_counter() - begin, 1)
    kinds = ("stand-in", "switched", "build-failed")
    events = {kind: sum(e.kind == kind for e in default_dispatcher().events) for kind in kinds}
    if part["first"]:
        with alone(part):
            theirs = _called(_steps(part, base, example, ["torch"]))
    steps = {task: {**ours[task], **theirs[task]} for task in part["tasks"]}
    with alone(part, fcntl.LOCK_SH):
        errors = {task: _errors(part, base, example, some) for task, some in steps.items()}
        free(part["device"])
    with alone(part):
        settle = _settle(part, [step for some in steps.values() for step in some.values()])
        for task, some in steps.items():
            ordered = {side: some[side] for side in _sides(part, task)}
            yield {
                "task": task, "first_s": {side: found.get(task) for side, found in first.items()},
                "built_s": built_s, "all_built": finished, "events": events, "settle": settle, "errors": errors[task],
                "ok": {side: _good(error, errors[task]["torch"]) for side, error in errors[task].items()},
                **_timed(part, ordered, rounds),
            }  # fmt: skip
    for some in reversed(steps.values()):
        for step in reversed(some.values()):
            step.end()


def _await_gate(part: dict[str, Any]) -> None:
    """With a gate, wait for a line that lets this net use the device; when the gate is removed, it ends."""
    if part["gate"]:
        import transformers  # noqa: F401  what the first call would import

        default_dispatcher()
        print("waiting for", part["gate"], file=sys.stderr, flush=True)
        if not sys.stdin.readline():  # the run has ended
            os._exit(1)
        threading.Thread(target=_end_without, args=(part["gate"],), daemon=True).start()


def _end_without(gate: str) -> None:
    while os.path.exists(gate):
        time.sleep(0.2)
    os._exit(1)


def _steps(
    part: dict[str, Any], base: nn.Module, example: torch.Tensor, sides: Sequence[str]
) -> dict[str, dict[str, Step]]:
    """Return some sides of all tasks."""
    return {
        task: {side: Step(part, side, base, example, task) for side in _sides(part, task) if side in sides}
        for task in part["tasks"]
    }


def _called(steps: dict[str, dict[str, Step]]) -> dict[str, dict[str, Step]]:
    """Return sides that were called once: cuDNN has chosen its kernels."""
    _first_calls(steps)
    free(next(iter(steps.values()))["torch"].device)
    return steps


def _sides(part: dict[str, Any], task: str) -> list[str]:
    """Return the sides of a task: fusion is for inference, a training step would be that of the side `patch`."""
    return [side for side in part["sides"] if side != "fused" or task != "train"]


def _first_of_torch(part: dict[str, Any], base: nn.Module, example: torch.Tensor) -> dict[str, float]:
    """Return the seconds of torch's first calls by task, from a process of its own, with nothing decided by cuDNN."""
    if part["device"] == "cpu":
        return _first_calls({t: {"torch": Step(part, "torch", base, example, t)} for t in part["tasks"]})["torch"]
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            model, images = base.to(part["device"]), example.to(part["device"])
            found = _first_calls({t: {"torch": Step(part, "torch", model, images, t)} for t in part["tasks"]})
            os.write(write, json.dumps(found["torch"]).encode())
        except BaseException as error:
            print(f"torch's first calls failed: {error}", file=sys.stderr, flush=True)
        finally:
            os._exit(0)
    os.close(write)
    ready, _, _ = select.select([read], [], [], FIRST_S)
    text = os.read(read, 4096) if ready else b""
    os.close(read)
    if not text:
        os.kill(child, 9)
    os.waitpid(child, 0)
    found: dict[str, float] = json.loads(text or b"{}")
    return found


def _first_calls(steps: dict[str, dict[str, Step]]) -> dict[str, dict[str, float]]:
    """Return the seconds of the first call of each side by task; CUDA is initialised and the weights are there."""
    found: dict[str, dict[str, float]] = {}
    for task, some in steps.items():
        for side, step in some.items():
            found.setdefault(side, {})[task] = round(step.seconds(1), 4)
    return found


def _errors(part: dict[str, Any], base: nn.Module, example: torch.Tensor, some: dict[str, Step]) -> dict[str, float]:
    """Return the errors of all sides against a higher precision."""
    precise = torch.float64 if part["dtype"] == "fp32" else torch.float32
    given = example.to(precise) if example.is_floating_point() else example
    task = some["torch"].task
    exact = Step(part, "torch", copy.deepcopy(base).to(precise), given, task)
    torch.backends.cudnn.benchmark = False  # this runs once: a search would take seconds
    with exactly():
        truth = [t.detach() for t in exact.call()]
    torch.backends.cudnn.benchmark = True
    return {side: _error(step.call(), truth) for side, step in some.items()}


def _settle(part: dict[str, Any], steps: Sequence[Step]) -> dict[str, Any]:
    """Call all sides until their contests end; kernels of layers that are torch's by now are called no more."""
    begin, calls, over, left, same = time.perf_counter(), 0, False, -1, 0
    while not over and calls < SETTLE_CALLS and time.perf_counter() < begin + part["settle_s"]:
        for step in steps:
            if step.patch is not None:
                for _ in range(AT_ONCE):
                    step.call()
                wait(part["device"])
        calls += AT_ONCE
        left, before = default_dispatcher().open_contests, left
        same = same + AT_ONCE if left == before else 0
        over = (left == 0 or same >= SAME_CALLS) and all(step.is_settled for step in steps)
    return {"s": round(time.perf_counter() - begin, 2), "calls": calls, "all": over}


def _timed(part: dict[str, Any], steps: dict[str, Step], rounds: int) -> dict[str, Any]:
    """Time the sides in turn."""
    for step in steps.values():
        step.call()
    counts = {side: max(1, min(100, int(SAMPLE_S / max(step.seconds(1), 1e-6)))) for side, step in steps.items()}
    samples = in_turn({side: partial(step.seconds, counts[side]) for side, step in steps.items()}, rounds)
    first, *others = samples
    ratios = {s: round(median(a / b for a, b in zip(samples[first], samples[s], strict=True)), 4) for s in others}
    hosts = {side: [step.host_seconds() for _ in range(5)] for side, step in steps.items()}
    slow = min(ratios.values(), default=1.0) < 1.0 and part["device"] == "cuda"
    return {
        "on": machine_of(part["device"], torch.get_num_threads()),
        "torch": torch.__version__,
        "sides_ms": {side: round(median(values) * 1e3, 4) for side, values in samples.items()},
        "host_ms": {side: round(min(values) * 1e3, 4) for side, values in hosts.items()},
        "ratios": ratios,
        "report": {side: step.report() for side, step in steps.items() if step.patch is not None},
        "profile": {side: _profile(step) for side, step in steps.items()} if slow else {},
    }


def _profile(step: Step) -> dict[str, Any]:
    """Return where the time of a side goes: kernels of the GPU, and functions of the thread that calls."""
    activities = [torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as kernels:
        step.call()
        torch.cuda.synchronize()
    averages = kernels.key_averages()
    total = sum(entry.self_device_time_total for entry in averages)
    most = sorted(averages, key=lambda entry: -entry.self_device_time_total)[:KERNELS]
    host = cProfile.Profile()
    host.enable()
    for _ in range(10):
        step.call()
    host.disable()
    torch.cuda.synchronize()
    stats: Any = pstats.Stats(host)
    functions = sorted(stats.stats.items(), key=lambda item: -item[1][2])[:FUNCTIONS]
    return {
        "gpu_ms": round(total * 1e-3, 4), "kernels": sum(entry.count for entry in averages),
        "most": [f"{e.self_device_time_total:.0f} us, {e.count}x {e.key[:70]}" for e in most],
        "host": [f"{own * 1e5:.0f} us, {calls / 10:.1f}x {os.path.basename(file)}:{line} {name}"[:100]
                 for (file, line, name), (_, calls, own, *_) in functions],
    }  # fmt: skip
