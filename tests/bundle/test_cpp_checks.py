"""What the C++ dispatcher refuses: wrong problems, small packed weights, and indices that lead out of bounds."""

from __future__ import annotations

import ctypes
import json
import re
import shutil
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.cpp import engine
from tilewright.model.fields import FACTOR
from tilewright.ops.fmha import FmhaProblem
from tilewright.ops.fmha.contents import content_mistakes
from tilewright.ops.fmha.shapes import INDEX_ROLES

pytestmark = pytest.mark.xdist_group("bundle")
CHECK = Path(__file__).parents[1] / "support" / "bundle_check.cpp"
CPP = Path(tw.__file__).parent / "cpp"
NOT_FINITE = "it must be a finite number"


@pytest.fixture(scope="module")
def program(bundle_folder: Path, bundle_code: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("checks") / "bundle_check"
    flags = ["-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", f"-I{bundle_folder}/include"]
    subprocess.run(["g++", *flags, str(CHECK), *bundle_code, "-o", str(target)], check=True)
    return target


def said(program: Path, bundle: Path, *cases: str) -> dict[str, str]:
    """Return what the program said of each case."""
    done = subprocess.run([program, bundle, *cases], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(zip(cases, done.stdout.splitlines(), strict=True))


def check(program: Path, bundle: Path, wanted: dict[str, tuple[str, str]]) -> None:
    found = said(program, bundle, *wanted)
    wrong = {
        case: line for case, line in found.items() if not (line.startswith(wanted[case][0]) and wanted[case][1] in line)
    }
    assert not wrong


def test_packed_weights_are_there_and_as_large_as_the_kernel_reads(program: Path, bundle_folder: Path) -> None:
    wanted = {
        "packed whole": ("ok", ""),
        "packed small": ("TensorError", "b has 12288 bytes, the problem needs 24576"),
        "packed null": ("TensorError", "b is null"),
        "packed nothing": ("TensorError", "b is null"),
        "packed overlapping": ("TensorError", "b has 3072 bytes, the problem needs 24576"),
    }
    check(program, bundle_folder, wanted)


def test_vectors_have_elements_of_the_size_of_the_dtype(program: Path, bundle_folder: Path) -> None:
    wanted = {
        "bytes": ("ok", ""),
        "wide": ("TensorError", "out is fp32, and no vector of elements of 8 bytes"),
        "narrow": ("TensorError", "a is fp32, and no vector of elements of 2 bytes"),
    }
    check(program, bundle_folder, wanted)


def test_lengths_and_pages_in_host_memory_are_checked_at_each_call(program: Path, bundle_folder: Path) -> None:
    """The texts are those of `content_mistakes` in Python."""
    wanted = {
        "varlen": ("ok", ""),
        "varlen long": ("TensorError", "cu_seqlens_q: sequence 0 has 30 rows; the longest may have 24"),
        "varlen falls": ("TensorError", "cu_seqlens_k falls from 1000000 to 34 at 2; it must not fall"),
        "varlen begins": ("TensorError", "cu_seqlens_q begins with -1; it must begin with 0"),
        "varlen ends": ("TensorError", "cu_seqlens_k ends with 33; the total is 34"),
        "paged": ("ok", ""),
        "paged unused": ("ok", ""),
        "paged wrong": ("TensorError", "page_table: sequence 1 names page 6 at 2; pages are 0 to 5"),
        "paged negative": ("TensorError", "page_table: sequence 0 names page -1 at 1; pages are 0 to 5"),
        "paged long": ("TensorError", "seqlens_k[1] is 25; it must be between 0 and 24"),
        "appended": ("ok", ""),
        "appended long": (
            "TensorError",
            "seqlens_k[1] is 14; it must be between 0 and 13; 3 are appended to a cache of 16",
        ),
    }
    check(program, bundle_folder, wanted)


FAMILIES: tuple[dict[str, Any], ...] = (
    {"mode": "group", "total_q": 9, "total_k": 14},
    {"kv_lengths": True},
    {"family": "fwd_pagedkv", "page_size": 4, "num_pages": 7},
    {"family": "fwd_appendkv", "seqlen_new": 3},
    {"family": "fwd_appendkv", "seqlen_new": 3, "page_size": 4, "num_pages": 7},
    {"family": "fwd_appendkv", "seqlen_new": 3, "page_size": 4, "num_pages": 7, "lookup": "sglang"},
    {"family": "batch_prefill", "mode": "group", "total_q": 9, "page_size": 4, "num_pages": 7},
    {"family": "batch_prefill", "mode": "group", "total_q": 9, "page_size": 4, "num_pages": 7, "lookup": "sglang"},
)


def random_indices(problem: FmhaProblem, rng: Random) -> dict[str, Any]:
    """Return lengths and tables that are right, but for a few numbers."""
    pages = -(-problem.seqlen_k // max(problem.page_size, 1))
    right: dict[str, Any] = {
        "cu_seqlens_q": [0, rng.randrange(4, 6), 9],
        "cu_seqlens_k": [0, rng.randrange(4, 10), 14],
        "seqlens_k": [rng.randrange(problem.seqlen_k - problem.seqlen_new + 1) for _ in range(2)],
        "page_table": rng.sample(range(7), 7),
        "page_indptr": [0, rng.randrange(pages + 1), pages],
        "last_page_lens": [rng.randrange(5), rng.randrange(5)],  # the longest sequence ends within a page
    }
    found = {r: np.array(right[r], np.int32) for r in problem.roles if r in INDEX_ROLES}
    if problem.lookup == "vllm":
        found["page_table"] = np.array([rng.choices(range(7), k=pages) for _ in range(2)], np.int32)
    for values in found.values():
        if rng.random() < 0.2:
            values.reshape(-1)[rng.randrange(values.size)] = rng.choice((-1, 0, 1, 2, 4, 5, 7, 8, 13, 10**6, -(2**31)))
    return found


def test_cpp_finds_the_mistakes_in_lengths_and_pages_that_python_finds(tmp_path: Path) -> None:
    target = tmp_path / "index_check.so"
    sources = [CHECK.with_name("index_check.cpp"), CPP / "source" / "index_check.cpp"]
    flags = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", f"-I{CPP / 'include'}"]
    subprocess.run(["c++", *flags, *map(str, sources), "-o", str(target)], check=True)
    mistakes = ctypes.CDLL(str(target)).mistakes
    mistakes.restype = ctypes.c_char_p
    rng, said = Random(0), set()
    for family in FAMILIES:
        sizes = {"batch": 2, "heads_q": 1, "seqlen_q": 5, "seqlen_k": 10, "hdim_q": 8, "dtype": "fp32"}
        problem = FmhaProblem.from_dict({**sizes, **family})
        limits = [*engine.index_limits(problem).values()]
        for _ in range(200):
            tensors = random_indices(problem, rng)
            roles = (ctypes.c_char_p * len(tensors))(*(role.encode() for role in tensors))
            data = (ctypes.c_void_p * len(tensors))(*(t.ctypes.data for t in tensors.values()))
            shapes = [n for t in tensors.values() for n in (*t.shape, 0)[:2]]
            where = (ctypes.c_int64 * len(limits))(*limits), len(tensors), roles, data
            found = mistakes(*where, (ctypes.c_int64 * len(shapes))(*shapes)).decode().splitlines()
            assert found == content_mistakes(problem, tensors), (family, tensors)
            said.update(re.sub(r"-?[0-9]+", "N", line) for line in found or ["none"])
    assert len(said) >= 14, said


def test_wrong_problems_are_errors_of_the_problem(program: Path, bundle_folder: Path) -> None:
    wanted = {
        "alpha nan": ("ProblemError", f"epilogue alpha is nan; {NOT_FINITE}"),
        "alpha infinite": ("ProblemError", f"epilogue alpha is -inf; {NOT_FINITE}"),
        "alpha large": ("ProblemError", f"epilogue alpha is 1e+39; {FACTOR}"),
        "scale large": ("ProblemError", f"fmha problem: fmha.values: scale is 1e+39; {FACTOR}"),
        "number too large": ("ProblemError", f"epilogue alpha is inf; {NOT_FINITE}"),
        "scale nan": ("ProblemError", f"scale is nan; {NOT_FINITE}"),
        "item infinite": ("ProblemError", f"strides a is inf; {NOT_FINITE}"),
        "not an object": ("ProblemError", "epilogue is 5; it must be an object"),
        "not a list": ("ProblemError", 'd is "x"; it must be a list'),
        "no JSON": ("ProblemError", "problem: JSON text: it ends too early"),
        "twins": ("ProblemError", "problem: JSON text: a name is given twice"),
        "groups": ("ProblemError", "a bundle has no products in groups"),
        "priority of none": ("UnknownNameError", "has a digest that begins with 'no digest'"),
    }
    check(program, bundle_folder, wanted)


def test_what_a_call_gives_is_counted(program: Path, bundle_folder: Path) -> None:
    wanted = {
        "many tensors": ("ProblemError", "it has 17 tensors; at most 16"),
        "as many as there may be": ("TensorError", "d7 is no tensor of this problem"),
        "twice": ("TensorError", "a is given twice"),
        "two pointers": ("TensorError", "has 3 tensors; run_pointers got 2"),
        "smallest size": ("ProblemError", "m is -9223372036854775808"),
        "half a character": ("ProblemError", "half of a surrogate pair is missing"),
    }
    check(program, bundle_folder, wanted)


def test_a_decimal_comma_changes_no_number(
    program: Path, bundle_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("localedef") is None or not Path("/usr/share/i18n/locales/de_DE").is_file():
        pytest.skip("this system cannot make a locale")
    subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", str(tmp_path / "de_DE.UTF-8")], check=True)
    monkeypatch.setenv("LOCPATH", str(tmp_path))
    check(program, bundle_folder, {"locale": ("ok", "")})


def test_the_order_of_a_registry_is_that_of_all_bundles(
    program: Path, bundle_folder: Path, copied_bundle: Path, tmp_path: Path
) -> None:
    """The first bundle has the first kernel, of another problem, and the last one; the second bundle has the others."""
    problem = tw.problem_from_dict({"op": "gemm", "m": 64, "n": 96, "k": 48, "dtype": "fp32"})
    registry = tw.Bundle.open(bundle_folder).registry()
    fitting = list(dict.fromkeys(r.candidate.spec.digest for r in registry.select(problem)))
    assert len(fitting) > 1
    manifest = json.loads((bundle_folder / "manifest.json").read_text())
    rows = {row["digest"]: row for row in manifest["kernels"]}
    unfit = next(row for row in rows.values() if row["spec"]["op"] != "gemm")
    first = {unfit["digest"]: len(rows), fitting[0]: 0}
    second = {digest: i for i, digest in enumerate(fitting[1:], 1)}
    other = Path(shutil.copytree(copied_bundle, tmp_path / "other"))
    for folder, priorities in ((copied_bundle, first), (other, second)):
        kept = [{**rows[digest], "priority": priority} for digest, priority in priorities.items()]
        (folder / "manifest.json").write_text(json.dumps({**manifest, "kernels": kept}))
    check(program, copied_bundle, {f"order {other}": ("ok", "")})


def test_the_remedy_quotes_the_name_of_a_manifest(program: Path, copied_bundle: Path) -> None:
    path = copied_bundle / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["name"] = "x'; touch gone #"
    path.write_text(json.dumps(manifest))
    line = said(program, copied_bundle, "int8")["int8"]
    assert line.startswith("SelectionError")
    arch = manifest["arch"]["name"]
    assert f"--arch '{arch}' --out 'x'\\''; touch gone #_more'" in line, line


def test_tensors_of_a_problem_have_its_strides() -> None:
    product = {"op": "gemm", "m": 8, "n": 4, "k": 8, "dtype": "int8", "scale_a": "row", "scale_b": "row"}
    facts = engine.describe({**product, "strides": {"scale_a": [1000000, 0, 0]}})["tensors"]
    spans = {row["role"]: (row["strides"], row["span"]) for row in facts if row["role"].startswith("scale")}
    assert spans == {"scale_a": ([1000000], 7000001), "scale_b": ([1], 4)}
