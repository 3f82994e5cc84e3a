"""The constructors of torchvision: classification, segmentation, detection, video and optical flow."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import nn
from zoo_entry import Entry, no_init
from zoo_torchvision import torchvision

SIDE = 64  # pixels; nets that need more are below
SIDES = {"alexnet": 96, "inception_v3": 96, "quantized_inception_v3": 96, "squeezenet": 96,
         "vit_h_14": 56, "raft": 128, "swin3d": 32}  # fmt: skip
CLASSES = 5
FEW_BOXES = {"rpn_pre_nms_top_n_train": 60, "rpn_pre_nms_top_n_test": 60, "rpn_post_nms_top_n_train": 20,
             "rpn_post_nms_top_n_test": 20, "rpn_batch_size_per_image": 32, "box_batch_size_per_image": 16}  # fmt: skip


def side_of(name: str) -> int:
    """Return the height and width of the images of a net."""
    return next((side for prefix, side in SIDES.items() if name.startswith(prefix)), SIDE)


def _options(name: str) -> dict[str, Any]:
    """Return the arguments of a constructor: no weights from the net, few classes, small images."""
    side = side_of(name)
    found: dict[str, Any] = {"weights": None}
    if name.startswith("raft"):
        return found
    found["num_classes"] = CLASSES
    if name.startswith("vit_"):
        found["image_size"] = side
    elif "inception" in name:
        found["aux_logits"] = False  # needs images of 299 x 299 pixels
    return found


@contextlib.contextmanager
def _smaller() -> Iterator[None]:
    """Let nets whose constructors say how large their images are be made for smaller ones."""
    models = torchvision().models
    kept = {(models.maxvit, "_maxvit"): {"input_size": (SIDE, SIDE), "partition_size": 2},
            (models.video.mvit, "_mvit"): {"spatial_size": (SIDE, SIDE), "temporal_size": 4}}  # fmt: skip
    constructors = {key: getattr(*key) for key in kept}
    for (module, name), sizes in kept.items():
        setattr(module, name, partial(_overridden, constructors[module, name], sizes))
    try:
        yield
    finally:
        for (module, name), constructor in constructors.items():
            setattr(module, name, constructor)


def _overridden(constructor: Callable[..., Any], options: dict[str, Any], *args: Any, **given: Any) -> Any:
    return constructor(*args, **{**given, **options})


def _make(name: str, more: dict[str, Any]) -> nn.Module:
    vision = torchvision()
    with no_init(), _smaller():
        model: Any = vision.models.get_model(name, **_options(name), **more)
    if name == "s3d":
        model.avgpool.kernel_size = (2, 2, 2)  # for images of 64 instead of 224 pixels
    found: nn.Module = model
    return found


def _images(*shape: int) -> Callable[[], Any]:
    def images() -> Any:
        return (torch.randn(shape, generator=torch.Generator().manual_seed(5)),)

    return images


def _flow_images() -> Any:
    generator = torch.Generator().manual_seed(5)
    return tuple(torch.randn(1, 3, 128, 128, generator=generator).clamp(-1, 1) for _ in range(2))


def _flow(model: nn.Module, inputs: Any) -> Any:
    return model(*inputs, num_flow_updates=2)


def _scene(count: int) -> Any:
    """Return images with boxes, masks and keypoints."""
    generator = torch.Generator().manual_seed(5)
    images = [torch.rand(3, SIDE, SIDE, generator=generator) for _ in range(count)]
    boxes = torch.tensor([[4.0, 6.0, 40.0, 44.0], [20.0, 10.0, 60.0, 50.0]])
    masks = torch.zeros(2, SIDE, SIDE, dtype=torch.uint8)
    masks[:, 10:40, 20:40] = 1
    keypoints = torch.tensor([[[10.0, 12.0, 1.0]] * 17, [[30.0, 22.0, 1.0]] * 17])
    target = {"boxes": boxes, "labels": torch.tensor([1, 2]), "masks": masks, "keypoints": keypoints}
    return images, [target] * count


def _features(model: Any, inputs: Any) -> Any:
    """Return what the layers of a detector compute: boxes are chosen from it by steps, where a rounding decides."""
    images, _ = model.transform(inputs[0], None)
    features = model.backbone(images.tensors)
    maps = [features] if isinstance(features, torch.Tensor) else list(features.values())
    head = model.rpn.head if hasattr(model, "rpn") else model.head
    return features, head(maps)


def _losses(model: Any, inputs: Any) -> Any:
    """Return the losses of a training step. Statistics of batch norm are those of evaluation, as detectors train."""
    for module in model.modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm):
            module.eval()
    images, targets = inputs
    # torchvision takes keypoints in fp32 only, also those of a net in float64.
    return model(images, [{**target, "keypoints": target["keypoints"].float()} for target in targets])


def _detector(name: str) -> Entry:
    more: dict[str, Any] = {"weights_backbone": None}
    if not name.startswith("ssd"):
        more |= {"min_size": SIDE, "max_size": SIDE}
    if "rcnn" in name:
        more |= FEW_BOXES
    scene = partial(_scene, 1 if name == "ssd300_vgg16" else 2)  # its images have 300 x 300 pixels
    return Entry(f"torchvision/{name}", partial(_make, name, more), scene, _features, _losses, shortens=True)


def _video(name: str) -> Entry:
    frames = 16 if name == "s3d" else 4
    side = 64 if name == "s3d" else side_of(name)
    return Entry(f"torchvision/{name}", partial(_make, name, {}), _images(1, 3, frames, side, side), shortens=True)


def _entry(name: str) -> Entry:
    models = torchvision().models
    if name in models.list_models(models.detection):
        return _detector(name)
    if name in models.list_models(models.video):
        return _video(name)
    if name.startswith("raft"):
        return Entry(f"torchvision/{name}", partial(_make, name, {}), _flow_images, _flow, _flow, shortens=True)
    more: dict[str, Any] = {"weights_backbone": None} if name in models.list_models(models.segmentation) else {}
    side = side_of(name)
    return Entry(f"torchvision/{name}", partial(_make, name, more), _images(2, 3, side, side), shortens=True)


def entries() -> Iterator[Entry]:
    """Return one entry for each constructor of torchvision."""
    for name in torchvision().models.list_models():
        yield _entry(name)
