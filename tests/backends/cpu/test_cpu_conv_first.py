"""Convolutions of channels-first images on Arm, and tiles that multiply by lanes: edges, strides, groups, images."""

from __future__ import annotations

import random
from math import prod

import numpy as np
import pytest
from host_cpu_kernels import ARCH

import tilewright
from tilewright.arch import get_arch
from tilewright.backends import get_backend_op
from tilewright.dispatcher import Dispatcher
from tilewright.model.kernel import KernelSpec
from tilewright.model.selector import Ranked
from tilewright.ops import get_op, problem_from_dict
from tilewright.ops.conv.planes import as_planes, not_planes
from tilewright.ops.conv.signature import DIRECTIONS
from tilewright.settings import Settings

OP = get_op("conv")
FIRST = {1: "ngcw", 2: "ngchw", 3: "ngcdhw"}
ARM = get_arch(ARCH).kind == "arm"
needs_arm = pytest.mark.skipif(not ARM, reason="the pipelines are offered on Arm")
BIAS = {"d": [{"dtype": "fp32", "broadcast": "row"}], "epilogue": {"activation": "relu", "alpha": 0.5, "beta": 2.0}}
ADDED = {"d": [{"dtype": "fp32"}, {"dtype": "bf16", "broadcast": "row"}]}
FULL = {"d": [{"dtype": "fp32"}, {"dtype": "bf16"}], "epilogue": {"alpha": 0.5, "beta": 2.0}}


class OneForm:
    """Takes kernels of one form only."""

    name = "one-form"

    def __init__(self, **form):
        self.form = form

    def rank(self, p, candidates, device):
        return [Ranked(c, None, "the form") for c in candidates if self.fits(c.spec.algorithm)]

    def fits(self, algorithm):
        return all(getattr(algorithm, name) == value for name, value in self.form.items())


def conv(direction="forward", **fields):
    layout = {"layout": FIRST[len(fields["input"])]}
    return problem_from_dict(
        {"op": "grouped_conv", "direction": direction, "dtype": "fp32", "n": 1, **layout, **fields}
    )


def check(dispatcher, p, seed=0):
    tensors = OP.random_tensors(p, seed)
    bound = dispatcher.bind(p, **tensors)
    assert OP.verify(p, tensors, bound()).ok, p.to_dict()
    return bound.plan.candidate.spec.algorithm


def geometry(rng, dims):
    """Filters, strides, dilations and paddings of one problem; paddings may reach over the whole filter."""
    filters = [rng.choice([1, 2, 3, 3, 5, 7]) for _ in range(dims)]
    dilation = [rng.choice([1, 1, 2, 5]) for _ in range(dims)]
    pad = [[rng.randint(0, f * d), rng.randint(0, f)] for f, d in zip(filters, dilation, strict=True)]
    reach = [(f - 1) * d + 1 - sum(p) for f, d, p in zip(filters, dilation, pad, strict=True)]
    return {
        "n": rng.randint(1, 2), "filter": filters, "dilation": dilation, "pad": pad,
        "stride": [rng.choice([1, 1, 2, 3]) for _ in range(dims)],
        "input": [max(1, r + rng.randint(0, 37)) for r in reach],
    }  # fmt: skip


@needs_arm
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("dims", [1, 2])
def test_stencils_of_any_geometry(dims, direction):
    dispatcher, rng = Dispatcher(selector=OneForm(pipeline="stencil")), random.Random(f"{dims} {direction}")
    for _ in range(25):
        channels = rng.choice([2, 5, 9])
        check(dispatcher, conv(direction, g=channels, c=channels, k=channels, **geometry(rng, dims)), rng.randrange(99))


@needs_arm
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("extra", [BIAS, ADDED], ids=["bias", "added"])
def test_stencils_with_an_epilogue_in_bands(extra, threads):
    """A plane of 140 x 131 pixels takes several bands of rows."""
    fields = {"g": 3, "c": 3, "k": 3, "input": [140, 131], "filter": [3, 3], "pad": 1, **extra}
    settings = Settings.from_env(threads=threads)
    check(Dispatcher(selector=OneForm(pipeline="stencil"), settings=settings), conv(**fields))


@needs_arm
def test_stencils_sum_only_what_a_tap_reads():
    """Without padding the last pixels of a row meet some taps only: what they hold is nothing to the other weights."""
    p = conv("backward_weight", g=2, c=2, k=2, input=[5, 12], filter=[1, 3])
    tensors = OP.random_tensors(p, 0)
    tensors["input"][0, 1, 2, 11] = np.inf
    got = np.asarray(Dispatcher(selector=OneForm(pipeline="stencil")).run(p, **tensors)).reshape(2, 3)
    assert np.isfinite(got).tolist() == [[True, True, True], [True, True, False]]


@needs_arm
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("extra", [{}, FULL], ids=["plain", "added"])
def test_weight_stencils_in_bands(extra, threads):
    fields = {"n": 2, "g": 3, "c": 3, "k": 3, "input": [140, 131], "filter": [7, 7], "pad": 3, **extra}
    settings = Settings.from_env(threads=threads)
    check(Dispatcher(selector=OneForm(pipeline="stencil"), settings=settings), conv("backward_weight", **fields))


@needs_arm
def test_stencils_leave_rows_that_are_not_contiguous_to_others():
    fields = {"g": 4, "c": 4, "k": 4, "input": [8, 9], "filter": [3, 3], "pad": 1}
    dispatcher = Dispatcher(selector=OneForm(pipeline="stencil"))
    last = conv(**fields, layout="nhwgc")
    assert "cpu.conv.stencil" in str(dispatcher.explain(last)) or not dispatcher.explain(last).ranked
    x = np.random.default_rng(0).standard_normal((2, 4, 16, 18), np.float32)[:, :, ::2, ::2]
    w = np.random.default_rng(1).standard_normal((4, 1, 3, 3), np.float32)
    want = tilewright.conv(np.ascontiguousarray(x), w, padding=1, groups=4)
    np.testing.assert_allclose(tilewright.conv(x, w, padding=1, groups=4), want, rtol=1e-5, atol=1e-5)


POINTWISE = {"c": 24, "k": 20, "filter": [1, 1], "input": [7, 9]}
PLANES = [
    ({}, DIRECTIONS),
    ({"n": 3}, ("forward", "backward_data")),
    ({"g": 4}, DIRECTIONS),
    ({"input": [1, 1]}, DIRECTIONS),
    ({"c": 1, "k": 5, "n": 2}, ("forward", "backward_data")),
    ({"c": 5, "k": 1}, DIRECTIONS),
    ({"filter": [1], "input": [61]}, DIRECTIONS),
    ({"filter": [1, 1, 1], "input": [3, 5, 4], "n": 2}, ("forward", "backward_data")),
]


@needs_arm
@pytest.mark.parametrize(("changes", "directions"), PLANES, ids=str)
def test_pointwise_convolutions_are_products_over_the_same_memory(changes, directions):
    dispatcher = Dispatcher(selector=OneForm(pipeline="planes", mr=4, nr=16))
    for direction in directions:
        assert check(dispatcher, conv(direction, **{**POINTWISE, **changes})).pipeline == "planes"


@needs_arm
@pytest.mark.parametrize("changes", [{"n": 2}, {"g": 4}], ids=str)
@pytest.mark.parametrize("extra", [BIAS, ADDED], ids=["bias", "added"])
def test_a_bias_is_one_value_per_row_of_the_product(changes, extra):
    check(Dispatcher(selector=OneForm(pipeline="planes", mr=4, nr=16)), conv(**POINTWISE, **changes, **extra))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"filter": [3, 3]}, "the filter is"),
        ({"stride": [2, 2]}, "the stride is"),
        ({"pad": [1, 1]}, "padded"),
        ({"n": 2, "g": 2}, "2 images with 2 groups"),
        ({"n": 2, "direction": "backward_weight"}, "2 images"),
        ({"layout": "nhwgc"}, "not contiguous"),
        ({"strides": {"input": (3024, 0, 126, 18, 2)}}, "the pixels of input"),
        ({"strides": {"weight": (0, 48, 2, 1, 1)}}, "the weights of an output channel"),
    ],
    ids=str,
)
def test_what_is_no_product_of_planes(changes, why):
    assert why in str(not_planes(conv(**{**POINTWISE, **changes})))


def test_planes_have_the_sizes_and_strides_of_the_images():
    product = as_planes(conv(**POINTWISE, n=3))
    assert (product.batch, product.m, product.n, product.k) == (3, 20, 63, 24)
    assert product.stride("a") == (0, 24, 1)
    assert product.stride("b") == (24 * 63, 63, 1)
    back = as_planes(conv("backward_data", **POINTWISE, g=4))
    assert (back.batch, back.m, back.n, back.k) == (4, 6, 63, 5)
    assert back.stride("a") == (30, 1, 6)


TILES = [(4, 16), (5, 16), (7, 12), (8, 8), (16, 4)]


@needs_arm
@pytest.mark.parametrize("direction", ["forward", "backward_data"])
@pytest.mark.parametrize("tile", TILES, ids=str)
def test_lane_tiles_of_any_geometry(tile, direction):
    dispatcher = Dispatcher(selector=OneForm(pipeline="direct", inner="fma", mr=tile[0], nr=tile[1], strip_kb=64))
    rng = random.Random(f"{tile} {direction}")
    if not dispatcher.explain(conv(direction, c=4, k=4, input=[9], filter=[3])).ranked:
        pytest.skip(f"{ARCH} has no such tile")
    for i in range(16):
        fields = geometry(rng, 2)
        g = rng.choice([1, 1, 1, 2])
        sizes = {"g": g, "c": g * rng.choice([1, 3, 4, 6, 9]), "k": g * rng.choice([1, 5, 19, 33])}
        layout = {"layout": "nhwgc"} if i % 2 else {}
        check(dispatcher, conv(direction, **sizes, **fields, **layout), rng.randrange(99))


@needs_arm
@pytest.mark.parametrize("columns", [4, 8, 16, 24])
def test_weight_tiles_of_any_geometry(columns):
    dispatcher, rng = Dispatcher(selector=OneForm(pipeline="direct", mr=4, nr=columns)), random.Random(columns)
    if not dispatcher.explain(conv("backward_weight", c=4, k=4, input=[9], filter=[3])).ranked:
        pytest.skip(f"{ARCH} has no such tile")
    for i in range(12):
        g = rng.choice([1, 1, 2])
        sizes = {"g": g, "c": g * rng.choice([1, 3, 4, 6, 11]), "k": g * rng.choice([1, 4, 19, 33])}
        layout = {"layout": "nhwgc"} if i % 2 else {}
        extra = FULL if columns == 16 else {}
        check(dispatcher, conv("backward_weight", **sizes, **geometry(rng, 2), **layout, **extra), rng.randrange(99))


@needs_arm
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("fields", [
    {"c": 24, "k": 40, "input": [13, 15]},  # all weights stay in L2: blocks share the strip of each row
    {"c": 24, "k": 40, "input": [9, 4]},  # two rows share a tile
    {"c": 132, "k": 144, "input": [14, 14]},  # the strips of all images are kept
    {"c": 132, "k": 144, "input": [6, 7]},
    {"c": 132, "k": 144, "input": [14, 14], "n": 9},  # these are too many: strips of 112 pixels are shared
    {"c": 132, "k": 144, "input": [6, 7], "n": 30},  # too few pixels for that
], ids=str)  # fmt: skip
def test_blocks_that_share_strips(fields, threads):
    chosen = OneForm(pipeline="direct", inner="fma", mr=8, nr=8, strip_kb=64)
    dispatcher = Dispatcher(selector=chosen, settings=Settings.from_env(threads=threads))
    assert prod(fields["input"]) < 200
    for stride in (1, 2):
        check(dispatcher, conv(**{"n": 2, **fields}, filter=[3, 3], pad=1, stride=[stride, stride]))


def test_units_of_other_cpus_include_nothing_of_arm():
    from tilewright.backends.cpu.conv.algorithm import CpuConv
    from tilewright.backends.cpu.conv.lower import source_of

    signature = conv(c=8, k=8, input=[8, 8], filter=[3, 3], layout="nhwgc").signature
    units = {arch: source_of(KernelSpec("conv", "cpu", arch, signature, CpuConv(mr=4, nr=16)))
             for arch in ("x86_64_v3", "aarch64_dot")}  # fmt: skip
    assert "arm" not in units["x86_64_v3"]
    assert "#include <tw/arm/gather.hpp>" in units["aarch64_dot"]
    assert get_backend_op("cpu", "conv").algorithm is CpuConv


@needs_arm
def test_channels_first_images_get_their_own_pipelines():
    dispatcher = Dispatcher()
    depthwise = conv(g=576, c=576, k=576, input=[14, 14], filter=[3, 3], pad=1)
    assert dispatcher.explain(depthwise).ranked[0].candidate.spec.algorithm.pipeline == "stencil"
    for direction in DIRECTIONS:
        pointwise = conv(direction, c=96, k=24, input=[56, 56], filter=[1, 1])
        assert dispatcher.explain(pointwise).ranked[0].candidate.spec.algorithm.pipeline == "planes"


WEIGHTS = [
    {"n": 3},
    {"n": 2, "g": 2, "input": [21, 20]},  # blocks of pixels that end within an image
    {"n": 5, "filter": [1, 1, 1], "input": [3, 5, 4]},
    {"n": 2, "input": [1, 1]},
    {"n": 3, "filter": [1], "input": [61]},
    {"n": 2, "stride": [2, 2]},  # these are gathered
    {"n": 2, "pad": [1, 1]},
    {"n": 2, "dtype": "bf16"},
]


@needs_arm
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("changes", WEIGHTS, ids=str)
def test_weight_gradients_of_several_images(changes, threads):
    settings = Settings.from_env(threads=threads)
    dispatcher = Dispatcher(selector=OneForm(pipeline="implicit"), settings=settings)
    check(dispatcher, conv("backward_weight", **{**POINTWISE, **changes}))


@needs_arm
def test_weight_gradients_of_planes_with_gaps_are_gathered():
    x, y = (np.random.default_rng(i).standard_normal((2, c, 6, 11), np.float32)[..., 1:10] for i, c in ((0, 5), (1, 7)))
    got = tilewright.conv_backward_weight(x, y, (7, 5, 1, 1))
    np.testing.assert_allclose(got[..., 0, 0], np.einsum("nchw,nkhw->kc", x, y), rtol=1e-4, atol=1e-4)


SHORT = [(4, 128, 16, 1), (7, 300, 32, 1), (9, 129, 33, 1), (401, 70, 5, 1), (6, 260, 3, 3), (5, 1, 1, 1)]


@needs_arm
@pytest.mark.parametrize("threads", [1, 2])
def test_short_products_go_strip_by_strip(threads):
    """Up to 32 channels a strip of 128 pixels is multiplied for all rows before the next: edges, blocks, batches."""
    form = OneForm(pipeline="tiled", mr=4, nr=16, pack_a=True, pack_b=True)
    dispatcher, op = Dispatcher(selector=form, settings=Settings.from_env(threads=threads)), get_op("gemm")
    for m, n, k, batch in SHORT:
        p = problem_from_dict({"op": "gemm", "m": m, "n": n, "k": k, "dtype": "fp32", "layout": "rrr", "batch": batch})
        tensors = op.random_tensors(p, m)
        assert op.verify(p, tensors, dispatcher.bind(p, **tensors)()).ok, p.to_dict()
