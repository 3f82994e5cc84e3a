"""PyTorch as a peer: `mm`, `bmm`, `addmm`, `_int_mm` with `out=`, and in-place functions after them.

On a GPU those are cuBLAS's, and `peers_torch_gpu` adds the scaled products that torch has only there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ...backends.vendor.gemm.calls import activation as in_place
from ...errors import MissingExtraError
from ...model.dtype import get_dtype
from ...model.problem import Problem
from ...model.tensor import Tensors
from ...ops.conv.problem import ConvProblem
from ...ops.fmha.problem import FmhaProblem
from ...ops.gemm.problem import GemmProblem
from .peers import PeerCall, Unable, not_compared

FLOATS = ("fp32", "fp64", "bf16", "fp16")


class TorchPeer:
    """PyTorch, whose fp32 products are MKL's and whose 16-bit ones are oneDNN's."""

    name = "torch"

    def __init__(self) -> None:
        try:
            import torch
        except ImportError:
            raise MissingExtraError("torch", extra="torch", why="to compare with PyTorch") from None
        self._torch = torch

    def version(self) -> str:
        """Return PyTorch's version and its backends."""
        torch = self._torch
        if torch.cuda.is_available():
            return f"torch {torch.__version__} (CUDA {torch.version.cuda}, {torch.cuda.get_device_name()})"
        has = [n for n, m in (("MKL", torch.backends.mkl), ("oneDNN", torch.backends.mkldnn)) if m.is_available()]
        return f"torch {torch.__version__} ({', '.join(has) or 'no BLAS'})"

    def limit_threads(self, threads: int) -> str | None:
        """Set torch's own threads."""
        self._torch.set_num_threads(threads)
        return None

    def prepare(self, problem: Problem, tensors: Tensors) -> PeerCall | Unable:
        """Return the product and its epilogue, or why torch has none."""
        if problem.device == "cpu" and any(step < 0 for t in tensors.values() for step in t.strides):
            return Unable("torch has no negative strides")
        if isinstance(problem, ConvProblem):
            from .peers_torch_conv import prepare_conv

            return prepare_conv(self._torch, self._tensor, problem, tensors)
        if isinstance(problem, FmhaProblem):
            from .peers_torch_fmha import prepare_fmha

            return prepare_fmha(self._torch, self._tensor, problem, tensors)
        if not isinstance(problem, GemmProblem):
            return Unable(f"no torch call is known for {problem.op}")
        reason = not_compared(problem)
        if reason is not None:
            return Unable(reason)
        if problem.device != "cpu":
            from .peers_torch_gpu import prepare_on_gpu

            return prepare_on_gpu(self._torch, problem, tensors)
        reason = _cannot(problem)
        if reason:
            return Unable(reason)
        return self._int_gemm(problem, tensors) if problem.dtype_a == "int8" else self._gemm(problem, tensors)

    def _int_gemm(self, problem: GemmProblem, tensors: Tensors) -> PeerCall | Unable:
        torch = self._torch
        a, b = self._tensor(tensors["a"]), self._tensor(tensors["b"])
        out = self._zeros(tensors["out"])
        try:
            torch._int_mm(a, b, out=out)
        except RuntimeError as error:
            return Unable(f"torch._int_mm: {str(error).splitlines()[0]}")
        return PeerCall(lambda: torch._int_mm(a, b, out=out), self._numpy(out, tensors), "torch._int_mm(out=)")

    def _gemm(self, problem: GemmProblem, tensors: Tensors) -> PeerCall:
        torch, epilogue = self._torch, problem.epilogue
        a, b, out = self._tensor(tensors["a"]), self._tensor(tensors["b"]), self._zeros(tensors["out"])
        d = [self._tensor(tensors[f"d{i}"]) for i in range(len(problem.d))]
        if problem.batch > 1:
            a, b = (x.expand(problem.batch, *x.shape[-2:]) for x in (a, b))
        fused = len(d) > 0 and epilogue.adds(0)
        product: Callable[[], Any]
        if fused:
            add = torch.baddbmm if problem.batch > 1 else torch.addmm
            product = lambda: add(d[0], a, b, beta=epilogue.beta, alpha=epilogue.alpha, out=out)  # noqa: E731
        else:
            multiply = torch.bmm if problem.batch > 1 else torch.mm
            product = lambda: multiply(a, b, out=out)  # noqa: E731
        after = self._after(problem, out, d, fused)
        what = f"torch.{(add if fused else multiply).__name__}(out=)"
        if not after:
            return PeerCall(product, self._numpy(out, tensors), what)

        def call() -> None:
            product()
            for step in after:
                step()

        return PeerCall(call, self._numpy(out, tensors), f"{what} and {len(after)} calls in place")

    def _after(self, problem: GemmProblem, out: Any, d: list[Any], fused: bool) -> list[Callable[[], Any]]:
        epilogue = problem.epilogue
        steps: list[Callable[[], Any]] = []
        if not fused and epilogue.alpha != 1.0:
            steps.append(lambda: out.mul_(epilogue.alpha))
        for i, operand in enumerate(d):
            if i == 0 and fused:
                continue
            if i == 0 and epilogue.beta != 1.0:
                steps.append(lambda: out.mul_(epilogue.beta))
            steps.append(partial(out.add_ if epilogue.adds(i) else out.mul_, operand))
        activate = in_place(self._torch, epilogue.activation)
        if activate is not None:
            steps.append(partial(activate, out))
        return steps

    def _tensor(self, array: Any) -> Any:
        """Return a torch tensor over the memory of a NumPy array (bf16 as 16-bit integers), or the tensor itself."""
        torch = self._torch
        if isinstance(array, torch.Tensor):
            return array
        if array.dtype.name == "bfloat16":
            return torch.from_numpy(array.view("int16")).view(torch.bfloat16)
        return torch.from_numpy(array)

    def _zeros(self, like: Any) -> Any:
        """Return a touched output with the dtype, shape and strides of `like`."""
        source = self._tensor(like)
        return self._torch.empty_strided(source.shape, source.stride(), dtype=source.dtype).zero_()

    def _numpy(self, tensor: Any, tensors: Tensors) -> Any:
        dtype = tensors["out"].dtype
        return tensor.view(self._torch.int16).numpy().view(dtype) if dtype.name == "bfloat16" else tensor.numpy()


def _cannot(problem: GemmProblem) -> str | None:
    if problem.scale_a != "none" or problem.scale_b != "none":
        return "torch has no scaled product with out= on the CPU"
    if problem.b_format != "plain":
        return "torch does not read this packed format"
    types = (problem.dtype_a, problem.dtype_b, problem.dtype_out)
    if types == ("int8", "int8", "int32"):
        plain = not problem.d and problem.epilogue.activation == "none" and problem.epilogue.alpha == 1.0
        return None if plain and problem.batch == 1 else "torch._int_mm takes no batch and no epilogue"
    if len({*types, *(d.dtype for d in problem.d)}) > 1 or problem.dtype_a not in FLOATS:
        kinds = "/".join(dict.fromkeys((*types, *(d.dtype for d in problem.d))))
        return f"torch has no product of {kinds} on the CPU ({get_dtype(problem.dtype_a).bits}-bit operands)"
    if problem.epilogue.is_gradient:
        return "torch has no gradients of activations in place"
    return None


PEER = TorchPeer
