"""thin: which problems are a stream of pixels."""

from __future__ import annotations

from ......model.rule import Broken, broken, rule
from ......ops.conv.problem import ConvSubject as Subject
from ......ops.conv.product import not_a_product
from ...geometry import sides


@rule("triton.conv.thin", "problem", "thin: 1x1, stride 1, one group unless merged; channels fit a tile")
def thin(s: Subject) -> Broken | None:
    a, p = s.spec.algorithm, s.problem
    why = not_a_product(p)
    if why or (p.g > 1) != a.merge:
        return broken(f"no stream of pixels: {why or f'{p.g} groups'}", "use implicit", g=p.g)
    read, other = sides(p)
    if read > a.tile_k or other > a.tile_n:
        return broken(f"{read} -> {other} channels > a tile of {a.tile_k} -> {a.tile_n}", "use gemm", read=read)
    return None
