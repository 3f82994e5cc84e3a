"""What the pipelines share whose operands arrive by TMA: tensor maps, and what TMA asks of a problem."""

from __future__ import annotations

from ....model.dtype import get_dtype
from ....ops.gemm.problem import GemmProblem
from ..pipelines import Arguments
from .algorithm import KernelView, TritonGemm, packed_block
from .operands import Operand, ceil_div
from .pipeline import Pipeline

MAPS = {  # the parameters of a tensor map: itself, three extents, three strides
    name: (name, *(f"{name}.shape.{i}" for i in range(3)), *(f"{name}.strides.{i}" for i in range(3)))
    for name in ("a_desc", "b_desc", "out_desc", "rest_desc", "residual_desc")
}
NOWHERE = 1 << 20  # stands for the address of an empty operand, which is never read


class TmaPipeline(Pipeline):
    """Programs that stay on the GPU, and whose operands arrive by TMA."""

    tma = True
    stays = True

    def alignment(self, a: TritonGemm, role: str) -> int:
        """Return 16, as tensor maps ask for; 1 for tensors that are not read or written through one."""
        if (role == "out" and a.store == "pointer") or (role in "ab" and a.operands == "staged"):
            return 1
        return 16

    def maps(self, p: GemmProblem, a: TritonGemm, view: KernelView, seen: tuple[Operand, ...]) -> Arguments:
        """Return the tensor maps of A, B, out and a residual, with the parameter values that belong to them."""
        return tensor_maps(p, a, view, seen)


def descriptor(x: Operand, batch: int, last: int) -> Arguments:
    """Return the tensor map of a matrix, slowest dimension first; `last` (0 row, 1 col) is its contiguous dimension.

    An operand without elements (K = 0) is described as one element that no kernel reads.
    """
    lines, run = max(x.shape[1 - last], 1), max(x.shape[last], 1)
    step = x.strides[2 - last]
    size = get_dtype(x.dtype).bytes
    if lines == 1 or x.shape[last] == 0:
        # A single line, or one without elements, may carry any stride; the copy engine wants a multiple of 16 bytes.
        step = ceil_div(int(run * size), 16) * 16 // int(size)
    batches = batch if x.strides[0] else 1
    far = x.strides[0] if batches > 1 else step * lines
    return {"address": x.address or NOWHERE, "shape": [batches, lines, run], "strides": [far, step, 1]}


def tensor_maps(problem: GemmProblem, algorithm: TritonGemm, view: KernelView, seen: tuple[Operand, ...]) -> Arguments:
    """Return the tensor maps, and the shapes and strides that belong to them."""
    out = 1 if view.out_row else 0
    last = {"a": 1 if view.a_k else 0, "b": 0 if view.b_k else 1, "out": out, "residual": out}
    args: Arguments = {}
    for (name, contiguous), x in zip(last.items(), seen, strict=False):  # not every kernel has the last one
        if name == "out" and algorithm.store == "pointer":
            continue
        packed = problem.b_format != "plain" and name == ("a" if algorithm.swap_ab else "b")
        d = _packed_descriptor(problem, x) if packed else descriptor(x, problem.batch, contiguous)
        for of in ("b_desc", "rest_desc") if name == "b" else (f"{name}_desc",):
            args.update(zip(MAPS[of], (d, *d["shape"], *d["strides"]), strict=True))
    return args


def _packed_descriptor(problem: GemmProblem, x: Operand) -> Arguments:
    """Return the tensor map of a packed B: blocks of k, columns, k inside of a block."""
    block = packed_block(problem.dtype_b)
    shape = [max(1, ceil_div(problem.k, block)), max(1, problem.n), block]
    return {"address": x.address or NOWHERE, "shape": shape, "strides": [problem.n * block, block, 1]}
