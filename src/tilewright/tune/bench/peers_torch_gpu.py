"""torch's products on a GPU, each with its own output: cuBLAS products, scaled and integer ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...model.tensor import Tensors
from ...ops.gemm.on_device import activated, activation_of, gone_back
from ...ops.gemm.problem import GemmProblem
from .peers import PeerCall, Unable

EIGHT_BIT = ("fp8", "bf8")


def prepare_on_gpu(torch: Any, problem: GemmProblem, tensors: Tensors) -> PeerCall | Unable:
    """Return the product and its epilogue by torch's own operators, or why it has none."""
    if problem.b_format != "plain":
        return Unable("torch does not read this packed format")
    out = torch.empty_like(tensors["out"]).zero_()
    if problem.dtype_a in EIGHT_BIT:
        return _scaled(torch, problem, tensors, out)
    if problem.scale_a != "none" or problem.scale_b != "none":
        return Unable(f"torch has no scaled product of {problem.dtype_a}")
    if problem.dtype_a == "int8":
        return _integer(torch, problem, tensors, out)
    types = {problem.dtype_a, problem.dtype_b, problem.dtype_out, *(d.dtype for d in problem.d)}
    if len(types) > 1:
        return Unable(f"torch has no product of {'/'.join(sorted(types))}")
    return _plain(torch, problem, tensors, out)


def tried(call: Callable[[], Any], out: Any, what: str) -> PeerCall | Unable:
    """Return the call, if torch accepts it."""
    try:
        call()
    except (RuntimeError, ValueError) as error:
        return Unable(f"{what}: {str(error).splitlines()[0][:160]}")
    return PeerCall(call, out, what)


def _plain(torch: Any, problem: GemmProblem, t: Mapping[str, Any], out: Any) -> PeerCall | Unable:
    a, b, e = t["a"], t["b"], problem.epilogue
    if problem.batch > 1:
        a, b = (x.expand(problem.batch, *x.shape[-2:]) for x in (a, b))
    multiply = torch.bmm if problem.batch > 1 else torch.mm
    if not problem.d and e.activation == "none" and e.alpha == 1.0:
        return tried(lambda: multiply(a, b, out=out), out, f"torch.{multiply.__name__}(out=)")
    # cuBLAS adds a bias of one dimension inside of the product.
    bias = problem.d and problem.d[0].broadcast == "row" and e.adds(0) and e.alpha == e.beta == 1.0
    if bias and len(problem.d) == 1 and problem.batch == 1:
        d0 = t["d0"].reshape(-1)
        if e.activation == "none":
            return tried(lambda: torch.addmm(d0, a, b, out=out), out, "torch.addmm(out=)")
        activate = activation_of(e.activation)
        return tried(lambda: activate(torch.addmm(d0, a, b)), out, f"torch.addmm, then {e.activation}")
    steps = sequence(torch, problem, t)
    return tried(lambda: steps(a, b), out, "torch: product and epilogue, one operator each")


def sequence(torch: Any, problem: GemmProblem, t: Mapping[str, Any]) -> Callable[[Any, Any], Any]:
    """Return the problem as a function of A and B, one torch operator per step."""
    e, operands = problem.epilogue, [t[f"d{i}"] for i in range(len(problem.d))]

    def steps(a: Any, b: Any) -> Any:
        x = torch.matmul(a, b)
        return e.finished(x if e.alpha == 1.0 else x * e.alpha, (), operands, activated, gone_back)[0]

    return steps


def _integer(torch: Any, problem: GemmProblem, t: Mapping[str, Any], out: Any) -> PeerCall | Unable:
    e = problem.epilogue
    if problem.batch > 1 or problem.d or e.activation != "none" or e.alpha != 1.0 or problem.dtype_out != "int32":
        return Unable("torch._int_mm takes no batch and no epilogue, and gives int32")
    return tried(lambda: torch._int_mm(t["a"], t["b"], out=out), out, "torch._int_mm(out=)")


def _scaled(torch: Any, problem: GemmProblem, t: Mapping[str, Any], out: Any) -> PeerCall | Unable:
    """Return torch._scaled_mm, with sums in the tensor cores like ours."""
    if problem.batch > 1 or problem.d or problem.epilogue.activation != "none" or problem.epilogue.alpha != 1.0:
        return Unable("torch._scaled_mm takes no batch and no epilogue")
    kinds = (problem.scale_a, problem.scale_b)
    one = torch.ones((), device=out.device)
    if kinds == ("row", "row"):
        sa, sb = t["scale_a"].reshape(-1, 1), t["scale_b"].reshape(1, -1)
    elif kinds == ("block", "block"):
        # It needs the factors of A with contiguous rows, those of B with contiguous k.
        sa, sb = t["scale_a"].T.contiguous().T, t["scale_b"].T.contiguous().T
    elif set(kinds) <= {"none", "tensor"}:
        sa, sb = (t[r].reshape(()) if r in t else one for r in ("scale_a", "scale_b"))
    else:
        return Unable(f"torch._scaled_mm has no scales {kinds[0]} and {kinds[1]}")
    fast = "block" not in kinds
    call = lambda: torch._scaled_mm(  # noqa: E731
        t["a"], t["b"], sa, sb, out_dtype=out.dtype, use_fast_accum=fast, out=out
    )
    return tried(call, out, "torch._scaled_mm(out=)")
