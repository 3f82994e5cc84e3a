"""One model of the zoo: torch, patched, fused and registered, each compared with torch in float64. Makes one row."""

from __future__ import annotations

import contextlib
import copy
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from compiled_graphs import graph_backend
from torch import nn
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode
from zoo_entry import Entry, converted, floats, prepared
from zoo_judge import Result, dither, judge, right_points
from zoo_run import NOT_RUN, TORCH_WRONG
from zoo_steps import Points, jumps_of, move, points_of

import tilewright.torch as tt
from tilewright.torch.compile.backend import register
from tilewright.torch.modules import Taken

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
TOKENS = 5  # that `generate` makes
CACHES = {"dynamic": None, "static": "static"}
PRODUCTS = ("aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::convolution",
            "aten::scaled_dot_product_attention")  # fmt: skip
Tensor = torch.Tensor
Task = Callable[[nn.Module], Result]


class Largest(TorchDispatchMode):
    """Notes the largest finite number of a dtype that torch computes meanwhile, also in a backward pass.

    Parts that a model of another dtype computes in fp32 do not count, and neither does memory that is not filled yet.
    """

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self.dtype, self.value = dtype, 0.0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call the operation, and look at its results."""
        found = func(*args, **(kwargs or {}))
        results = found if isinstance(found, (tuple, list)) else (found,)
        for x in () if "empty" in str(func) else results:
            if isinstance(x, Tensor) and x.dtype is self.dtype and x.numel():
                self.value = max(self.value, float(torch.where(x.isfinite(), x.abs(), 0.0).max()))
        return found


class Zookeeper:
    """Runs one entry in one dtype, and keeps what it finds for the row."""

    def __init__(self, entry: Entry, model: nn.Module, dtype: torch.dtype, device: str, compile: str = "") -> None:
        self.entry, self.dtype, self.device, self.compile = entry, dtype, device, compile
        self.taken = Counter[bool]()  # nodes of compiled graphs
        self.model = model.to(dtype).to(device)
        self.inputs = converted(entry.inputs(), dtype, device)
        self.buffers = [(b, b.detach().clone()) for b in self.model.buffers()]
        self.checks: dict[str, dict[str, Any]] = {}
        self.skipped: dict[str, str] = {}
        self.errors: dict[str, str] = {}
        self.seconds: Counter[str] = Counter()
        self.precise: dict[str, Result] = {}
        self.plain: dict[str, Result] = {}
        self.points: Points = {}  # of the last training step
        self.torchs_points: Points = {}
        self.exact_points: Points = {}
        self.exact_dtype = torch.float64
        self.at_torchs_steps: Result | None = None

    def run(self) -> None:
        """Run every task in every way."""
        tasks = self._tasks()
        self._reference(tasks)
        for name in list(tasks):
            self._plain(name, tasks[name])
        tasks = {name: task for name, task in tasks.items() if name in self.plain}
        if self.compile:
            self._way(f"compiled ({self.compile})", tasks, self._compiled)
            return
        self._way("patched", tasks, lambda: tt.patch(self.model))
        self._way("fused", {n: t for n, t in tasks.items() if n != "step"}, self._fused)
        if getattr(self.model, "_supports_attention_backend", False):
            self._way("registered", tasks, self._registered)

    def _tasks(self) -> dict[str, Task]:
        found: dict[str, Task] = {"forward": self._forward}
        if self.entry.step is not None:
            found["step"] = self._step
        if self.entry.prompt is not None and not self.compile:
            found |= {f"generate {cache}": self._generate(name) for cache, name in CACHES.items()}
        return found

    def _forward(self, model: nn.Module) -> Result:
        model.eval()
        torch.manual_seed(0)
        with torch.no_grad():
            return _kept(self.entry.forward(model, self._like(model)))

    def _step(self, model: nn.Module, points: Points | None = None) -> Result:
        """Return outputs and gradients of a training step; buffers are as before.

        With `points`, derivatives that jump are taken there.
        """
        assert self.entry.step is not None
        model.train()
        torch.manual_seed(0)
        outputs = dict(floats(self.entry.step(model, self._like(model))))
        wanted = {name: x for name, x in outputs.items() if x.requires_grad}
        jumps = jumps_of(wanted.values())
        self.points = points_of(jumps)
        if points is not None:
            move(jumps, points, points)
        torch.autograd.backward(list(wanted.values()), [self._cotangent(x) for x in wanted.values()])
        found = _kept(outputs)
        found |= _kept({f"grad {n}": p.grad for n, p in model.named_parameters() if p.grad is not None})
        model.zero_grad(set_to_none=True)
        if model is self.model:
            with torch.no_grad():
                for buffer, before in self.buffers:
                    buffer.copy_(before)
        return found

    def _cotangent(self, x: Tensor) -> Tensor:
        """Return a random gradient of an output: the same numbers in every dtype."""
        generator = torch.Generator().manual_seed(x.numel())
        return torch.randn(x.shape, generator=generator).to(self.dtype).to(x.device, x.dtype)

    def _generate(self, cache: str | None) -> Task:
        def generate(model: Any) -> Result:
            assert self.entry.prompt is not None
            model.eval()
            torch.manual_seed(0)
            prompt = converted(self.entry.prompt(), _dtype_of(model), self.device)
            options: dict[str, Any] = {"cache_implementation": cache} if cache else {}
            if model.config.is_encoder_decoder:
                options["decoder_start_token_id"] = 1
            made = model.generate(
                **prompt, max_new_tokens=TOKENS, min_new_tokens=TOKENS, do_sample=False, num_beams=1, pad_token_id=0,
                return_dict_in_generate=True, output_logits=True, disable_compile=True, **options,
            )  # fmt: skip
            tokens = made.sequences[:, -TOKENS:]
            return {"tokens": tokens.cpu(), **{f"logits {i}": x.cpu() for i, x in enumerate(made.logits)}}

        return generate

    def _like(self, model: nn.Module) -> Any:
        return converted(self.inputs, _dtype_of(model))

    def _reference(self, tasks: dict[str, Task]) -> None:
        """Run the tasks in float64, or in fp32 if the model cannot do that."""
        for dtype in (torch.float64, torch.float32):
            wanted = [name for name in tasks if name not in self.precise]
            if not wanted:
                return
            model = copied(self.model).to(dtype)
            for name in wanted:
                with contextlib.suppress(Exception):
                    self.precise[name] = tasks[name](model)
                    if name == "step":
                        self.exact_dtype, self.exact_points = dtype, self.points

    def _plain(self, name: str, task: Task) -> None:
        start = time.perf_counter()
        try:
            self.plain[name] = task(self.model)
            if name == "step":
                self.torchs_points = self.points
        except Exception as error:
            self.skipped[name] = f"torch: {_sentence(error)}"
            return
        finally:
            self.seconds["torch"] += time.perf_counter() - start
        if name not in self.precise:
            self.skipped[name] = "torch computes it in no higher precision"
            del self.plain[name]

    @contextlib.contextmanager
    def _fused(self) -> Iterator[Any]:
        self.model.eval()
        with tt.patch(self.model, fuse=True) as patched:
            yield patched

    @contextlib.contextmanager
    def _compiled(self) -> Iterator[None]:
        """Compile the model with all that a kernel computes taken; "graph" runs the rewritten graphs as they are."""
        torch._dynamo.reset()
        report = tt.compile_report()
        report.clear()
        if self.compile == "graph":
            report = tt.CompileReport()
            self.model.compile(backend=graph_backend(report))
        else:
            self.model.compile(backend=register(), options={"tilewright.all": True})
        try:
            yield
        finally:
            self.model._compiled_call_impl = None
            self.taken.update(entry.taken for entry in report.entries)

    def _by_inductor(self, name: str, task: Task) -> dict[str, Any]:
        """Return the verdict on Inductor without our pass."""
        torch._dynamo.reset()
        self.model.compile()
        try:
            found = task(self.model)
        finally:
            self.model._compiled_call_impl = None
        return self._judged(name, task, found)

    @contextlib.contextmanager
    def _registered(self) -> Iterator[None]:
        tt.register_attention()
        model: Any = self.model
        before = model.config._attn_implementation
        model.set_attn_implementation("tilewright")
        try:
            yield
        finally:
            model.set_attn_implementation(before)

    def _way(self, way: str, tasks: dict[str, Task], opened: Callable[[], Any]) -> None:
        before = [type(module) for module in self.model.modules()]
        start = time.perf_counter()
        for name, task in tasks.items():
            try:
                with opened():
                    ours = task(self.model)
                found = self._judged(name, task, ours)
                if "wrong" in found and self.compile == "inductor" and "wrong" in self._by_inductor(name, task):
                    self.skipped[f"{way} {name}"] = TORCH_WRONG
                    continue
                self.checks[f"{way} {name}"] = found
            except Exception as error:
                self.errors[f"{way} {name}"] = f"{_sentence(error)} ({_place(error)})"
        self.seconds[way] += time.perf_counter() - start
        if before != [type(module) for module in self.model.modules()]:
            self.errors[f"{way} undo"] = "classes of layers are not as before"

    def _judged(self, name: str, task: Task, ours: Result) -> dict[str, Any]:
        torchs, reference = self.plain[name], self.precise[name]
        if name.startswith("generate"):
            found = [_common(result, reference) for result in (ours, torchs, reference)]
            ours, torchs, reference = ({n: x[n] for n in x if n in found[0] and n in found[1]} for x in found)
        torchs_reference = None
        if name == "step":
            reference, torchs_reference = self._at_steps()
        dithered = partial(self._dithered, name, task)
        overflows = partial(self._overflows, task)
        return judge(ours, torchs, reference, self.dtype, dithered, overflows, torchs_reference).to_dict()

    def _at_steps(self) -> tuple[Result, Result]:
        """Return the exact training step with derivatives that jump where ours took them, and where torch did."""
        ours = self.points
        right = right_points(ours, self.torchs_points, self.exact_points, self.dtype)
        if self.at_torchs_steps is None:
            self.at_torchs_steps = self._exact_at(self.torchs_points)
        return self._exact_at({name: ours[name] for name in right}), self.at_torchs_steps

    def _exact_at(self, points: Points) -> Result:
        """Return the exact training step with derivatives that jump where another computation took them."""
        exact = self.exact_points
        if not all(name in exact and exact[name].shape == x.shape for name, x in points.items()):
            return self.precise["step"]  # it went another way
        return self._step(copied(self.model).to(self.exact_dtype), points)

    def _overflows(self, task: Task) -> bool:
        """Return whether the dtype has no room for a value of the exact computation: there, infinity is as good."""
        for dtype in (torch.float64, torch.float32):
            with contextlib.suppress(Exception), Largest(dtype) as found:  # as `_reference`: some cannot do float64
                task(copied(self.model).to(dtype))
                return found.value > torch.finfo(self.dtype).max
        return False

    def _dithered(self, name: str, task: Task, seed: int) -> tuple[Result, Result]:
        """Return torch's result from weights that differ by about half of their rounding, or by the multiple of it.

        The second result is the exact one, with the steps of the first.
        """
        size = dither(seed) * torch.finfo(self.dtype).eps / 2
        generator = torch.Generator().manual_seed(seed)
        kept = [p.detach().clone() for p in self.model.parameters()]
        with torch.no_grad():
            for p in self.model.parameters():
                if p.is_floating_point():
                    noise = torch.randn(p.shape, generator=generator).to(p.device)
                    p.copy_((p.float() * (1 + noise * size)).to(p.dtype))
        try:
            found = task(self.model)
        finally:
            with torch.no_grad():
                for p, before in zip(self.model.parameters(), kept, strict=True):
                    p.copy_(before)
        if name == "step":
            return found, self._exact_at(self.points)
        precise = self.precise[name]
        return (_common(found, precise), _common(precise, precise)) if name.startswith("generate") else (found, precise)

    def shares(self) -> dict[str, Any]:
        """Return how many layers, and calls of layers, products and attention of a forward pass, torch computes."""
        calls: Counter[bool] = Counter()
        with tt.patch(self.model) as patched:
            replaced = functional.scaled_dot_product_attention

            def counted(*args: Any, **options: Any) -> Any:
                calls[True] += 1
                return replaced(*args, **options)

            functional.scaled_dot_product_attention = counted
            hook = nn.modules.module.register_module_forward_pre_hook(
                lambda module, _: calls.update([isinstance(module, Taken)])
            )
            try:
                with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
                    self._forward(self.model)
            finally:
                hook.remove()
                functional.scaled_dot_product_attention = replaced
            report = patched.report
        left_calls = sum(report.left_calls.values())
        ours = calls[True] - left_calls
        torchs = sum(event.count for event in profile.key_averages() if event.key in PRODUCTS)
        layers = [e for e in report.entries if e.kind != "function"]
        return {
            "layers": len(layers),
            "layers_left": sum(not e.taken for e in layers),
            "calls": ours + torchs,
            "calls_left": torchs,
            "reasons": _reasons(report),
        }


def _reasons(report: Any) -> dict[str, int]:
    found: Counter[str] = Counter(e.reason for e in report.left)
    for (_, reason), count in report.left_calls.items():
        found[reason] += count
    return dict(found.most_common(6))


def _common(found: Result, reference: Result) -> dict[str, Tensor]:
    """Return the logits of each sequence up to the first token that differs: later ones have another past."""
    logits = {}
    for row, (tokens, expected) in enumerate(zip(found["tokens"], reference["tokens"], strict=True)):
        equal = (tokens == expected).long().cumprod(0).sum()
        for i in range(min(int(equal) + 1, TOKENS)):
            logits[f"logits {i} of {row}"] = found[f"logits {i}"][row]
    return logits


def _kept(tree: Any) -> dict[str, Tensor]:
    return {name: x.detach().clone() for name, x in floats(tree)}


def _dtype_of(model: nn.Module) -> torch.dtype:
    return next(p.dtype for p in model.parameters() if p.is_floating_point())


def _sentence(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"


def _place(error: BaseException) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{frame.filename.rpartition('/')[2]}:{frame.lineno}"


def copied(model: nn.Module) -> nn.Module:
    """Return a copy of a model. Results that a forward pass left in it (RAFT keeps its correlations) lose their graph,
    which cannot be copied."""
    kept = [x for m in model.modules() for v in vars(m).values() for x in (v if isinstance(v, (list, tuple)) else (v,))]
    return copy.deepcopy(model, {id(x): x.detach() for x in kept if isinstance(x, torch.Tensor) and not x.is_leaf})


def row_of(entry: Entry, dtypes: list[str], device: str, full: bool = False, compile: str = "") -> dict[str, Any]:
    """Return the row of an entry: right, wrong, error, `NOT_RUN` or `TORCH_WRONG`, with what was compared."""
    start = time.perf_counter()
    row: dict[str, Any] = {"model": entry.name, "device": device, "dtypes": dtypes, "verdict": "right"}
    checks, skipped, errors, seconds = {}, {}, {}, Counter[str]()
    model = prepared(entry, full)
    row["parameters"] = sum(p.numel() for p in model.parameters())
    attention = getattr(getattr(model, "config", None), "_attn_implementation", None)
    row |= {} if attention is None else {"attention": attention}
    for name in dtypes:
        keeper = Zookeeper(entry, copy.deepcopy(model), DTYPES[name], device, compile)
        keeper.run()
        for found, kept in ((keeper.checks, checks), (keeper.skipped, skipped), (keeper.errors, errors)):
            kept |= {f"{name} {key}": value for key, value in found.items()}
        seconds.update(keeper.seconds)
        if compile:
            row["nodes"] = row.get("nodes", 0) + keeper.taken.total()
            row["nodes_left"] = row.get("nodes_left", 0) + keeper.taken[False]
        elif "layers" not in row and "forward" in keeper.plain and "patched forward" in keeper.checks:
            row |= keeper.shares()
    row |= {"checks": checks, "skipped": skipped, "errors": errors}
    wrong = [key for key, check in checks.items() if "wrong" in check]
    if errors or not (checks or skipped):
        row["verdict"] = "error"
    elif wrong:
        row["verdict"] = "wrong"
    elif TORCH_WRONG in skipped.values():
        row["verdict"] = TORCH_WRONG
    elif not checks:
        row["verdict"] = NOT_RUN
    row["seconds"] = {k: round(v, 2) for k, v in {**seconds, "all": time.perf_counter() - start}.items()}
    return row
