"""Mutants that the sanitizer once missed: each is noticed, and the kernel without the change is clean."""

from __future__ import annotations

import re

import numpy as np
import pytest
from ck_gemm import run_gemm, text_of

from tilewright.emulator import Program, Report, emulate, kernel_of
from tilewright.emulator.hazards import passes_of

from one_instruction import assembly  # isort: skip

HEAD = """
s_load_dwordx4 s[4:7], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
v_xor_b32_e32 v3, 0x1fc, v1
s_waitcnt lgkmcnt(0)
"""
# Two waves exchange words through global memory.
THROUGH_MEMORY = (
    HEAD
    + """
global_store_dword v1, v0, s[4:5]
s_waitcnt vmcnt(0)
s_barrier
global_load_dword v2, v3, s[4:5]
s_waitcnt vmcnt(0)
global_store_dword v1, v2, s[6:7]
"""
)
# Each wave adds to the words of both, which one of them has zeroed.
ADDING = (
    HEAD
    + """
v_mov_b32_e32 v4, 0
ds_write_b32 v1, v4
s_waitcnt lgkmcnt(0)
s_barrier
ds_add_u32 v1, v0
ds_add_u32 v3, v0
s_waitcnt lgkmcnt(0)
s_barrier
ds_read_b32 v2, v3
s_waitcnt lgkmcnt(0)
global_store_dword v1, v2, s[6:7]
"""
)
# What the other wave reads is overwritten, behind a barrier. The read is over before it.
OVERWRITING = (
    HEAD
    + """
v_mov_b32_e32 v4, 7
ds_write_b32 v1, v0
s_waitcnt lgkmcnt(0)
s_barrier
ds_read_b32 v2, v3
s_waitcnt lgkmcnt(0)
s_barrier
ds_write_b32 v1, v4
s_waitcnt lgkmcnt(0)
global_store_dword v1, v2, s[6:7]
"""
)
# Each workgroup stores a word and counts; the last one reads all words.
COUNTING = """
s_load_dwordx4 s[4:7], s[0:1], 0x0
v_lshlrev_b32_e64 v1, 2, s2
v_mov_b32_e32 v2, 3
v_mov_b32_e32 v3, 0
s_waitcnt lgkmcnt(0)
v_cmp_eq_u32_e32 vcc, 0, v0
s_and_saveexec_b64 s[10:11], vcc
global_store_dword v1, v2, s[6:7] offset:64
s_waitcnt vmcnt(0)
v_mov_b32_e32 v4, 1
global_atomic_add v5, v3, v4, s[6:7] sc0
s_waitcnt vmcnt(0)
v_cmp_eq_u32_e32 vcc, 1, v5
s_and_saveexec_b64 s[12:13], vcc
global_load_dwordx2 v[6:7], v3, s[6:7] offset:64
s_waitcnt vmcnt(0)
v_add_u32_e32 v6, v6, v7
global_store_dword v3, v6, s[6:7] offset:128
"""


def run(body: str, arch: str = "gfx942", block: int = 128, grid: int = 1) -> Report:
    arrays = [np.zeros(256, np.uint32) for _ in range(2)]
    text = assembly(arch, body, args=("global_buffer", "global_buffer"), lds=512)
    return emulate(text, "k", arrays, (grid,), (block,))


@pytest.mark.parametrize(
    ("body", "lost", "put", "kind"),
    [
        (THROUGH_MEMORY, "s_barrier\n", "", "wave-race"),
        (THROUGH_MEMORY, "s_waitcnt vmcnt(0)\ns_barrier\n", "s_barrier\n", "wave-race"),  # the store is under way
        (THROUGH_MEMORY, "global_store_dword v1, v0, s[4:5]", "v_and_b32_e32 v1, 0xff, v1\n"
         "global_store_dword v1, v0, s[4:5]", "wave-race"),
        (ADDING, "ds_add_u32 v3, v0\ns_waitcnt lgkmcnt(0)\ns_barrier\n", "ds_add_u32 v3, v0\ns_waitcnt lgkmcnt(0)\n",
         "lds-race"),
        (ADDING, "s_barrier\nds_add_u32 v1, v0\n", "ds_add_u32 v1, v0\n", "lds-race"),
        (ADDING, "ds_add_u32 v3, v0\n", "ds_write_b32 v3, v0\n", "lds-race"),
        (ADDING, "ds_add_u32 v3, v0\ns_waitcnt lgkmcnt(0)\n", "ds_add_u32 v3, v0\n", "lds-in-flight"),
        (OVERWRITING, "v3\ns_waitcnt lgkmcnt(0)\ns_barrier\n", "v3\ns_waitcnt lgkmcnt(0)\n", "lds-race"),
        (OVERWRITING, "v3\ns_waitcnt lgkmcnt(0)\ns_barrier\n", "v3\ns_barrier\n", "lds-race"),  # a read under way
        (OVERWRITING, "v3\ns_waitcnt lgkmcnt(0)\ns_barrier\n", "v3\n", "lds-race"),
    ],
    ids=["barrier", "wait", "address", "read of a sum", "zeroes", "plain write", "sum under way", "write after read",
         "read under way", "both"],
)  # fmt: skip
def test_waves_of_a_workgroup(body: str, lost: str, put: str, kind: str) -> None:
    good = run(body)
    assert good.clean, str(good)
    assert lost in body
    assert kind in run(body.replace(lost, put)).kinds()


def test_waves_that_store_the_same_value_do_no_harm() -> None:
    body = HEAD + "v_and_b32_e32 v1, 0xff, v1\nv_mov_b32_e32 v2, 5\nglobal_store_dword v1, v2, s[6:7]"
    assert run(body).clean


def test_waves_may_read_what_others_only_read() -> None:
    body = HEAD + "v_mov_b32_e32 v4, 0\nglobal_load_dword v2, v4, s[4:5]\ns_waitcnt vmcnt(0)\n"
    store = "global_store_dword v1, v2, s[6:7]\n"
    assert run(body + store).clean
    report = run(body + "global_store_dword v1, v2, s[4:5]\n")  # the first word is read by both waves
    assert report.kinds() == {"wave-race"}


def test_a_store_that_an_atomic_access_publishes_is_waited_for() -> None:
    assert run(COUNTING, block=64, grid=2).clean
    lost = "offset:64\ns_waitcnt vmcnt(0)\nv_mov_b32_e32 v4, 1"
    report = run(COUNTING.replace(lost, "offset:64\nv_mov_b32_e32 v4, 1"), block=64, grid=2)
    assert report.kinds() == {"store-in-flight"}


PRODUCT = "v_mfma_f32_{shape} v[8:{last}], v[2:3], v[4:5], 0"
STEPS = {  # arch -> (first instruction, the one that uses its result, wait states between them)
    "gfx942": [
        ("v_exp_f32_e32 v2, v1", "v_add_f32_e32 v3, v2, v2", 1),
        ("v_cmp_eq_u32_e64 s[12:13], 0, v0", "v_cndmask_b32_e64 v3, v0, v1, s[12:13]", 2),
        ("v_mov_b32_e32 v2, v1", "v_readfirstlane_b32 s12, v2", 1),
        ("v_mov_b32_e32 v2, v1", "v_mov_b32_dpp v3, v2 row_shr:1 row_mask:0xf bank_mask:0xf", 2),
        (PRODUCT.format(shape="16x16x16_f16", last=11), "v_add_f32_e32 v3, v8, v8", 7),
        (PRODUCT.format(shape="32x32x8_f16", last=23), "v_add_f32_e32 v3, v8, v8", 11),
        (PRODUCT.format(shape="16x16x16_f16", last=11), "v_mfma_f32_16x16x16_f16 v[12:15], v[8:9], v[4:5], 0", 7),
        (PRODUCT.format(shape="16x16x16_f16", last=11), "v_mov_b32_e32 v9, 0", 7),
        ("v_mov_b32_e32 v2, v1", PRODUCT.format(shape="16x16x16_f16", last=11), 2),
    ],
    "gfx90a": [
        (PRODUCT.format(shape="16x16x16f16", last=11), "v_add_f32_e32 v3, v8, v8", 11),
        (PRODUCT.format(shape="32x32x8f16", last=23), "global_store_dword v1, v8, s[6:7]", 19),
    ],
    "gfx950": [(PRODUCT.format(shape="16x16x16_f16", last=11), "v_add_f32_e32 v3, v8, v8", 8)],
}


def padded(first: str, then: str, states: int) -> str:
    """The two instructions with as many wait states between them."""
    nops = "".join(f"s_nop {min(8, states - at) - 1}\n" for at in range(0, states, 8))
    setup = "".join(f"v_mov_b32_e32 v{r}, 0\n" for r in range(2, 24))
    return HEAD + setup + f"s_nop 7\n{first}\n{nops}{then}\ns_nop 7\ns_nop 7\ns_nop 7\n"


@pytest.mark.parametrize(("arch", "step"), [(a, s) for a, steps in STEPS.items() for s in steps])
def test_wait_states(arch: str, step: tuple[str, str, int]) -> None:
    first, then, need = step
    good = run(padded(first, then, need), arch)
    assert "wait-states" not in good.kinds(), str(good)
    [finding] = [f for f in run(padded(first, then, need - 1), arch).findings if f.kind == "wait-states"]
    assert finding.text == then
    assert f"needs {need} wait state" in finding.detail


def test_wait_states_on_the_way_back_of_a_loop() -> None:
    loop = HEAD + "v_mov_b32_e32 v2, 0\ns_mov_b32 s8, 2\n.Lloop:\nv_add_f32_e32 v3, v2, v2\n{}s_sub_u32 s8, s8, 1\n"
    loop += "s_cmp_lg_u32 s8, 0\n{}s_cbranch_scc1 .Lloop\n"
    assert run(loop.format("v_exp_f32_e32 v2, v3\n", "")).clean
    # Nothing is wrong in the order of the text: the next turn uses the result too early.
    body = HEAD + "v_mov_b32_e32 v2, 0\ns_mov_b32 s8, 2\ns_branch .Lin\n.Lloop:\nv_add_f32_e32 v3, v2, v2\n"
    body += "s_cmp_lg_u32 s8, 0\ns_cbranch_scc0 .Ldone\n.Lin:\ns_sub_u32 s8, s8, 1\nv_exp_f32_e32 v2, v2\n{}"
    body += "s_branch .Lloop\n.Ldone:\n"
    assert run(body.format("")).clean  # the branch is a wait state


def test_products_of_rdna() -> None:
    first = "v_wmma_f32_16x16x16_f16 v[24:31], v[2:9], v[10:17], v[24:31]\n"
    then = "v_wmma_f32_16x16x16_f16 v[32:39], v[24:31], v[10:17], v[32:39]\n"
    zeroes = "".join(f"v_mov_b32_e32 v{r}, 0\n" for r in range(2, 40))
    assert run(HEAD + zeroes + first + "v_nop\n" + then, "gfx1100", block=64).clean
    report = run(HEAD + zeroes + first + then, "gfx1100", block=64)
    assert report.kinds() == {"wait-states"}


def test_a_transcendental_result_of_rdna_3() -> None:
    body = HEAD + "v_exp_f32_e32 v2, v1\n{}v_add_f32_e32 v3, v2, v2\n"
    assert run(body.format("s_waitcnt_depctr 0xfff\n"), "gfx1100", block=64).clean
    assert run(body.format(""), "gfx1100", block=64).kinds() == {"wait-states"}
    assert run(body.format(""), "gfx1201", block=64).clean  # RDNA 4 waits by itself


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_every_nop_of_a_compiled_kernel_is_needed(arch: str) -> None:
    """The compiler put in exactly the wait states that its tables name: with one less each, ours name the place."""
    lines = text_of(arch).splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("ck_gemm:"))
    places = [n for n, line in enumerate(lines) if n > start and re.match(r"\s*s_nop \d+$", line)]
    assert len(places) >= 3
    assert not Program(kernel_of(text_of(arch), "ck_gemm"), True).too_early()
    for n in places:
        count = int(lines[n].split()[1])
        changed = [*lines[:n], *([f"\ts_nop {count - 1}"] if count else []), *lines[n + 1 :]]
        assert Program(kernel_of("\n".join(changed) + "\n", "ck_gemm"), True).too_early(), lines[n - 1 : n + 2]


def test_halves_of_a_wave_hold_the_same_rows() -> None:
    product = "v_wmma_f32_16x16x16_f16 v[24:31], v[2:9], v[10:17], v[24:31]\n"
    zeroes = "".join(f"v_mov_b32_e32 v{r}, 0\n" for r in range(2, 32))
    assert run(HEAD + zeroes + product, "gfx1100", block=64).clean
    body = HEAD + zeroes + "v_mov_b32_e32 v5, v0\n" + product
    [finding] = run(body, "gfx1100", block=64).findings
    assert finding.kind == "wmma-halves"
    assert "v5 of lane 0 and of lane 16" in finding.detail
    assert "wmma-halves" not in run(body, "gfx1201", block=64).kinds()


def test_a_row_that_the_other_half_does_not_load_is_found() -> None:
    """A lane of a compiled kernel loads its factor from another place than its twin."""
    text = text_of("gfx1100")
    match = re.search(r"\tv_wmma_f32_16x16x16_f16 v\[\d+:\d+\], v\[(\d+):", text)
    assert match
    broken = text.replace(match[0], f"\tv_xor_b32_dpp v{match[1]}, v{match[1]}, v{match[1]} row_shr:1 row_mask:0x2 "
                          f"bank_mask:0xf bound_ctrl:1\n{match[0]}", 1)  # fmt: skip
    report, _ = run_gemm(broken, 128, 128, 128)
    assert "wmma-halves" in report.kinds(), str(report)


@pytest.mark.parametrize(
    ("text", "arch", "passes"),
    [
        ("v_mfma_f32_16x16x16_f16", "gfx942", 4), ("v_mfma_f32_16x16x16f16", "gfx90a", 8),
        ("v_mfma_f32_32x32x4_2b_f16", "gfx942", 16), ("v_mfma_f32_16x16x4_f32", "gfx942", 8),
        ("v_mfma_f64_16x16x4_f64", "gfx942", 8), ("v_mfma_f32_4x4x4_16b_f16", "gfx942", 2),
        ("v_mfma_f32_16x16x128_f8f6f4 v[0:3] cbsz:4 blgp:4", "gfx950", 4), ("v_add_f32", "gfx942", 0),
    ],
)  # fmt: skip
def test_passes(text: str, arch: str, passes: int) -> None:
    assert passes_of(text, arch) == passes


# The second workgroup waits for a flag that the first one sets behind its store.
POLLING = """
s_load_dwordx4 s[4:7], s[0:1], 0x0
v_mov_b32_e32 v3, 0
v_mov_b32_e32 v2, 3
v_mov_b32_e32 v4, 1
s_waitcnt lgkmcnt(0)
v_cmp_eq_u32_e32 vcc, 0, v0
s_and_saveexec_b64 s[10:11], vcc
s_cmp_eq_u32 s2, 0
s_cbranch_scc0 .LBB0_1
global_store_dword v3, v2, s[6:7] offset:64
s_waitcnt vmcnt(0)
global_atomic_add v3, v4, s[6:7]
s_branch .LBB0_2
.LBB0_1:
global_load_dword v5, v3, s[6:7] sc0 sc1
s_waitcnt vmcnt(0)
v_cmp_ne_u32_e32 vcc, 1, v5
s_cbranch_vccnz .LBB0_1
global_load_dword v6, v3, s[6:7] offset:64
s_waitcnt vmcnt(0)
global_store_dword v3, v6, s[6:7] offset:128
.LBB0_2:
"""


def test_a_workgroup_that_polls_a_flag_comes_after_the_one_that_set_it() -> None:
    assert run(POLLING, block=64, grid=2).clean
    assert run(POLLING.replace(" sc0 sc1", ""), block=64, grid=2).kinds() == {"global-race"}  # a cache may answer


@pytest.mark.parametrize(("jump", "matters"), [("s_cbranch_execz", False), ("s_cbranch_vccz", True)])
def test_wait_states_of_a_way_without_lanes_do_not_matter(jump: str, matters: bool) -> None:
    first = f"{HEAD}s_nop 15\n" + PRODUCT.format(shape="32x32x8_f16", last=23)
    report = run(f"{first}\n{jump} .LBB0_1\ns_nop 15\n.LBB0_1:\nv_mov_b32_e32 v9, 0\n")
    assert ("wait-states" in report.kinds()) == matters
