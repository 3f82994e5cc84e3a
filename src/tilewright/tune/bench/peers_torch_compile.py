"""torch.compile as a peer: product and epilogue as one compiled function, for problems that have an epilogue."""

from __future__ import annotations

from typing import Any

from ...model.problem import Problem
from ...model.tensor import Tensors
from ...ops.gemm.on_device import activated, gone_back
from ...ops.gemm.problem import GemmProblem
from .peers import PeerCall, Unable, not_compared
from .peers_torch import TorchPeer


class TorchCompilePeer(TorchPeer):
    """The product and its epilogue compiled by `torch.compile` on a GPU."""

    name = "torch_compile"

    def __init__(self) -> None:
        super().__init__()
        self._compiled: dict[str, Any] = {}

    def prepare(self, problem: Problem, tensors: Tensors) -> PeerCall | Unable:
        """Return the compiled function on these tensors; each signature and size is compiled once."""
        if not isinstance(problem, GemmProblem) or problem.device == "cpu":
            return Unable("torch.compile is compared only on a GPU, for gemm")
        if problem.epilogue.activation == "none" and not problem.d:
            return Unable("torch.compile has nothing to fuse with this product")
        if problem.scale_a != "none" or problem.scale_b != "none" or problem.b_format != "plain":
            return Unable("torch.compile is compared only on plain operands")
        reason = not_compared(problem)
        if reason is not None:
            return Unable(reason)
        torch, e = self._torch, problem.epilogue

        def whole(a: Any, b: Any, *d: Any) -> Any:
            x = torch.matmul(a, b) * e.alpha if e.alpha != 1.0 else torch.matmul(a, b)
            return e.finished(x, (), d, activated, gone_back)[0]

        compiled = self._compiled.setdefault(problem.exact_key, torch.compile(whole))
        operands = [tensors["a"], tensors["b"], *(tensors[f"d{i}"] for i in range(len(problem.d)))]
        try:
            out = compiled(*operands)
        except Exception as error:  # a separate compiler: it may raise anything
            return Unable(f"torch.compile: {str(error).splitlines()[0][:160]}")
        return PeerCall(lambda: compiled(*operands), out, "torch.compile(product and epilogue)")


PEER = TorchCompilePeer
