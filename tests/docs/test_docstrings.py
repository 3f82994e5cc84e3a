"""The examples in docstrings run, and the generated reference pages are what the code says."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

import tilewright
from tilewright.codegen.docs import pages

from snippets import ROOT  # isort: skip

NEEDS_TRITON = "tilewright.backends.triton."  # its modules may import triton, which need not be installed
NEED_TORCH = ("tilewright.jit.arrays",)


def without_torch(name: str) -> None:
    assert name == "tilewright.torch", name  # the only package that cannot be imported without an extra


MODULES = sorted(
    m.name
    for m in pkgutil.walk_packages(tilewright.__path__, "tilewright.", onerror=without_torch)
    if not m.name.endswith("__main__")
)


def needs_torch(name: str) -> bool:
    return name in NEED_TORCH or name.startswith("tilewright.torch")


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_run(name: str) -> None:
    if needs_torch(name):
        pytest.importorskip("torch", reason=f"torch is not installed: the examples of {name} are not run")
    if name.startswith(NEEDS_TRITON):
        pytest.importorskip("triton", reason=f"triton is not installed: the examples of {name} are not run")
    result = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


def test_there_are_examples() -> None:
    counts = [
        len(doctest.DocTestFinder().find(import_module(n)))
        for n in MODULES
        if not n.startswith(NEEDS_TRITON) and not needs_torch(n)
    ]
    assert sum(counts) > 100


@pytest.mark.parametrize("name", sorted(pages()))
def test_reference_pages_are_up_to_date(name: str) -> None:
    path = ROOT / "docs" / "reference" / name
    assert path.read_text() == pages()[name], "run `tilewright codegen docs`"
