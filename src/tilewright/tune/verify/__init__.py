"""Verified kernels: execute a built kernel on small problems in the emulator, and keep the verdict with it."""
