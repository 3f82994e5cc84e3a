"""tilewright: declare kernels, check them against the hardware, build, select, run and verify them.

Importing it is light: no compiler, GPU or framework is used before the first launch.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .model import locks as _locks  # noqa: F401  (from the first moment on, a fork must not see half an import)

__version__ = "0.2.0"

# Name -> module that holds it; loaded at its first use.
_PUBLIC = {
    "Bundle": "bundle",
    "Cache": "jit",
    "ConvProblem": "ops.conv",
    "Device": "model.device",
    "Dispatcher": "dispatcher",
    "Epilogue": "ops.gemm",
    "FmhaBuilder": "ops.fmha",
    "FmhaProblem": "ops.fmha",
    "GemmProblem": "ops.gemm",
    "KernelSet": "model.kernel_set",
    "KernelSpec": "model.kernel",
    "Launch": "model.kernel",
    "PackedTensor": "model.tensor",
    "Registry": "registry",
    "Settings": "settings",
    "TilewrightError": "errors",
    "append_kv": "frontends.attention_cache",
    "attention": "frontends.attention",
    "attention_backward": "frontends.attention_backward",
    "attention_decode": "frontends.attention",
    "attention_prefill": "frontends.attention",
    "attention_varlen": "frontends.attention",
    "contract": "frontends.contract",
    "conv": "frontends.conv",
    "conv_backward_data": "frontends.conv",
    "conv_backward_weight": "frontends.conv",
    "default_dispatcher": "frontends.default",
    "default_registry": "registry",
    "gemm": "frontends.gemm",
    "get_arch": "arch",
    "get_backend": "backends",
    "grouped_gemm": "frontends.grouped_gemm",
    "nearest_legal": "backends.corrections",
    "pack_weights": "frontends.gemm",
    "problem_from_dict": "ops",
    "warm_up": "frontends.warm_up",
}

__all__ = [*_PUBLIC, "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        from .errors import nearest

        near = {"matmul": "gemm", "mm": "gemm", "dot": "gemm"}.get(name) or nearest(name, _PUBLIC)
        hint = f"; did you mean {near!r}?" if near and not name.startswith("_") else ""
        raise AttributeError(f"module 'tilewright' has no attribute {name!r}{hint}")
    value = getattr(import_module(f".{_PUBLIC[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
