"""What the emulator refuses, and how it says so."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.emulator import Memory, emulate, kernel_of, launch, parse_assembly
from tilewright.errors import (
    AssemblyError,
    EmulatorError,
    EmulatorMemoryError,
    KernelArgumentError,
    KernelFaultError,
    StepLimitError,
    UnknownNameError,
    UnsupportedInstructionError,
)

from one_instruction import assembly  # isort: skip

BUFFERS = ("global_buffer", "global_buffer")
GOOD = assembly("gfx942", "s_nop 0", args=BUFFERS)


def arrays() -> list[np.ndarray]:
    return [np.zeros(64, np.uint32), np.zeros(64, np.uint32)]


def execute(body: str, arch: str = "gfx942", **more: object) -> None:
    emulate(assembly(arch, body, args=BUFFERS), "k", arrays(), (1,), (64,), **more)  # type: ignore[arg-type]


def test_another_arch() -> None:
    with pytest.raises(AssemblyError, match=r"the assembly is for gfx942, not for gfx1201"):
        emulate(GOOD, "k", arrays(), (1,), (64,), arch="gfx1201")
    with pytest.raises(AssemblyError, match=r"does not know arch 'gfx900'.*compile for one of gfx908"):
        parse_assembly(GOOD.replace("gfx942", "gfx900"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no .amdgcn_target"),
        (GOOD[: GOOD.index(".amdhsa_kernel")], "describes no kernel"),
        (GOOD.replace("s_endpgm", "s_nop 1"), "no s_endpgm"),
        (GOOD[: GOOD.index(".end_amdgpu_metadata")], "metadata has no end"),
        (GOOD.replace("k:\n", ""), "no instructions"),
        (GOOD.replace("s_nop 0", "s_branch .Lnowhere"), "no label of the kernel"),
        (GOOD.replace("s_nop 0", "?? garbage"), "is no instruction"),
        (GOOD.replace("next_free_vgpr 192", "next_free_vgpr unknown.symbol"), "cannot evaluate"),
    ],
)  # fmt: skip
def test_truncated_or_malformed_text(text: str, said: str) -> None:
    with pytest.raises(AssemblyError, match=said):
        emulate(text, "k", arrays(), (1,), (64,))


@pytest.mark.parametrize(("arch", "limit"), [("gfx942", 64 << 10), ("gfx950", 160 << 10)])
def test_more_lds_than_a_workgroup_can_have(arch: str, limit: int) -> None:
    execute("s_nop 0", arch, dynamic_lds=limit - 1024)
    with pytest.raises(KernelArgumentError, match=rf"a workgroup of {arch} has {limit:,}"):
        execute("s_nop 0", arch, dynamic_lds=limit - 1023)


LOAD = "s_load_dwordx4 s[4:7], s[0:1], 0x0\nv_lshlrev_b32_e32 v1, 2, v0\ns_waitcnt lgkmcnt(0)\n"
STORE = "\ns_waitcnt vmcnt(0) lgkmcnt(0)\nglobal_store_dword v1, v2, s[6:7]"


@pytest.mark.parametrize("offset", [0, 1, 2])
def test_a_half_at_any_byte(offset: int) -> None:
    """The hardware splits the access. With the sanitizer it is reported."""
    given, out = np.arange(256, dtype=np.uint8).view(np.uint32), np.zeros(64, np.uint32)
    body = f"{LOAD}global_load_ushort v2, v1, s[4:5] offset:{offset}{STORE}"
    report = emulate(assembly("gfx942", body, args=BUFFERS), "k", [given, out], (1,), (64,))
    assert out[0] == offset | (offset + 1) << 8
    assert ("misaligned" in report.kinds()) == bool(offset % 2)


@pytest.mark.parametrize("size", [0, 3, 4, 8, 12, 16, 64])
def test_scalars_beyond_a_buffer_are_0(size: int) -> None:
    words = "s_mov_b32 s8, s4\ns_mov_b32 s9, s5\ns_mov_b32 s11, 0x27000\n"
    pick = "\n".join(f"v_mov_b32_e32 v3, s{12 + j}\nv_cmp_eq_u32_e32 vcc, {j}, v0\ns_nop 1\n"
                     "v_cndmask_b32_e32 v2, v2, v3, vcc" for j in range(4))  # fmt: skip
    body = (f"{LOAD}{words}s_movk_i32 s10, {size}\nv_mov_b32_e32 v2, 0\n"
            f"s_buffer_load_dwordx4 s[12:15], s[8:11], 0x4\ns_waitcnt lgkmcnt(0)\n{pick}{STORE}")  # fmt: skip
    given, out = np.arange(100, 164, dtype=np.uint32), np.zeros(64, np.uint32)
    assert emulate(assembly("gfx942", body, args=BUFFERS), "k", [given, out], (1,), (64,)).clean
    assert out[:4].tolist() == [101 + j if 8 + 4 * j <= size else 0 for j in range(4)]


def test_every_cut_of_a_text_is_refused_or_harmless() -> None:
    """No cut makes anything but a typed error."""
    for end in range(0, len(GOOD), 37):
        try:
            emulate(GOOD[:end], "k", arrays(), (1,), (64,))
        except EmulatorError:
            continue
        except UnknownNameError:
            continue


def test_an_unknown_kernel() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown kernel 'kk'; did you mean 'k'"):
        kernel_of(GOOD, "kk")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("v_frobnicate_b32 v0, v1", "v_frobnicate_b32 v0, v1.*unknown opcode"),
        ("v_lshl_add_u32 v0, v1, v2, v3 clamp", "modifier clamp"),
        ("v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3] cbsz:1", "cbsz"),
        ("buffer_load_dword v0, v1, s[4:7], 0 idxen", "modifier idxen"),
        ("v_add_u32_e32 v0, v1, src_shared_base", "operand src_shared_base"),
        ("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3", "rounding mode"),
        ("v_add_f32_e32 v0, v1", "sources"),
        ("v_mov_b32_e32", "operands that do not fit"),
        ("s_add_i32 s4,", "operands that do not fit"),
        ("s_add_i32 s4, v0, s5", "vector register v0 in a scalar instruction"),
        ("s_mov_b32 v4, s5", "destination v4"),
        ("global_load_dword s4, v[0:1], off", "scalar destination s4"),
        ("v_mov_b32_e32 v0, s[1", "operand"),
    ],
)
def test_an_instruction_without_semantics_is_named_with_its_line(body: str, said: str) -> None:
    with pytest.raises(UnsupportedInstructionError, match=said) as caught:
        execute(body)
    assert caught.value.line == 4
    assert "line 4" in str(caught.value)
    assert caught.value.kernel == "k"


def test_an_instruction_that_is_never_reached_does_no_harm() -> None:
    execute("s_branch .Lend\nv_frobnicate_b32 v0, v1\n.Lend:\ns_nop 0")


def test_a_register_beyond_the_descriptor() -> None:
    with pytest.raises(AssemblyError, match=r"names v130; the descriptor allocates 128"):
        execute("v_mov_b32_e32 v130, 0")


def test_a_kernel_that_never_ends() -> None:
    with pytest.raises(StepLimitError, match=r"line \d+: s_branch .Lloop.*raise step_limit"):
        execute(".Lloop:\ns_nop 0\ns_branch .Lloop", step_limit=1000)


def test_a_kernel_that_runs_past_its_end() -> None:
    text = assembly("gfx942", "s_branch .Lpast\ns_endpgm", args=BUFFERS).replace(
        "\ts_endpgm\n\t.amdhsa", "\t.Lpast:\n\t.amdhsa"
    )
    with pytest.raises(AssemblyError, match=r"past its last instruction|no label"):
        emulate(text.replace("\t.Lpast:", ".Lpast:"), "k", arrays(), (1,), (64,))


def test_a_trap_ends_the_run() -> None:
    with pytest.raises(KernelFaultError, match="s_trap 2"):
        execute("s_trap 2")


def test_more_memory_than_the_limit() -> None:
    with pytest.raises(EmulatorMemoryError, match="the limit is 100,000"):
        emulate(GOOD, "k", [np.zeros(100_000, np.uint8), np.zeros(4, np.uint8)], (1,), (64,), memory_limit=100_000)


def test_memory_refuses_strange_addresses() -> None:
    memory = Memory()
    address = memory.allocate(16)
    with pytest.raises(EmulatorMemoryError, match="not inside of an allocation"):
        memory.read(address + 8, np.uint32, 4)
    memory.free(address)
    with pytest.raises(EmulatorMemoryError, match="start of no allocation"):
        memory.free(address)
    assert memory.allocate(16) == address  # and it is used again


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([np.zeros(4)], "1 arguments; kernel k takes 2"),
        ([np.zeros(4), "text"], "argument 1 of kernel k is str"),
        ([np.zeros(4), 1 << 70], "the number"),
        ([np.zeros(4), b"123"], "3 bytes; the metadata says 8 bytes"),
        ([np.zeros(4), 1.5], "a float"),
    ],
)
def test_arguments_that_do_not_fit(args: list[object], said: str) -> None:
    with pytest.raises(KernelArgumentError, match=said):
        emulate(GOOD, "k", args, (1,), (64,))


def test_packed_bytes_of_the_wrong_size() -> None:
    with pytest.raises(KernelArgumentError, match="8 bytes of arguments; kernel k takes 16"):
        launch(kernel_of(GOOD), Memory(), bytes(8), (1,), (64,))


@pytest.mark.parametrize(("grid", "block"), [((0,), (64,)), ((1,), (64, 64)), ((1, 1, 1, 1), (64,)), ((1,), (-4,))])
def test_impossible_shapes(grid: tuple[int, ...], block: tuple[int, ...]) -> None:
    with pytest.raises(KernelArgumentError):
        emulate(GOOD, "k", arrays(), grid, block)
