"""What the two epilogues can store, as CK's headers have them."""

from __future__ import annotations

from .....model.rule import Broken
from .common import Parts, rule, say


@rule("cshuffle_layout", "compile", "cshuffle: the output is row-major")
def cshuffle_layout(p: Parts) -> Broken | None:
    """CK's cshuffle epilogue has only the row-major form; it says so with a static assertion."""
    if p.algorithm.epilogue != "cshuffle" or p.signature.layout[2] == "r":
        return None
    text = f"the cshuffle epilogue stores row-major outputs; layout {p.signature.layout} has a column-major one"
    return say([text], {"epilogue": "default"}, layout=p.signature.layout)


@rule("default_activation", "known-miscompile", "default epilogue: an activation only together with D operands")
def default_activation(p: Parts) -> Broken | None:
    """Without D operands CK's default epilogue never calls the element-wise functor, and says nothing."""
    s = p.signature
    if p.algorithm.epilogue != "default" or s.d or s.activation == "none":
        return None
    text = f"the default epilogue leaves out the activation {s.activation} where there is no D operand"
    return say([text], {"epilogue": "cshuffle"}, activation=s.activation)


@rule("default_d_dtype", "known-miscompile", "default epilogue: the first D operand has the output's dtype")
def default_d_dtype(p: Parts) -> Broken | None:
    """CK's default epilogue keeps the combined value in the dtype of the first D operand, rounding it there."""
    s = p.signature
    if p.algorithm.epilogue != "default" or not s.d or s.d[0].dtype == s.dtype_out:
        return None
    text = f"the default epilogue rounds to {s.d[0].dtype}, the dtype of d0, before it stores {s.dtype_out}"
    return say([text], {"epilogue": "cshuffle"}, d0=s.d[0].dtype, dtype_out=s.dtype_out)


RULES = (cshuffle_layout, default_activation, default_d_dtype)
