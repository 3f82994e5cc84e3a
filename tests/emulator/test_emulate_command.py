"""`tilewright emulate`: any code object or text, its arguments, what it prints; files that are damaged."""

from __future__ import annotations

import json
import random
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright.backends.gpu.emulated import code_object
from tilewright.backends.gpu.emulated.code_object import BUNDLE, disassemblers, load_kernel
from tilewright.cli.app import run
from tilewright.emulator import emulate
from tilewright.errors import AssemblyError, TilewrightError, ToolchainError, UnknownNameError

from one_instruction import assembly  # isort: skip

# Arguments: in, out. Two waves reverse words through LDS, and add a constant of the text.
REVERSE = """
s_load_dwordx4 s[4:7], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
global_load_dword v2, v1, s[4:5]
s_waitcnt vmcnt(0)
ds_write_b32 v1, v2
s_waitcnt lgkmcnt(0)
s_barrier
s_mov_b32 s8, 2
.Lagain:
s_sub_u32 s8, s8, 1
s_cmp_lg_u32 s8, 0
s_cbranch_scc1 .Lagain
v_xor_b32_e32 v3, 0x1fc, v1
ds_read_b32 v2, v3
s_waitcnt lgkmcnt(0)
global_store_dword v1, v2, s[6:7]
"""
TEXT = assembly("gfx90a", REVERSE, args=("global_buffer", "global_buffer"), lds=512)
ARGS = ["--block", "128", "--args", "i32[128]=arange i32[128]=zeros"]


@pytest.fixture
def text_file(tmp_path: Path) -> Path:
    path = tmp_path / "reverse.s"
    path.write_text(TEXT)
    return path


@pytest.fixture(scope="module")
def compiled() -> Any:
    """A kernel of Triton: softmax of rows."""
    pytest.importorskip("triton")
    from tutorial_kernels import softmax_kernel

    from tilewright.backends.triton.emulated import emulated_triton

    x, out = np.ones((2, 200), np.float32), np.zeros((2, 200), np.float32)
    with emulated_triton("gfx90a"):
        return softmax_kernel[(2,)](out, x, 200, BLOCK=256)


@pytest.fixture
def code(compiled: Any, tmp_path: Path) -> Path:
    """The kernel as a code object."""
    (tmp_path / "softmax.hsaco").write_bytes(compiled.asm["hsaco"])
    return tmp_path / "softmax.hsaco"


def needs_objdump(path: Path) -> None:
    try:
        load_kernel(path)
    except ToolchainError as error:
        pytest.skip(f"{error} (none of {', '.join(disassemblers()) or 'nothing'})")


def test_a_text(text_file: Path, capsys: Any) -> None:
    assert run(["emulate", str(text_file), *ARGS]) == 0
    said = capsys.readouterr().out
    assert "k: 40 wave instructions; the sanitizer found nothing" in said
    assert "multiply" not in said
    assert any(line.split() == ["stored", "bytes", "512"] for line in said.splitlines())


def test_arrays_come_from_files_and_go_into_files(text_file: Path, tmp_path: Path, capsys: Any) -> None:
    given = np.random.default_rng(0).integers(0, 1000, 128).astype(np.int32)
    np.save(tmp_path / "in.npy", given)
    np.save(tmp_path / "want.npy", given[::-1])
    command = ["emulate", str(text_file), "--block", "128", "--args", f"i32[128]={tmp_path / 'in.npy'} i32[128]=7",
               "--save", f"1={tmp_path / 'out.npy'}", "--expect", f"1={tmp_path / 'want.npy'}"]  # fmt: skip
    assert run(command) == 0
    assert (np.load(tmp_path / "out.npy") == given[::-1]).all()
    assert "argument 1: ok" in capsys.readouterr().out
    np.save(tmp_path / "want.npy", given)
    assert run(command) == 1
    assert "argument 1: WRONG, largest difference" in capsys.readouterr().out


def test_findings_make_it_fail(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "broken.s"
    path.write_text(TEXT.replace("\ts_barrier\n", ""))
    assert run(["emulate", str(path), *ARGS, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [f["kind"] for f in found["findings"]] == ["lds-race"]
    assert found["counts"]["lds"] == 4
    assert run(["emulate", str(path), *ARGS, "--no-sanitize"]) == 0


def test_a_trace(text_file: Path, tmp_path: Path, capsys: Any) -> None:
    assert run(["emulate", str(text_file), *ARGS, "--trace", str(tmp_path / "trace")]) == 0
    lines = (tmp_path / "trace").read_text().splitlines()
    assert len(lines) == 20  # of both waves together
    assert any(line.endswith("v_xor_b32_e32 v3, 0x1fc, v1  ; v3=0x1fc") for line in lines)
    assert lines[0].startswith("workgroup 0 wave 0 and 1 more: ")
    assert run(["emulate", str(text_file), *ARGS, "--trace", "-"]) == 0
    assert "s_cbranch_scc1 .Lagain" in capsys.readouterr().out


def test_a_code_object_gives_the_same_as_its_text(code: Path, compiled: Any) -> None:
    needs_objdump(code)
    x, results = np.random.default_rng(0).standard_normal((2, 200)).astype(np.float32), []
    for source in (compiled.asm["amdgcn"], load_kernel(code, "softmax_kernel", "gfx90a")):
        out = np.zeros_like(x)
        report = emulate(source, "softmax_kernel", [out, x, 200, None, None], (2,), (256,), dynamic_lds=2048)
        assert report.clean, str(report)
        results.append(out)
    assert np.array_equal(*results)
    assert np.allclose(results[0].sum(1), 1, atol=1e-5)


def test_a_bundle(code: Path, tmp_path: Path) -> None:
    needs_objdump(code)
    data = code.read_bytes()
    entries = {"host-x86_64-unknown-linux--": b"", "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-": data,
               "hipv4-amdgcn-amd-amdhsa--gfx942": b"nothing"}  # fmt: skip
    head, at = BUNDLE + struct.pack("<Q", len(entries)), 4096
    body = b""
    for name, content in entries.items():
        head += struct.pack("<QQQ", at + len(body), len(content), len(name)) + name.encode()
        body += content
    path = tmp_path / "fat.co"
    path.write_bytes(head.ljust(4096, b"\0") + body)
    assert load_kernel(path, arch="gfx90a").name == "softmax_kernel"
    with pytest.raises(UnknownNameError, match="gfx90a, gfx942"):
        load_kernel(path)


def test_findings_of_a_compiled_kernel_name_its_source(code: Path, capsys: Any) -> None:
    needs_objdump(code)
    arguments = "f32[400]=zeros f32[400]=random i32={} i64=0 i64=0"
    command = ["emulate", str(code), "--grid", "2", "--block", "256", "--lds", "2048", "--args"]
    assert run([*command, arguments.format(200)]) == 0
    assert run([*command, arguments.format(256)]) == 1
    assert "(tutorial_kernels.py:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--kernel", "other"], "unknown kernel 'other'"),
        (["--arch", "gfx942"], "is for gfx90a, not for gfx942"),
        (["--block", "x"], "--block 'x' is not one to three numbers"),
        (["--block", "2048"], "a block of 2048 work items"),
        (["--args", "i32=5"], "3 arguments; kernel k takes 2"),
        (["--args", "q32=5"], "'q32=5' is no argument"),
        (["--args", "f32[4=1"], "is no argument"),
        (["--args", "f32=x"], "Fix: write i32=5 or"),
        (["--args", "f32[99999999,99999]=zeros"], "the emulator has 4,294,967,296"),
        (["--args", "i32[4]=missing.npy"], "missing.npy is no array"),
        (["--args", "f32[4]=many"], "is no argument"),
        (["--save", "5=out.npy"], "names no argument"),
        (["--expect", "1=missing.npy"], "missing.npy is no array"),
        (["--trace", "/nowhere/trace"], "cannot be written"),
    ],
)
def test_bad_options(text_file: Path, more: list[str], said: str, capsys: Any) -> None:
    assert run(["emulate", str(text_file), *ARGS, *more]) == 1
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no .amdgcn_target"), (b"\x7fELF", "no AMD GPU code object"),
        (b"\x7fELF\x02" + bytes(13) + b"\xe0", "damaged"), (b"\x7fELF\x02" + bytes(100), "no AMD GPU code object"),
        (b"CCOB" + bytes(50), "compressed"), (b"\0" * 200, "neither assembly text nor"), (BUNDLE, "damaged"),
        (BUNDLE + b"\xff" * 64, "damaged"),
    ],
)  # fmt: skip
def test_files_that_are_none(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "x.co"
    path.write_bytes(content)
    with pytest.raises(AssemblyError, match=said):
        load_kernel(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(AssemblyError, match="cannot be read"):
        load_kernel(tmp_path / "none.co")


def test_without_a_disassembler_the_text_beside_it_is_named(code: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(code_object, "disassemblers", lambda: ())
    with pytest.raises(ToolchainError, match="install ROCm"):
        load_kernel(code)
    code.with_suffix(".s").write_text(TEXT)
    with pytest.raises(ToolchainError, match=r"pass softmax\.s"):
        load_kernel(code)
    code.with_suffix(".s").unlink()


def test_damaged_code_objects_are_refused_or_read(code: Path, tmp_path: Path, monkeypatch: Any) -> None:
    """Bytes changed at random, or cut off: an error of ours, never another one, and soon."""
    listing = (
        "\ts_mov_b32 s0, 0 // 000000001000: 0\n\ts_branch 65534 // 000000001004: 0\n\ts_endpgm // 000000001008: 0\n"
    )
    monkeypatch.setattr(code_object, "_listing", lambda *_: listing)
    data, rng, path = code.read_bytes(), random.Random(1), tmp_path / "x.co"
    refused = 0
    for turn in range(400):
        broken = bytearray(data if turn % 4 else data[: rng.randrange(len(data))])
        for _ in range(rng.choice((1, 4, 64)) if broken else 0):
            broken[rng.randrange(len(broken))] = rng.choice((0, 1, 127, 255, rng.randrange(256)))
        path.write_bytes(bytes(broken))
        try:
            load_kernel(path)
        except TilewrightError:
            refused += 1
    assert refused > 100
