"""GEMM tensors on a GPU through torch: new random ones, and the reference for large results.

The reference is the float64 product of the GPU's own library. Before it is trusted for a signature, it is compared with
NumPy's on a small problem of that signature.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import DeviceError, MissingExtraError, ProblemError, VerificationError
from ...model.device import memory_of
from ...model.dtype import get_dtype
from ...model.op import Expected
from ...model.problem import Problem
from ...model.tensor import Tensors
from ..device_drift import drift_of, drift_sums, shares_of
from ..tensors import poison
from ..tolerance import Tolerance
from ..verify import Verification
from .groups import random_ends, ranges_of
from .problem import GemmProblem
from .reference import expected as host_expected

CHUNK_BYTES = 1 << 30  # of one float64 temporary; rows are compared in pieces of this size
REFERENCE_ERROR = 1e-11  # of the two float64 references, as a share of the magnitude


def torch_module(why: str) -> Any:
    """Return torch, or raise an error that names the extra."""
    try:
        import torch
    except ImportError:
        raise MissingExtraError("torch", extra="torch", why=why) from None
    return torch


def torch_dtype(name: str) -> Any:
    """Return the torch dtype that stores `name`."""
    torch = torch_module("to hold tensors on a GPU")
    found = getattr(torch, get_dtype(name).numpy or "", None)
    if found is None:
        raise ProblemError(f"torch has no dtype for {name}", remedy="use a dtype of 8 bits or more")
    return found


def random_tensors(problem: GemmProblem, seed: int) -> dict[str, Any]:
    """Return new tensors of every role on the problem's device; `out` is filled with a poison value."""
    return drawn_on_device(problem, seed, _draw)


def drawn_on_device(problem: Problem, seed: int, draw: Callable[[Any, str, Any], Any]) -> dict[str, Any]:
    """Return what `draw(problem, role, generator)` gives for every role; raise an error if memory is too small."""
    torch = torch_module("to make tensors on a GPU")
    if memory_of(problem.device) != "cpu" and not torch.cuda.is_available():
        raise DeviceError(f"torch finds no GPU for tensors on {problem.device!r}", remedy="see `tilewright doctor`")
    generator = torch.Generator(device=memory_of(problem.device)).manual_seed(seed)
    try:
        return {role: draw(problem, role, generator) for role in problem.roles}
    except torch.OutOfMemoryError as error:
        raise out_of_memory(problem, error) from None


def out_of_memory(problem: Problem, error: Exception) -> DeviceError:
    """Return the error for tensors that do not fit."""
    said = str(error).split(". ")[0]
    return DeviceError(
        f"{problem.label()} needs {problem.bytes:,} bytes on {problem.device}, which are not free ({said})",
        remedy="free GPU memory, or use a smaller problem",
    )


def _draw(problem: GemmProblem, role: str, generator: Any) -> Any:
    if role == "ends":
        torch = torch_module("to make tensors on a GPU")
        ends = random_ends(problem, np.random.default_rng(generator.initial_seed()))
        return torch.from_numpy(ends).to(memory_of(problem.device))
    if role.startswith("scale"):
        torch = torch_module("to make tensors on a GPU")
        return torch.rand(problem.shape(role), generator=generator, device=memory_of(problem.device)) + 0.5
    shape = (problem.matrices(role), *problem.shape(role))
    x = fresh(role, shape, problem.stride(role), problem.dtype(role), generator, poisoned=role == "out")
    return x[0] if problem.batch == 1 and not (role == "b" and problem.groups) else x


def fresh(
    role: str, shape: Sequence[int], strides: Sequence[int], dtype: str, generator: Any, *, poisoned: bool
) -> Any:
    """Return a tensor of random numbers on the generator's device, or of poison; shared addresses are drawn once."""
    torch = torch_module("to make tensors on a GPU")
    place, kind = {"device": generator.device}, get_dtype(dtype).kind
    if min(strides) < 0:
        raise ProblemError(f"{role} has strides {strides}; torch has no negative ones", remedy="run it on the CPU")
    x = torch.empty_strided(shape, strides, dtype=torch_dtype(dtype), **place)
    drawn = x[tuple(slice(1) if step == 0 else slice(None) for step in strides)]
    if poisoned:
        x.fill_(poison(dtype))
    elif kind == "int":
        drawn.copy_(torch.randint(-100, 101, drawn.shape, generator=generator, **place))
    elif x.element_size() > 1:
        drawn.normal_(generator=generator)
    else:
        drawn.copy_(torch.randn(drawn.shape, generator=generator, **place))
    return x


def to_host(tensors: Tensors) -> dict[str, Any]:
    """Return the tensors as float64 NumPy arrays (integers too: all of ours are exact in float64)."""
    return {role: x.detach().double().cpu().numpy() for role, x in tensors.items()}


def verify(
    problem: GemmProblem, tensors: Tensors, out: Any, tolerance: Tolerance, tier: str = "device"
) -> Verification:
    """Compare every element of `out` with the GPU's float64 product, some rows at a time."""
    torch = torch_module("to compute a reference on the GPU")
    check_reference(problem)
    try:
        return _verify_rows(problem, tensors, out, tolerance, tier)
    except torch.OutOfMemoryError as error:
        raise out_of_memory(problem, error) from None


def _verify_rows(problem: GemmProblem, tensors: Tensors, out: Any, tolerance: Tolerance, tier: str) -> Verification:
    rows = max(1, CHUNK_BYTES // (8 * max(problem.n, problem.k, 1) * max(problem.batch, 1)))
    b = scaled_b(problem, tensors)
    worst: tuple[float, float, float, tuple[int, ...]] = (0.0, 0.0, 0.0, ())
    largest, repeats = 0.0, 1.0
    sums: Any = 0.0
    for start in range(0, problem.m, rows):
        value, magnitude = expected_rows(problem, tensors, b, slice(start, min(start + rows, problem.m)))
        part = out[..., start : start + rows, :]
        difference, bound = _differences(value, magnitude, part, tolerance, problem)
        sums += drift_sums(value, magnitude, part.double(), tolerance, problem.dtype_out, out.dtype)
        repeats = max(repeats, shares_of(value))
        ratio = (difference / bound).nan_to_num(nan=float("inf"), posinf=float("inf"))
        ratio[difference == 0] = 0.0
        flat = int(ratio.argmax())
        found = float(ratio.flatten()[flat])
        largest = max(largest, float(difference.max()))
        if found > worst[0] or not worst[3]:
            place = _unravel(flat, tuple(ratio.shape))
            place = (*place[:-2], place[-2] + start, place[-1])
            worst = (found, float(difference.flatten()[flat]), float(bound.flatten()[flat]), place)
    outcome = Verification(worst[0] <= 1.0, tier, largest, worst[1], worst[2], worst[0], worst[3])
    shared = drift_of(sums, repeats, tolerance.bias, problem.dtype_out) if problem.m and tolerance.length else []
    return outcome.with_drift(shared)


def _differences(value: Any, magnitude: Any, out: Any, tolerance: Tolerance, problem: GemmProblem) -> tuple[Any, Any]:
    """Return (difference, bound) of each element: NaN and infinity must be where the reference has them."""
    got = out.double()
    bound = tolerance.bound_of(value, magnitude)
    top = get_dtype(problem.dtype_out).max_value
    over = value.abs() + bound >= top * (1 - tolerance.u_out)
    near_top = ~got.isfinite() | (got.abs() >= top * (1 - 2 * tolerance.u_out))
    same = (got == value) | (got.isnan() & value.isnan()) | (over & near_top)
    difference = (got - value).abs().nan_to_num(nan=float("inf"))
    difference[same] = 0.0
    return difference, bound


def _unravel(flat: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    place = []
    for extent in reversed(shape):
        place.append(flat % extent)
        flat //= extent
    return tuple(reversed(place))


def scaled_b(problem: GemmProblem, tensors: Tensors) -> Any:
    """Return B in float64, multiplied by its factors if those belong to blocks."""
    b = tensors["b"].double()
    if problem.scale_b == "block":
        size = problem.scale_block
        factors = tensors["scale_b"].double().repeat_interleave(size, 0)[: problem.k]
        b = b * factors.repeat_interleave(size, 1)[:, : problem.n]
    return b


def expected_rows(problem: GemmProblem, tensors: Tensors, b: Any, rows: slice) -> tuple[Any, Any]:
    """Return (value, magnitude) of some rows, as `reference.expected` defines them."""
    e, a = problem.epilogue, tensors["a"][..., rows, :].double()
    if problem.scale_a == "block":
        a = a * tensors["scale_a"][rows].double().repeat_interleave(problem.scale_block, 1)[:, : problem.k]
    scale = e.alpha * a.new_ones((1, 1))
    if problem.scale_a in ("tensor", "row"):
        factors = tensors["scale_a"].double().reshape(-1, 1)
        scale = scale * (factors[rows] if problem.scale_a == "row" else factors)
    if problem.scale_b in ("tensor", "row"):
        scale = scale * tensors["scale_b"].double().reshape(1, -1)
    value, magnitude = _products(problem, tensors, a, b, rows.start)
    value, magnitude = scale * value, scale.abs() * magnitude
    given = (tensors[f"d{i}"].double() for i in range(len(problem.d)))
    operands = (d[..., rows, :] if d.shape[-2] == problem.m and problem.m > 1 else d for d in given)
    value, magnitude = e.finished(value, (magnitude,), operands, activated, gone_back)
    return value, magnitude


def _products(problem: GemmProblem, tensors: Tensors, a: Any, b: Any, first: int) -> tuple[Any, Any]:
    """Return A*B and the product of sizes; the rows of A begin at `first` of the problem."""
    if not problem.groups:
        return a @ b, a.abs() @ b.abs()
    value, magnitude = a.new_zeros((len(a), problem.n)), a.new_zeros((len(a), problem.n))
    for g, start, stop in ranges_of(problem, tensors["ends"].tolist()):
        rows = slice(max(0, start - first), max(0, stop - first))
        value[rows], magnitude[rows] = a[rows] @ b[g], a[rows].abs() @ b[g].abs()
    return value, magnitude


def activated(x: Any, name: str) -> Any:
    """Return an activation applied to a torch tensor."""
    return activation_of(name)(x)


def gone_back(gradient: Any, x: Any, name: str) -> Any:
    """Return the gradient of an activation's input x for that of its result, by torch."""
    aten = torch_module("to compute a reference on the GPU").ops.aten
    table: dict[str, Callable[[Any, Any], Any]] = {
        "relu": lambda g, x: aten.threshold_backward(g, x, 0),
        "gelu_erf": aten.gelu_backward,
        "gelu_tanh": lambda g, x: aten.gelu_backward(g, x, approximate="tanh"),
        "sigmoid": lambda g, x: aten.sigmoid_backward(g, x.sigmoid()),
        "tanh": lambda g, x: aten.tanh_backward(g, x.tanh()),
        "silu": aten.silu_backward,
        "relu6": lambda g, x: aten.hardtanh_backward(g, x, 0.0, 6.0),
        "hard_swish": aten.hardswish_backward,
    }
    return table[name](gradient, x if x.shape == gradient.shape else x.expand(gradient.shape))


def activation_of(name: str) -> Callable[[Any], Any]:
    """Return torch's function of an activation."""
    torch = torch_module("to compute a reference on the GPU")
    f = torch.nn.functional
    table: dict[str, Callable[[Any], Any]] = {
        "none": lambda x: x,
        "relu": f.relu,
        "gelu_erf": f.gelu,
        "gelu_tanh": lambda x: f.gelu(x, approximate="tanh"),
        "sigmoid": torch.sigmoid,
        "tanh": torch.tanh,
        "silu": f.silu,
        "relu6": f.relu6,
        "hard_swish": f.hardswish,
    }
    return table[name]


def check_reference(problem: GemmProblem) -> None:
    """Raise if the GPU's float64 reference differs from NumPy's on a small problem like this one."""
    small = replace(problem, m=48, n=40, k=200, batch=1, strides={}, alignment={}, split_k=None)

    def both() -> tuple[Any, Expected]:
        tensors = random_tensors(small, 1)
        value, _ = expected_rows(small, tensors, scaled_b(small, tensors), slice(0, small.m))
        return value, host_expected(small, to_host(tensors))

    compare_references(small.exact_key, problem.device, both)


_ERRORS: dict[Any, float] = {}  # of references, by what they were compared on


def compare_references(key: Any, device: str, both: Callable[[], tuple[Any, Expected]]) -> None:
    """Raise if a GPU's reference differs from NumPy's; `both` computes the two values, once for each `key`."""
    if key not in _ERRORS:
        value, want = both()
        _ERRORS[key] = float((abs(value.cpu().numpy() - want.value) / (want.magnitude + 1e-300)).max())
    if not _ERRORS[key] <= REFERENCE_ERROR:
        raise VerificationError(
            f"the reference on {device} differs from NumPy's by {_ERRORS[key]:.1e} of the magnitude",
            remedy="verify with --tier float64, and report the GPU and torch version",
        )
