"""The kernels themselves: Triton and Gluon source, compiled only in worker processes."""
