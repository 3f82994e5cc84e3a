"""Convolutions on a real NVIDIA GPU, through stages as a plan has them. Skipped where there is none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("triton")
torch = pytest.importorskip("torch")

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "conv"))

from conv_cases import problem

from tilewright.arch import get_nominal_devices
from tilewright.backends.triton.conv import OP
from tilewright.jit import Cache, build_one
from tilewright.jit.arrays import view_of
from tilewright.model.kernel import Candidate
from tilewright.model.kernel_set import expand
from tilewright.ops import get_op
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
    from tilewright.arch import get_arch

    arch, device = get_arch("sm_90"), get_nominal_devices("sm_90")[0]
    sets = [s for s in OP.default_sets() if s.takes(p.signature, "sm_90")]
    specs = [x for s in sets for x in expand(s, arch, p.signature, OP.algorithm, OP.tunables(), OP.rules).specs]
    found = [Candidate(s, x) for s in specs if not OP.check(s, arch, p) for x in OP.launches(s, p, device)]
    return min(found, key=lambda c: (OP.predict(c, p, device), c.key))


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("shape", ["dense_2d", "pointwise", "strided", "few_channels", "depthwise", "three_d"])
def test_selected_kernels_on_the_gpu(direction, shape, tmp_path):
    p = problem(shape, direction, "fp16")
    candidate = chosen(p)
    cache = Cache.from_settings(Settings(cache_dir=str(tmp_path)))
    kernels = OP.load(candidate.spec, build_one(OP.request(candidate.spec, cache.settings), cache))
    (stage,) = OP.stages(candidate, p, kernels, cache.settings)
    host = get_op("conv").random_tensors(p, 3)
    device = {r: torch.from_numpy(t).cuda() for r, t in host.items()}
    launch = stage.bind({r: view_of(t, r) for r, t in device.items()})
    for _ in range(2):  # a second launch finds the workspace as it must be
        device[p.result].fill_(float("nan"))
        launch(None)
    torch.cuda.synchronize()
    host[p.result] = device[p.result].cpu().numpy()
    assert get_op("conv").verify(p, host, host[p.result]).ok, candidate.spec.name
