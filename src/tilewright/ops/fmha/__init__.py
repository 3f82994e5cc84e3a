"""FMHA: fused multi-head attention, forward and backward: batched, ragged, split, paged and appended."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ...model.abi import AbiLayout
from ...model.device import memory_of
from ...model.op import Op
from ...model.problem import round_count, round_rows
from ...model.tensor import Tensors
from ..package_op import PackageOp
from .builder import FmhaBuilder
from .problem import FmhaProblem
from .rules import RULES
from .shapes import APPEND, BACKWARD, FORWARD, INDEX_ROLES, READ_ROLES
from .shapes import shape as shape_of
from .signature import FmhaSignature

if TYPE_CHECKING:
    from ..verify import Verification

__all__ = ["OP", "FmhaBuilder", "FmhaProblem", "FmhaSignature"]

SIZES = (
    "batch", "heads_q", "heads_kv", "seqlen_q", "seqlen_k", "hdim_q", "hdim_v", "total_q", "total_k", "window_left",
    "window_right", "sink_tokens", "bias_batch", "bias_heads", "page_size", "num_pages", "seqlen_new", "rotary_dim",
    "block_q", "block_k",
)  # fmt: skip
SCALARS = ("softmax_scale", "soft_cap", "dropout")


class FmhaOp(PackageOp[FmhaProblem]):
    """The attention operation, as generic code sees it."""

    name = "fmha"
    package = __name__
    signature_type = FmhaSignature
    extents: tuple[str, ...] = ("batch", "seqlen_q", "seqlen_k", "total_q", "total_k")
    rounding: tuple[Callable[[int], int], ...] = (round_count, round_rows, round_rows, round_rows, round_rows)
    also_called: tuple[str, ...] = ()
    rules = tuple(RULES)
    index_roles: tuple[str, ...] = READ_ROLES
    scalar_roles: tuple[str, ...] = INDEX_ROLES
    abi = AbiLayout(FORWARD, SIZES, SCALARS)
    family_abis: Mapping[str, AbiLayout] = {
        "bwd": AbiLayout(BACKWARD, SIZES, SCALARS),
        "fwd_appendkv": AbiLayout(APPEND, SIZES, SCALARS),
    }

    def abi_for(self, problem: FmhaProblem) -> AbiLayout:
        """Return the slots of the problem's family."""
        return self.family_abis.get(problem.family, self.abi)

    def batches(self, problem: FmhaProblem) -> tuple[FmhaProblem, ...]:
        """Return the attention with few and many sequences, short and long."""
        from .batches import batches

        return batches(problem)

    def problem_from_dict(self, data: Mapping[str, Any]) -> FmhaProblem:
        """Return a problem from its JSON form."""
        return FmhaProblem.from_dict(data)

    def plain_problem(self, dtype: str) -> FmhaProblem:
        """Return a forward pass of 16 heads over 2,048 rows; raise `ProblemError` for an unsupported dtype."""
        sizes = {"batch": 2, "heads_q": 16, "seqlen_q": 2048, "hdim_q": 128}
        return FmhaProblem.from_dict({**sizes, "dtype": dtype})

    def out_roles(self, problem: FmhaProblem) -> tuple[str, ...]:
        """Return the tensors that are written, the main one first."""
        return problem.outputs

    def may_alias(self, problem: FmhaProblem) -> Mapping[str, str]:
        """Return the tensors that may share the memory of a written one, and which one that is."""
        from .tensors import may_alias

        return may_alias(problem)

    def sizes(self, problem: FmhaProblem) -> tuple[int, ...]:
        """Return the sizes in the order of the ABI."""
        return tuple(getattr(problem, name) for name in SIZES)

    def content_mistakes(self, problem: FmhaProblem, tensors: Tensors) -> list[str]:
        """Return every contradiction between index tensors and problem; reads them, so they must be on the host."""
        from .contents import content_mistakes

        return content_mistakes(problem, tensors)

    def strides(self, problem: FmhaProblem, role: str) -> tuple[int, ...]:
        """Return the strides of a role as the ABI needs them: 0 along a dimension of extent 1."""
        pairs = zip(problem.stride(role), problem.shape(role), strict=True)
        return tuple(s if n > 1 else 0 for s, n in pairs)

    def scalars(self, problem: FmhaProblem) -> tuple[float, ...]:
        """Return the scalars in the order of the ABI."""
        return tuple(getattr(problem, name) for name in SCALARS)

    def is_empty(self, problem: FmhaProblem) -> bool:
        """Return whether the main output has no elements, so that there is nothing to do."""
        return 0 in shape_of(problem, problem.outputs[0])

    def checker(self, problem: FmhaProblem, tensors: Tensors) -> Callable[..., Verification]:
        """Return a check of many results on the same operands: for large ones on a GPU, by norms computed there."""
        if memory_of(problem.device) != "cpu":
            from .on_device import is_large, quick_check

            if is_large(problem):
                return quick_check(problem, tensors)
        return Op.checker(self, problem, tensors)

    def verify(self, problem: FmhaProblem, tensors: Tensors, out: Any, **options: Any) -> Verification:
        """Compare every written tensor with the reference (options: tier, product_error, seed)."""
        from .verify import verify

        if memory_of(problem.device) != "cpu":
            from .on_device import on_host

            host = on_host({**tensors, problem.outputs[0]: out})
            return verify(problem, host, host[problem.outputs[0]], **options)

        return verify(problem, tensors, out, **options)


OP: Op[FmhaProblem] = FmhaOp()
