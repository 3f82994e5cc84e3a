"""Bundles: kernels, their selection, headers and a CMake package in one folder, for machines without a compiler."""

from __future__ import annotations

from .manifest import BUNDLE_SCHEMA, BundledKernel, Manifest, read_manifest
from .opened import Bundle
from .write import make_bundle

__all__ = ["BUNDLE_SCHEMA", "Bundle", "BundledKernel", "Manifest", "make_bundle", "read_manifest"]
