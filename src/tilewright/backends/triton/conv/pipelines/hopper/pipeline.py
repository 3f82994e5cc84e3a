"""hopper: rules, geometry and values of boxes of pixels that TMA fetches."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from ......model.arch import Arch
from ......model.kernel import KernelSpec, Launch
from ......model.rule import Broken, broken
from ......ops.conv.problem import ConvProblem
from ....gemm.operands import ceil_div
from ...algorithm import TritonConv, is_weight
from ...bind import epilogue_values
from ...geometry import Geometry, sides, weight_size
from ...pipeline import Call, Pipeline, Traits
from .boxes import box_arguments, boxes_of, maps_of, row_width
from .folding import cannot_fold, copies_of, fold_values, folded_addresses, folded_bytes, seen_by_boxes
from .rules import box, whole_groups


class Hopper(Pipeline):
    """The ring of the gemm backend's hopper pipeline, fed with boxes of pixels."""

    product_rules = True
    stays = True
    folds = True
    last_rules = (box, whole_groups)

    def shown(self, a: TritonConv) -> list[str]:
        """Return the traits of the ring."""
        flags = (
            ("pp", a.consumers == 2),
            (f"x{a.blocks_per_unit}", a.blocks_per_unit > 1),
            ("split", a.split),
            ("tiles", a.order == "tiles"),
            ("ptrstore", a.store == "pointer"),
        )
        return [name for name, on in flags if on]

    def sums_shares(self, spec: KernelSpec) -> bool:
        """In backward weight, unless programs sum all pixels of their tiles."""
        return is_weight(spec) and bool(spec.algorithm.split)

    def copies(self, a: TritonConv) -> bool:
        """Folded rows are copied with their padding."""
        return bool(a.fold)

    def has_height(self, spec: KernelSpec) -> bool:
        """Rows of the filter side by side in a tile: in backward weight of folded rows."""
        return is_weight(spec) and bool(spec.algorithm.fold)

    def may_merge(self, a: TritonConv) -> bool:
        """Return whether groups may share a tile: if shares are added, which leaves out what is between groups."""
        return bool(a.split and not a.fold)

    def may_split(self, spec: KernelSpec) -> bool:
        """Return whether pixels may be cut into shares."""
        return is_weight(spec)

    def traits(self, spec: KernelSpec, arch: Arch) -> Traits:
        """Traits that only boxes have."""
        a, weight = spec.algorithm, is_weight(spec)
        yield from super().traits(spec, arch)
        yield (a.filter_h > 0 and (a.consumers > 1 or a.tile_n & (a.tile_n - 1) > 0 or row_width(a) < 16),
               "rows of a tile that are no 16 columns wide")  # fmt: skip
        yield a.fold and weight and not a.split, "fold without the kernel that adds shares"
        yield a.reduce != "inside" or a.inner != "hopper" or a.cluster > 1, "traits of a product"
        yield (not a.unit or a.wide or a.even_k or a.vector_bytes != 16 or a.sum != "workspace",
               "a promise that boxes do not need")  # fmt: skip
        yield a.store == "pointer" and weight, "a store through pointers in backward weight"
        yield (weight and not a.split and len(spec.signature.d) > 0,
               "D operands without the kernel that adds shares")  # fmt: skip

    def fold(self, p: ConvProblem, a: TritonConv) -> Broken | None:
        """Rows of few channels, copied; of a known number if they share a tile."""
        why = cannot_fold(p)
        if not why and a.filter_h and (p.dims < 2 or p.filter[-2] != a.filter_h):
            why = f"filter {p.filter}, the kernel has {a.filter_h} rows"
        if not why and a.filter_h and seen_by_boxes(p, a).c_group > row_width(a):
            why = f"{seen_by_boxes(p, a).c_group} channels in a row > {row_width(a)} columns"
        return broken(why, "use fold=False", channels=p.c_group) if why else None

    def side_by_side(self, a: TritonConv) -> bool:
        """Always: a tensor map has the channels of all groups along one axis."""
        return True

    def tile_channels(self, a: TritonConv, weight: bool) -> tuple[int, int]:
        """Channels of a tile; rows and columns in backward weight, whose depth is pixels."""
        return (a.tile_n, a.tile_m) if weight else (a.tile_k, a.tile_n)

    def geometry(self, p: ConvProblem, a: TritonConv, launch: Launch, units: int) -> Geometry:
        """Return a program per tile (and share); `steps` are those of the busiest class."""
        shape = self._geometry(seen_by_boxes(p, a), a, launch.split_k)
        return shape._replace(workspace=shape.workspace + folded_bytes(p, a))

    def _geometry(self, p: ConvProblem, a: TritonConv, splits: int) -> Geometry:
        boxes, (read, other) = boxes_of(p, a), sides(p)
        if p.direction == "backward_weight":
            splits = max(1, min(splits, boxes.total)) if a.split else 1
            workspace = 4 * splits * weight_size(p) if a.split else 0
            rows, steps = 1 if a.merge else ceil_div(other, a.tile_m), ceil_div(boxes.total, splits)
            return Geometry(self.merged_groups(p, a), 1, rows, weight_columns(p, a), steps, splits, workspace)
        back = p.direction == "backward_data"
        taps = prod(ceil_div(f, s) if back else f for f, s in zip(p.filter, p.stride, strict=True))
        cols = p.g * ceil_div(other, a.tile_n)
        return Geometry(1, boxes.classes, boxes.total, cols, taps * ceil_div(read, a.tile_k), 1, 0)

    def seen(self, p: ConvProblem, a: TritonConv) -> ConvProblem:
        """With `fold`, rows of the filter as channels."""
        return seen_by_boxes(p, a)

    def operands(
        self, p: ConvProblem, a: TritonConv, addresses: Mapping[str, int], workspace: int
    ) -> tuple[Mapping[str, int], int]:
        """With `fold`, copies at the head of the workspace."""
        if not a.fold:
            return addresses, workspace
        return folded_addresses(p, addresses, workspace), workspace + folded_bytes(p, a)

    def before(self, p: ConvProblem, a: TritonConv, addresses: Mapping[str, int], workspace: int) -> list[Call]:
        """Return the copies of operands whose filter rows are folded."""
        if not a.fold:
            return []
        to = folded_addresses(p, addresses, workspace)
        return [("fold", *fold_values(p, c, addresses[c.role], to[c.role])) for c in copies_of(p)]

    def arguments(self, p: ConvProblem, a: TritonConv, shape: Geometry, addresses: Mapping[str, int]) -> dict[str, Any]:
        """Boxes and tensor maps."""
        boxes = boxes_of(p, a)
        args = {**box_arguments(boxes), **maps_of(p, a, boxes, addresses), **epilogue_values(p, addresses),
                "classes": shape.classes, "steps": boxes.total}  # fmt: skip
        if a.merge:
            read, other = sides(p)
            args.update(groups=p.g // shape.merged, cin=shape.merged * read, cout=shape.merged * other)
        return args


PIPELINE = Hopper()


def weight_columns(problem: ConvProblem, algorithm: TritonConv) -> int:
    """Tiles along the columns of backward weight on boxes: channels of a tap, or filter rows side by side."""
    p, a = problem, algorithm
    across = 1 if a.filter_h or a.merge else ceil_div(p.c_group, a.tile_n)
    return ceil_div(p.g, PIPELINE.merged_groups(p, a)) * prod(p.filter) // max(1, a.filter_h) * across
