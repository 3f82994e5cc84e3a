"""Each fault that the sanitizer knows, in the smallest kernel that has it; and the same kernel without the fault."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.emulator import Report, emulate
from tilewright.errors import KernelFaultError

from one_instruction import assembly  # isort: skip

# Arguments: in, out. Every lane reads one word and writes one word at 4 * (its number in the launch).
HEAD = """
s_load_dwordx4 s[4:7], s[0:1], 0x0
v_lshlrev_b32_e32 v1, 2, v0
s_lshl_b32 s8, s2, 9
s_waitcnt lgkmcnt(0)
"""
# Two waves of 64 lanes exchange words through LDS.
EXCHANGE = (
    HEAD
    + """
v_add_u32_e32 v4, s8, v1
global_load_dword v2, v4, s[4:5]
s_waitcnt vmcnt(0)
ds_write_b32 v1, v2
s_waitcnt lgkmcnt(0)
s_barrier
v_xor_b32_e32 v3, 0x1fc, v1
ds_read_b32 v2, v3
s_waitcnt lgkmcnt(0)
global_store_dword v4, v2, s[6:7]
"""
)


def run(
    body: str, *, block: int = 128, grid: int = 2, lds: int = 512, sanitize: bool = True, arch: str = "gfx942"
) -> tuple[Report, Any, Any]:
    given = np.arange(block * grid, dtype=np.uint32) + 7
    out = np.zeros(block * grid, np.uint32)
    text = assembly(arch, body, args=("global_buffer", "global_buffer"), lds=lds)
    return emulate(text, "k", [given, out], (grid,), (block,), sanitize), given, out


def only(report: Report, kind: str) -> Any:
    assert report.kinds() == {kind}, str(report)
    return report.findings[0]


def line_of(body: str, part: str) -> str:
    return next(line.strip() for line in body.splitlines() if part in line)


def test_a_good_kernel_is_clean() -> None:
    report, given, out = run(EXCHANGE)
    assert report.clean, str(report)
    assert (out.reshape(2, 128) == given.reshape(2, 128)[:, ::-1]).all()


def test_a_race_in_lds() -> None:
    report, _, _ = run(EXCHANGE.replace("s_barrier\n", ""))
    finding = only(report, "lds-race")
    assert finding.text.startswith("ds_read_b32")
    assert finding.kernel == "k"
    assert finding.wave in (0, 1)
    assert finding.lane is not None
    assert finding.address is not None
    assert f"line {finding.line}" in str(finding)


def test_waves_that_write_different_values_to_one_place() -> None:
    body = EXCHANGE.replace(
        "ds_write_b32 v1, v2", "v_and_b32_e32 v5, 0xff, v1\nds_write_b32 v5, v2\nds_write_b32 v1, v2"
    )
    assert "lds-race" in run(body)[0].kinds()


def test_waves_that_write_the_same_value_to_one_place_do_no_harm() -> None:
    body = (
        HEAD
        + """
    v_mov_b32_e32 v5, 0
    v_mov_b32_e32 v6, 42
    ds_write_b32 v5, v6
    s_waitcnt lgkmcnt(0)
    s_barrier
    ds_read_b32 v2, v5
    s_waitcnt lgkmcnt(0)
    v_add_u32_e32 v4, s8, v1
    global_store_dword v4, v2, s[6:7]
    """
    )
    report, _, out = run(body)
    assert report.clean, str(report)
    assert (out == 42).all()


@pytest.mark.parametrize(
    ("lost", "reader"), [("s_waitcnt vmcnt(0)\n", "ds_write_b32"), ("s_waitcnt lgkmcnt(0)\nglobal", "global_store")]
)
def test_a_missing_wait(lost: str, reader: str) -> None:
    report, _, _ = run(EXCHANGE.replace(lost, "global" if "global" in lost else ""))
    finding = only(report, "missing-wait")
    assert finding.text.startswith(reader)
    assert "v2" in finding.detail


def test_a_scalar_load_needs_a_wait_for_all() -> None:
    report, _, _ = run(EXCHANGE.replace("s_waitcnt lgkmcnt(0)\n\nv_add", "s_waitcnt lgkmcnt(1)\n\nv_add"))
    assert "missing-wait" in report.kinds()


def test_a_barrier_that_does_not_wait_for_lds() -> None:
    report, _, _ = run(EXCHANGE.replace("s_waitcnt lgkmcnt(0)\ns_barrier", "s_barrier"))
    assert only(report, "lds-in-flight").text == "s_barrier"


def test_a_load_outside_of_every_allocation() -> None:
    body = EXCHANGE.replace("global_load_dword v2, v4, s[4:5]", "global_load_dword v2, v4, s[4:5] offset:1024")
    report, _, _ = run(body, grid=1)
    finding = only(report, "out-of-bounds")
    assert finding.lane == 0
    assert finding.address is not None
    with pytest.raises(KernelFaultError, match=r"line \d+: global_load_dword.*lane 0, address 0x"):
        run(body, grid=1, sanitize=False)


def test_lds_out_of_range() -> None:
    report, _, _ = run(EXCHANGE, lds=508)
    assert "lds-out-of-bounds" in report.kinds()
    assert report.findings[0].lane == 63
    with pytest.raises(KernelFaultError, match="LDS access out of range"):
        run(EXCHANGE, lds=508, sanitize=False)


def test_a_misaligned_access() -> None:
    report, _, _ = run(
        EXCHANGE.replace("global_load_dword v2, v4, s[4:5]", "global_load_dword v2, v4, s[4:5] offset:-2"), block=64
    )
    assert "misaligned" in report.kinds()


def test_a_register_that_was_never_written() -> None:
    report, _, _ = run(
        EXCHANGE.replace("global_store_dword v4, v2", "v_add_u32_e32 v2, v2, v9\nglobal_store_dword v4, v2")
    )
    finding = only(report, "undefined-register")
    assert "stored to memory" in finding.detail
    report, _, _ = run(EXCHANGE.replace("global_store_dword v4, v2, s[6:7]", "global_store_dword v9, v2, s[6:7]"))
    assert "undefined-register" in report.kinds()


def test_a_register_that_only_some_lanes_have_written() -> None:
    body = (
        HEAD
        + """
    v_add_u32_e32 v4, s8, v1
    v_cmp_gt_u32_e32 vcc, 32, v0
    s_and_saveexec_b64 s[10:11], vcc
    v_mov_b32_e32 v2, 5
    s_mov_b64 exec, s[10:11]
    global_store_dword v4, v2, s[6:7]
    """
    )
    finding = only(run(body, block=64, grid=1)[0], "undefined-register")
    assert finding.lane == 32


SHIFTED = "s_lshl_b64 s[12:13], s[10:11], 2\nv_add_u32_e32 v6, s12, v4\n"
WIDE = "v_mad_u64_u32 v[6:7], s[12:13], v4, 1, s[10:11]\n"


@pytest.mark.parametrize("body", [SHIFTED, WIDE], ids=["shift", "product"])
def test_the_high_half_of_an_operand_may_hold_anything_if_only_the_low_result_is_used(body: str) -> None:
    text = EXCHANGE.replace("global_store_dword v4, v2", body + "global_store_dword v6, v2")
    report, _, _ = run(text.replace(body, "s_mov_b32 s10, 0\n" + body))
    assert report.clean, str(report)
    report, _, _ = run(text.replace(body, "s_mov_b32 s11, 0\n" + body))
    assert "undefined-register" in report.kinds()


SPILLED = """s_mov_b32 s10, 0
v_writelane_b32 v6, s10, 2
v_writelane_b32 v6, s11, 3
s_nop 0
v_readlane_b32 s12, v6, {lane}
s_nop 1
v_add_u32_e32 v7, s12, v4
"""


@pytest.mark.parametrize(("lane", "clean"), [(2, True), (3, False), (5, False)])
def test_spilled_scalars_are_as_defined_as_they_were(lane: int, clean: bool) -> None:
    """Lane 3 holds a scalar that was never written, lane 5 nothing at all."""
    body = SPILLED.format(lane=lane) + "global_store_dword v7, v2"
    report, _, _ = run(EXCHANGE.replace("global_store_dword v4, v2", body))
    assert report.clean == clean, str(report)


def test_an_undefined_value_through_lds() -> None:
    body = EXCHANGE.replace("ds_write_b32 v1, v2", "ds_write_b32 v1, v9")
    finding = only(run(body)[0], "undefined-register")
    assert finding.text.startswith("global_store_dword")


def test_lds_that_was_never_written() -> None:
    report, _, _ = run(EXCHANGE.replace("ds_write_b32 v1, v2\n", ""))
    assert only(report, "undefined-lds").text.startswith("ds_read_b32")


@pytest.mark.parametrize("opcode", ["ds_add_u32 v1, v2", "ds_max_f32 v1, v2", "ds_add_rtn_u32 v9, v1, v2"])
def test_an_atomic_instruction_on_lds_that_was_never_written(opcode: str) -> None:
    report, _, _ = run(EXCHANGE.replace("ds_write_b32 v1, v2\n", f"{opcode}\n"))
    assert only(report, "undefined-lds").text.startswith(opcode)
    zeroed = f"v_mov_b32_e32 v8, 0\nds_write_b32 v1, v8\ns_waitcnt lgkmcnt(0)\n{opcode}\n"
    report, _, _ = run(EXCHANGE.replace("ds_write_b32 v1, v2\n", zeroed))
    assert report.clean, str(report)


def test_an_exchange_defines_lds_and_a_sum_with_an_undefined_value_does_not() -> None:
    report, given, out = run(EXCHANGE.replace("ds_write_b32 v1, v2", "ds_wrxchg_rtn_b32 v9, v1, v2"))
    assert report.clean, str(report)
    assert set(out.tolist()) == set(given.tolist())
    body = EXCHANGE.replace("ds_write_b32 v1, v2", "ds_write_b32 v1, v2\nds_add_u32 v1, v9")
    assert only(run(body)[0], "undefined-register").text.startswith("global_store_dword")


def test_a_race_between_workgroups() -> None:
    report, _, _ = run(EXCHANGE.replace("global_store_dword v4, v2", "global_store_dword v1, v2"))
    finding = only(report, "global-race")
    assert "workgroup" in finding.detail
    assert finding.address is not None


def test_atomic_accesses_of_workgroups_are_no_race() -> None:
    body = (
        HEAD
        + """
    v_mov_b32_e32 v2, 1
    v_mov_b32_e32 v3, 0
    global_atomic_add v3, v2, s[6:7]
    """
    )
    report, _, out = run(body)
    assert report.clean, str(report)
    assert out[0] == 256


def test_a_workgroup_may_read_what_an_atomic_access_ordered() -> None:
    """Each workgroup stores a word, adds to a counter, and the last one sums all words."""
    body = """
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
    report, _, out = run(body, block=64)
    assert report.clean, str(report)
    assert out[32] == 6


def test_waves_that_meet_at_different_barriers() -> None:
    body = (
        HEAD
        + """
    v_readfirstlane_b32 s9, v0
    s_cmp_eq_u32 s9, 0
    s_cbranch_scc1 .Lother
    s_barrier
    s_branch .Ldone
    .Lother:
    s_barrier
    .Ldone:
    """
    )
    assert "waits at line" in only(run(body)[0], "divergent-barrier").detail


def test_waves_that_ended_are_not_waited_for() -> None:
    """The barrier "waits on only the surviving waves" (AMD's ISA documents); CK's pipeline compv5 relies on it."""
    body = (
        HEAD
        + """
    v_readfirstlane_b32 s9, v0
    s_cmp_eq_u32 s9, 0
    s_cbranch_scc1 .Lend
    s_barrier
    .Lend:
    """
    )
    assert not run(body)[0].findings


def test_loads_straight_to_lds_need_a_wait() -> None:
    body = """
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    s_mov_b32 m0, 0
    v_lshlrev_b32_e32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    s_mov_b32 s10, 0x100
    s_mov_b32 s11, 0x20000
    s_mov_b64 s[8:9], s[4:5]
    buffer_load_dword v1, s[8:11], 0 offen lds
    s_waitcnt vmcnt(0)
    ds_read_b32 v2, v1
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v2, s[6:7]
    """
    report, given, out = run(body, block=64, grid=1)
    assert report.clean, str(report)
    assert (out == given).all()
    report, _, _ = run(body.replace("s_waitcnt vmcnt(0)\n", ""), block=64, grid=1)
    assert "still writing" in only(report, "lds-race").detail


def test_a_report_names_the_source_line() -> None:
    text = assembly("gfx942", EXCHANGE.replace("ds_write_b32 v1, v2\n", ""), args=("global_buffer", "global_buffer"))
    text = text.replace("\tds_read_b32", '\t.file 1 "/src" "kernel.cpp"\n\t.loc 1 42 7\n\tds_read_b32')
    array = np.zeros(128, np.uint32)
    report = emulate(text, "k", [array, array.copy()], (1,), (128,))
    assert report.findings[0].source == "kernel.cpp:42"
    assert "kernel.cpp:42" in str(report)


def test_stores_may_be_under_way_at_a_barrier_if_another_one_orders_them() -> None:
    """CK's attention does so: the first barrier is about other memory, and nobody reads before the second one."""
    text = EXCHANGE.replace("s_waitcnt lgkmcnt(0)\ns_barrier", "s_barrier\ns_waitcnt lgkmcnt(0)\ns_barrier")
    assert text != EXCHANGE
    report, _, _ = run(text)
    assert report.clean, str(report)
