"""The rules of CK Tile attention kernels: the tables of the arch, what the headers express, what a problem asks."""

from __future__ import annotations

from .features import FEATURE_RULES
from .problem import PROBLEM_RULES
from .shape import SHAPE_RULES

RULES = (*SHAPE_RULES, *FEATURE_RULES, *PROBLEM_RULES)

__all__ = ["FEATURE_RULES", "PROBLEM_RULES", "RULES", "SHAPE_RULES"]
