"""Runs the copies of turned backward data in Triton's interpreter, and what is left as torch's forward convolution.

The box kernel itself needs a GPU: here torch computes the convolution that it is handed, and its stores are followed
one by one. Started by the tests as a process of its own.
"""

from __future__ import annotations

import json
import sys

import torch
from interpreted import argument

from tilewright.backends.triton.conv.algorithm import TritonConv
from tilewright.backends.triton.conv.bind import geometry
from tilewright.backends.triton.conv.geometry import three
from tilewright.backends.triton.conv.pipelines import pipeline_of
from tilewright.backends.triton.conv.source import job_source
from tilewright.backends.triton.conv.turning import block_arguments, writes_blocks
from tilewright.model.kernel import KernelSpec, Launch
from tilewright.ops import get_op, problem_from_dict


def memory(tensors, address):
    """The elements from an address on."""
    for t in tensors:
        at = (address - t.data_ptr()) // t.element_size()
        if 0 <= at < t.numel():
            return t.as_strided((t.numel(),), (1,))[at:]
    raise KeyError(address)


def product(seen, tensors, addresses):
    """torch's convolution of what the box kernel reads."""
    shape = {"input": (seen.n, seen.c, *three(seen.input, 1)), "weight": (seen.k, seen.c, *three(seen.filter, 1))}
    given = {}
    for role, outer in (("input", 0), ("weight", 1)):
        s = seen.stride_of(role)
        strides = (s[outer], s[2], *three(s[3:], 0))
        given[role] = memory(tensors, addresses[role]).as_strided(shape[role], strides).double()
    d, h, w = three(seen.pad, (0, 0))
    padded = torch.nn.functional.pad(given["input"], (*w, *h, *d))
    return torch.nn.functional.conv3d(padded, given["weight"], stride=three(seen.stride, 1))


def write(problem, seen, x, to):
    """What `hopper_blocks` stores."""
    b, s = block_arguments(problem, seen), seen.stride_of("output")
    for n, col, d, h, w in torch.cartesian_prod(*map(torch.arange, x.shape)).tolist():
        row, place = divmod(col, b["run"])
        if h * b["tall"] + row < b["lines"] and w * b["run"] + place < b["line"]:
            steps = three(s[3:], 0)
            to[n * s[0] + d * steps[0] + h * steps[1] + w * b["run"] + row * b["line_step"] + place] = x[
                n, col, d, h, w
            ]


def turned(case):
    """[whether the gradient is within the tolerance, the worst element as a share of it]."""
    op, problem = get_op("conv"), problem_from_dict(case["problem"])
    spec = KernelSpec("conv", "triton", "sm_90", problem.signature, TritonConv(**case["algorithm"]))
    a, pipeline = spec.algorithm, pipeline_of(spec.algorithm)
    tensors = op.random_tensors(problem, 0)
    given = {role: torch.from_numpy(t) for role, t in tensors.items()}
    given["input"].fill_(float("nan"))
    space = torch.full((geometry(problem, a, Launch(), 132).workspace // 2,), float("nan"), dtype=torch.float16)
    addresses = {role: t.data_ptr() for role, t in given.items()}
    pointers = {t.data_ptr(): t for t in given.values()}
    for prefix, grid, args in pipeline.before(problem, a, addresses, space.data_ptr()):
        source = job_source({"kind": prefix}, spec)
        to = {args["dst_ptr"]: memory([space], args["dst_ptr"])}
        source.function[grid](*(argument(n, t, args, pointers | to, space, source)
                                for n, t in source.signature.items()))  # fmt: skip
    seen = pipeline.seen(problem, a)
    found, _ = pipeline.operands(problem, a, addresses, space.data_ptr())
    x = product(seen, [space, *given.values()], found)
    if writes_blocks(a):
        write(problem, seen, x, memory([given["input"]], addresses["input"]))
    else:
        given["input"].copy_(x.reshape(given["input"].shape) if problem.dims < 3 else x)
    said = op.verify(problem, tensors, tensors["input"])
    return [bool(said.ok), float(said.ratio)]


if __name__ == "__main__":
    print(json.dumps([turned(c) for c in json.load(sys.stdin)]))
