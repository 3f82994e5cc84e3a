"""Nets of torchvision and transformers for `compile_nets.py` and `patch_nets.py`, drawn by a seed; random weights."""

from __future__ import annotations

import random
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

import torch
from torch import nn

# Architectures of transformers with one input, and what keeps the largest of them small enough.
IMAGES = [
    "vit", "deit", "beit", "swin", "swinv2", "convnext", "convnextv2", "dinov2", "resnet", "segformer", "mobilevit",
    "regnet", "poolformer", "pvt_v2", "focalnet", "mobilenet_v2", "efficientnet", "bit", "levit",
]  # fmt: skip
TEXTS = [
    "bert", "roberta", "distilbert", "electra", "albert", "gpt2", "opt", "gpt_neo", "xlm-roberta", "mpnet", "camembert",
    "deberta-v2", "squeezebert", "codegen", "modernbert", "llama", "qwen2", "mistral", "gemma", "phi",
]  # fmt: skip
LARGE = {"llama", "qwen2", "mistral", "gemma", "phi", "codegen", "gpt_neo"}
SMALL = {"num_hidden_layers": 4, "hidden_size": 2048, "intermediate_size": 5632, "num_attention_heads": 16,
         "num_key_value_heads": 16, "head_dim": 128}  # fmt: skip
DROPS = ("StochasticDepth", "DropPath")
SHAPES = {"cuda": {"image": (32, 3, 224, 224), "text": (8, 512)}, "cpu": {"image": (1, 3, 224, 224), "text": (1, 128)}}


def drawn(count: int, seed: int, without: Collection[str] = ()) -> list[str]:
    """Return names of nets, but none of `without`.

    Half are of torchvision if it is there, the rest of transformers, a third of them of images.
    """
    generator, names = random.Random(seed), list[str]()
    try:
        vision = _torchvision()
        listed = vision.models.list_models(module=vision.models)
        known = sorted(name for name in listed if f"vision/{name}" not in without)
        names += [f"vision/{name}" for name in generator.sample(known, min(count // 2, len(known)))]
    except ModuleNotFoundError as error:
        print(f"no nets of torchvision are drawn: {error}", file=sys.stderr)
    try:
        from transformers import AutoConfig  # noqa: F401
    except ImportError:
        return names
    rest = count - len(names)
    kinds = [[name for name in some if f"transformers/{name}" not in without] for some in (IMAGES, TEXTS)]
    images = generator.sample(kinds[0], min(rest // 3, len(kinds[0])))
    texts = generator.sample(kinds[1], min(rest - len(images), len(kinds[1])))
    return [*names, *(f"transformers/{name}" for name in (*images, *texts))]


def _torchvision() -> Any:
    """Return torchvision as the zoo has it: `make zoo` installs it for a CPU build of torch."""
    root = Path(__file__).parent.parent
    for folder in (root / "build" / "zoo", root / "tests" / "zoo"):
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
    from zoo_torchvision import torchvision

    return torchvision()


def made(
    name: str, device: str, dtype: torch.dtype, shapes: dict[str, tuple[int, ...]] | None = None
) -> tuple[nn.Module, torch.Tensor]:
    """Return a net without dropout and an input for it, images in channels-last memory.

    `shapes` are those of another device, for a net on meta tensors.
    """
    source, _, which = name.partition("/")
    torch.manual_seed(0)
    try:
        with torch.device(device if device == "meta" else "cpu"):
            net, kind = _constructed(source, which)
    except NotImplementedError:  # it computes its sizes by tensors, which then need values
        net, kind = _constructed(source, which)
    for module in net.modules():
        if isinstance(module, nn.modules.dropout._DropoutNd) or type(module).__name__ in DROPS:
            module.p = 0.0
            module.drop_prob = 0.0
    shape = (shapes or SHAPES[device])[kind]
    if which.startswith("inception"):
        shape = (*shape[:2], 299, 299)
    if which.startswith("swin_v2"):  # 224 is padded to whole windows, and fp16 divides rows of zeros by their length
        shape = (*shape[:2], 256, 256)
    generator = torch.Generator().manual_seed(1)
    if kind == "text":
        return net.to(device, dtype), torch.randint(5, 1000, shape, generator=generator).to(device)
    images = torch.randn(shape, generator=generator).to(device, dtype)
    return net.to(device, dtype).to(memory_format=torch.channels_last), images.to(memory_format=torch.channels_last)


def _constructed(source: str, which: str) -> tuple[nn.Module, str]:
    if source == "vision":
        return _torchvision().models.get_model(which, weights=None), "image"
    return _of_transformers(which)


def _of_transformers(which: str) -> tuple[nn.Module, str]:
    from transformers import AutoModel

    return AutoModel.from_config(config_of(which)), "image" if which in IMAGES else "text"


def config_of(which: str) -> Any:
    """Return the configuration of an architecture: without dropout, small enough, with a position for each token."""
    from transformers import AutoConfig

    config: Any = AutoConfig.for_model(which)
    given = config.to_dict()
    wanted: dict[str, Any] = {"use_cache": False}
    if which in LARGE:
        wanted |= {k: v for k, v in SMALL.items() if k in given}
    if given.get("max_position_embeddings") == 512:  # some count from 2
        wanted["max_position_embeddings"] = 520
    for key, value in given.items():
        if "drop" in key and isinstance(value, float):
            wanted[key] = 0.0
    return AutoConfig.for_model(which, **wanted)


def first_tensor(found: Any) -> torch.Tensor:
    """Return the first tensor of floating-point numbers in a result."""
    if isinstance(found, torch.Tensor):
        return found
    values = found.values() if hasattr(found, "values") else found
    return next(t for t in values if isinstance(t, torch.Tensor) and t.is_floating_point())
