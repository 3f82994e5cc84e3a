"""Nobody writes notes into the `__dict__` of a value: what is known of it is kept in side tables."""

from __future__ import annotations

import ast
import gc
from pathlib import Path
from typing import Any

import pytest

from tilewright.model.kernel import Candidate, KernelSpec, Launch, candidate_key, kept_by_kernel
from tilewright.model.side_table import SideTable

PACKAGE = Path(__file__).parents[2] / "src" / "tilewright"
WRITING = {"update", "setdefault", "pop", "clear", "popitem", "__setitem__"}
# They make a new object there, and nobody else's; the recorder stands in for an attribute of a dispatcher.
OWN = {"errors.py", "model/kernel_tree.py", "frontends/call_template.py", "model/problem.py", "torch/recorder.py"}


def notes_in(source: str) -> list[int]:
    """The lines that write into a `__dict__`."""

    def is_dict(node: ast.AST) -> bool:
        return isinstance(node, ast.Attribute) and node.attr == "__dict__"

    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, (ast.Store, ast.Del)) and is_dict(node.value):
            found.append(node.lineno)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_dict(node.func.value):
            found += [node.lineno] if node.func.attr in WRITING else []
    return found


def test_no_module_writes_into_the_dictionary_of_a_value() -> None:
    sources = {p.relative_to(PACKAGE).as_posix(): p.read_text() for p in sorted(PACKAGE.rglob("*.py"))}
    assert {name: lines for name, text in sources.items() if (lines := notes_in(text)) and name not in OWN} == {}


@pytest.mark.parametrize("text", ["x.__dict__['a'] = 1", "x.__dict__.setdefault('a', {})", "del x.__dict__['a']"])
def test_such_a_note_is_found(text: str) -> None:
    assert notes_in(text) == [1]


def spec(algorithm: Any = None) -> KernelSpec:
    return KernelSpec("gemm", "cpu", "x86_64_v3", None, algorithm)


def test_an_entry_goes_with_its_object() -> None:
    table: SideTable[int] = SideTable()
    kernels = [spec() for _ in range(3)]
    for number, kernel in enumerate(kernels):
        table.put(kernel, number)
    assert [table.get(k) for k in kernels] == [0, 1, 2]
    assert table.get(spec()) is None
    del kernels[1:], kernel
    gc.collect()
    assert len(table) == 1


def test_a_function_is_asked_once_for_each_kernel_even_if_it_returns_none() -> None:
    asked: list[KernelSpec] = []
    ask = kept_by_kernel(asked.append)
    kernel = spec()
    assert [ask(kernel), ask(kernel)] == [None, None]
    assert len(asked) == 1
    assert [name for name in vars(kernel) if name.startswith("_")] == []


def test_a_candidate_has_one_key() -> None:
    launch = Launch(split_k=2, grid=(3, 4))
    candidate = Candidate(spec(), launch)
    assert candidate.key == candidate_key(candidate.spec.digest, launch)
    assert candidate.key == candidate_key(candidate.spec.digest, {"split_k": 2, "grid": [3, 4]})
    assert candidate.key != candidate_key(candidate.spec.digest, {"split_k": 2})
