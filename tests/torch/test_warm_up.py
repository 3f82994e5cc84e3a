"""`warm_up` of a model: after it, a training step compiles nothing, and the model is as it was."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import tilewright.torch as tt
from tilewright.dispatcher import Dispatcher
from tilewright.errors import BuildForbiddenError, ProblemError
from tilewright.frontends import default
from tilewright.jit import Cache
from tilewright.settings import Settings
from tilewright.torch import fused, packed

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from host_cpu_kernels import ARCH, BASE_ARCH
from nets import NETS

warming = importlib.import_module("tilewright.torch.warm_up")  # its name in the package is the function


def net() -> torch.nn.Module:
    layers = torch.nn
    return layers.Sequential(
        layers.Conv2d(4, 8, 3, padding=1), layers.BatchNorm2d(8), layers.Dropout(0.5), layers.Flatten(),
        layers.Linear(8 * 6 * 6, 16),
    )  # fmt: skip


@pytest.mark.parametrize("arch", sorted({ARCH, BASE_ARCH}))
def test_a_training_step_after_warm_up_compiles_nothing(
    arch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On each arch: which kernels are the best of which problems differs. The gradient of the sum is expanded."""
    own = Settings.from_env(data_dir=str(tmp_path), cpu_arch=arch)
    serving = Dispatcher(settings=own, cache=Cache(tmp_path), build="never")
    monkeypatch.setattr(default, "made", serving)
    torch.manual_seed(0)
    model, x = net(), torch.randn(2, 4, 6, 6)
    before, state = {k: v.clone() for k, v in model.state_dict().items()}, torch.get_rng_state()
    expected = torch.nn.functional.conv2d(x, model[0].weight, model[0].bias, padding=1)
    with tt.patch(model) as patched:
        assert patched.report.entries
        with pytest.raises(BuildForbiddenError, match="warm_up"):
            model(x)
        problems = tt.warm_up(model, x)
        after = model.state_dict()
        assert all(torch.equal(after[name], value) for name, value in before.items())
        assert all(p.grad is None for p in model.parameters())
        assert torch.equal(torch.get_rng_state(), state)
        assert {p.op for p in problems} == {"conv", "gemm"}
        assert {p.variant for p in problems if p.op == "conv"} >= {"forward", "backward_weight"}
        told = len(serving.events)
        model(x).sum().backward()
        torch.testing.assert_close(model[0](x), expected, rtol=1e-4, atol=1e-4)
    assert len(serving.events) == told  # the best kernel of every call was there


def test_a_model_without_tilewright_is_refused() -> None:
    with pytest.raises(ProblemError, match="patch"):
        tt.warm_up(torch.nn.Linear(4, 4), torch.ones(2, 4), backward=False)


@pytest.mark.parametrize("fuse", [True, False])
@pytest.mark.parametrize("name", ["convnext_tiny", "llama"])
def test_meta_tensors_pose_the_problems_of_real_ones(name: str, fuse: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (packed, fused):  # what a fused model does on the CPU only
        monkeypatch.setattr(module, "fits", lambda *_: False)
    seen = []
    for device in ("cpu", "meta"):
        model, x = NETS[name].model("quick", device).train(not fuse), NETS[name].example("quick", device)
        with tt.patch(model, fuse=fuse), torch.set_grad_enabled(not fuse):
            problems = warming._posed(model, x, not fuse, None, default.default_dispatcher())
        seen.append({p.label() for p in problems})
    assert seen[0] == seen[1]
    assert len(seen[0]) > 4


def test_a_model_without_memory_is_warmed_up() -> None:
    model, x = torch.nn.Linear(8, 16, device="meta"), torch.ones(4, 8, device="meta")
    assert [p.label() for p in tt.warm_up(model, x, backward=False)] == ["gemm 4x16x8 fp32_rcr_add-d1"]
    with tt.patch(model):
        assert [p.device for p in tt.warm_up(model, x, backward=False, device="cpu")] == ["cpu"]
    with pytest.raises(ProblemError, match="meta"):
        tt.warm_up(torch.nn.Linear(8, 16), torch.ones(4, 8), device="cpu")
