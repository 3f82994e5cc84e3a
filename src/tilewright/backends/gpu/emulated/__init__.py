"""AMD GPUs that are emulated: a stand-in for the HIP runtime, and the places `emu:gfx942` and the like."""
