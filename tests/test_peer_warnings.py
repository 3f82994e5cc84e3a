"""Warnings are errors in these tests, but not those of a peer: they differ between its versions and CPUs."""

from __future__ import annotations

import warnings

import pytest

FROM_CXX = "mkldnn has no bf16 on this CPU\nand is slow (Triggered internally at /pytorch/aten/src/ATen/Context.cpp:7.)"


def test_a_warning_of_torch_is_no_error() -> None:
    warnings.warn_explicit("bf16 is slow here", UserWarning, "autocast_mode.py", 1, module="torch.amp.autocast_mode")
    warnings.warn_explicit("use another name", FutureWarning, "__init__.py", 1, module="torch")
    warnings.warn(FROM_CXX, UserWarning, stacklevel=1)


def test_a_warning_of_our_own_is_an_error() -> None:
    for module in ("tilewright.torch.patching", "torch_of_ours", __name__):
        with pytest.raises(UserWarning, match="ours"):
            warnings.warn_explicit("ours", UserWarning, "here.py", 1, module=module)
