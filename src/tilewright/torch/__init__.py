"""tilewright for torch: operators with gradients, and `patch`, which puts them into a model.

Importing it registers the operators, so that `torch.compile` and `torch.export` see one operator for each call:

    import torch, tilewright.torch
    y = torch.ops.tilewright.matmul(a, b)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import MissingExtraError

try:
    import torch as _torch  # noqa: F401
except ImportError:
    raise MissingExtraError("torch", extra="torch", why="to register torch operators") from None

from ..frontends.default import use_stand_in
from .compile.report import CompileReport, compile_report
from .hugging_face import register_attention
from .leaving import left_calls
from .multihead import multi_head_attention_forward
from .op_addmm import addmm, baddbmm
from .op_attention import attention, attention_varlen
from .op_conv import conv
from .op_conv_transpose import conv_transpose
from .op_linear import linear, matmul
from .op_sdpa import sdpa
from .op_serving import append_kv, attention_decode, attention_prefill
from .patching import Patch, patch
from .recorder import Capture, capture
from .report import Report
from .stand_in import TorchStandIn
from .threads import share_threads
from .warm_up import warm_up

use_stand_in(TorchStandIn())
share_threads()

__all__ = [
    "Capture",
    "CompileReport",
    "Patch",
    "Report",
    "addmm",
    "append_kv",
    "attention",
    "attention_decode",
    "attention_prefill",
    "attention_varlen",
    "baddbmm",
    "capture",
    "compile_report",
    "conv",
    "conv_transpose",
    "left_calls",
    "linear",
    "matmul",
    "multi_head_attention_forward",
    "patch",
    "register_attention",
    "sdpa",
    "warm_up",
]


if not TYPE_CHECKING:  # a type checker shall report unknown names

    def __getattr__(name: str) -> Any:
        from ..errors import nearest

        near = nearest(name, __all__)
        hint = f"; did you mean {near!r}?" if near and not name.startswith("_") else ""
        raise AttributeError(f"module 'tilewright.torch' has no attribute {name!r}{hint}")
