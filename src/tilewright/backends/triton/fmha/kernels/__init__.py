"""The attention kernels; importing them needs triton."""
