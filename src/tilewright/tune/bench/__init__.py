"""Benchmarks: our kernels beside their peers in one run, and the ceilings of the machine."""
