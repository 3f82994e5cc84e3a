"""The nets of the model benchmarks: the sizes of the published ones, and torchvision's outputs if it is installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: the nets of the benchmarks are not run")
sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))
from nets import NETS

# torchvision's and the papers' counts of parameters
PARAMETERS = {
    "resnext50_32x4d": 25_028_904,
    "resnet50": 25_557_032,
    "mobilenet_v2": 3_504_872,
    "efficientnet_b0": 5_288_548,
    "convnext_tiny": 28_589_128,
    "r3d_18": 33_371_472,
    "vit": 86_567_656,
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_net_has_the_published_number_of_parameters(name: str) -> None:
    model = NETS[name].model("gpu", "meta")
    assert sum(p.numel() for p in model.parameters()) == PARAMETERS[name]


@pytest.mark.parametrize("name", NETS)
def test_a_net_takes_its_example(name: str) -> None:
    net = NETS[name]
    for size, device in (("gpu", "meta"), ("quick", "cpu")):
        with torch.no_grad():
            out = net.model(size, device)(net.example(size, device))
        assert out.shape[0] == net.sizes[size].shape[0]
        assert device == "meta" or bool(out.isfinite().all())


@pytest.mark.parametrize("name", [n for n in PARAMETERS if n != "vit"])
def test_a_net_equals_torchvisions(name: str) -> None:
    vision = pytest.importorskip("torchvision", reason="torchvision is not installed: nets are not compared with it")
    ours = NETS[name].model("cpu")
    theirs = (getattr(vision.models, name, None) or getattr(vision.models.video, name))(weights=None).eval()
    theirs.load_state_dict(ours.state_dict())  # strict: every name and shape
    x = NETS[name].example("cpu")[:1]
    with torch.no_grad():
        torch.testing.assert_close(ours(x), theirs(x), rtol=1e-4, atol=1e-4)


def test_llama_generates_what_it_would_without_a_cache() -> None:
    net = NETS["llama"]
    model, tokens = net.model("quick"), net.example("quick")
    with torch.no_grad():
        with_cache = model.generate(tokens, 4)
        for i in range(4):
            logits = model(tokens)
            torch.testing.assert_close(with_cache[:, i : i + 1], logits, rtol=1e-4, atol=1e-4)
            tokens = torch.cat((tokens, logits.argmax(-1)), 1)
