"""A registry, a spec or a set that somebody hands over is checked field by field before anything is made of it."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tilewright.backends import get_backend_op
from tilewright.backends.cpp_text import CppText, cpp, cpp_bool, cpp_digest, cpp_int, cpp_label, cpp_name, cpp_value
from tilewright.backends.cpu.conv.algorithm import CpuConv
from tilewright.backends.cpu.conv.lower import source_of as conv_source
from tilewright.backends.cpu.fmha.algorithm import CpuFmha
from tilewright.backends.cpu.gemm.algorithm import CpuGemm
from tilewright.backends.cpu.gemm.lower import request_of, source_of
from tilewright.backends.plain import set_from_dict, spec_from_dict
from tilewright.errors import SchemaError, SpecError, TilewrightError
from tilewright.model.kernel import KernelSpec, Launch, fields_from
from tilewright.model.kernel_set import MAX_COMBINATIONS, MAX_MEMBERS, KernelSet, Range
from tilewright.model.sweep import Words, read_sweep
from tilewright.ops import problem_from_dict
from tilewright.ops.conv.signature import ConvSignature
from tilewright.ops.gemm.signature import GemmSignature
from tilewright.registry import MAX_SETS, Registry
from tilewright.settings import Settings

SOURCE = Path(__file__).parents[1] / "src" / "tilewright"
CODE = "1; static int x = [] { __builtin_trap(); return 0; }(); static constexpr int y = 2"
LEAK = '1;\n#include "/etc/passwd"\n//'
GEMM = KernelSpec("gemm", "cpu", "x86_64_v3", GemmSignature("fp32", "fp32", "fp32", "fp32"), CpuGemm(nr=16))
CONV = KernelSpec("conv", "cpu", "x86_64_v3", ConvSignature("forward", "fp32", "fp32", "fp32", "fp32"), CpuConv(nr=16))


def plain(spec: KernelSpec, part: str, **fields: Any) -> dict[str, Any]:
    data = spec.to_dict()
    return {**data, part: {**data[part], **fields}}


def registry_of(spec: Any, digest: str = "") -> dict[str, Any]:
    from tilewright.model.canonical import digest as digest_of

    kernel = {"digest": digest or digest_of(spec), "priority": 0, "source": "", "spec": spec}
    return {"schema": 1, "name": "theirs", "kernels": [kernel], "sets": []}


@pytest.mark.parametrize("field", ["kc", "mc", "nc", "mr", "nr", "pack_a", "pipeline", "inner"])
@pytest.mark.parametrize("value", [CODE, LEAK, "6", 6.0, [6], {"x": 6}, None, 10**30], ids=repr)
def test_no_field_of_a_gemm_takes_another_type_or_text(field: str, value: Any) -> None:
    with pytest.raises(TilewrightError):
        spec_from_dict(plain(GEMM, "algorithm", **{field: value}))
    with pytest.raises(TilewrightError):
        Registry.from_dict(registry_of(plain(GEMM, "algorithm", **{field: value})))


@pytest.mark.parametrize("field", ["tall", "merge", "strip_kb", "stream", "rows", "kc"])
@pytest.mark.parametrize("value", [CODE, LEAK, 1.5], ids=["code", "leak", "float"])
def test_no_field_of_a_convolution_carries_code(field: str, value: Any) -> None:
    with pytest.raises(TilewrightError):
        spec_from_dict(plain(CONV, "algorithm", **{field: value}))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("dtype_a", CODE),
        ("layout", "r" * 3 + LEAK),
        ("combine", CODE),
        ("activation", 3),
        ("scale_block", True),
        ("d", [{"dtype": "fp32", "broadcast": CODE}]),
        ("d", "fp32"),
        ("b_format", LEAK),
        ("scale_a", ["none"]),
    ],
)
def test_no_field_of_a_signature_carries_code(field: str, value: Any) -> None:
    with pytest.raises(TilewrightError):
        spec_from_dict(plain(GEMM, "signature", **{field: value}))


@pytest.mark.parametrize(("field", "value"), [("mr", True), ("pack_a", 1)])
def test_a_boolean_is_no_number(field: str, value: Any) -> None:
    with pytest.raises(SchemaError, match=field):
        spec_from_dict(plain(GEMM, "algorithm", **{field: value}))


@pytest.mark.parametrize("name", ["op", "backend", "arch"])
@pytest.mark.parametrize("value", [None, 3, ["cpu"], {}, CODE], ids=repr)
def test_names_of_a_spec_are_names(name: str, value: Any) -> None:
    with pytest.raises(TilewrightError):
        spec_from_dict({**GEMM.to_dict(), name: value})


def test_importing_a_registry_applies_the_rules_that_add_applies() -> None:
    broken = replace(GEMM, algorithm=CpuGemm(mr=32, nr=64))  # more registers than there are
    with pytest.raises(SpecError, match="breaks"):
        Registry("mine").add(broken)
    with pytest.raises(SpecError, match="breaks"):
        Registry.from_dict(registry_of(broken.to_dict()))


def test_a_good_registry_is_still_read(tmp_path: Path) -> None:
    mine = Registry("mine")
    mine.add(GEMM, priority=3)
    mine.declare(get_backend_op("cpu", "gemm").default_sets()[0])
    mine.export_json(tmp_path / "registry.json")
    assert Registry.import_json(tmp_path / "registry.json").digest == mine.digest


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        '{"schema": 1}',
        '{"schema": true, "name": "x", "kernels": [], "sets": []}',
        '{"schema": 1, "a": ' + "[" * 9999,
        '{"schema": 1, "schema": 1, "name": "x", "kernels": [], "sets": []}',
        '{"schema": ' + "1" * 5000 + "}",
        "\udcff",
        '{"schema": 1, "name": 5, "kernels": [], "sets": []}',
        '{"schema": 1, "name": "x", "kernels": {}, "sets": []}',
    ],
)
def test_a_file_that_is_no_registry_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "r.json").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(SchemaError):
        Registry.import_json(tmp_path / "r.json")


@pytest.mark.parametrize("value", [CODE, LEAK, 6.5, None, (6,)], ids=repr)
def test_lowering_refuses_what_python_slipped_in(value: Any) -> None:
    with pytest.raises(TilewrightError):
        source_of(replace(GEMM, algorithm=replace(GEMM.algorithm, kc=value)))
    with pytest.raises(TilewrightError):
        conv_source(replace(CONV, algorithm=replace(CONV.algorithm, tall=value)))
    with pytest.raises(TilewrightError):
        Registry("mine").add(replace(GEMM, algorithm=replace(GEMM.algorithm, kc=value)))


def test_attention_refuses_code_too() -> None:
    from tilewright.backends.cpu.fmha.lower import source_of as fmha_source

    data = {"batch": 1, "heads_q": 1, "seqlen_q": 8, "hdim_q": 32, "dtype": "fp32"}
    signature = problem_from_dict({"op": "fmha", **data}).signature
    spec = KernelSpec("fmha", "cpu", "x86_64_v3", signature, CpuFmha(row_vectors=CODE))  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="cannot hold"):
        fmha_source(spec)
    with pytest.raises(TilewrightError):
        fmha_source(replace(spec, algorithm=CpuFmha(), signature=replace(signature, bias=CODE)))


def test_ck_tile_refuses_code_too() -> None:
    from tilewright.backends.ck_tile.ck_revision import REFERENCE
    from tilewright.backends.ck_tile.gemm import preselected_kernels
    from tilewright.backends.ck_tile.lower import lower

    spec = preselected_kernels("fp16_rcr_essential", "gfx942")[0]
    algorithm = replace(spec.algorithm)
    object.__setattr__(algorithm, "block_per_cu", CODE)  # past the checks of its constructor
    with pytest.raises(SpecError, match="cannot hold"):
        lower(replace(spec, algorithm=algorithm), REFERENCE)


def test_source_that_is_plain_text_is_not_compiled() -> None:
    from tilewright.backends.cpu.units import unit_request

    with pytest.raises(SpecError, match="not compiled"):
        unit_request(GEMM, "int main() {}", Settings.from_env())  # type: ignore[arg-type]
    assert type(request_of(GEMM, Settings.from_env()).name) is str


@pytest.mark.parametrize(
    "make",
    [
        lambda: CppText("x"),
        lambda: cpp_value("x"),
        lambda: cpp("{}", "x"),
        lambda: cpp_int(True),
        lambda: cpp_bool(1),
        lambda: cpp_int(2**63),
        lambda: cpp_name(("a",), "b", "name"),
        lambda: cpp_name({"a": "A"}, ["a"], "name"),
        lambda: cpp_label('a"b'),
        lambda: cpp_label("a\n"),
        lambda: cpp_digest("xyz"),
        lambda: cpp("{x}", x="a" + cpp("b")),
    ],
)
def test_cpp_text_cannot_hold_other_text(make: Any) -> None:
    with pytest.raises((TypeError, TilewrightError)):
        make()


def _first_arguments() -> list[tuple[str, ast.expr, set[str]]]:
    """(place, first argument, names of literals of the module) of every call of `cpp` in the backends."""
    found = []
    for path in sorted((SOURCE / "backends").rglob("*.py")):
        tree = ast.parse(path.read_text())
        literals = {
            t.id
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            for t in node.targets
            if isinstance(t, ast.Name)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "cpp":
                found.append((f"{path.name}:{node.lineno}", node.args[0], literals))
    return found


def test_the_text_of_cpp_is_always_a_literal_of_the_program() -> None:
    calls = _first_arguments()
    assert len(calls) > 50
    for place, first, literals in calls:
        literal = isinstance(first, ast.Constant) or (isinstance(first, ast.Name) and first.id in literals)
        assert literal, f"{place}: cpp() of something that is not a literal"


def test_nobody_else_makes_cpp_text() -> None:
    for path in sorted(SOURCE.rglob("*.py")):
        if path.name != "cpp_text.py":
            assert "_made(" not in path.read_text() or "cpp_text" not in path.read_text(), path


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("split_k", 0),
        ("split_k", True),
        ("threads", 10**20),
        ("threads", 5000),
        ("grid", [-1]),
        ("grid", "ab"),
        ("blocks", [1.5]),
        ("num_splits", None),
    ],
)
def test_a_launch_is_checked_too(field: str, value: Any) -> None:
    with pytest.raises(SchemaError, match=field):
        fields_from(Launch, {field: value}, "launch")


def a_set(**algorithm: Any) -> dict[str, Any]:
    return {
        "name": "theirs",
        "op": "gemm",
        "backend": "cpu",
        "algorithms": [algorithm],
        "signature": {},
        "archs": ["*"],
    }


@pytest.mark.parametrize(
    "value",
    [
        CODE,
        {"values": [6, CODE]},
        {"values": 6},
        {"min": 1, "max": 10**9, "step": 1},
        {"min": 1, "max": "9", "step": 1},
        {"min": 0, "max": 4, "step": 0},
        {"low": 1},
        True,
    ],
)
def test_patterns_of_a_set_are_checked(value: Any) -> None:
    with pytest.raises(TilewrightError):
        set_from_dict(a_set(mr=value))


def test_a_set_that_python_made_is_checked_too() -> None:
    with pytest.raises(SpecError, match="mr"):
        Registry("mine").declare(KernelSet("mine", "gemm", "cpu", ({"mr": [6, CODE]},)))


def test_ranges_and_sets_are_bounded() -> None:
    with pytest.raises(SpecError, match=f"{MAX_MEMBERS:,}"):
        Range(0, 10**9, 1).values()
    assert 3 * 10**8 in Range(0, 10**9, 1)  # asking takes no list of them
    wide = KernelSet("wide", "gemm", "cpu", ({n: Range(1, 1000, 1) for n in ("mr", "nr", "kc")},))
    registry = Registry("mine")
    with pytest.raises(SpecError, match=f"{MAX_COMBINATIONS:,}"):
        registry.expansion(wide, "x86_64_v3", GEMM.signature)
    many = {"schema": 1, "name": "x", "kernels": [], "sets": [a_set(mr=6)] * 100_000}
    with pytest.raises(SchemaError, match=f"the most is {MAX_SETS:,}"):
        Registry.from_dict(many)


@pytest.mark.parametrize(
    "text",
    [
        '{"algorithm": {"mr": {"min": 1, "max": 1000000000, "step": 1}}}',
        '{"sets": [' + '{"algorithm": {"mr": 6}},' * 9999 + "{}]}",
        '{"algorithm": {"mr": 6}, "algorithm": {"mr": 4}}',
        '{"algorithm": {"mr": true}}',
        '{"algorithm": {"mr": 100000}}',
        '{"archs": [1], "algorithm": {"mr": 6}}',
        "[" * 5000,
        '{"algorithm": {"inner": {"min": 1, "max": 2, "step": 1}}}',
    ],
)
def test_sweep_files_are_bounded_and_typed(tmp_path: Path, text: str) -> None:
    (tmp_path / "s.json").write_text(text)
    op = get_backend_op("cpu", "gemm")
    with pytest.raises(SchemaError):
        read_sweep(tmp_path / "s.json", Words("gemm", "cpu", op.tunables(), ("layout",)))


def test_a_spec_survives_the_round_trip_through_json() -> None:
    for spec in (GEMM, CONV):
        assert spec_from_dict(json.loads(json.dumps(spec.to_dict()))) == spec
