"""Products by BLAS in bundles: a small library with the C ABI of a kernel, which calls BLAS from C++."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ....jit.compiler import cxx_request
from ....jit.native_build import NATIVE
from ....model.kernel import KernelSpec
from ....settings import Settings

INCLUDE = Path(__file__).parents[1] / "include"
FLAGS = ("-O2", "-s", "-ldl")
REAL = {"fp32": "float", "fp64": "double"}


def bundle_request(spec: KernelSpec, settings: Settings) -> Any:
    """Return the build of the library that calls BLAS for the products of a spec."""
    real = REAL[spec.signature.dtype_a]
    return cxx_request(
        f'#include "blas_product.hpp"\nTW_BLAS_PRODUCT({real}, "{spec.digest}")\n',
        name=spec.name, spec_digest=spec.digest, include_dirs=(INCLUDE, NATIVE), flags=FLAGS, settings=settings,
        spec=spec.to_dict(),
    )  # fmt: skip
