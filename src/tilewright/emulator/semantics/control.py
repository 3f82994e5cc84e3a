"""Instructions that compute nothing: hints, waits, modes, clocks. Branches and barriers belong to the scheduler."""

from __future__ import annotations

import re

from ..emit import Emitter
from ..isa import SCC, VCC
from .registry import opcodes, pattern

opcodes(
    "s_nop s_setprio s_delay_alu s_clause s_sleep s_icache_inv s_inst_prefetch s_set_inst_prefetch_distance s_code_end "
    "s_dcache_inv s_dcache_wb buffer_inv buffer_wbl2 buffer_gl0_inv buffer_gl1_inv buffer_wbinvl1 buffer_wbinvl1_vol "
    "global_inv global_wb global_wbinv s_barrier_signal s_ttracedata s_ttracedata_imm s_prefetch_inst "
    "s_prefetch_inst_pc_rel s_sched_barrier s_version s_waitcnt_depctr s_wait_alu s_wait_idle s_wait_event "
    "s_waitcnt s_waitcnt_vscnt s_waitcnt_vmcnt s_waitcnt_lgkmcnt s_waitcnt_expcnt s_set_gpr_idx_off v_nop"
)(lambda e: None)
pattern(r"s_wait_(\w+)cnt")(lambda e, _: None)
opcodes("s_endpgm s_barrier s_barrier_wait s_branch s_trap s_setpc_b64 s_swappc_b64")(lambda e: None)


@pattern(r"s_cbranch_(scc0|scc1|vccz|vccnz|execz|execnz)")
def branch(e: Emitter, condition: str) -> None:
    """Record what the branch depends on; the scheduler takes it."""
    e.notes["branches"] = True
    if condition.startswith("scc"):
        e.reads.add(SCC)
    elif condition.startswith("vcc"):
        e.reads.update((VCC, VCC + 1) if e.lanes == 64 else (VCC,))


@opcodes("s_sendmsg")
def message(e: Emitter) -> None:
    """Giving registers back needs no reply; other messages do."""
    if "DEALLOC_VGPRS" not in e.ins.text:
        e.fail("message")


ROUNDING, DX10_CLAMP, FP16_OVFL = 0xF, 1 << 8, 1 << 23  # bits of the mode register
HWREG = re.compile(r"hwreg\((\w+)(?:,\s*(\d+),\s*(\d+))?\)\s*,\s*(\S+)")


@opcodes("s_setreg_imm32_b32")
def set_mode(e: Emitter) -> None:
    """Change the mode: denormals are always kept here, other rounding modes are refused."""
    match = HWREG.fullmatch(e.ins.operands[0])
    if match is None or match[1] not in ("HW_REG_MODE", "HW_REG_WAVE_MODE"):
        e.fail("hardware register")
    start, width, value = int(match[2] or 0), int(match[3] or 32), int(match[4], 0)
    changed = ((1 << width) - 1) << start
    if value << start & changed & ROUNDING:
        e.fail("rounding mode")
    if changed & ~(value << start) & DX10_CLAMP and e.isa.family != "rdna4":
        e.fail("clamp that keeps NaN")
    if changed & FP16_OVFL:
        e.line(f"st.limited[:]={bool(value << start & FP16_OVFL)}")


@opcodes("s_round_mode s_denorm_mode")
def set_part_of_mode(e: Emitter) -> None:
    """Refuse other rounding modes."""
    if e.ins.opcode == "s_round_mode" and int(e.ins.operands[0], 0):
        e.fail("rounding mode")


@opcodes("s_getpc_b64")
def program_counter(e: Emitter) -> None:
    """The address of the constants: compilers use it only to reach them. Of a code object, a place in its image."""
    e.writing(e.ops[0], 2)
    place = int(e.ops[1].value) if len(e.ops) > 1 else 0
    e.line(f"s64[{e.ops[0].reg}][:]=M.constants_at+{place}")


@opcodes("s_memtime s_memrealtime")
def clock(e: Emitter) -> None:
    """A number that grows: the instructions that were executed."""
    e.writing(e.ops[0], 2)
    e.line(f"s64[{e.ops[0].reg}][:]=M.instructions")
    e.note_memory("scalar", "scalar")
