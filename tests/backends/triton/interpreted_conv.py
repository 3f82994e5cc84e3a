"""Runs convolution kernels in Triton's interpreter on the CPU; started by the tests as a process of its own."""

from __future__ import annotations

import json
import sys

import numpy as np
import torch
from interpreted import argument

from tilewright.backends.triton.conv.algorithm import TritonConv
from tilewright.backends.triton.conv.bind import finish_values, geometry, values
from tilewright.backends.triton.conv.source import finish_source, source_of
from tilewright.model.kernel import KernelSpec, Launch
from tilewright.ops import get_op, problem_from_dict


def run(source, grid, args, pointers, space):
    source.function[grid](*(argument(n, t, args, pointers, space, source) for n, t in source.signature.items()))


def conv(case):
    """[whether the result is within the tolerance, the worst element as a share of it, whether a second run agrees]."""
    op, problem = get_op("conv"), problem_from_dict(case["problem"])
    spec = KernelSpec("conv", "triton", "sm_80", problem.signature, TritonConv(**case["algorithm"]))
    launch = Launch(**case.get("launch", {}))
    tensors = op.random_tensors(problem, 0)
    given = {role: torch.from_numpy(t) for role, t in tensors.items()}
    space = torch.zeros(geometry(problem, spec.algorithm, launch, 132).workspace // 4 + 1, dtype=torch.int32)
    addresses = {role: t.data_ptr() for role, t in given.items()}
    pointers = {t.data_ptr(): t for t in given.values()}
    results = []
    for _ in range(2 if case.get("again") else 1):
        grid, args = values(spec, problem, launch, addresses, space.data_ptr())
        run(source_of(spec), grid, args, pointers, space)
        if problem.direction == "backward_weight":
            grid, args = finish_values(spec, problem, launch, addresses, space.data_ptr())
            run(finish_source(spec), grid, args, pointers, space)
        results.append(tensors[problem.result].copy())
    said = op.verify(problem, tensors, tensors[problem.result])
    return [bool(said.ok), float(said.ratio), bool(np.array_equal(results[0], results[-1]))]


if __name__ == "__main__":
    print(json.dumps([conv(c) for c in json.load(sys.stdin)]))
