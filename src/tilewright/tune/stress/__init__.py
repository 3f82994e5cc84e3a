"""Stress: random kernels and problems through rules, compiler and verification; each disagreement is shrunk."""

from __future__ import annotations
