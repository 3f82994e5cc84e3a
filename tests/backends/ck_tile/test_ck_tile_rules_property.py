"""What passes the rules satisfies the inequalities computed apart; what fails names every rule, and can be mended."""

from __future__ import annotations

from ck_tile_specs import LEGAL, broken_rules, mutated
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tilewright.arch import get_arch
from tilewright.backends.ck_tile.gemm import OP
from tilewright.model.correction import nearest_legal
from tilewright.model.dtype import get_dtype
from tilewright.model.kernel import KernelSpec, Launch
from tilewright.model.rule import Subject
from tilewright.ops.gemm.problem import GemmProblem

COMMON = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def holds_by_hand(spec: KernelSpec) -> None:
    """The validity rules, written down again from the facts and without the code under test."""
    a, s, arch = spec.algorithm, spec.signature, get_arch(spec.arch)
    size = {d: get_dtype(getattr(s, f"dtype_{d}")).bits / 8 for d in ("a", "b", "acc", "out")}
    T = (a.tile_m, a.tile_n, a.tile_k)
    W = (a.waves_m, a.waves_n, a.waves_k)
    w = (a.warp_tile_m, a.warp_tile_n, a.warp_tile_k)
    shuffled = s.b_format != "plain"
    key = "_".join((s.dtype_a, s.dtype_b, s.dtype_acc))
    assert all(v > 0 for v in (*T, *W, *w))
    assert all(t >= x * y and t % (x * y) == 0 for t, x, y in zip(T, W, w, strict=True))
    assert T[0] >= (64 if shuffled else 16)
    assert T[1] >= (64 if shuffled else 16)
    assert T[2] >= (32 if shuffled else 8)
    assert T[0] % (32 if shuffled else 16) == 0
    assert T[1] % (32 if shuffled else 16) == 0
    assert T[2] % (16 if shuffled else 8) == 0
    assert W in arch.wave_maps or (a.pipeline == "compv5" and W == (1, 1, 2))
    assert w in (arch.preshuffle_warp_tiles if shuffled else arch.warp_tiles)[key]
    assert a.pipeline in ("mem", "compv3", "compv4", "compv5", "preshufflev2")
    assert a.pipeline == "mem" or a.pipeline == "preshufflev2" or a.scheduler != "interwave"
    assert shuffled == (a.pipeline == "preshufflev2")
    assert a.double_smem_buffer == (a.pipeline in ("compv4", "preshufflev2"))
    share = 0.5 if a.double_smem_buffer else 1.0
    assert T[0] * T[2] * size["a"] + T[1] * T[2] * size["b"] <= share * arch.lds_bytes
    waves = W[0] * W[1] * W[2]
    assert waves * arch.wave_size <= 1024
    if a.epilogue == "cshuffle":
        for t, x, y in list(zip(T, W, w, strict=True))[:2]:
            assert not (y == 32 and t // (x * 32) in range(3, 99, 2))
        held, widest = w[0] * w[1] // arch.wave_size, min(int(16 / size["out"]), w[1] * W[1])
        at_once = max(1, min(widest // held, T[0] // (W[0] * w[0])))
        assert T[0] // (W[0] * w[0]) % at_once == 0
        lane = min(widest, held * at_once)
        assert arch.wave_size % (w[1] * W[1] // lane) == 0
    if shuffled:
        rows = T[0] // (W[0] * w[0])
        assert w[0] * w[2] * size["a"] * rows / arch.wave_size % 16 == 0
        k1 = 16 / size["a"]
        k0 = T[2] / k1
        assert k0 == int(k0)
        assert arch.wave_size % k0 == 0
        assert T[0] % (arch.wave_size / k0 * waves) == 0
    else:
        block = waves * arch.wave_size
        for letter, along_k, side, bytes_ in ((s.layout[0], "r", T[0], "a"), (s.layout[1], "c", T[1], "b")):
            x, y = (T[2], side) if letter == along_k else (side, T[2])
            covers(x, y, block, arch.wave_size, size[bytes_], a.num_wave_groups)
    assert s.dtype_a == s.dtype_b or a.pipeline not in ("mem", "compv3")


def covers(x: int, y: int, block: int, wave: int, size: float, groups: int) -> None:
    """Some vector of 16 bytes, 8 bytes or one element gives every lane of a wave the same whole work."""
    share = x * y // block
    vec = next(v for v in (int(16 / size), int(8 / size), 1) if x % v == 0 and share % v == 0)
    assert x % vec == 0
    assert wave % (x // vec) == 0
    assert y % (wave // (x // vec) * (block // wave // groups)) == 0


@COMMON
@given(mutated())
def test_what_passes_satisfies_the_rules_computed_apart(spec):
    if not broken_rules(spec):
        holds_by_hand(spec)


def test_the_check_above_sees_many_legal_kernels():
    assert len(LEGAL) > 100
    for spec in LEGAL:
        holds_by_hand(spec)


@COMMON
@given(mutated(most=6))
def test_every_broken_rule_is_reported_with_numbers_and_its_fix_mends_it(spec):
    arch = get_arch(spec.arch)
    found = OP.check(spec, arch)
    alone = [r.id for r in OP.rules if r(Subject(spec, arch)) is not None]
    assert [r.rule for r in found] == alone
    for rejection in found:
        assert rejection.message
        assert rejection.values
        if "fix" in rejection.values:
            mended = spec.with_algorithm(**rejection.values["fix"])
            assert rejection.rule not in [r.rule for r in OP.check(mended, arch)]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mutated(most=2))
def test_correction_finds_legal_kernels_and_no_single_step_beats_it(spec):
    arch, tunables = get_arch(spec.arch), OP.tunables()
    found = nearest_legal(spec, arch, OP.rules, tunables, limit=400)
    if found is None:
        return
    assert OP.check(found.spec, arch) == ()
    assert bool(found.changes) == bool(OP.check(spec, arch))
    if found.distance > 1:
        for t in tunables:
            for value in t.neighbours(getattr(spec.algorithm, t.name)):
                assert OP.check(spec.with_algorithm(**{t.name: value}), arch)


@COMMON
@given(
    spec=st.sampled_from([s for s in LEGAL if not s.signature.d and s.signature.b_format == "plain"]),
    sizes=st.tuples(*[st.integers(1, 1024)] * 3),
    pads=st.tuples(*[st.booleans()] * 3),
    split_k=st.sampled_from((1, 2, 4)),
)
def test_a_problem_that_passes_has_whole_tiles_or_padding_and_whole_vectors(spec, sizes, pads, split_k):
    m, n, k = (8 * v for v in sizes)
    s = spec.signature
    fields = {f: getattr(s, f) for f in ("dtype_a", "dtype_b", "dtype_acc", "dtype_out", "layout")}
    problem = GemmProblem(m, n, k, **fields)
    padded = spec.with_algorithm(pad_m=pads[0], pad_n=pads[1], pad_k=pads[2])
    if OP.check(padded, get_arch(spec.arch), problem, Launch(split_k=split_k)):
        return
    a = padded.algorithm
    assert a.pad_k or k % (a.tile_k * split_k) == 0  # rcr: A and B are contiguous along k, C along n
    assert a.pad_n or n % a.tile_n == 0
    if s.dtype_out in ("fp16", "bf16") and a.epilogue == "default":
        assert split_k == 1
