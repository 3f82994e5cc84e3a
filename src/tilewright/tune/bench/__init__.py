"""Benchmarks: our kernels and their peers in one run, and the ceilings of the machine."""
