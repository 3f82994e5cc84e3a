"""CK Tile kernels as files: generated headers with a manifest, wrappers, and build files."""

from __future__ import annotations
