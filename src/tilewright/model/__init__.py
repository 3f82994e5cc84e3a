"""Pure values and protocols: no I/O, no torch, nothing that runs a kernel."""
