"""Strip kernels, which only a GPU can run, on NumPy by their PTX."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

pytest.importorskip("triton")

from ptx_numpy import Kernel

from tilewright.arch import get_arch, get_nominal_devices
from tilewright.backends.triton.compile_job import compile_source
from tilewright.backends.triton.conv import OP
from tilewright.backends.triton.conv import strip_course as course
from tilewright.backends.triton.conv.bind import finish_values, geometry, values
from tilewright.backends.triton.conv.source import finish_source, source_of
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.ops import get_op, problem_from_dict

UNITS = 1  # multiprocessors of the GPU that is emulated: few make long strips
LINES = {"tile_m": 16, "tile_n": 32, "warps": 2}
COLUMNS = {"tile_m": 16, "tile_n": 32, "warps": 4, "pair": 8, "span": 8}
PLANES = {"tile_m": 16, "tile_n": 32, "warps": 4, "pair": 16, "span": 4}
CHANNELS = {"tile_m": 4, "tile_n": 32, "warps": 4, "pair": 16, "span": 16}
# direction, (images, groups, channels per group, height, width, filter, stride), dtype, fields, splits
CASES = [
    ("forward", (2, 9, 8, 9, 11, 3, 1), "fp16", {"tile_m": 16, "tile_n": 64, "warps": 4}, 1),
    ("forward", (2, 3, 16, 9, 11, 3, 2), "bf16", {**LINES, "span": 2}, 1),
    ("forward", (2, 12, 2, 9, 11, 3, 1), "fp16", {**LINES, "stages": 2}, 1),
    ("forward", (2, 12, 4, 9, 11, 3, 1), "fp16", {**LINES, "rows": 2}, 1),
    ("forward", (2, 6, 8, 9, 11, 3, 2), "fp16", {**LINES, "rows": 2, "span": 2}, 1),
    ("backward_data", (2, 6, 8, 9, 9, 3, 1), "fp16", {**LINES, "rows": 2, "stages": 2}, 1),
    ("backward_data", (2, 6, 8, 9, 9, 3, 2), "fp16", {**LINES, "rows": 2}, 1),
    ("backward_data", (2, 2, 16, 7, 9, 3, 2), "bf16", LINES, 1),
    ("backward_data", (2, 10, 4, 9, 11, 3, 2), "fp16", {"tile_m": 32, "tile_n": 32, "warps": 4, "span": 8}, 1),
    ("backward_weight", (2, 8, 4, 9, 9, 3, 1), "fp16", LINES, 2),
    ("backward_weight", (2, 9, 8, 9, 11, 3, 2), "fp16", {"tile_m": 16, "tile_n": 64, "warps": 4}, 2),
    ("forward", (2, 40, 1, 9, 11, 3, 2), "fp16", {"tile_m": 4, "tile_n": 64, "warps": 2, "stages": 2}, 1),
    ("backward_weight", (2, 24, 1, 9, 11, 3, 1), "fp16", {"tile_m": 8, "tile_n": 32, "warps": 2}, 2),
    ("forward", (2, 40, 1, 9, 11, 5, 1), "fp16", COLUMNS, 1),
    ("backward_data", (2, 40, 1, 9, 13, 3, 2), "bf16", COLUMNS, 1),
    ("forward", (2, 40, 1, 11, 11, 5, 1), "fp16", {**COLUMNS, "span": 4, "rows": 2}, 1),
    ("backward_data", (2, 40, 1, 9, 13, 5, 2), "fp16", {**COLUMNS, "span": 4, "rows": 2}, 1),
    ("forward", (2, 8, 2, 7, 17, 3, 1), "fp16", {**COLUMNS, "tile_m": 32, "tile_n": 16, "span": 4, "stages": 2}, 1),
    ("backward_weight", (2, 24, 1, 9, 11, 3, 2), "fp16", {**COLUMNS, "pair": 2, "span": 4}, 2),
    ("forward", (5, 40, 1, 9, 19, 5, 1), "fp16", {**CHANNELS, "stages": 2}, 1),
    ("backward_data", (9, 24, 1, 11, 9, 7, 1), "bf16", {**CHANNELS, "tile_m": 16, "span": 8, "warps": 8}, 1),
    ("forward", (5, 8, 1, 9, 35, 3, 1), "fp16", {**CHANNELS, "tile_m": 2, "tile_n": 8, "span": 32, "warps": 1}, 1),
    ("backward_weight", (2, 24, 1, 9, 11, 5, 1), "fp16", PLANES, 2),
    ("backward_weight", (3, 40, 1, 9, 7, 7, 1), "bf16", {**PLANES, "warps": 8, "span": 2}, 3),
    ("backward_weight", (3, 24, 1, 7, 7, 7, 1), "fp16", {**PLANES, "stages": 2}, 5),
    ("backward_weight", (3, 40, 1, 9, 14, 5, 2), "fp16", {**PLANES, "tile_n": 16}, 17),
    ("backward_weight", (2, 8, 1, 140, 5, 3, 1), "fp16", {**PLANES, "tile_n": 8, "warps": 1, "stages": 2}, 70),
]


def case_of(direction, size, dtype, fields):
    """(problem, spec) of a case."""
    n, g, c, h, w, f, s = size
    problem = problem_from_dict({
        "op": "grouped_conv", "direction": direction, "n": n, "g": g, "c": g * c, "k": g * c, "input": [h, w],
        "filter": [f, f], "stride": [s, s], "pad": [f // 2] * 2, "layout": "nhwgc", "dtype": dtype,
    })  # fmt: skip
    phase = f // 2 % s if direction == "backward_data" else 0
    algorithm = OP.algorithm(**{
        "pipeline": "strip", "channels": c, "filter_h": f, "filter_w": f, "stride_w": s, "phase": phase, "stages": 1,
        "tile_k": fields["tile_n"], **fields,
    })  # fmt: skip
    return problem, KernelSpec("conv", "triton", "sm_90", problem.signature, algorithm)


def in_memory(tensor):
    """The tensor with its axes in the order of memory."""
    return tensor.transpose(sorted(range(tensor.ndim), key=lambda axis: -tensor.strides[axis]))


def run(problem, spec, launch, tensors):
    """The result of a problem by its kernels' PTX."""
    addresses, pieces, at = {}, [np.zeros(256, np.uint8)], 256
    for role in ("input", "weight", "output"):
        data = np.ascontiguousarray(in_memory(tensors[role])).reshape(-1).view(np.uint8)
        data = np.full_like(data, 0xFF) if role == problem.result else data
        addresses[role] = at
        pieces += [data, np.full(-len(data) % 256 + 256, 0xFF, np.uint8)]
        at += len(pieces[-1]) + len(data)
    memory = np.concatenate(
        [*pieces, np.full(geometry(problem, spec.algorithm, launch, UNITS).workspace, 0xFF, np.uint8)]
    )
    jobs = [(source_of, partial(values, units=UNITS))]
    jobs += [(finish_source, finish_values)] if problem.direction == "backward_weight" else []
    for source, arguments in jobs:
        _, text, meta = compile_source(source(spec), get_arch("sm_90"))
        grid, args = arguments(spec, problem, launch, addresses, at)
        given = [args.get(a["path"], 0) for a in meta["args"]]
        for first in range(grid[0]):  # shares may be of different length
            Kernel(text, 1, meta["threads"], meta["shared"], given, memory, first).run()
    result = tensors[problem.result].copy(order="K")
    begin = addresses[problem.result]
    view = in_memory(result)
    view[...] = memory[begin : begin + result.nbytes].view(result.dtype).reshape(view.shape)
    return result


# Every third by default: they take a second or more each.
PARAMETERS = [
    pytest.param(c, id=f"{c[0]}-{c[1]}-{c[3]['tile_m']}", marks=() if i % 3 == 0 else pytest.mark.exhaustive)
    for i, c in enumerate(CASES)
]


def test_every_direction_of_strips_is_computed_by_default():
    assert {p.values[0][0] for p in PARAMETERS if not p.marks} == {c[0] for c in CASES}


@pytest.mark.parametrize("case", PARAMETERS)
def test_the_ptx_of_strips_computes_convolutions(case):
    direction, size, dtype, fields, splits = case
    problem, spec = case_of(direction, size, dtype, fields)
    launch = Launch(split_k=splits)
    assert not OP.check(spec, get_arch("sm_90"), problem, launch)
    op = get_op("conv")
    tensors = op.random_tensors(problem, 0)
    said = op.verify(problem, tensors, run(problem, spec, launch, tensors))
    assert said.ok, said


@pytest.mark.parametrize("splits", [1, 2, 7, 100, 10000])
def test_shares_of_backward_weight_are_of_equal_length(splits):
    problem, spec = case_of("backward_weight", (5, 40, 1, 33, 29, 5, 1), "fp16", PLANES)
    shape = geometry(problem, spec.algorithm, Launch(split_k=splits), 132)
    turns = 17 * 3  # of two rows each, of three blocks of 16 strips
    assert shape.splits <= splits
    assert (shape.splits - 1) * shape.steps < turns <= shape.splits * shape.steps
    assert shape.workspace == 4 * shape.splits * 40 * 25


def test_programs_of_planes_take_so_many_blocks_that_all_run_at_a_time():
    problem, spec = case_of("forward", (64, 1392, 1, 10, 10, 5, 1), "fp16", CHANNELS)
    shape = geometry(problem, spec.algorithm, Launch(), 132)
    _, args = values(spec, problem, Launch(), {"input": 0, "weight": 0, "output": 0}, 0)
    assert shape.programs <= 132 * course.strip_config(spec).resident
    assert args["blocks"] == 16 * shape.segments
    assert (shape.rows - 1) * args["each"] < args["blocks"] <= shape.rows * args["each"]
    assert (args["first"], args["last"]) == (1, 6)  # rows -2 and -1, and those past the ninth, are not in the image


def test_copies_of_pixels_bring_whole_lines_into_the_cache():
    _, spec = case_of(*CASES[0][:4])
    _, text, _ = compile_source(source_of(spec), get_arch("sm_90"))
    assert "cp.async.cg.shared.global.L2::128B" in text
    assert "cp.async.cg.shared.global [" not in text


WALKS = [
    ("forward", (16, 64, 4, 112, 112, 3, 1), {"tile_m": 16, "tile_n": 64, "warps": 4}),
    ("backward_data", (8, 32, 8, 100, 90, 3, 2), {"tile_m": 16, "tile_n": 64, "warps": 4, "stages": 2}),
    ("forward", (64, 1392, 1, 10, 10, 5, 1), CHANNELS),
]


@pytest.mark.parametrize("units", [108, 114, 132, 148])
@pytest.mark.parametrize("case", WALKS, ids=lambda case: case[0])
def test_the_strips_that_are_judged_are_those_that_run(case, units):
    problem, spec = case_of(case[0], case[1], "fp16", case[2])
    device = replace(get_nominal_devices("sm_90")[0], units=units)
    k, p, d = OP.formula_cost.numbers(Candidate(spec), problem, device)
    addresses = {"input": 1 << 20, "weight": 2 << 20, "output": 3 << 20}
    grid, args = values(spec, problem, Launch(), addresses, 0, units)
    assert (k["launch_block_0"], k["launch_block_1"]) == (args["segments"], args["each"])
    assert OP.features().work(k, p, d)["programs"] == grid[0]


def test_the_length_of_strips_depends_on_the_device():
    found = set()
    for direction, size, fields in WALKS:
        problem, spec = case_of(direction, size, "fp16", fields)
        found |= {(direction, size, geometry(problem, spec.algorithm, Launch(), n)) for n in (114, 132, 148)}
    assert len(found) > len(WALKS)


def test_without_a_device_strips_are_those_of_the_nominal_one():
    problem, spec = case_of(WALKS[0][0], WALKS[0][1], "fp16", WALKS[0][2])
    addresses = {"input": 0, "weight": 0, "output": 0}
    for arch, units in (("sm_80", 108), ("sm_90", 132)):
        of_arch = replace(spec, arch=arch)
        assert values(of_arch, problem, Launch(), addresses) == values(of_arch, problem, Launch(), addresses, 0, units)
