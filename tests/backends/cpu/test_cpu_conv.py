"""Every pipeline against the reference: one body over direction x shape x dtype x pipeline x backend."""

from __future__ import annotations

import numpy as np
import pytest
from conv_cases import SHAPES, problem, problems
from host_cpu_kernels import HOST, needs_inner
from hypothesis import given, settings
from hypothesis import strategies as st
from shipped_kernels import shipped_settings

from tilewright.backends import get_backend_op
from tilewright.backends.cpu.conv.lower import source_of
from tilewright.backends.cpu.detect import host_archs
from tilewright.dispatcher import Dispatcher
from tilewright.errors import SelectionError
from tilewright.model.kernel import KernelSpec
from tilewright.model.selector import Ranked
from tilewright.ops import get_op, problem_from_dict
from tilewright.ops.conv.signature import DIRECTIONS
from tilewright.registry import Registry
from tilewright.settings import Settings

OP = get_op("conv")


def run(dispatcher, p, seed=0):
    """Run on random tensors; the verification and the kernel's name."""
    tensors = OP.random_tensors(p, seed)
    bound = dispatcher.bind(p, **tensors)
    out = bound()
    spec = bound.plan.candidate.spec
    allowed = get_backend_op(spec.backend, "conv").product_error(spec)
    return OP.verify(p, tensors, out, product_error=allowed), bound.plan


class OnePipeline:
    """Takes the same algorithm of one pipeline (and inner) for every problem: fewer kernels to build."""

    name = "one-pipeline"

    def __init__(self, pipeline, inner=None):
        self.pipeline, self.inner = pipeline, inner

    def rank(self, p, candidates, device):
        def wanted(c):
            a = c.spec.algorithm
            return a.pipeline == self.pipeline and self.inner in (None, a.inner)

        keep = sorted((c for c in candidates if wanted(c)), key=lambda c: c.spec.algorithm.label())
        return [Ranked(c, None, "the first") for c in keep]


def quick(selector=None, **changes):
    """A dispatcher of kernels that compile in a moment."""
    return Dispatcher(selector=selector, settings=Settings.from_env(**changes))


@pytest.fixture(scope="module")
def dispatchers():
    made = {p: quick(OnePipeline(p)) for p in ("direct", "lanes", "depthwise", "implicit", "gemm")}
    made |= {f"implicit.{i}": quick(OnePipeline("implicit", i)) for i in ("fma", "vnni", "amx", "amx_bf16x3")}
    made["chosen"] = quick()
    reference = Registry("reference")
    reference.declare(get_backend_op("reference", "conv").kernel_sets()[0])
    made["reference"] = Dispatcher(reference)
    return made


def check(dispatcher, p, seed=0):
    if not dispatcher.explain(p).ranked:
        return None  # removed by rules: test_each_pipeline_serves_its_shapes says which may be
    result, plan = run(dispatcher, p, seed)
    assert result.ok, (plan.kernel, result)
    return plan


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("pipeline", ["direct", "lanes", "depthwise", "implicit", "gemm", "reference"])
def test_pipelines_in_fp32(dispatchers, pipeline, shape, direction):
    p = problem(shape, direction)
    if p.dims != 2 and pipeline in ("lanes", "implicit"):
        p = chosen_in_two_dims(p)  # kernels see three dimensions in any case: the layout only names another build
    check(dispatchers[pipeline], p)


# At least two groups share a register: of four channels each only if it has eight lanes or more.
SHARED_LANES = "few_channels" if HOST.lanes >= 8 else "multiplier"
SHIPPED = [
    ("direct", "dense_2d", "forward"),
    ("lanes", SHARED_LANES, "backward_data"),
    ("implicit", "strided", "forward"),
    pytest.param("gemm", "pointwise", "forward", marks=pytest.mark.exhaustive),
    pytest.param("depthwise", "depthwise", "backward_weight", marks=pytest.mark.exhaustive),
    pytest.param("depthwise", "depthwise", "forward", marks=pytest.mark.exhaustive),  # half a minute in the compiler
]


@pytest.mark.parametrize(("pipeline", "shape", "direction"), SHIPPED)
def test_a_pipeline_as_it_ships(pipeline, shape, direction):
    """All others here are compiled without optimisation."""
    dispatcher = Dispatcher(selector=OnePipeline(pipeline), settings=shipped_settings())
    assert check(dispatcher, problem(shape, direction)) is not None


@pytest.mark.parametrize("arch", [a.name for a in host_archs()])
@pytest.mark.parametrize("shape", ["strided", "few_channels", "dense_2d"])
def test_weight_gradients_with_any_width_of_registers(arch, shape):
    """More channels than a register has lanes, taps one by one: a step must not reach into the next register."""
    for pipeline in ("direct", "lanes"):
        check(quick(OnePipeline(pipeline), cpu_arch=arch), problem(shape, "backward_weight"))


def chosen_in_two_dims(p):
    """The same work as a two-dimensional problem: a 1D one gets a height of 1, a 3D one loses its depth."""
    data = p.to_dict() | {"layout": "nhwgc", "pad": [list(pair) for pair in p.pad]}
    for name, filler in (("input", 1), ("filter", 1), ("stride", 1), ("dilation", 1), ("pad", [0, 0])):
        values = list(data[name])
        data[name] = [filler, *values] if p.dims == 1 else values[1:]
    return problem_from_dict(data)


def test_each_pipeline_serves_its_shapes(dispatchers):
    def served(pipeline):
        return {s for s in SHAPES if dispatchers[pipeline].explain(problem(s, "forward")).ranked}

    assert served("direct") == served("implicit") == set(SHAPES)
    assert served("gemm") == {"pointwise"}
    assert served("depthwise") == {s for s in SHAPES if "depthwise" in s}
    channels = {s: max(p.c_group, p.k_group) for s in SHAPES for p in [problem(s, "forward")]}
    assert served("lanes") == {s for s in SHAPES if 2 * channels[s] <= HOST.lanes}
    assert {"multiplier", "depthwise", SHARED_LANES} <= served("lanes")


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("shape", ["strided", "depthwise"])
@pytest.mark.parametrize("dtype", ["bf16", "fp16"])
def test_chosen_kernels_in_16_bits(dispatchers, dtype, shape, direction):
    assert check(dispatchers["chosen"], problem(shape, direction, dtype)) is not None


INNERS = [(inner, direction) for inner in ("amx", "amx_bf16x3") for direction in DIRECTIONS]


@pytest.mark.parametrize(("inner", "direction"), [*INNERS, ("vnni", "forward")])  # int8 has no gradients
def test_inner_kernels(dispatchers, inner, direction):
    dtype = {"amx": "bf16", "amx_bf16x3": "fp16", "vnni": "int8"}[inner]
    needs_inner(inner)
    assert check(dispatchers[f"implicit.{inner}"], problem("strided", direction, dtype)) is not None


@pytest.mark.parametrize("shape", ["dense_2d", "few_channels", "depthwise"])
def test_int8_forward_is_exact(dispatchers, shape):
    p = problem(shape, "forward", "int8")
    tensors = OP.random_tensors(p, 2)
    out = dispatchers["chosen"].run(p, **tensors)
    np.testing.assert_array_equal(out, OP.expected(p, tensors).value)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("shape", ["strided", "few_channels", "three_d"])
def test_channels_first(dispatchers, shape, direction):
    assert check(dispatchers["chosen"], problem(shape, direction, channels_first=True)) is not None


@pytest.mark.parametrize("shape", ["dense_2d", "few_channels", "depthwise"])
@pytest.mark.parametrize(
    "changes",
    [
        {"d": [{"dtype": "fp32", "broadcast": "row"}], "epilogue": {"activation": "relu", "alpha": 0.5, "beta": 2.0}},
        {"d": [{"dtype": "fp32"}, {"dtype": "bf16", "broadcast": "row"}], "epilogue": {"combine": "multiply"}},
    ],
)
def test_epilogues(dispatchers, shape, changes):
    for pipeline in ("chosen", "implicit") if shape == "dense_2d" else ("chosen",):
        assert check(dispatchers[pipeline], problem(shape, "forward", **changes)) is not None


@pytest.mark.parametrize("direction", ["backward_data", "backward_weight"])
@pytest.mark.parametrize("shape", ["dense_2d", "few_channels", "depthwise"])
def test_gradients_are_added_in_place(dispatchers, shape, direction):
    p = problem(shape, direction, d=[{"dtype": "fp32"}])
    tensors = OP.random_tensors(p, 4)
    before = tensors["d0"].copy(order="K")
    want = OP.expected(p, tensors)
    tensors[p.result] = tensors["d0"]
    got = dispatchers["chosen"].run(p, **tensors)
    assert OP.verify(p, {**tensors, "d0": before}, got).ok
    assert np.abs(got - want.value).max() < 1e-2


@given(problems(max_dims=2), st.integers(0, 9))
@settings(max_examples=15, deadline=None)
def test_any_problem_is_computed(p, seed):
    result, plan = run(SHARED, p, seed)
    assert result.ok, (plan.kernel, p.to_dict(), result)


SHARED = quick()


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_split_k_and_threads_do_not_change_backward_weight(direction):
    p = problem("dense_2d", direction, split_k=3)
    if direction != "backward_weight":
        with pytest.raises(SelectionError, match=r"cpu\.conv\.split_k"):
            SHARED.plan(p)
        return
    tensors = OP.random_tensors(p, 1)
    results = []
    for threads in (1, 2, 3):
        out = quick(threads=threads).run(p, **tensors).copy()
        results.append(out)
    assert OP.verify(p, tensors, results[0]).ok
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


FEW_PIXELS = {
    "dense": {"n": 1, "c": 150, "k": 70, "input": [5, 5], "filter": [3, 3], "pad": 1},
    "odd_channels": {
        "n": 2,
        "c": 67,
        "k": 33,
        "input": [6, 5],
        "filter": [1, 3],
        "pad": [0, 1],
        "epilogue": {"alpha": 0.5},
    },
    "groups": {"n": 1, "g": 3, "c": 90, "k": 120, "input": [9, 8], "filter": [3, 3], "stride": 2, "pad": 1},
    "few_channels": {"n": 3, "c": 3, "k": 40, "input": [17, 16], "filter": [3, 3], "pad": 1},
}


@pytest.mark.parametrize("shape", FEW_PIXELS)
@pytest.mark.parametrize("pipeline", ["implicit", "direct"])
def test_threads_share_the_channels_of_backward_weight(pipeline, shape):
    """Where a block of pixels is all there is, channels and taps are divided; sums stay in the same order."""
    fields = {"op": "grouped_conv", "direction": "backward_weight", "dtype": "fp32", **FEW_PIXELS[shape]}
    for split_k in (1, 2):
        p = problem_from_dict({**fields, "split_k": split_k})
        tensors = OP.random_tensors(p, 1)
        results = []
        for threads in (1, 2, 5, 16):
            found = {role: tensor.copy(order="K") for role, tensor in tensors.items()}
            results.append(quick(OnePipeline(pipeline), threads=threads).run(p, **found).copy())
            assert OP.verify(p, tensors, results[-1]).ok, threads
        if split_k > 1:  # otherwise it is the launch that decides into how many shares the pixels are cut
            assert all((r == results[0]).all() for r in results)


def test_strided_tensors_that_are_parts_of_larger_ones(dispatchers):
    for direction in DIRECTIONS:
        p = problem("few_channels", direction)
        wide = {r: tuple(s * 2 for s in p.stride_of(r)) for r in ("input", "output")}
        p = problem("few_channels", direction, strides={r: list(s) for r, s in wide.items()})
        assert check(dispatchers["chosen"], p) is not None


PLACES = {"input": (0, 1, 1, 2, 3), "weight": (0, 0, 1, 2, 3), "output": (0, 1, 1, 2, 3)}  # of axes in torch's shapes


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("pipeline", ["direct", "lanes", "depthwise", "implicit", "folded", "gemm", "planes", "chosen"])
@pytest.mark.parametrize("channels_first", [False, True])
def test_negative_strides(dispatchers, pipeline, direction, channels_first):
    """Along one axis of all tensors at a time, and along all at once."""
    kinds = {"lanes": SHARED_LANES, "depthwise": "depthwise", "gemm": "pointwise", "planes": "pointwise"}
    shape, dispatcher = kinds.get(pipeline, "dense_2d"), dispatchers.get(pipeline) or quick(OnePipeline(pipeline))
    plain = problem(shape, direction, channels_first=channels_first, input=[5, 7])
    for axes in (*([a] for a in range(4)), range(4)):
        strides = {
            role: [-s if at in axes else s for at, s in zip(places, plain.stride_of(role), strict=True)]
            for role, places in PLACES.items()
        }
        p = problem(shape, direction, channels_first=channels_first, input=[5, 7], strides=strides)
        assert all(min(t.strides) < 0 for t in OP.random_tensors(p, 0).values())
        check(dispatcher, p)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("pipeline", ["direct", "lanes", "implicit"])
def test_axes_that_repeat_memory(pipeline, direction):
    """An operand with strides of 0, as `expand` of torch makes it: the gradient of a sum is one number.

    The last block of groups has fewer channels than the others, and a thread may begin with it.
    """
    groups = {"g": 37, "c": 37, "k": 37} if pipeline == "lanes" else {}
    plain = problem("dense_2d", direction, n=1, input=[43, 16], **groups)
    role = "output" if direction == "backward_data" else "input"
    for repeated, threads in (((1, 2), 5), (range(5), 7)):
        strides = [0 if axis in repeated else step for axis, step in enumerate(plain.stride_of(role))]
        p = problem_from_dict({**plain.to_dict(), "strides": {role: strides}})
        check(quick(OnePipeline(pipeline), threads=threads), p)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("pipeline", ["direct", "implicit", "chosen"])
def test_padding_on_one_side_of_a_pointwise_filter(dispatchers, pipeline, direction):
    """The source is no matrix then, although every result reads the pixel at its place."""
    for pad in ([[0, 1], [0, 0]], [[0, 0], [0, 2]], [[1, 0], [0, 1]], [[0, 3], [0, 3]]):
        p = problem("pointwise", direction, c=32, k=32, pad=pad)
        assert check(dispatchers[pipeline], p) is not None


MUTATIONS = {
    "direct": (
        "conv/gather_tiles.hpp",
        "      int64_t k = 0;",
        "      int64_t k = 1;",
    ),
    "lanes": ("conv/gather_tiles.hpp", "r < n; ++r, w", "r + 1 < n; ++r, w"),
    "depthwise": (
        "conv/depthwise_tile.hpp",
        "if (!Inside && !(w.inside >> s & 1)) continue;",
        "if (!Inside && !(w.inside >> s & 2)) continue;",
    ),
}


@pytest.mark.parametrize("pipeline", MUTATIONS)
def test_a_mutant_kernel_fails_verification(pipeline, tmp_path, monkeypatch):
    """The same kernel with one tap or channel left out must be found wrong."""
    import shutil

    from tilewright.backends.cpu import units

    header, right, wrong = MUTATIONS[pipeline]
    include = tmp_path / "include"
    shutil.copytree(units.INCLUDE_DIRS[0], include)
    text = (include / "tw" / header).read_text()
    assert text.count(right) == 1
    (include / "tw" / header).write_text(text.replace(right, wrong))
    monkeypatch.setattr(units, "INCLUDE_DIRS", (include, units.INCLUDE_DIRS[1]))
    shape = {"direct": "dense_2d", "lanes": SHARED_LANES, "depthwise": "depthwise"}[pipeline]
    result, _ = run(quick(OnePipeline(pipeline)), problem(shape, "forward"))
    assert not result.ok


def test_sources_name_their_spec():
    p = problem("dense_2d", "forward")
    chosen = SHARED.explain(p).chosen.candidate.spec
    assert isinstance(chosen, KernelSpec)
    assert chosen.digest in source_of(chosen)
    assert "tw::Direction::forward" in source_of(chosen)


def test_rules_name_what_they_refuse():
    explanation = SHARED.explain(problem("dense_2d", "forward"))
    removed = {r.rule for _, rejections in explanation.rejected for r in rejections}
    assert {"cpu.conv.merged", "cpu.conv.depthwise", "cpu.conv.inner"} <= removed
    tall = problem("gapped", "forward", input=[300, 10], filter=[200, 1], stride=1)
    assert {c.candidate.spec.algorithm.pipeline for c in SHARED.explain(tall).ranked} == {"implicit"}


@pytest.mark.parametrize(("direction", "stride"), [("forward", 1), ("backward_data", 2)])
def test_a_deep_product_of_few_rows_has_the_room_it_needs(direction, stride):
    """Rows of a block that are no multiple of the tile, and depths on both sides of the k block."""

    class Rows:
        name = "rows-96"

        def rank(self, p, candidates, device):
            wanted = {"pipeline": "implicit", "inner": "fma", "mr": 14, "rows": 96}
            keep = [c for c in candidates if all(getattr(c.spec.algorithm, n) == v for n, v in wanted.items())]
            return [Ranked(c, None, "the first") for c in keep]

    dispatcher = quick(Rows())
    sizes = {"n": 1, "c": 32, "k": 200, "input": [16, 16], "filter": [5, 5], "pad": 2, "dtype": "fp32"}
    p = problem_from_dict({"op": "grouped_conv", "direction": direction, "stride": stride, **sizes})
    if HOST.lanes < 16 and not dispatcher.explain(p).ranked:
        pytest.skip("this CPU has no tile of 14 rows")
    check(dispatcher, p)


@pytest.mark.parametrize(("c", "k"), [(24, 18), (9, 4)])
def test_plain_weight_gradient_of_one_tap(c, k):
    """Four lanes: a window of eight channels once ran over the chunk of four that is staged together."""
    p = problem("pointwise", "backward_weight", c=c, k=k)
    algorithm = get_backend_op("cpu", "conv").algorithm(pipeline="direct", inner="portable", mr=4, nr=4)
    registry = Registry("plain")
    registry.add(KernelSpec("conv", "cpu", "generic", p.signature, algorithm))
    result, plan = run(Dispatcher(registry, "first_fit"), p)
    assert result.ok, (plan.kernel, result)
