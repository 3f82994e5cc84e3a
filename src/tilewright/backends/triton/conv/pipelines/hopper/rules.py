"""hopper: which problems tensor maps and boxes of pixels can serve."""

from __future__ import annotations

from ......model.dtype import get_dtype
from ......model.rule import Broken, broken, rule
from ......ops.conv.problem import ConvSubject as Subject
from ...algorithm import is_weight
from ...bind import merged_groups
from ...geometry import sides
from .boxes import STEP_LIMIT
from .folding import seen_by_boxes

MAP_STRIDE_LIMIT = 2**40  # bytes between neighbours along a dimension of a tensor map


@rule("triton.conv.box", "problem", "hopper: strides of 16 bytes, positive; steps <= 8; a strided store by pointers")
def box(s: Subject) -> Broken | None:
    a = s.spec.algorithm
    p = seen_by_boxes(s.problem, a)
    for role in ("input", "output") if is_weight(s.spec) and a.split else ("input", "weight", "output"):
        size, pointer = int(get_dtype(p.dtype(role)).bytes), p.alignment.get(role, 16)
        pairs = zip(p.stride_of(role), p.extents(role), strict=True)
        strides = [x for i, (x, n) in enumerate(pairs) if n > 1 and i != 2]
        off = [x for x in strides if x <= 0 or x * size % 16 or x * size >= MAP_STRIDE_LIMIT]
        if off or pointer < 16:
            got = f"{role} begins at {pointer} bytes and has strides {p.stride_of(role)} of {size} bytes"
            return broken(got, "use implicit, or pad channels to 16 bytes", role=role)
    back = p.direction == "backward_data"
    written = sides(p)[1] * int(get_dtype(p.dtype(p.result)).bytes)
    if a.store == "pointer" and written % 16:
        return broken(f"{written} bytes of channels are written per group: no whole vectors", "use store='tma'")
    if max(p.stride) > STEP_LIMIT and not back:
        return broken(f"stride {max(p.stride)} > {STEP_LIMIT}, a tensor map's longest step", "use implicit")
    if back and max(p.stride) > 1 and a.store == "tma":
        return broken(f"stride {max(p.stride)}: the gradient is written with gaps", "use store='pointer'")
    return None


@rule("triton.conv.whole_groups", "problem", "hopper, many groups: tiles and steps divide the channels of a group")
def whole_groups(s: Subject) -> Broken | None:
    a, p = s.spec.algorithm, s.problem
    if p.g == 1:
        return None
    read, other = sides(p)
    if a.merge:
        merged = merged_groups(p, a)
        if merged * read != a.tile_n or merged * other != a.tile_m or p.g % merged:
            got = f"{p.g} groups of {read} -> {other} channels do not fill tiles of {a.tile_m}x{a.tile_n}"
            return broken(got, "use merge=False, or implicit", merged=merged)
        return None
    need = {"tile_n": read, "tile_m": other} if is_weight(s.spec) else {"tile_k": read, "tile_n": other}
    odd = [n for n, count in need.items() if count % getattr(a, n)]
    if odd:
        got = f"{need[odd[0]]} channels per group are no multiple of {odd[0]} = {getattr(a, odd[0])}"
        return broken(got, "use a smaller tile, or implicit", read=read, other=other)
    w, e = p.stride_of("weight"), p.extents("weight")
    if w[0] != e[1] * w[1]:
        return broken(f"weight has strides {w}: groups are not side by side", "use implicit", role="weight")
    return None
