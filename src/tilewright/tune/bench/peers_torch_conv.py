"""PyTorch's convolutions as a peer: oneDNN's on the CPU, cuDNN's on a GPU.

torch has no convolution into a given output: each call allocates its result with malloc. Our kernel writes into a
tensor of the caller and needs no fresh pages, so malloc is set to keep freed pages for a fair comparison. cuDNN may
try its kernels at the first call and keep the fastest (`benchmark`), without TF32 in place of fp32.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

from ...model.tensor import Tensors
from .peers import PeerCall, Unable
from .peers_torch_gpu import tried

FLOATS = ("fp32", "bf16", "fp16")
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3


@cache
def keep_pages() -> bool:
    """Make malloc reuse freed pages; return whether this C library supports that."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    return bool(mallopt(M_MMAP_THRESHOLD, 1 << 30) and mallopt(M_TRIM_THRESHOLD, 2**31 - 1))


def prepare_conv(torch: Any, tensor: Callable[[Any], Any], p: Any, tensors: Tensors) -> PeerCall | Unable:
    """Return the convolution of `p` on `tensors` by torch, or why it has none."""
    reason = _cannot(p)
    if reason:
        return Unable(reason)
    note = _use_cudnn(torch) if p.device != "cpu" else "" if keep_pages() else " (fresh pages at each call)"
    x, w, y = (tensor(tensors[r]) for r in ("input", "weight", "output"))
    pads = [left for left, _ in p.pad]
    result: dict[str, Any] = {}
    if p.direction == "forward":
        call, what = _forward(torch, tensor, p, tensors, x, w, pads)
    else:
        unread = torch.zeros_like(x if p.direction == "backward_data" else w)
        x, w = (unread, w) if p.direction == "backward_data" else (x, unread)
        which = 0 if p.direction == "backward_data" else 1
        backward = torch.ops.aten.convolution_backward
        mask = [which == 0, which == 1, False]
        zeros = [0] * p.dims
        call = lambda: backward(y, x, w, None, p.stride, pads, p.dilation, False, zeros, p.g, mask)[which]  # noqa: E731
        what = "aten.convolution_backward"

    def run() -> None:
        result["out"] = call()

    return tried(run, _Latest(result), f"{what}{note}")


def _use_cudnn(torch: Any) -> str:
    torch.backends.cudnn.benchmark, torch.backends.cudnn.allow_tf32 = True, False
    return " (cuDNN, its fastest kernel)"


def _forward(
    torch: Any, tensor: Callable[[Any], Any], p: Any, tensors: Tensors, x: Any, w: Any, pads: list[int]
) -> tuple[Callable[[], Any], str]:
    function = {1: torch.conv1d, 2: torch.conv2d, 3: torch.conv3d}[p.dims]
    bias = tensor(tensors["d0"]) if p.d else None
    finish: Any = {"none": None, "relu": torch.relu_, "sigmoid": torch.sigmoid_, "tanh": torch.tanh_}[
        p.epilogue.activation
    ]
    plain: Any = lambda: function(x, w, bias, p.stride, pads, p.dilation, p.g)  # noqa: E731
    name = f"torch.conv{p.dims}d"
    return (plain, name) if finish is None else (lambda: finish(plain()), f"{name} and {p.epilogue.activation}_")


class _Latest:
    """The result of the latest call, as a NumPy array."""

    def __init__(self, result: dict[str, Any]) -> None:
        self._result = result

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        out = self._result["out"].detach().cpu()
        array = out.float().numpy() if str(out.dtype) == "torch.bfloat16" else out.numpy()
        return array if dtype is None else array.astype(dtype)


def _cannot(p: Any) -> str | None:
    kinds = {p.dtype_input, p.dtype_weight, p.dtype_output, *(d.dtype for d in p.d)}
    if len(kinds) > 1 or p.dtype_input not in FLOATS:
        return f"torch has no convolution of {'/'.join(sorted(kinds))}"
    if any(left != right for left, right in p.pad):
        return "torch pads both sides equally"
    if p.epilogue.alpha != 1.0 or p.epilogue.beta != 1.0 or p.epilogue.combine != "add":
        return "torch's convolution has no scaling and no product with d"
    if p.epilogue.activation not in ("none", "relu", "sigmoid", "tanh"):
        return f"no in-place {p.epilogue.activation} after a convolution"
    if p.d and (p.direction != "forward" or len(p.d) > 1 or p.d[0].broadcast != "row"):
        return "torch's convolution adds only a bias"
    return None
