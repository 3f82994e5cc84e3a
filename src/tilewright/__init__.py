"""tilewright: declare, check, build, select, run and verify kernels."""
