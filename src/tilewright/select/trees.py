"""Trees as bit masks: score a boosted ensemble by AND-ing one mask per failed test, with only NumPy.

A tree has at most 32 leaves, numbered from left to right. Each node has a mask that clears the leaves of its left
branch. A row goes right at a node if its feature exceeds the threshold. After AND-ing the masks of all such nodes, the
lowest remaining bit is the leaf. The order of nodes does not matter, so there are no pointers and no branches.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import SchemaError

MAX_LEAVES = 32
ALL = np.uint32(0xFFFFFFFF)


@dataclass(frozen=True)
class Trees:
    """An ensemble: nodes sorted by tree; `starts` has one more entry than there are trees."""

    feature: npt.NDArray[np.int32]
    threshold: npt.NDArray[np.float32]
    mask: npt.NDArray[np.uint32]
    starts: npt.NDArray[np.int32]
    leaves: npt.NDArray[np.float64]

    @classmethod
    def none(cls) -> Trees:
        """Return an ensemble without trees: its score is 0."""
        return cls(np.zeros(0, np.int32), np.zeros(0, np.float32), np.zeros(0, np.uint32), np.zeros(1, np.int32),
                   np.zeros((0, MAX_LEAVES)))  # fmt: skip

    def __len__(self) -> int:
        return len(self.leaves)

    def part(self, first: int, last: int) -> Trees:
        """Return the trees from `first` up to `last` as an ensemble.

        >>> len(Trees.none().part(0, 0))
        0
        """
        begin, end = self.starts[first], self.starts[last]
        nodes = (self.feature[begin:end], self.threshold[begin:end], self.mask[begin:end])
        return Trees(*nodes, self.starts[first : last + 1] - begin, self.leaves[first:last])

    def rounded(self) -> Trees:
        """Return the trees with leaves rounded to single precision, so that all forms of a model sum the same numbers.

        >>> len(Trees.none().rounded())
        0
        """
        return replace(self, leaves=self.leaves.astype(np.float32).astype(np.float64))

    def score(self, x: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        """Return the sum of the leaves that each row reaches.

        >>> one = Trees(*(np.array(v, t) for v, t in (([0], np.int32), ([1.5], np.float32), ([0xFFFFFFFE], np.uint32),
        ...             ([0, 1], np.int32))), leaves=np.array([[10.0, 20.0] + [0.0] * 30]))
        >>> one.score(np.array([[1.0], [2.0]], np.float32)).tolist()
        [10.0, 20.0]
        """
        if not len(self):
            return np.zeros(len(x))
        right = x[:, self.feature] > self.threshold
        masks = np.where(right, self.mask, ALL)
        # A tree of a single leaf has no node: reduceat would take its neighbour's.
        whole = np.diff(self.starts) > 0
        left = np.full((len(x), len(self)), ALL)
        if whole.any():
            left[:, whole] = np.bitwise_and.reduceat(masks, self.starts[:-1][whole], axis=1)
        lowest = left & (~left + np.uint32(1))
        leaf = np.log2(lowest.astype(np.float64)).astype(np.int64)
        total: npt.NDArray[np.float64] = self.leaves[np.arange(len(self)), leaf].sum(axis=1)
        return total


def trees_from_lightgbm(dump: Mapping[str, Any]) -> Trees:
    """Return the trees of `Booster.dump_model()`; refuse what bit masks cannot express."""
    nodes: list[tuple[int, float, int]] = []
    starts, leaves = [0], []
    for tree in dump["tree_info"]:
        values: list[float] = []
        _walk(tree["tree_structure"], nodes, values)
        if len(values) > MAX_LEAVES:
            raise SchemaError(
                f"a tree has {len(values)} leaves; at most {MAX_LEAVES}", remedy="train with fewer leaves"
            )
        leaves.append(values + [0.0] * (MAX_LEAVES - len(values)))
        starts.append(len(nodes))
    feature, threshold, mask = zip(*nodes, strict=True) if nodes else ((), (), ())
    return Trees(
        np.array(feature, np.int32),
        _rounded_down(np.array(threshold, np.float64)),
        np.array(mask, np.uint32),
        np.array(starts, np.int32),
        np.array(leaves, np.float64).reshape(len(leaves), MAX_LEAVES),
    )


def _walk(node: Mapping[str, Any], nodes: list[tuple[int, float, int]], values: list[float]) -> None:
    """Walk depth first, left before right, so that leaves are numbered from left to right."""
    if "split_feature" not in node:
        values.append(float(node["leaf_value"]))
        return
    if node["decision_type"] != "<=":
        raise SchemaError(f"a tree splits by {node['decision_type']!r}", remedy="train without categorical features")
    first = len(values)
    place = len(nodes)
    nodes.append((int(node["split_feature"]), float(node["threshold"]), 0))
    _walk(node["left_child"], nodes, values)
    left = sum(1 << leaf for leaf in range(first, len(values)))
    nodes[place] = (*nodes[place][:2], int(ALL) & ~left)
    _walk(node["right_child"], nodes, values)


def _rounded_down(threshold: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Round down to single precision: for single-precision rows the test stays the same."""
    with np.errstate(over="ignore"):
        near = threshold.astype(np.float32)
    return np.where(near.astype(np.float64) > threshold, np.nextafter(near, np.float32(-np.inf)), near)
