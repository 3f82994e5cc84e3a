"""Generators behind `tilewright codegen`: reference pages from the rules, tunables and settings in the code."""

from __future__ import annotations
