"""Triton sources of the convolution kernels."""
