"""window: which problems a window fits."""

from __future__ import annotations

from ......model.rule import Broken, broken, rule
from ......ops.conv.problem import ConvSubject as Subject
from ...algorithm import is_weight


@rule("triton.conv.window", "problem", "windows: filter, stride, phase as the problem's; dilation 1 along w")
def window(s: Subject) -> Broken | None:
    a, p = s.spec.algorithm, s.problem
    stride = p.stride[-1]
    got = {"filter_w": p.filter[-1], "stride_w": stride}
    if is_weight(s.spec):
        got["filter_h"] = p.filter[-2] if p.dims > 1 else 1
    elif p.direction == "backward_data":
        got["phase"] = p.pad[-1][0] % stride
    other = [n for n, v in got.items() if getattr(a, n) != v]
    if other:
        text = ", ".join(f"{n} is {got[n]}, the kernel has {getattr(a, n)}" for n in other)
        return broken(text, "use a kernel for that filter, or implicit", **got)
    if p.dilation[-1] != 1 and p.filter[-1] > 1:
        return broken(f"dilation {p.dilation[-1]} along w", "use implicit", dilation=p.dilation[-1])
    return None
