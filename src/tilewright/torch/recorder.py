"""`capture`: the problems of a torch program, with how often each came and how long it took.

A dispatch mode sees every operator below autograd, so gradients too; a function mode sees attention before torch
chooses one of its ways to compute it. Functions of tilewright are seen where they plan.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from inspect import signature
from statistics import median
from time import perf_counter
from typing import Any

import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from ..dispatcher import Dispatcher
from ..errors import ProblemError, TilewrightError
from ..model.device import full_device_name
from ..model.problem import Problem
from ..plan import Plan, PreparedCalls
from .aten import CONVOLUTION, NO_PROBLEM, OWN, POSERS, PRODUCT_OPS, Attention, Place, in_format_of, tidy
from .known_values import KnownValues
from .own import OWN_POSERS

DTYPES = ("fp32", "bf16", "fp16", "int8", "fp8", "bf8", "fp8_fnuz", "bf8_fnuz")
MAX_SAMPLES = 101  # times per problem; the median of so many does not change any more
SDPA = functional.scaled_dot_product_attention
ARGUMENTS = signature(Attention.of)


@dataclass
class Call:
    """One problem: how often it was posed, and the times of its calls in milliseconds."""

    problem: Problem
    count: int = 0
    samples: list[Any] = field(default_factory=list)

    @property
    def time_ms(self) -> float | None:
        """The median time of one call; None if it was not measured, as on meta tensors."""
        return median(self.samples) if self.samples else None

    def to_dict(self) -> dict[str, Any]:
        """Return a line of a problem file."""
        time = None if self.time_ms is None else round(self.time_ms, 6)
        return {**self.problem.to_dict(), "count": self.count, "time_ms": time}


class Capture:
    """What a program computed so far: `calls` in the order of their first occurrence, and what was `left` out.

    `left` has a count for each operator and reason. Open it with `capture()`.
    """

    def __init__(self, device: str | None = None) -> None:
        self.place = Place(None if device is None else full_device_name(device))
        self.left: dict[tuple[str, str], int] = {}
        self._calls: dict[str, Call] = {}
        self._pending: list[tuple[Call, Any, Any]] = []
        self._silent = 0

    @property
    def calls(self) -> list[Call]:
        """Every problem with its count and time."""
        self._collect()
        return list(self._calls.values())

    @property
    def problems(self) -> list[Problem]:
        """Every problem once: for `Dispatcher.warm_up`."""
        return [call.problem for call in self._calls.values()]

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a problem file for `tune`, `bench` and `build`, one line per problem."""
        text = "".join(f"{json.dumps(call.to_dict())}\n" for call in self.calls)
        try:
            with open(path, "w") as file:
                file.write(text)
        except OSError as error:
            raise TilewrightError(
                f"cannot write {os.fspath(path)}: {error.strerror}", remedy="choose a file in a writable folder"
            ) from None

    def add(self, name: str, pose: Callable[[], list[Any]]) -> list[Call]:
        """Count the problems that `pose` returns, or why it cannot, under the operator's name."""
        try:
            found = [tidy(problem) for problem in pose()]
            _refuse_unknown(found)
        except (TilewrightError, TypeError, ValueError, RuntimeError) as error:
            reason = error.message if isinstance(error, TilewrightError) else str(error)
            self.leave(name, " ".join(reason.split()))
            return []
        calls = [self._calls.setdefault(p.exact_key, Call(p)) for p in found]
        for call in calls:
            call.count += 1
        return calls

    def leave(self, name: str, reason: str) -> None:
        """Count an operator that no problem describes."""
        self.left[name, reason] = self.left.get((name, reason), 0) + 1

    @property
    def is_silent(self) -> bool:
        """Whether operators are parts of one that was recorded already."""
        return self._silent > 0

    @contextlib.contextmanager
    def silence(self) -> Iterator[None]:
        """Record nothing meanwhile."""
        self._silent += 1
        try:
            yield
        finally:
            self._silent -= 1

    def timed(self, calls: list[Call], device: torch.device, run: Callable[[], Any]) -> Any:
        """Return run(), and add its time to `calls`: equal shares, since torch computes two gradients at once."""
        calls = [c for c in calls if len(c.samples) < MAX_SAMPLES]
        if not calls or device.type not in ("cpu", "cuda"):
            return run()
        if device.type == "cpu":
            start = perf_counter()
            result = run()
            for call in calls:
                call.samples.append((perf_counter() - start) * 1e3 / len(calls))
            return result
        if torch.cuda.is_current_stream_capturing():
            return run()
        first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
        first.record()
        result = run()
        last.record()
        self._pending += [(call, (first, last), len(calls)) for call in calls]
        if len(self._pending) > 10_000:
            self._collect()
        return result

    def _collect(self) -> None:
        """Read the clocks of GPUs."""
        pending, self._pending = self._pending, []
        for call, (first, last), share in pending:
            last.synchronize()
            if len(call.samples) < MAX_SAMPLES:
                call.samples.append(first.elapsed_time(last) / share)


def _refuse_unknown(problems: list[Any]) -> None:
    """Raise an error for operands that no kernel multiplies."""
    for problem in problems:
        if problem.operand_dtype not in DTYPES:
            raise ProblemError(f"no kernel computes {problem.operand_dtype}")


class _Operators(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Records operators below autograd."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Return False: nothing is compiled meanwhile, and torch would import its compiler, which takes seconds."""
        return False

    def __init__(self, capture: Capture) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.capture = capture
        self._known = KnownValues()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = kwargs or {}
        if self.capture.is_silent:
            return func(*args, **given)
        pose = POSERS.get(func)
        if pose is None:
            return self._other(func, args, given)
        name = func.name()
        calls = self.capture.add(name, lambda: pose(self.capture.place, *args, **given))
        tensor = next(x for x in args if isinstance(x, torch.Tensor))
        result = self.capture.timed(calls, _real_device(tensor), lambda: func(*args, **given))
        return in_format_of(args, result) if func is CONVOLUTION and tensor.device.type == "meta" else result

    def _other(self, func: Any, args: Any, given: Any) -> Any:
        if func.namespace != "aten":
            tensors = [x for x in args if isinstance(x, torch.Tensor)]
            if func.namespace == "tilewright" and tensors and _real_device(tensors[0]).type == "meta":
                self._own(func, args, given)  # real ones are recorded where they plan
            return func(*args, **given)
        with self:  # in inference mode, operators come here before torch takes them apart
            result = func.decompose(*args, **given)
        if result is not NotImplemented:
            return result
        if PRODUCT_OPS.search(func.name().removeprefix("aten::").split(".")[0]):
            self.capture.leave(func.name(), NO_PROBLEM)
        return self._known.run(func, args, given)

    def _own(self, func: Any, args: Any, given: Any) -> None:
        pose = OWN_POSERS.get(func)
        if pose is None:
            self.capture.leave(func.name(), OWN)
        else:
            self.capture.add(func.name(), lambda: pose(self.capture.place, *args, **given))


class _Functions(TorchFunctionMode):
    """Records attention as one call. Torch would split it into the operators that this device has."""

    def __init__(self, capture: Capture) -> None:
        super().__init__()
        self.capture = capture

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        run = func if func is not SDPA or self.capture.is_silent else self.attend
        return run(*args, **(kwargs or {}))

    def __enter__(self) -> Any:
        self.replaced = functional.scaled_dot_product_attention
        if self.replaced is SDPA:  # torch's own layers call it without this mode; a patch records itself
            functional.scaled_dot_product_attention = self.attend
        return super().__enter__()  # type: ignore[no-untyped-call]

    def __exit__(self, *error: Any) -> None:
        functional.scaled_dot_product_attention = self.replaced
        super().__exit__(*error)  # type: ignore[no-untyped-call]

    def attend(self, query: Any, key: Any, value: Any, *rest: Any, **options: Any) -> Any:
        """Return the attention of torch, recorded."""
        bound = ARGUMENTS.bind(*rest, **options).arguments
        call, capture = Attention.of(**bound), self.capture
        inputs = [query, key, value, call.mask]

        def run(q: Any, k: Any, v: Any, mask: Any) -> Any:
            return SDPA(q, k, v, **{**bound, "attn_mask": mask})

        if torch.is_grad_enabled() and any(t is not None and t.requires_grad for t in inputs):
            return _Attend.apply(capture, call, run, *inputs)  # type: ignore[no-untyped-call]
        calls = capture.add("attention", lambda: [call.problem(capture.place, query, key, value, False, False)])
        with capture.silence():
            return capture.timed(calls, _real_device(query), lambda: run(*inputs))


class _Attend(torch.autograd.Function):
    """Attention whose backward pass is recorded too."""

    @staticmethod
    def forward(ctx: Any, capture: Capture, call: Attention, run: Any, *inputs: Any) -> Any:
        q, k, v, _ = inputs
        calls = capture.add("attention", lambda: [call.problem(capture.place, q, k, v, False, True)])
        with torch.enable_grad(), capture.silence():
            own = [None if t is None else t.detach().requires_grad_(t.requires_grad) for t in inputs]
            out = capture.timed(calls, _real_device(inputs[0]), lambda: run(*own))
        ctx.capture, ctx.call, ctx.own, ctx.out = capture, call, own, out
        return out.detach()

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        capture, own = ctx.capture, ctx.own
        calls = capture.add("attention backward", lambda: [ctx.call.problem(capture.place, *own[:3], True, True)])
        wanted = [t for t in own if t is not None and t.requires_grad]
        with capture.silence():
            found = capture.timed(
                calls, _real_device(grad), lambda: torch.autograd.grad(ctx.out, wanted, grad, retain_graph=True)
            )
        grads = iter(found)
        return (None, None, None, *(next(grads) if t is not None and t.requires_grad else None for t in own))


def _real_device(tensor: Any) -> torch.device:
    """Return the device whose clock times an operator; that of fake tensors is none."""
    return torch.device("meta") if type(tensor).__name__ == "FakeTensor" else tensor.device


@contextlib.contextmanager
def _plans_of(capture: Capture) -> Iterator[None]:
    """Record what tilewright's own functions plan, in every dispatcher. Nothing is in their way otherwise."""
    plan = Dispatcher.plan

    def recorded(self: Dispatcher, problem: Problem) -> Plan:
        if capture.is_silent:
            return plan(self, problem)
        capture.add(f"tilewright.{problem.op}", lambda: [problem])
        with capture.silence():  # a padded problem plans another one
            return plan(self, problem)

    def keep(self: Dispatcher, value: PreparedCalls) -> None:
        self.__dict__["calls"] = value

    Dispatcher.plan = recorded  # type: ignore[method-assign]
    # No call is prepared: each plans. The dispatchers' own prepared calls are there again afterwards.
    setattr(Dispatcher, "calls", property(lambda self: PreparedCalls(), keep))  # noqa: B010 - not as its type says
    try:
        yield
    finally:
        Dispatcher.plan = plan  # type: ignore[method-assign]
        delattr(Dispatcher, "calls")


@contextlib.contextmanager
def _eager() -> Iterator[None]:
    """Run compiled functions as they are written, and encoders without torch's own fused layers."""
    with contextlib.ExitStack() as stack:
        if "torch._dynamo" in sys.modules:  # something may be compiled already; importing it takes seconds
            stack.enter_context(torch.compiler.set_stance("force_eager"))
        stack.callback(setattr, torch, "compile", torch.compile)
        torch.compile = _uncompiled
        stack.callback(torch.backends.mha.set_fastpath_enabled, torch.backends.mha.get_fastpath_enabled())
        torch.backends.mha.set_fastpath_enabled(False)
        yield


def _uncompiled(model: Any = None, **options: Any) -> Any:
    return model if model is not None else lambda function: function


@contextlib.contextmanager
def capture(path: str | os.PathLike[str] | None = None, *, device: str | None = None) -> Iterator[Capture]:
    """Record every product, convolution and attention of the torch code in the block, gradients included.

    With `path`, a problem file is written at the end, also if the block fails. Meta and fake tensors are recorded
    without times. `device` is the place of the problems instead of that of the tensors: a net on meta tensors gives
    the problems of a GPU with "cuda". The code must run in this thread; `torch.compile` has no effect in the block.

    >>> import torch
    >>> with capture(device="cuda") as found:
    ...     _ = torch.nn.Linear(64, 32, device="meta")(torch.empty(8, 64, device="meta"))
    >>> [(c.problem.label(), c.problem.device, c.count, c.time_ms) for c in found.calls]
    [('gemm 8x32x64 fp32_rcr_add-d1', 'cuda:0', 1, None)]
    """
    found = Capture(device)
    try:
        with _plans_of(found), _eager(), _Operators(found), _Functions(found):
            yield found
    finally:
        if path is not None:
            found.write(path)
