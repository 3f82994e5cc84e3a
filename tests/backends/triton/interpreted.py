"""Runs kernels in Triton's interpreter on the CPU; started by the tests as a process of its own.

The interpreter is chosen by an environment variable that Triton reads when a kernel is defined.
"""

from __future__ import annotations

import builtins
import json
import sys

import torch
import triton
import triton.language as tl
from triton.runtime import interpreter

from tilewright.backends.triton.gemm.algorithm import packed_block
from tilewright.backends.triton.gemm.bind import values, workspace_bytes
from tilewright.backends.triton.gemm.kernels.schedule import item, item_count, stream_owner
from tilewright.backends.triton.gemm.packing import blocked
from tilewright.backends.triton.gemm.source import source_of
from tilewright.model.kernel import KernelSpec, Launch
from tilewright.ops.gemm.on_device import activated, gone_back
from tilewright.ops.gemm.problem import GemmProblem


class _IntLike(type):
    def __instancecheck__(cls, x):
        return isinstance(x, builtins.int)


class _Scalar(metaclass=_IntLike):
    """`int` for this interpreter, which relies on what NumPy 2.4 gave up: arrays of one element as scalars."""

    def __new__(cls, x=0, *rest):
        return builtins.int(x.item() if getattr(x, "size", 0) == 1 and hasattr(x, "item") else x, *rest)


interpreter.int = _Scalar


@triton.jit
def list_items(out, tiles, whole, steps, splits, most, STREAM: tl.constexpr):
    program = tl.program_id(0)
    programs = tl.num_programs(0)
    total = (tiles - whole) * steps
    items = item_count(program, programs, tiles, whole, steps, splits, STREAM)
    for i in range(items):
        tile, low, count = item(i, program, programs, tiles, whole, steps, splits, STREAM)
        at = out + (program * most + i) * 5
        tl.store(at, tile)
        tl.store(at + 1, low)
        tl.store(at + 2, count)
        if STREAM:  # noqa: SIM102 (the first is decided at compile time)
            if tile >= whole:
                base = (tile - whole) * steps
                tl.store(at + 3, stream_owner(base, programs, total))
                tl.store(at + 4, stream_owner(base + steps - 1, programs, total))


def schedule(case):
    most = case["tiles"] + 2
    out = torch.full((case["programs"], most, 5), -1, dtype=torch.int32)
    list_items[(case["programs"],)](out, case["tiles"], case["whole"], case["steps"], case["splits"], most,
                                    case["stream"])  # fmt: skip
    return out.tolist()


def gemm(case):
    """Largest error of one product as a share of its magnitude."""
    from tilewright.backends.triton.gemm.algorithm import TritonGemm

    torch.manual_seed(0)
    problem = GemmProblem.from_dict(case["problem"])
    spec = KernelSpec("gemm", "triton", "sm_80", problem.signature, TritonGemm(**case["algorithm"]))
    launch = Launch(**case.get("launch", {}))
    tensors = {r: make(problem, r) for r in problem.roles}
    space = torch.zeros(workspace_bytes(problem, spec.algorithm, launch, 8) // 4 + 1, dtype=torch.int32)
    given = dict(tensors)
    if problem.b_format != "plain":
        given["b"] = blocked(tensors["b"][0], packed_block(problem.dtype_b))
    addresses = {r: t.data_ptr() for r, t in given.items()}
    grid, args = values(spec, problem, launch, 8, addresses, space.data_ptr())
    source = source_of(spec)
    pointers = {t.data_ptr(): t for t in given.values()}
    source.function[grid](*(argument(n, t, args, pointers, space, source) for n, t in source.signature.items()))
    return errors(problem, tensors)


def reduce(case):
    """Largest error of the kernel that adds shares, as a share of their magnitude."""
    from tilewright.backends.triton.gemm.algorithm import TritonGemm
    from tilewright.backends.triton.gemm.bind import tile_count
    from tilewright.backends.triton.gemm.pipelines.hopper.pipeline import PIPELINE
    from tilewright.backends.triton.gemm.pipelines.hopper.ring import part_width
    from tilewright.backends.triton.gemm.pipelines.hopper.source import reduce_source

    torch.manual_seed(1)
    problem = GemmProblem.from_dict(case["problem"])
    a = TritonGemm(pipeline="hopper", split=True, reduce="after", pdl=False, stages=0, **case["algorithm"])
    spec = KernelSpec("gemm", "triton", "sm_90", problem.signature, a)
    tiles, splits, part = tile_count(problem, a), case["splits"], part_width(problem.signature, a)
    shares = torch.rand(tiles, splits, a.tile_n // part, a.tile_m, part) - 0.5
    out = make(problem, "out")
    addresses = {"a": 0, "b": 0, "out": out.data_ptr()}
    ((_, grid, args),) = PIPELINE.after(spec, problem, Launch(split_k=splits), 8, addresses, 0)
    args["partials"] = shares.data_ptr()
    source = reduce_source(spec)
    pointers = {out.data_ptr(): out, shares.data_ptr(): shares}
    source.function[grid](*(argument(n, t, args, pointers, shares, source) for n, t in source.signature.items()))
    whole = shares.double().sum(1).permute(0, 2, 1, 3).reshape(tiles, a.tile_m, a.tile_n)
    rows, cols = (problem.n, problem.m) if a.swap_ab else (problem.m, problem.n)
    across = -(-cols // a.tile_n)
    down = -(-rows // a.tile_m)
    want = torch.empty(down * a.tile_m, across * a.tile_n, dtype=torch.float64)
    for tile in range(tiles):  # fewer rows of tiles than a group: column by column
        m, n = tile % down, tile // down
        want[m * a.tile_m : (m + 1) * a.tile_m, n * a.tile_n : (n + 1) * a.tile_n] = whole[tile]
    got = out[0].double().T if a.swap_ab else out[0].double()
    return float((got - want[:rows, :cols] * problem.epilogue.alpha).abs().max())


def stage(case):
    """Whether the copy kernel put every element where it belongs."""
    from tilewright.backends.triton.gemm.algorithm import TritonGemm
    from tilewright.backends.triton.gemm.bind import copies, copy_values
    from tilewright.backends.triton.gemm.source import stage_source

    problem = GemmProblem.from_dict(case["problem"])
    a = TritonGemm(pipeline="hopper", operands="staged", pdl=False, stages=0, warps=8)
    spec = KernelSpec("gemm", "triton", "sm_90", problem.signature, a)
    tensors = {r: make(problem, r) for r in ("a", "b")}
    addresses = {"a": tensors["a"].data_ptr(), "b": tensors["b"].data_ptr(), "out": 0}
    found = copies(problem, a, addresses, 0)
    space = torch.full((sum(c.bytes for c in found) // 2,), -1, dtype=torch.int16)
    grid, args, width = copy_values(found, problem, space.data_ptr())
    source = stage_source(spec, width)
    bits = {}
    for t in tensors.values():
        whole = t.untyped_storage()
        bits[t.data_ptr()] = torch.empty(0, dtype=torch.int16).set_(whole)
    for c in found:
        bits[space.data_ptr() + c.offset] = space[c.offset // 2 :]
    bits[0] = space
    source.function[grid](*(argument(n, t, args, bits, space, source) for n, t in source.signature.items()))
    same = []
    for c in found:
        rows, cols = c.source.shape
        batches = problem.batch if c.source.strides[0] else 1
        got = space[c.offset // 2 :][: batches * rows * c.line].view(batches, rows, c.line)[:, :, :cols]
        want = tensors[c.role] if c.role == "a" else tensors[c.role].transpose(1, 2)
        same.append(bool((got == want[:batches].contiguous().view(torch.int16)).all()))
    return [len(found), all(same)]


def argument(name, kind, args, pointers, space, source):
    if kind == "constexpr":
        return source.constants[name]
    return nested(name, kind, args, pointers, space)


def nested(path, kind, args, pointers, space):
    if isinstance(kind, tuple):
        return tuple(nested(f"{path}.{i}", k, args, pointers, space) if k != "constexpr" else 1
                     for i, k in enumerate(kind))  # fmt: skip
    value = args[path]
    if kind[0] != "*":
        return value
    if value in pointers:
        return pointers[value]
    start = (value - space.data_ptr()) // 4
    view = space[start:] if value else space
    return view.view(torch.float32) if kind == "*fp32" else view


def make(problem, role):
    if role.startswith("scale"):
        return torch.rand(problem.shape(role)) + 0.5
    rows, cols = problem.shape(role)
    _, row, col = problem.stride(role)
    dtype = {"fp32": torch.float32, "fp16": torch.float16, "int8": torch.int8, "int32": torch.int32}[
        problem.dtype(role)
    ]
    big = torch.randint(-9, 9, (problem.batch * (rows * max(row, 1) + cols * max(col, 1)) + 8,)).to(torch.float32)
    big = big.to(dtype) if not dtype.is_floating_point else (big + torch.rand(big.shape)).to(dtype)
    far = problem.stride(role)[0] if problem.batch > 1 else 0
    return big.as_strided((problem.batch, rows, cols), (far, row, col))


def errors(problem, tensors):
    a, b = tensors["a"].double(), tensors["b"].double()
    scale, block = problem.epilogue.alpha, problem.scale_block
    if problem.scale_a == "block":
        a = a * tensors["scale_a"].double().repeat_interleave(block, 1)[:, : problem.k]
    if problem.scale_b == "block":
        factors = tensors["scale_b"].double().repeat_interleave(block, 0)[: problem.k]
        b = b * factors.repeat_interleave(block, 1)[:, : problem.n]
    x, size = scale * (a @ b), abs(scale) * (a.abs() @ b.abs())
    if problem.scale_a in ("tensor", "row"):
        x, size = x * tensors["scale_a"].double()[:, None], size * tensors["scale_a"].double()[:, None]
    if problem.scale_b in ("tensor", "row"):
        x, size = x * tensors["scale_b"].double()[None, :], size * tensors["scale_b"].double()[None, :]
    given = [tensors[f"d{i}"].double() for i in range(len(problem.d))]
    x, size = problem.epilogue.finished(x, [size], given, activated, gone_back)
    return float(((tensors["out"].double() - x).abs() / (size + 1e-6)).max())


if __name__ == "__main__":
    cases = json.load(sys.stdin)
    kinds = {"schedule": schedule, "gemm": gemm, "reduce": reduce, "stage": stage}
    print(json.dumps([kinds[c["kind"]](c) for c in cases]))
