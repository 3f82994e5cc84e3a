"""The libraries that vendor kernels call: where they are, which version, and how many threads they use.

torch is imported only for a kernel that was chosen, and it is chosen only by a program that has imported it.
"""

from __future__ import annotations

import ctypes
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from ...errors import ToolchainError
from ...jit.launcher import launcher_at_once
from ...jit.loaded import loaded_files
from ...model.locks import cached_property
from .shared_settings import SharedSetting

# The C interface of BLAS as builds name it: NumPy's wheels contain a renamed OpenBLAS. Prefix, suffix, integer type.
SPELLINGS = (
    ("scipy_", "64_", ctypes.c_int64),
    ("scipy_", "", ctypes.c_int),
    ("", "64_", ctypes.c_int64),
    ("", "", ctypes.c_int),
)
PRODUCTS = {"fp32": ("cblas_sgemm", ctypes.c_float), "fp64": ("cblas_dgemm", ctypes.c_double)}
VECTORS = {"fp32": "cblas_sgemv", "fp64": "cblas_dgemv"}
ROW_MAJOR, PLAIN, TRANSPOSED = 101, 111, 112
BLAS_FILES = re.compile(r"openblas|mkl_rt|blis|libcblas|libblas")


@dataclass(frozen=True, eq=False)
class Blas:
    """The BLAS that NumPy has loaded: its version, its products by dtype, and the functions about its threads.

    `vectors` are products of a matrix and a vector, `integer` is the type of its sizes.
    """

    version: str
    products: dict[str, Any]
    vectors: dict[str, Any]
    integer: Any
    get_threads: Callable[[], int] | None
    set_threads: Callable[[int], None] | None

    @contextmanager
    def limited(self, threads: int) -> Iterator[None]:
        """Compute with `threads` threads; those of other callers come back when the last one has computed.

        The C launcher counts callers if it is there: it calls the library itself, too.
        """
        if self.get_threads is None or self.set_threads is None:
            yield
            return
        module = launcher_at_once().module
        if module is None:
            with self._shared.at(threads) if self._shared.differs(threads) else nullcontext():
                yield
            return
        is_held = module.hold_threads(*map(address_of, (self.get_threads, self.set_threads)), threads)
        try:
            yield
        finally:
            if is_held:
                module.release_threads()

    @cached_property
    def _shared(self) -> SharedSetting:
        assert self.get_threads is not None
        assert self.set_threads is not None
        return SharedSetting(self.get_threads, self.set_threads)


def address_of(function: Any) -> int:
    """Return the address of a function of a library; 0 if there is none.

    >>> address_of(None)
    0
    """
    return 0 if function is None else ctypes.cast(function, ctypes.c_void_p).value or 0


@cache
def numpy_blas() -> Blas | str:
    """Return the BLAS of NumPy by its C interface; a text that says why there is none."""
    import numpy as np

    np.ones((2, 2), np.float32) @ np.ones((2, 2), np.float32)  # loads it
    loaded = loaded_files()
    if not loaded:
        return "the BLAS of NumPy is not found: this system does not say what a process has loaded"
    package = Path(np.__file__).resolve().parent  # mapped files are named without links
    paths = [path for path in loaded if BLAS_FILES.search(path)]
    own = [p for p in paths if {package, package.with_name("numpy.libs")} & set(Path(p).parents)]
    others = [p for p in paths if "/torch/" not in p]  # torch has a BLAS of its own
    for path in own or (others if len(others) == 1 else []):
        found = _interface(path)
        if found is not None:
            return found
    return f"NumPy's BLAS has no C interface that is known (found: {', '.join(paths) or 'none'})"


def _interface(path: str) -> Blas | None:
    try:
        library = ctypes.CDLL(path)
    except OSError:
        return None
    for prefix, suffix, integer in SPELLINGS:
        if hasattr(library, f"{prefix}cblas_sgemm{suffix}"):
            products = {d: _product(library, prefix + n + suffix, integer, real) for d, (n, real) in PRODUCTS.items()}
            get, put = (_threads(library, kind, prefix, suffix) for kind in ("get", "set"))
            vectors = {d: getattr(library, prefix + n + suffix) for d, n in VECTORS.items()}
            return Blas(_blas_version(path), products, vectors, integer, get, put)
    return None


def _product(library: Any, name: str, integer: Any, real: Any) -> Any:
    """Return C = alpha * A B + beta * C: (order, of A, of B, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc)."""
    function = getattr(library, name)
    pointer, choice = ctypes.c_void_p, ctypes.c_int
    matrix = [pointer, integer]
    function.argtypes = [choice, choice, choice, *[integer] * 3, real, *matrix, *matrix, real, *matrix]
    function.restype = None
    return function


def _threads(library: Any, kind: str, prefix: str, suffix: str) -> Any:
    names = [f"{prefix}openblas_{kind}_num_threads{suffix}", f"openblas_{kind}_num_threads"]
    names.append({"get": "MKL_Get_Max_Threads", "set": "MKL_Set_Num_Threads"}[kind])
    return next((getattr(library, name) for name in names if hasattr(library, name)), None)


def _blas_version(path: str) -> str:
    import numpy as np

    config: Any = np.show_config(mode="dicts")
    blas = config.get("Build Dependencies", {}).get("blas", {})
    return f"{blas.get('name', Path(path).name)} {blas.get('version', '?')}, numpy {np.__version__}"


def loaded_torch() -> Any:
    """Return torch if the program has imported it, completely; else None."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and hasattr(torch, "ops") and hasattr(torch, "from_numpy") else None


def imported_torch() -> Any:
    """Return torch for a kernel that was chosen: the program that chose it, here or in a parent, has imported it."""
    try:
        return import_module("torch")
    except ImportError:
        raise ToolchainError("torch is not installed, and a vendor kernel calls it", remedy="install torch") from None


def version_of(library: str) -> str:
    """Return name and version of the library behind a kernel, with the libraries that it calls itself.

    >>> version_of("blas") != ""
    True
    """
    if library == "blas":
        found = numpy_blas()
        return found if isinstance(found, str) else found.version
    torch = imported_torch()
    parts = [f"torch {torch.__version__}"]
    if torch.version.cuda:
        parts += [f"CUDA {torch.version.cuda}", f"cuDNN {torch.backends.cudnn.version()}"]
    if getattr(torch.version, "hip", None):
        parts.append(f"HIP {torch.version.hip}")
    return ", ".join(parts)
