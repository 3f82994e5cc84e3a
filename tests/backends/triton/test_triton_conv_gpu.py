"""Convolutions on a real NVIDIA GPU, through stages as a plan has them. Skipped where there is none."""

from __future__ import annotations

import pytest

pytest.importorskip("triton")
torch = pytest.importorskip("torch")


from conv_cases import problem
from turned_cases import CASES as TURNED

from tilewright.arch import get_arch, get_nominal_devices
from tilewright.backends.triton.conv import OP
from tilewright.backends.triton.conv.algorithm import TritonConv
from tilewright.jit import Cache, build_one
from tilewright.jit.arrays import view_of
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.model.kernel_set import expand
from tilewright.ops import get_op, problem_from_dict
from tilewright.ops.conv.signature import DIRECTIONS
from tilewright.settings import Settings

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(
        not torch.cuda.is_available() or torch.cuda.get_device_capability() != (9, 0),
        reason="needs an NVIDIA GPU of compute capability 9.0 (H100, H200); none is here",
    ),
]


def chosen(p):
    """The candidate that the cost model prefers."""
    arch, device = get_arch("sm_90"), get_nominal_devices("sm_90")[0]
    sets = [s for s in OP.default_sets() if s.takes(p.signature, "sm_90")]
    specs = [x for s in sets for x in expand(s, arch, p.signature, OP.algorithm, OP.tunables(), OP.rules).specs]
    found = [Candidate(s, x) for s in specs if not OP.check(s, arch, p) for x in OP.launches(s, p, device)]
    return min(found, key=lambda c: (OP.predict(c, p, device), c.key))


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("shape", ["dense_2d", "pointwise", "strided", "few_channels", "depthwise", "three_d"])
def test_selected_kernels_on_the_gpu(direction, shape):
    p = problem(shape, direction, "fp16")
    check(p, chosen(p))


def check(p, candidate):
    """Runs the candidate as a stage of a plan, twice, and compares with the reference."""
    cache = Cache.from_settings(Settings.from_env())
    kernels = OP.load(candidate.spec, build_one(OP.request(candidate.spec, cache.settings), cache))
    (stage,) = OP.stages(candidate, p, kernels, cache.settings)
    host = get_op("conv").random_tensors(p, 3)
    # torch does not know numpy's bf16: its bits travel as integers.
    short = p.dtype_input == "bf16"
    device = {r: torch.from_numpy(t.view("u2") if short else t).cuda() for r, t in host.items()}
    device = {r: t.view(torch.bfloat16) if short else t for r, t in device.items()}
    launch = stage.bind({r: view_of(t, r) for r, t in device.items()})
    for _ in range(2):  # a second launch finds the workspace as it must be
        device[p.result].fill_(float("nan"))
        launch(None)
    torch.cuda.synchronize()
    got = device[p.result].cpu()
    host[p.result] = got.view(torch.uint16).numpy().view(host[p.result].dtype) if short else got.numpy()
    said = get_op("conv").verify(p, host, host[p.result])
    assert said.ok, (candidate.spec.name, said.ratio)


BOXED = {
    "plain": {"n": 3, "c": 40, "k": 72, "input": [11, 13], "filter": [3, 3], "pad": 1},
    "one_step": {"n": 9, "c": 64, "k": 64, "input": [8, 8], "filter": [1, 1]},
    "strided": {"n": 5, "c": 64, "k": 48, "input": [15, 17], "filter": [3, 5], "stride": [2, 3],
                "pad": [[1, 0], [2, 3]]},
    "gapped": {"n": 3, "c": 32, "k": 64, "input": [14, 14], "filter": [1, 1], "stride": 2},
    "dilated": {"n": 2, "c": 8, "k": 24, "input": [14, 13], "filter": [3, 3], "dilation": [2, 3], "pad": [2, 3]},
    "groups": {"n": 2, "g": 4, "c": 256, "k": 512, "input": [9, 7], "filter": [3, 3], "stride": 2, "pad": 1},
    "merged": {"n": 3, "g": 4, "c": 128, "k": 128, "input": [9, 7], "filter": [3, 3], "stride": 2, "pad": 1},
    "column": {"n": 3, "c": 40, "k": 72, "input": [11, 13], "filter": [5, 1], "pad": [2, 0]},
    "row": {"n": 3, "c": 40, "k": 72, "input": [11, 13], "filter": [1, 5], "stride": [1, 2], "pad": [0, 2]},
    "planes": {"n": 2, "c": 16, "k": 24, "input": [4, 5, 6], "filter": [3, 1, 1], "pad": [1, 0, 0]},
    "one_d": {"n": 2, "c": 16, "k": 24, "input": [37], "filter": [5], "stride": [2], "dilation": [2], "pad": [3]},
    "three_d": {"n": 2, "c": 32, "k": 64, "input": [5, 6, 9], "filter": [2, 3, 3], "stride": [1, 2, 1],
                "pad": [0, 1, 1]},
}  # fmt: skip
FOLDED = {
    "stem": {"n": 2, "c": 3, "k": 24, "input": [23, 27], "filter": [5, 7], "stride": 2, "pad": [[2, 1], [3, 2]]},
    "patches": {"n": 3, "c": 3, "k": 40, "input": [16, 20], "filter": [4, 4], "stride": 4},
    "gray": {"n": 2, "c": 1, "k": 16, "input": [19, 18], "filter": [3, 3], "pad": 1, "dilation": [2, 1]},
    "video": {"n": 2, "c": 3, "k": 16, "input": [5, 9, 12], "filter": [3, 5, 5], "stride": [1, 2, 2], "pad": [1, 2, 2]},
}  # fmt: skip
FOLDING = ({"tile_m": 128, "tile_n": 64, "tile_k": 32, "consumers": 2}, {"tile_m": 64, "tile_n": 32, "tile_k": 64,
            "warps": 4})  # fmt: skip
HOPPER = {"pipeline": "hopper", "stages": 0, "warps": 8}
TILES = (
    {"tile_m": 128, "tile_n": 64, "consumers": 2, "out_buffers": 1},
    {"tile_m": 64, "tile_n": 128, "warps": 4, "store": "pointer"},
    {"tile_m": 128, "tile_n": 192, "store": "pointer"},
    {"tile_m": 256, "tile_n": 64, "tile_k": 32},
)
BIAS = {"d": [{"dtype": "fp16", "broadcast": "row"}, {"dtype": "fp16"}],
        "epilogue": {"activation": "silu", "alpha": 0.5, "beta": -2.0}}  # fmt: skip


def boxed(name, direction, fields, **further):
    """(problem, candidate) of a hopper kernel, its traits corrected to what the problem needs."""
    p = problem("dense_2d", direction, "fp16", **{"g": 1, "pad": 0, **(BOXED | FOLDED)[name], **further})
    changes = {}
    if direction == "backward_data" and max(p.stride) > 1:
        changes["store"] = "pointer"
    if direction == "backward_weight":
        changes = {"store": "tma", "tile_k": 64, "split": name in FOLDED or fields.get("store") == "pointer"}
        changes["order"] = "tiles" if changes["split"] else "shares"
    if p.g > 1 and name != "merged":
        changes |= {"tile_n": 64, "tile_m": 128}
    algorithm = TritonConv(**{**HOPPER, **fields, **changes, "fold": name in FOLDED})
    spec = KernelSpec("conv", "triton", "sm_90", p.signature, algorithm)
    return p, Candidate(spec, Launch(split_k=3 if changes.get("split") else 1))


def boxed_cases():
    found = {
        f"{d}-{name}-{i}": boxed(name, d, t)
        for d in DIRECTIONS
        for name in BOXED
        if name != "merged"
        for i, t in enumerate(TILES)
    }
    for direction in ("forward", "backward_weight"):
        found |= {f"{direction}-{n}-{i}": boxed(n, direction, t) for n in FOLDED for i, t in enumerate(FOLDING)}
    rows = {"stem": (5, 256), "patches": (4, 64), "gray": (3, 128), "video": (5, 256)}
    for name, (height, columns) in rows.items():
        tile = {"tile_m": 64, "tile_n": columns, "tile_k": 64, "warps": 4, "filter_h": height}
        found[f"rows-{name}"] = boxed(name, "backward_weight", tile)
    for tile in ({"tile_m": 64, "tile_n": 64, "warps": 4}, {"tile_m": 128, "tile_n": 128}):
        p, c = boxed("merged", "backward_weight", {**tile, "merge": True, "store": "pointer"})
        found[f"merged-{tile['tile_m']}"] = (p, c)
    found["folded-weight-added"] = boxed("stem", "backward_weight", FOLDING[1], d=[{"dtype": "fp16"}])
    found["folded-epilogue"] = boxed("stem", "forward", FOLDING[0], **BIAS)
    found["forward-epilogue"] = boxed("strided", "forward", TILES[0], **BIAS)
    found["forward-epilogue-pointer"] = boxed("plain", "forward", TILES[2], **BIAS)
    return found


@pytest.mark.parametrize("channels", [4, 8, 32])
@pytest.mark.parametrize("tile", [{"tile_k": 128}, {"tile_k": 64, "blocks_per_unit": 2}])
def test_groups_written_without_shares_on_the_gpu(channels, tile):
    """Two tiles of groups: what lies between groups is written nowhere, not even over a neighbour."""
    size = {"n": 3, "g": 128 // channels, "c": 128, "k": 128, "input": [9, 7], "filter": [3, 3], "pad": 1}
    p = problem_from_dict({"op": "grouped_conv", "direction": "backward_weight", "dtype": "fp16", **size,
                           "stride": [2, 1], "epilogue": {"alpha": 0.5}})  # fmt: skip
    fields = {"tile_m": 64, "tile_n": 64, "warps": 4, "merge": True, "store": "pointer", **tile}
    spec = KernelSpec("conv", "triton", "sm_90", p.signature, TritonConv(**{**HOPPER, **fields}))
    assert not OP.check(spec, get_arch("sm_90"), p)
    check(p, Candidate(spec, Launch()))


@pytest.mark.parametrize("name", list(boxed_cases()))
def test_boxes_of_pixels_on_the_gpu(name):
    p, candidate = boxed_cases()[name]
    assert not OP.check(candidate.spec, get_arch("sm_90"), p)
    check(p, candidate)


@pytest.mark.parametrize("name", list(TURNED))
@pytest.mark.parametrize("tile", [{"consumers": 2}, {"tile_m": 256}, {"tile_m": 64, "warps": 4}])
def test_turned_gradients_on_the_gpu(name, tile):
    sizes, fields = TURNED[name]
    p = problem_from_dict({"op": "grouped_conv", "direction": "backward_data", "n": 3, "dtype": "fp16", **sizes})
    spec = KernelSpec("conv", "triton", "sm_90", p.signature, TritonConv(**{**fields, "tile_k": 32, **tile}))
    assert not OP.check(spec, get_arch("sm_90"), p)
    check(p, Candidate(spec, Launch()))


@pytest.mark.parametrize("name", [*FOLDED, "volume"])
@pytest.mark.parametrize("tile", [{"tile_m": 128, "tile_k": 32, "warps": 8}, {"tile_m": 64, "tile_k": 64, "warps": 4}])
def test_gathered_elements_on_the_gpu(name, tile):
    volume = {"n": 2, "c": 1, "k": 64, "input": [9, 10, 12], "filter": [3, 3, 3], "stride": 2, "pad": 1}
    p = problem_from_dict({"op": "grouped_conv", "direction": "forward", "dtype": "fp16",
                           **(volume if name == "volume" else FOLDED[name])})  # fmt: skip
    algorithm = TritonConv(fold=True, merge=True, tile_n=64, stages=1, **tile)
    spec = KernelSpec("conv", "triton", "sm_90", p.signature, algorithm)
    assert not OP.check(spec, get_arch("sm_90"), p)
    check(p, Candidate(spec, Launch()))


THIN = {"pipeline": "thin", "warps": 4, "stages": 3, "blocks_per_unit": 2}
THIN_CASES = [
    ({"n": 3, "c": 24, "k": 36, "input": [17, 19]}, {"tile_m": 128, "tile_n": 64, "tile_k": 64, "vector_bytes": 8}),
    ({"n": 2, "c": 40, "k": 24, "input": [50, 50]}, {"tile_m": 64, "tile_n": 64, "tile_k": 64}),
    ({"n": 2, "c": 32, "k": 3, "input": [9, 21]}, {"tile_m": 64, "tile_n": 32, "tile_k": 32, "vector_bytes": 2}),
]


def thin_cases():
    found = []
    for direction in ("forward", "backward_data"):
        for sizes, fields in THIN_CASES:
            p = problem("pointwise", direction, "fp16", **sizes)
            spec = KernelSpec("conv", "triton", "sm_90", p.signature, TritonConv(**{**THIN, **fields}))
            found.append((p, Candidate(spec, Launch())))
    return found


@pytest.mark.parametrize("case", range(len(thin_cases())))
def test_streamed_pixels_on_the_gpu(case):
    from tilewright.arch import get_arch

    p, candidate = thin_cases()[case]
    assert not OP.check(candidate.spec, get_arch("sm_90"), p)
    check(p, candidate)


# (channels per group, groups, image, filter, stride, pad): odd sizes, partial blocks of channels, uneven padding.
STRIPS = [
    (4, 6, [9, 11], [3, 3], 1, 1),
    (8, 13, [17, 15], [3, 3], 2, 1),
    (16, 5, [14, 14], [3, 3], 2, [[0, 1], [0, 1]]),
    (1, 72, [15, 10], [3, 3], 1, 1),
    (1, 40, [23, 19], [5, 5], 2, 2),
    (1, 24, [7, 7], [7, 7], 1, 3),
]


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("index", range(len(STRIPS)))
@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
def test_strips_on_the_gpu(direction, index, dtype):
    channels, groups, image, filters, stride, pad = STRIPS[index]
    size = {"n": 5, "g": groups, "c": channels * groups, "k": channels * groups, "input": image, "filter": filters}
    p = problem_from_dict({"op": "grouped_conv", "direction": direction, **size, "stride": stride, "pad": pad,
                           "dtype": dtype})  # fmt: skip
    phase = p.pad[0][0] % stride if direction == "backward_data" else 0
    tile = {"tile_m": 8 if max(filters) < 7 else 4, "tile_n": 16, "tile_k": 16, "warps": 1}
    if channels > 1:
        tile = {"tile_m": 16, "tile_n": 64, "tile_k": 64, "warps": 4}
    variants = [{**tile, "span": 2, "stages": 1}, {**tile, "span": 4, "stages": 2}]
    lines = {"tile_m": 16, "tile_n": 32, "tile_k": 32, "warps": 4, "span": 4, "stages": 1}
    if direction != "backward_weight" and channels <= 2:
        variants.append({**lines, "pair": 8})
    if direction != "backward_weight" and channels == stride == 1:
        planes = {**lines, "pair": 16, "tile_m": 4 if max(filters) < 7 else 8, "span": 16, "warps": 8}
        variants += [planes, {**planes, "tile_m": 2 * planes["tile_m"], "span": 8, "stages": 3}]
    if direction == "backward_weight" and channels <= 8 and max(filters) == 3:
        variants.append({**lines, "pair": 2})
    if direction == "backward_weight" and channels == 1:
        planes = {**lines, "pair": 16}
        narrow = {**planes, "tile_n": 16, "tile_k": 16}
        variants += [{**planes, "warps": 8}, {**narrow, "warps": 8, "stages": 2}, {**planes, "span": 8},
                     {**narrow, "warps": 2, "stages": 3}]  # fmt: skip
    for variant in variants:
        algorithm = TritonConv(pipeline="strip", **variant, channels=channels, filter_h=filters[0],
                               filter_w=filters[1], stride_w=stride, phase=phase)  # fmt: skip
        spec = KernelSpec("conv", "triton", "sm_90", p.signature, algorithm)
        launch = Launch(split_k=3 if direction == "backward_weight" else 1)
        assert not OP.check(spec, get_arch("sm_90"), p, launch)
        check(p, Candidate(spec, launch))
