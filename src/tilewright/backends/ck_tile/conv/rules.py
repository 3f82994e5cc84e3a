"""Rules of ck_tile convolution kernels: those of the implicit GEMM under their own names, and those of convolution."""

from __future__ import annotations

from math import ceil, gcd, prod
from typing import Any

from ....model.arch import AmdArch
from ....model.rule import Broken, Rule, broken, rule
from ....ops.conv.geometry import backward_data_parts, implicit_gemm
from ....ops.conv.layout import is_channels_last
from ....ops.conv.problem import ConvProblem
from ....ops.conv.problem import ConvSubject as Subject
from ....ops.conv.signature import ConvSignature
from ...gemm_rules import split_of, unapplied_scalars
from ..gemm.geometry import cover, element_bytes, shuffle, spread
from ..gemm.instances import serving
from ..gemm.rules import KERNEL_RULES as GEMM_RULES
from ..gemm.rules.epilogue import left_over
from ..gemm.rules.memory import TRANSPOSING
from ..gemm.rules.types import OUTPUTS
from .algorithm import EMITTED, CkTileConv
from .implicit import MAPPINGS, gemm_signature, gemm_spec

PREFIX = "ck_tile.conv"
# Rules of GEMM about things that convolution does not have, or has differently.
_OTHERS = (
    "emitted", "load_a", "load_b", "store_c", "cshuffle_group", "minimum", "alignment", "d_broadcast", "scales",
    "output", "conversion",
)  # fmt: skip
LARGEST_FILTER_3X3 = 3
ACCESSES = (1, 2, 4, 8, 16)  # elements; CK makes several accesses of those that have more than 16 bytes
MAX_ADDED = 16  # bytes of an atomic addition of several elements, and of any access
MAX_BYTES = 2**31  # byte offsets into a tensor are signed 32-bit
MAX_PHASES = 128


def _inherited(base: Rule) -> Rule:
    """Return a rule of GEMM, applied to the implicit GEMM."""

    def check(subject: Subject) -> Broken | None:
        answer = base.check(Subject(gemm_spec(subject.spec), subject.arch))
        if answer is None:
            return None
        return Broken(f"implicit GEMM: {answer.message}", answer.remedy, answer.values)

    return Rule(base.id.replace("ck_tile.gemm", PREFIX), base.kind, f"implicit GEMM: {base.formula}", check)


INHERITED = tuple(
    _inherited(r)
    for r in GEMM_RULES
    if (name := r.id.rsplit(".", 1)[-1]) not in _OTHERS
    and not name.startswith(("preshuffle", "prologue", "default_", "async_"))
)


@rule("ck_tile.conv.dims", "compile", "2 or 3 spatial dimensions")
def dims(c: Subject) -> Broken | None:
    if c.signature.dims in (2, 3):
        return None
    return broken(f"{c.signature.dims} spatial dimension; kernels are generated for 2 and 3", "add one of extent 1")


@rule("ck_tile.conv.layout", "compile", "channels-last: nhwgc or ndhwgc")
def layout(c: Subject) -> Broken | None:
    if is_channels_last(c.signature.layout):
        return None
    return broken(f"layout {c.signature.layout}; CK Tile reads channels-last tensors only", "use nhwgc or ndhwgc")


NOT_GENERATED = {
    "compv5": "Both wave groups would store, of which one has no sums: the kernels of CK 1.2.0 below "
    "ops/grouped_convolution/kernel do not ask for the wave as ops/gemm/kernel/universal_gemm_kernel.hpp does "
    "(line 984)",
}


@rule("ck_tile.conv.emitted", "compile", "pipeline is mem, compv3 or compv4")
def emitted(c: Subject) -> Broken | None:
    if c.algorithm.pipeline in EMITTED:
        return None
    text = f"pipeline {c.algorithm.pipeline} is not generated for convolution; generated are {', '.join(EMITTED)}"
    text += f". {NOT_GENERATED[c.algorithm.pipeline]}" if c.algorithm.pipeline in NOT_GENERATED else ""
    return broken(text, "set pipeline to compv3", pipeline=c.algorithm.pipeline, fix={"pipeline": "compv3"})


@rule("ck_tile.conv.epilogue", "compile", "no D operands and no activation")
def epilogue(c: Subject) -> Broken | None:
    s = c.signature
    if not s.d and s.activation == "none":
        return None
    return broken(
        f"{len(s.d)} D operands, activation {s.activation} are not generated", "apply the epilogue separately"
    )


@rule("ck_tile.conv.output", "listed", "fp32 sums store fp16, bf16 or fp32; int32 sums store int32")
def output(c: Subject) -> Broken | None:
    g = gemm_signature(c.signature, c.algorithm.two_stage)
    known = OUTPUTS.get(g.dtype_acc, ())
    if g.dtype_out in known:
        return None
    text = f"CK's convolutions store no {g.dtype_out} of {g.dtype_acc} sums; they store {', '.join(known) or 'nothing'}"
    return broken(text, f"ask for {known[0]}" if known else "", dtype_acc=g.dtype_acc, dtype_out=g.dtype_out)


@rule(
    "ck_tile.conv.vectors",
    "compile",
    "vectors are 1, 2, 4, 8 or 16 elements, and 16 B at most if splits of K are added or int32 is stored; tile rows "
    "are whole vectors, lanes cover whole rows of waves",
)
def vectors(c: Subject) -> Broken | None:
    faults = [f for role in ("a", "b", "c") if (f := _vector_fault(c, role))]
    if not faults:
        return None
    return broken("; ".join(faults), "use narrower vectors or another tile", vectors=c.algorithm.vectors)


def _vector_fault(c: Subject, role: str) -> str | None:
    a, mapping = c.algorithm, MAPPINGS[c.signature.direction]
    dtype = c.signature.dtype(getattr(mapping, role))
    if role == "c" and a.two_stage:
        dtype = c.signature.dtype_acc
    vector, size = getattr(a, f"vector_{role}"), element_bytes(dtype)
    if vector not in ACCESSES:
        return f"vector_{role} is {vector}; CK loads and stores {', '.join(map(str, ACCESSES))} elements"
    block = a.wave_count * c.arch.wave_size
    if role == "c":
        part = shuffle(a, vector, c.arch.wave_size)
        x, y = part.x, part.y
        added = min(vector, x * y // max(1, block)) * size if c.signature.direction == "backward_weight" else 0
        if added > MAX_ADDED:
            return f"vector_c {vector} of {dtype} is {added:g} B; splits of K are added {MAX_ADDED} B at a time"
        if dtype == "int32" and vector * size > MAX_ADDED:  # amd_buffer_addressing_builtins.hpp: no get_as of int32
            return f"vector_c {vector} of int32 is {vector * size:g} B; CK 1.2.0 compiles stores of {MAX_ADDED} B"
    else:
        side = _side(a, role)
        along_k = (mapping.layout[0] == "r") if role == "a" else (mapping.layout[1] == "c")
        x, y = (a.tile_k, side) if along_k else (side, a.tile_k)
    found = cover(x, y, vector, block, c.arch.wave_size)
    return f"{role.upper()} tile {x}x{y}: {found.fault}" if found.fault else None


@rule(
    "ck_tile.conv.turned_vectors",
    "compile",
    "operands that run across k, except on gfx950: min(vector, tile / block) is the widest of 16 B, 8 B or 1 element "
    "that divides both the tile's row and tile / block",
)
def turned_vectors(c: Subject) -> Broken | None:
    if c.arch.name in TRANSPOSING:
        return None  # transposed as they are read from LDS: any vector that loads the tile works
    faults, fix = [], {}
    for role in ("a", "b"):
        wanted = turned_vector(c.algorithm, c.signature, c.arch, role)
        got = getattr(c.algorithm, f"vector_{role}")
        if wanted is not None and min(got, _share(c.algorithm, c.arch, role)) != wanted:
            faults.append(f"vector_{role} is {got}; CK turns {role.upper()} in registers, {wanted} elements at a time")
            fix[f"vector_{role}"] = wanted
    remedy = "set " + ", ".join(f"{name} to {v}" for name, v in fix.items())
    return broken("; ".join(faults), remedy, fix=fix) if faults else None


def turned_vector(a: CkTileConv, signature: ConvSignature, arch: AmdArch, role: str) -> int | None:
    """Return the vector in which CK transposes an operand that runs across k; None for one along k.

    >>> from tilewright.arch import get_arch
    >>> turned_vector(CkTileConv(), ConvSignature("backward_data", *["fp16"] * 3, "fp32"), get_arch("gfx942"), "b")
    8
    """
    mapping = MAPPINGS[signature.direction]
    across = mapping.layout[0] == "c" if role == "a" else mapping.layout[1] == "r"
    if not across:
        return None
    size = element_bytes(signature.dtype(getattr(mapping, role)))
    return spread(_side(a, role), a.tile_k, a.wave_count * arch.wave_size, arch.wave_size, size).vector


def _side(a: CkTileConv, role: str) -> int:
    return a.tile_m if role == "a" else a.tile_n


def _share(a: CkTileConv, arch: AmdArch, role: str) -> int:
    """Return the elements of an operand's tile per thread: CK narrows wider vectors to it."""
    return _side(a, role) * a.tile_k // max(1, a.wave_count * arch.wave_size)


@rule(
    "ck_tile.conv.cshuffle_group",
    "known-miscompile",
    "tile_m / (waves_m * warp_tile_m) % group == 0, group = vector_c / (warp_tile_m * warp_tile_n / wave) >= 1",
)
def cshuffle_group(c: Subject) -> Broken | None:
    return left_over(c.algorithm, c.algorithm.vector_c, c.arch.wave_size)


@rule("ck_tile.conv.merge_groups", "known-miscompile", "groups_to_merge == 1, or backward weight")
def merge_groups(c: Subject) -> Broken | None:
    merged, direction = c.algorithm.groups_to_merge, c.signature.direction
    if merged == 1 or direction == "backward_weight":
        return None
    text = f"groups_to_merge {merged}: CK 1.2.0 launches {direction} for every group, merged or not"
    return broken(text, "set groups_to_merge to 1", groups_to_merge=merged, fix={"groups_to_merge": 1})


@rule(
    "ck_tile.conv.two_stage",
    "semantic",
    "two_stage only in backward weight with 16-bit weights: otherwise nothing is converted",
)
def two_stage(c: Subject) -> Broken | None:
    s = c.signature
    if not c.algorithm.two_stage or (s.direction == "backward_weight" and s.dtype_weight in ("fp16", "bf16")):
        return None
    text = f"two_stage {s.direction} with {s.dtype_weight} weights has nothing to convert"
    return broken(text, "set two_stage to false", fix={"two_stage": False})


@rule("ck_tile.conv.one_dtype", "compile", "backward data: input and output have one dtype")
def one_dtype(c: Subject) -> Broken | None:
    # CK 1.2.0 reads the output's gradient in the dtype that it stores, and stores the dtype that it reads.
    s = c.signature
    if s.direction != "backward_data" or s.dtype_input == s.dtype_output:
        return None
    text = f"backward data of a {s.dtype_output} output into a {s.dtype_input} input does not compile in CK 1.2.0"
    return broken(text, "use one dtype for both, and convert separately", dtype_input=s.dtype_input)


@rule("ck_tile.conv.two_buffers", "compile", "backward data: double_smem_buffer is off")
def two_buffers(c: Subject) -> Broken | None:
    # CK 1.2.0 calls get_length of a tile window there, which does not exist; no caller in CK compiles that path.
    if c.signature.direction != "backward_data" or not c.algorithm.double_smem_buffer:
        return None
    text = f"backward data with two LDS buffers ({c.algorithm.pipeline}) does not compile in CK 1.2.0"
    fix = {"pipeline": "compv3", "double_smem_buffer": False}
    return broken(text, "use compv3 and set double_smem_buffer to false", pipeline=c.algorithm.pipeline, fix=fix)


@rule("ck_tile.conv.interwave_weight", "known-miscompile", "backward weight: interwave only with one wave")
def interwave_weight(c: Subject) -> Broken | None:
    a = c.algorithm
    if c.signature.direction != "backward_weight" or a.scheduler != "interwave" or a.wave_count <= 1:
        return None
    text = f"interwave backward weight with {a.wave_count} waves leaves a part of the gradient zero"
    return broken(text, "set scheduler to intrawave", fix={"scheduler": "intrawave"})


@rule("ck_tile.conv.batch_rows", "problem", "n, g, c, k >= 1 and all extents >= 1")
def batch_rows(c: Subject) -> Broken | None:
    p: ConvProblem = c.problem
    empty = [name for name in ("n", "g", "c", "k") if getattr(p, name) < 1]
    empty += [name for name in ("input", "filter", "output") if min(getattr(p, name)) < 1]
    return broken(f"{', '.join(empty)} is empty", "there is nothing to launch") if empty else None


@rule("ck_tile.conv.alpha_beta", "problem", "alpha == beta == 1")
def alpha_beta(c: Subject) -> Broken | None:
    e = c.problem.epilogue
    if e.alpha == e.beta == 1.0:
        return None
    return broken(f"alpha = {e.alpha:g}, beta = {e.beta:g}; these kernels do not scale", "scale separately")


@rule("ck_tile.conv.dense", "problem", "every tensor is dense in its layout")
def dense(c: Subject) -> Broken | None:
    if not c.problem.strides:
        return None
    return broken(f"strides are given for {', '.join(sorted(c.problem.strides))}", "copy into dense tensors")


@rule("ck_tile.conv.filter", "problem", "the filter, stride and padding match the specialization")
def filter_fits(c: Subject) -> Broken | None:
    p, special = c.problem, c.algorithm.specialization
    ones, unpadded = set(p.filter) == {1}, all(pair == (0, 0) for pair in p.pad)
    fits = {
        "default": True,
        "filter1x1_pad0": ones and unpadded,
        "filter1x1_stride1_pad0": ones and unpadded and set(p.stride) == {1},
        "filter3x3": set(p.filter) == {LARGEST_FILTER_3X3} and p.c_group == 1,
    }
    if fits[special]:
        return None
    got = f"filter {'x'.join(map(str, p.filter))}, stride {p.stride}, pad {p.pad}, {p.c_group} channels per group"
    return broken(f"{special} with {got}", "use specialization default", fix={"specialization": "default"})


@rule("ck_tile.conv.channels", "problem", "channels per group % the vectors that run along them == 0")
def channels(c: Subject) -> Broken | None:
    a, p = c.algorithm, c.problem
    along = {
        "forward": (("c", "a"), ("c", "b"), ("k", "c")),
        "backward_data": (("c", "b"), ("c", "c"), ("k", "a")),
        "backward_weight": (("c", "b"), ("c", "c"), ("k", "a")),
    }[c.signature.direction]
    sizes = {"c": p.c_group, "k": p.k_group}
    faults = [
        f"{sizes[dim]} {dim} per group % vector_{role} {getattr(a, f'vector_{role}')} = "
        f"{sizes[dim] % getattr(a, f'vector_{role}')}"
        for dim, role in along
        if getattr(a, f"vector_{role}") > 0 and sizes[dim] % getattr(a, f"vector_{role}")
    ]
    return broken("; ".join(faults), "use a kernel with narrower vectors") if faults else None


@rule("ck_tile.conv.whole_merges", "problem", "g % groups_to_merge == 0")
def whole_merges(c: Subject) -> Broken | None:
    merged = c.algorithm.groups_to_merge
    if merged <= 0 or c.problem.g % merged == 0:
        return None
    return broken(f"{c.problem.g} groups % groups_to_merge {merged} = {c.problem.g % merged}", "merge fewer groups")


@rule(
    "ck_tile.conv.pointers", "problem", "pointer alignment >= vector * sizeof (16 B at most), if the alignment is known"
)
def pointers(c: Subject) -> Broken | None:
    """Every tensor starts at an address that its vectors may be read from."""
    faults, mapping = [], MAPPINGS[c.signature.direction]
    for role in ("a", "b", "c"):
        tensor = getattr(mapping, role)
        vector = getattr(c.algorithm, f"vector_{role}")
        needed = min(MAX_ADDED, int(vector * element_bytes(c.problem.dtype(tensor))))
        got = c.problem.alignment.get(tensor, needed)
        if got < needed:
            faults.append(f"{tensor} is aligned to {got} B; vectors of {vector} elements need {needed} B")
    return broken("; ".join(faults), "allocate the tensor separately, or copy it") if faults else None


@rule(
    "ck_tile.conv.offsets",
    "problem",
    "weight < 2 GiB; images, with a filter's reach before them, < 2 GiB: all in backward weight, else as many as CK "
    "takes at once; stride, dilation and padded extents < 2**31",
)
def offsets(c: Subject) -> Broken | None:
    """Byte offsets into a tensor are signed 32-bit. CK splits n, but not the filter; backward weight splits nothing.

    What lies outside of an image is read 2 GiB higher, where there must be no tensor: also pixels before the first.
    """
    p, splits = c.problem, c.signature.direction != "backward_weight"
    sizes = {role: int(prod(p.extents(role)) * element_bytes(p.dtype(role))) for role in ("input", "weight", "output")}
    images = max(sizes["input"], sizes["output"])
    together = images_together(p.n, images) if splits else p.n
    faults = []
    for role, size in sizes.items():
        part = size if role == "weight" else size // max(1, p.n) * together + reach_before(p, role)
        if part >= MAX_BYTES:
            what = "" if together == p.n or role == "weight" else f", of which {together} of {p.n} images at once"
            faults.append(f"{role} has {size:,} B{what}: {part:,} B >= {MAX_BYTES:,} B")
    for axis in range(p.dims):
        left, right = p.pad[axis]
        reach = max(p.input[axis] + left + right, p.stride[axis], p.dilation[axis])
        if reach >= MAX_BYTES:
            faults.append(f"stride {p.stride[axis]}, dilation {p.dilation[axis]} or padded extent >= {MAX_BYTES:,}")
    return broken("; ".join(faults), "split the problem along n, or use another backend") if faults else None


def reach_before(p: ConvProblem, role: str) -> int:
    """Return the bytes from the first pixel of an image back to the farthest that a filter asks for."""
    extents = p.input if role == "input" else p.output
    pixels, step = 0, 1
    for axis in reversed(range(p.dims)):
        pixels += (p.filter[axis] - 1) * p.dilation[axis] * step
        step *= extents[axis]
    return int(pixels * (p.c if role == "input" else p.k) * element_bytes(p.dtype(role)))


def images_together(n: int, largest: int) -> int:
    """Return the images that CK 1.2.0 takes at once if the larger of input and output has `largest` bytes.

    As `GetSplitedNSize` of ops/grouped_convolution/utils/transform_conv_fwd_to_gemm.hpp does.

    >>> images_together(12, 2**31), images_together(12, 2**33), images_together(7, 2**32), images_together(1, 2**32)
    (12, 1, 1, 1)
    """
    if largest <= MAX_BYTES:
        return n
    divisor = -(-largest // MAX_BYTES)
    while divisor * divisor <= n:
        if n % divisor == 0:
            return n // divisor
        divisor += 1
    return 1


@rule(
    "ck_tile.conv.phases",
    "problem",
    "backward data: at most 128 products, one for each phase of the stride that a tap reaches",
)
def phases(c: Subject) -> Broken | None:
    """CK 1.2.0 has room for so many (`MaxGroupedGemmGroupsNum`)."""
    if c.signature.direction != "backward_data":
        return None
    p, count = c.problem, 1
    for axis in range(p.dims):
        count *= min(p.filter[axis], p.stride[axis] // gcd(p.stride[axis], p.dilation[axis]))
    if count <= MAX_PHASES:
        return None
    text = f"filter {p.filter}, stride {p.stride}: {count} products > {MAX_PHASES}"
    return broken(text, "use another backend", products=count)


@rule("ck_tile.conv.split_k", "problem", "split_k > 1 only in backward weight, with an even vector_c for 16-bit sums")
def split_k(c: Subject) -> Broken | None:
    split = split_of(c)
    if split == 1:
        return None
    s, a = c.signature, c.algorithm
    if s.direction != "backward_weight":
        return broken(f"split_k {split}: CK splits backward weight only, not {s.direction}", "use split_k 1")
    if a.two_stage or s.dtype_weight not in ("fp16", "bf16"):
        return None
    if s.dtype_weight == "bf16":
        return broken("sums of splits in bf16 lose precision with every addition", "use a two-stage kernel")
    if a.vector_c % 2 == 0:
        return None
    return broken(f"split_k {split} adds pairs of fp16; vector_c is {a.vector_c}", "use an even vector_c")


@rule(
    "ck_tile.conv.endings", "problem", "backward data: the products of all phases end their main loop in the same way"
)
def endings(c: Subject) -> Broken | None:
    if c.signature.direction != "backward_data" or c.algorithm.tile_k <= 0:
        return None
    a = c.algorithm
    whole = implicit_gemm(c.problem).k
    gemm = gemm_spec_of(c)
    chosen = serving(gemm, ceil(whole / a.tile_k))
    others = {part.k for part in backward_data_parts(c.problem) if serving(gemm, ceil(part.k / a.tile_k)) != chosen}
    if not others:
        return None
    text = f"strided backward data: products of depth {sorted(others)} end unlike that of depth {whole:,}"
    return broken(text, "use stride 1, or another tile_k", depths=sorted(others))


@rule("ck_tile.conv.folded_offsets", "problem", "backward data, pipeline mem: a filter of 1, stride 1 and no padding")
def folded_offsets(c: Subject) -> Broken | None:
    """The compiler moves constants from the offset of a buffer load into the instruction, even if what is left is
    negative; the hardware adds both without wrapping, takes the load as out of range and reads 0. The emulator found it
    in unrolled loops, where an offset counts from a pixel before the first one.
    """
    p = c.problem
    if c.signature.direction != "backward_data" or c.algorithm.pipeline != "mem":
        return None
    if set(p.filter) | set(p.stride) == {1} and all(pair == (0, 0) for pair in p.pad):
        return None
    got = f"filter {p.filter}, stride {p.stride}, pad {p.pad} with pipeline mem"
    return broken(f"{got}: loads of the first pixels read 0", "use compv3 or compv4", fix={"pipeline": "compv3"})


def gemm_spec_of(c: Subject) -> Any:
    """Return the implicit GEMM of a case."""
    from ....model.kernel import KernelSpec

    return gemm_spec(KernelSpec("conv", "ck_tile", c.arch.name, c.signature, c.algorithm))


KERNEL_RULES = (
    dims,
    layout,
    emitted,
    epilogue,
    *INHERITED,
    output,
    vectors,
    turned_vectors,
    cshuffle_group,
    merge_groups,
    two_stage,
    one_dtype,
    two_buffers,
    interwave_weight,
)
PROBLEM_RULES = (
    batch_rows,
    alpha_beta,
    dense,
    filter_fits,
    channels,
    whole_merges,
    pointers,
    offsets,
    phases,
    split_k,
    endings,
    folded_offsets,
    *unapplied_scalars("ck_tile.conv"),
)
RULES = (*KERNEL_RULES, *PROBLEM_RULES)
