"""Digest replay: what is generated, compiled and launched is what was recorded. It guards every refactoring.

`digests.json` holds digests of the text of CPU and CK Tile kernels, of the header library as each x86-64 level sees it,
of the code that Triton is given, of compiler flags, and of launch values on nominal devices. They are the same on every
host.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from itertools import product

import pytest
import replay_cpu
from renew import changes, recorded, triton_version
from replay_gather import BACKENDS, gather
from replay_macros import PREDEFINED
from replay_problems import DIRECTIONS
from replay_samples import ARCHS

from tilewright.arch import get_arch
from tilewright.backends import get_backend, get_backend_op
from tilewright.backends.cpu.units import INCLUDE_DIRS
from tilewright.jit.compiler import find_compiler
from tilewright.model.kernel_set import listed
from tilewright.ops.fmha.signature import FAMILIES

ADVICE = """
If this change was not meant to alter kernels or launches, it has a mistake: undo or correct it.
If it was meant to, run `make replay`, look through what it prints, and say in the commit what changed and why."""
SHOWN = 40
# Pipelines of attention that no released CK Tile has: the rule "release" refuses all of their kernels.
UNRELEASED = {("qr_async_trload_v3", "-"), ("qr_hpad", "-"), ("qr_nwarp_sshuffle", "-")}


@pytest.mark.timeout(1800)  # 40 s of work, which a busy machine may stretch
@pytest.mark.parametrize("backend", BACKENDS)
def test_nothing_that_is_generated_or_launched_changed(backend):
    record = recorded()
    if backend == "triton" and triton_version() != record["triton_version"]:
        pytest.skip(f"recorded with Triton {record['triton_version']}; installed is {triton_version() or 'none'}")
    found = changes(record[backend], *gather(backend))
    assert not found, f"{len(found)} digests of {backend} changed:\n{told(found)}\n{ADVICE}"


def told(found: list[str]) -> str:
    """Some of the changes: shared things first, then one of each group, then the others."""
    seen: Counter[str] = Counter()
    ranked = []
    for line in found:
        group = line.split(":")[0]
        seen[group] += 1
        ranked.append((0 if group.startswith(("headers", "flags")) else seen[group], line))
    lines = [line for _, line in sorted(ranked, key=lambda x: x[0])]
    return "\n".join([*lines[:SHOWN], *([f"... and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else [])])


def test_a_change_is_told_with_the_kernel_and_what_changed():
    many = [*(f"a: {i}" for i in range(50)), "b: 0", "headers x: h"]
    assert told(many).splitlines()[:4] == ["headers x: h", "a: 0", "b: 0", "a: 1"]
    assert told(many).splitlines()[-1] == "... and 12 more"
    old = {"sm_90 gemm row": {"candidates": "3 aa", "0123abcd": "s1 l1"}, "headers x86_64": {"tw/simd.hpp": "a"}}
    new = {"sm_90 gemm row": {"candidates": "4 bb", "0123abcd": "s2 l1"}, "headers x86_64": {"tw/simd.hpp": "b"}}
    assert changes(old, old, {}) == []
    assert changes(old, new, {"0123abcd": "my_kernel"}) == [
        "sm_90 gemm row: candidates: other kernels or launches to choose from (3 before, 4 now)",
        "sm_90 gemm row: my_kernel: source changed",
        "headers x86_64: tw/simd.hpp: was a, is b",
    ]
    assert changes({"g": {"k": "s l"}}, {"g": {"k": "s m"}}, {}) == ["g: k: launch values changed"]
    assert changes({"g": {"k": "s l"}}, {"g": {}}, {}) == ["g: k: no longer in the sample"]
    assert changes({"g": {}}, {"h": {}}, {}) == ["g: no longer there", "h: new, 0 digests"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_every_direction_family_and_declared_pipeline_is_recorded(backend):
    held = [tuple(line.split(" ")) for line in recorded()[backend]["coverage"]]
    kinds = {(op, kind) for op, kind, _, _ in held}
    assert kinds == {("gemm", "-"), *(("conv", d) for d in DIRECTIONS), *(("fmha", f) for f in FAMILIES)}
    for name in get_backend(backend).op_names():
        op = get_backend_op(backend, name)
        everywhere = "*" if backend != "ck_tile" else ""
        sets = [s for s in op.default_sets() if everywhere in s.archs or not {*s.archs}.isdisjoint(ARCHS[backend])]
        declared = {pair for s in sets for pair in declared_pairs(op, s)}
        recorded_pairs = {(pipeline, inner) for o, _, pipeline, inner in held if o == name}
        assert declared - recorded_pairs - UNRELEASED == set()


def declared_pairs(op, kernel_set):
    """The pairs of pipeline and inner that a set declares, "-" where the algorithm has no such field."""
    defaults = {t.name: t.default for t in op.tunables()}
    for fields in kernel_set.algorithms:
        values = [listed(fields.get(name, defaults.get(name, "-")), ()) for name in ("pipeline", "inner")]
        yield from product(*values)


def test_every_header_of_the_cpu_library_is_recorded_for_some_level():
    """Those of Arm are not: no unit for x86-64 includes them, so that a change of them leaves its build keys alone."""
    record = recorded()["cpu"]
    held = {name for arch in PREDEFINED for name in record[f"headers {arch}"]}
    headers = {str(p.relative_to(INCLUDE_DIRS[0])) for p in INCLUDE_DIRS[0].glob("tw/**/*.hpp")}
    assert {name for name in headers - held if not name.startswith("tw/arm/")} == set()
    others = "".join((INCLUDE_DIRS[0] / name).read_text() for name in headers if not name.startswith("tw/arm/"))
    assert not re.search(r"#\s*include\s*[<\"]tw/arm/", others)


def test_a_branch_for_another_machine_leaves_a_header_as_it_is(tmp_path):
    (tmp_path / "empty").mkdir()
    plain = "int lanes() { return 4; }\n"
    branched = f"#if defined(__aarch64__)\nint lanes() {{ return 8; }}\n#else\n{plain}#endif // arm\n"
    other = "int lanes() { return 5; }\n"
    seen = []
    for text in (plain, branched, other):
        (tmp_path / "a.hpp").write_text(text)
        made = replay_cpu.preprocessed("#include <a.hpp>", [f"-I{tmp_path}"], PREDEFINED["x86_64"], tmp_path)
        seen.append(made["a.hpp"])
    assert seen[0] == seen[1] != seen[2]


@pytest.mark.parametrize("level", PREDEFINED)
def test_the_table_of_macros_is_what_the_compiler_predefines(level):
    found = find_compiler()
    if not found.target.startswith("x86_64"):
        pytest.skip(f"the compiler of this machine targets {found.target}, not x86-64")
    flags = get_arch(level).compiler_flags[found.family]
    command = [*found.argv, *flags, "-dM", "-E", "-x", "c++", "/dev/null"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    predefined = set(re.findall(r"^#define (\w+)", said, re.M))
    headers = [p.read_text() for folder in INCLUDE_DIRS for p in folder.rglob("*.h*")]
    asked = {m for text in headers for line in re.findall(r"^\s*#\s*(?:el)?if.*", text, re.M)
             for m in re.findall(r"\b__\w+", line)} - {"__clang__", "__cplusplus"}  # fmt: skip
    assert {"__AVX2__", "__AMX_TILE__"} <= asked
    table = {macro.split("=")[0] for macro in PREDEFINED[level]}
    assert asked & predefined == asked & table
