"""`torchvision`, also where its native library cannot be loaded.

The wheels of torchvision on PyPI are made for the CUDA build of torch. With a CPU build of torch their library does
not load, and `import torchvision` fails: it registers shapes for operators that do not exist. Only detectors need
them. `roi_align` has a version in Python, which torchvision takes by itself, and `nms` is defined here.
"""

from __future__ import annotations

import inspect
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

SCHEMAS = {
    "nms": "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms": "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
}
_libraries: list[Any] = []  # an operator lives as long as the library that defines it


def torchvision() -> Any:
    """Return torchvision; its operators are defined first if its native library cannot be loaded."""
    missing = not _loads()
    if missing and not _libraries:
        library = torch.library.Library("torchvision", "DEF")
        for schema in SCHEMAS.values():
            library.define(schema)
        library.impl("nms", nms, "CompositeExplicitAutograd")
        _libraries.append(library)
    import torchvision as vision
    from torchvision.ops import boxes

    if missing:
        boxes._assert_has_ops = lambda: None  # the operator that it asks for is there
        aligning = sys.modules["torchvision.ops.roi_align"]
        aligning._roi_align = inspect.unwrap(aligning._roi_align)  # else torch.compile takes minutes
    return vision


def _loads() -> bool:
    """Return whether the native library of torchvision can be loaded; it stays loaded."""
    spec = find_spec("torchvision")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("torchvision is not installed")
    for path in Path(spec.origin).parent.glob("_C*.so"):
        try:
            torch.ops.load_library(str(path))
        except OSError:
            return False
        return True
    return False


def nms(boxes: torch.Tensor, scores: torch.Tensor, iou_threshold: float) -> torch.Tensor:
    """Return which boxes are kept, best first: each removes those after it that it overlaps by more than the threshold.

    >>> nms(torch.tensor([[0.0, 0, 2, 2], [0, 0, 2, 1.9], [4, 4, 5, 5]]), torch.tensor([0.5, 0.9, 0.1]), 0.5).tolist()
    [1, 2]
    """
    order = scores.argsort(descending=True, stable=True)
    sorted_boxes = boxes[order].float() if boxes.dtype in (torch.float16, torch.bfloat16) else boxes[order]
    low = torch.maximum(sorted_boxes[:, None, :2], sorted_boxes[None, :, :2])
    high = torch.minimum(sorted_boxes[:, None, 2:], sorted_boxes[None, :, 2:])
    common = (high - low).clamp_min(0).prod(-1)
    areas = (sorted_boxes[:, 2:] - sorted_boxes[:, :2]).prod(-1)
    overlaps = common > iou_threshold * (areas[:, None] + areas[None, :] - common)
    kept = torch.ones(len(order), dtype=torch.bool, device=boxes.device)
    for i in range(len(order)):
        if kept[i]:
            kept[i + 1 :] &= ~overlaps[i, i + 1 :]
    return order[kept]
