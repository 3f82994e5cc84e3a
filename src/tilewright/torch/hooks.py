"""Hooks of modules, which a fused forward pass would not call."""

from __future__ import annotations

from torch import nn

HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


def is_watched(module: nn.Module) -> bool:
    """Return whether a module has hooks.

    >>> layer = nn.ReLU()
    >>> is_watched(layer), bool(layer.register_forward_hook(print)) and is_watched(layer)
    (False, True)
    """
    return any(getattr(module, name) for name in HOOKS)
