"""The folded pipeline of this CPU against the reference: every way to keep weights, runs and sums."""

from __future__ import annotations

import numpy as np
import pytest
from conv_cases import SHAPES, problem

from tilewright.arch import get_arch
from tilewright.backends.cpu.conv.thumb import preference
from tilewright.backends.cpu.detect import host_archs, host_device
from tilewright.dispatcher import Dispatcher
from tilewright.model.kernel_set import KernelSet
from tilewright.ops import get_op, problem_from_dict
from tilewright.ops.conv.signature import DIRECTIONS
from tilewright.registry import Registry
from tilewright.settings import Settings

OP = get_op("conv")
HOST = get_arch(host_device(Settings.from_env()).arch)
MORE = {
    "stem": {"c": 3, "k": 37, "input": [17, 15], "filter": [7, 7], "stride": 2, "pad": 3},
    "gray_stem": {"c": 1, "k": 18, "input": [12, 19], "filter": [5, 7], "pad": [2, 3]},
    "wide_stride": {"c": 3, "k": 20, "input": [21, 23], "filter": [11, 11], "stride": 4, "pad": 2},
    "one_row": {"c": 9, "k": 21, "input": [6, 19], "filter": [1, 7], "pad": [0, 3]},
    "one_column": {"c": 9, "k": 21, "input": [19, 6], "filter": [7, 1], "pad": [3, 0]},
    "only_the_middle_tap": {"n": 1, "c": 7, "k": 9, "input": [5, 6], "filter": [3, 3], "dilation": 8, "pad": 8},
    "far_taps": {"n": 1, "c": 7, "k": 19, "input": [9, 13], "filter": [3, 3], "dilation": 5, "pad": 5},
    "dilated_and_strided": {"n": 1, "c": 5, "k": 6, "input": [15, 16], "filter": [3, 3], "stride": 2, "dilation": 3,
                            "pad": [[3, 2], [1, 3]]},
    "three_d_strided": {"n": 1, "c": 4, "k": 18, "input": [5, 7, 8], "filter": [3, 3, 3], "stride": 2, "pad": 1},
    "odd_channels": {"c": 19, "k": 37, "input": [8, 9], "filter": [3, 3], "pad": 1},
}  # fmt: skip
# More channels than a block of weights may have, and more blocks than are kept at once (those are sizes of L2).
PARTS = {
    "in_parts": {"n": 1, "c": 500, "k": 20, "input": [4, 5], "filter": [3, 3], "pad": 1},
    "in_parts_dilated": {"n": 2, "c": 470, "k": 5, "input": [4, 5], "filter": [3, 3], "dilation": 3, "pad": 3},
    "own_block": {"n": 2, "c": 200, "k": 300, "input": [3, 4], "filter": [3, 3], "pad": 1},
}


def folded(arch=None, **changes):
    """A dispatcher of one folded kernel: a small tile of two registers."""
    arch = arch or HOST
    inner = "fma" if "fma" in arch.inners else "portable"
    registry = Registry("folded")
    tile = {"pipeline": "folded", "inner": inner, "mr": 5, "nr": 2 * arch.lanes, "strip_kb": 16}
    registry.declare(KernelSet("folded", "conv", "cpu", (tile,)))
    return Dispatcher(registry, settings=Settings.from_env(cpu_arch=arch.name, **changes))


@pytest.fixture(scope="module")
def dispatcher():
    return folded()


def check(dispatcher, p, seed=0):
    tensors = OP.random_tensors(p, seed)
    bound = dispatcher.bind(p, **tensors)
    result = OP.verify(p, tensors, bound())
    assert result.ok, (bound.plan.kernel, p.to_dict(), result)
    assert bound.plan.candidate.spec.algorithm.pipeline == "folded"


def more(name, direction, dtype="fp32", **changes):
    fields = {"n": 2, **{**MORE, **PARTS}[name], **changes}
    return problem_from_dict({"op": "grouped_conv", "direction": direction, "dtype": dtype, **fields})


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("shape", [*MORE, *PARTS])
def test_tails(dispatcher, shape, direction):
    check(dispatcher, more(shape, direction))


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_shapes_of_the_other_pipelines(dispatcher, direction):
    for name, shape in SHAPES.items():
        if len(shape["input"]) == 2:  # one layout is one kernel to build
            check(dispatcher, problem(name, direction))


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_parts_swap_roles_in_backward_data(dispatcher, direction):
    """The channels that are summed over are those of the output there."""
    check(dispatcher, more("in_parts", direction, c=20, k=500, stride=2))


@pytest.mark.parametrize("direction", ["forward", "backward_data"])
def test_parts_of_channels_that_repeat_memory(dispatcher, direction):
    """All parts begin at one address then, and the last one has fewer channels."""
    role, summed, others = ("input", "c", "k") if direction == "forward" else ("output", "k", "c")
    p = more("in_parts", direction, n=1, input=[2, 3], **{summed: 470, others: 130})
    check(dispatcher, p)
    strides = list(p.stride_of(role))
    strides[2] = 0
    check(dispatcher, problem_from_dict({**p.to_dict(), "strides": {role: strides}}))


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_threads_do_not_change_the_result(dispatcher, direction):
    for name in ("stem", "own_block"):
        p = more(name, direction, split_k=3) if direction == "backward_weight" else more(name, direction)
        tensors = OP.random_tensors(p, 1)
        results = [folded(threads=threads).run(p, **tensors).copy() for threads in (1, 2, 3)]
        assert OP.verify(p, tensors, results[0]).ok
        np.testing.assert_array_equal(results[0], results[1])
        np.testing.assert_array_equal(results[0], results[2])


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_other_layouts_and_strides(dispatcher, direction):
    check(dispatcher, problem("many_rows", direction, channels_first=True))
    p = more("stem", direction)
    wide = {r: [s * 2 for s in p.stride_of(r)] for r in ("input", "output")}
    check(dispatcher, more("stem", direction, strides=wide))


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_sixteen_bits_and_epilogues(dispatcher, direction):
    epilogue = {"alpha": 0.5, "beta": 2.0} | ({"activation": "relu"} if direction == "forward" else {})
    check(dispatcher, more("stem", direction, d=[{"dtype": "fp32"}], epilogue=epilogue))
    if direction != "backward_data":  # the same reading of 16 bits as forward
        check(dispatcher, more("far_taps", direction, "bf16"))


def test_int8_is_exact(dispatcher):
    p = more("stem", "forward", "int8")
    tensors = OP.random_tensors(p, 2)
    np.testing.assert_array_equal(dispatcher.run(p, **tensors), OP.expected(p, tensors).value)


@pytest.mark.exhaustive
@pytest.mark.parametrize("arch", host_archs(), ids=lambda a: a.name)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_every_width_of_registers(arch, direction):
    for name in MORE:
        if len(MORE[name]["input"]) == 2:
            check(folded(arch), more(name, direction))


def test_rules_of_thumb_know_the_pipeline(dispatcher):
    """Few channels and distant taps are what it is for."""
    device = host_device(Settings.from_env())
    for name, first in (("stem", True), ("far_taps", True), ("odd_channels", False)):
        p = more(name, "forward")
        score, why = preference(dispatcher.explain(p).chosen.candidate, p, device)
        assert why.endswith("folded")
        assert (score < 100) == first


MUTATIONS = {
    "forward": ("folded_tiles.hpp", "length >= unroll; length -= unroll", "length > unroll; length -= unroll"),
    "backward_weight": ("folded_weight.hpp", "p < pixels.end; ++p", "p + 1 < pixels.end; ++p"),
}


@pytest.mark.parametrize("direction", MUTATIONS)
def test_a_mutant_kernel_fails_verification(direction, tmp_path, monkeypatch):
    """The same kernel with a step left out must be found wrong."""
    import shutil

    from tilewright.backends.cpu import units

    header, right, wrong = MUTATIONS[direction]
    include = tmp_path / "include"
    shutil.copytree(units.INCLUDE_DIRS[0], include)
    text = (include / "tw" / "conv" / header).read_text()
    assert text.count(right) == 1
    mutant = text.replace(right, wrong).replace("for (; length > 0; --length)", "for (; length > 1; --length)")
    (include / "tw" / "conv" / header).write_text(mutant)
    monkeypatch.setattr(units, "INCLUDE_DIRS", (include, units.INCLUDE_DIRS[1]))
    p = more("stem", direction)
    tensors = OP.random_tensors(p, 0)
    assert not OP.verify(p, tensors, folded().run(p, **tensors)).ok
