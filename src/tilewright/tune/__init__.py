"""Measure kernels: timers, peers to compare with, the ceilings of the machine, and benchmarks."""

from __future__ import annotations
