"""What CK's kernels for batches and Stream-K take, besides the rules of the universal one that they are made of."""

from __future__ import annotations

from .....model.rule import Broken, rule
from .....ops.gemm.problem import GemmSubject as Subject
from ....gemm_rules import split_of
from ..algorithm import STREAM_K
from ..geometry import unpaired
from .common import say
from .problem import MAX_BYTES, operands
from .types import BARE_OUTPUTS

# Pipelines whose call takes one LDS buffer and serves a kernel with one group of waves.
ONE_BUFFER = ("mem", "compv3", "compv6")

RUN_TIME_ENDINGS = ("mem", "compv3")
SCALE_BYTES = 4
TO_COMPV3 = {"pipeline": "compv3", "double_smem_buffer": False, "num_wave_groups": 1}  # what a change to it takes


@rule("ck_tile.gemm.batched_pipeline", "compile", "batched: pipeline is mem, compv3 or compv6")
def batched_pipeline(p: Subject) -> Broken | None:
    """ops/gemm/kernel/batched_gemm_kernel.hpp calls RunGemm only: one LDS buffer, and every wave stores.

    So does ops/batched_contraction/kernel/batched_contraction_kernel.hpp, the kernel of batches with D operands.
    """
    a = p.algorithm
    if a.family != "batched" or a.pipeline in ONE_BUFFER:
        return None
    why = "both wave groups would store" if a.pipeline == "compv5" else "it passes one LDS buffer"
    text = f"CK's batched kernel has no {a.pipeline} form ({why}); it has {', '.join(ONE_BUFFER)}"
    return say([text], TO_COMPV3, pipeline=a.pipeline)


@rule("ck_tile.gemm.family_persistent", "semantic", "batched, quant: not persistent")
def family_persistent(p: Subject) -> Broken | None:
    """These kernels compute one tile per block with any traits: two specs would be one kernel."""
    a = p.algorithm
    if a.family not in ("batched", "quant") or not a.persistent:
        return None
    return say([f"CK's kernel of family {a.family} has no persistent form"], {"persistent": False})


@rule("ck_tile.gemm.stream_k_pipeline", "compile", "Stream-K: pipeline is mem or compv3")
def stream_k_pipeline(p: Subject) -> Broken | None:
    """How the main loop of a part ends is chosen in the kernel: a form of the call that only two pipelines have.

    Those are the pipelines of one LDS buffer whose call takes `has_hot_loop` and `tail_number`.
    """
    a = p.algorithm
    if a.family not in STREAM_K or a.pipeline in RUN_TIME_ENDINGS:
        return None
    text = f"CK's Stream-K kernel has no {a.pipeline} form; it has {', '.join(RUN_TIME_ENDINGS)}"
    return say([text], TO_COMPV3, pipeline=a.pipeline)


@rule(
    "ck_tile.gemm.stream_k_output",
    "compile",
    "Stream-K: plain B, no D operands and no activation; atomic: as splits of K",
)
def stream_k_output(p: Subject) -> Broken | None:
    """The arguments have no D operands; parts that atomics add are stored like splits of K."""
    a, s = p.algorithm, p.signature
    if a.family not in STREAM_K:
        return None
    faults = []
    if s.d or s.b_format != "plain":
        faults.append(f"{len(s.d)} D operands, B {s.b_format}: CK's Stream-K kernel takes plain A, B and output only")
    elif a.family == "stream_k_atomic" and s.activation != "none":
        faults.append(f"activation {s.activation} would be applied to each part of a tile")
    elif a.family == "stream_k_atomic" and s.dtype_out in BARE_OUTPUTS.get(s.dtype_acc, ()):
        faults.append(f"atomics add no {s.dtype_out} parts of sums in {s.dtype_acc}")
    elif a.family == "stream_k_atomic" and (fault := unpaired(a, s, p.arch)):
        faults.append(f"atomics add pairs of {s.dtype_out}; {fault}")
    fix = {"family": "stream_k_linear"} if not s.d and s.b_format == "plain" else {"family": "universal"}
    return say(faults, fix, dtype_out=s.dtype_out) if faults else None


@rule("ck_tile.gemm.stream_k_waves", "known-miscompile", "stream_k_linear: one wave per block")
def stream_k_waves(p: Subject) -> Broken | None:
    """The first wave announces that the part of a block is stored; nothing makes it wait for the stores of the others.

    See SignalStorePartialDone in ops/gemm/kernel/streamk_gemm_kernel.hpp: a fence of each wave, but no barrier.
    """
    a = p.algorithm
    if a.family != "stream_k_linear" or a.wave_count == 1:
        return None
    text = f"{a.wave_count} waves: the first one signals that a part is stored before the others have stored theirs"
    return say([text], {"family": "stream_k_atomic"}, waves=a.waves)


@rule("ck_tile.gemm.quant_pipeline", "compile", "quant: pipeline is compv3")
def quant_pipeline(p: Subject) -> Broken | None:
    """CK's own examples use it for tensor and row scales; block scales of A have a form of it."""
    a = p.algorithm
    if a.family != "quant" or a.pipeline == "compv3":
        return None
    text = f"kernels with scales are generated with compv3, not with {a.pipeline}"
    fix = {"pipeline": "compv3", "scheduler": "intrawave", "double_smem_buffer": False, "num_wave_groups": 1}
    return say([text], fix, pipeline=a.pipeline)


@rule("ck_tile.gemm.quant_layout", "compile", "quant: A and the output row-major, B column-major and plain")
def quant_layout(p: Subject) -> Broken | None:
    """ops/gemm_quant/pipeline/gemm_quant_pipeline_problem.hpp asserts a row-major A, the epilogue such an output."""
    s = p.signature
    if p.algorithm.family != "quant" or (s.layout[:3] == "rcr" and s.b_format == "plain"):
        return None
    text = f"kernels with scales have layout rcr and plain B; here it is {s.layout}, B {s.b_format}"
    return say([text], remedy="use layout rcr, or another backend", layout=s.layout, b_format=s.b_format)


@rule("ck_tile.gemm.quant_epilogue", "compile", "quant: epilogue cshuffle, no D operands, no activation, sums of fp32")
def quant_epilogue(p: Subject) -> Broken | None:
    """The scales have the dtype of the sums and are applied by cshuffle; CK passes no D operands beside them."""
    a, s = p.algorithm, p.signature
    if a.family != "quant":
        return None
    faults = [f"kernels with scales store through cshuffle, not {a.epilogue}"] if a.epilogue != "cshuffle" else []
    if s.d or s.activation != "none":
        faults.append(f"{len(s.d)} D operands, activation {s.activation}: kernels with scales have neither")
    if s.dtype_acc != "fp32":
        faults.append(f"scales of fp32 with sums of {s.dtype_acc}")
    fix = {"epilogue": "cshuffle"} if len(faults) == 1 and a.epilogue != "cshuffle" else None
    return say(faults, fix, "" if fix else "use another backend", epilogue=a.epilogue) if faults else None


@rule(
    "ck_tile.gemm.quant_block",
    "compile",
    "block scales: 8-bit operands, tile_k == scale_block, a multiple of warp_tile_k; of B: tile_n % scale_block == 0",
)
def quant_block(p: Subject) -> Broken | None:
    """ops/gemm_quant/block/*.hpp assert it; each step along k has scales of its own."""
    a, s = p.algorithm, p.signature
    if a.family != "quant" or "block" not in (s.scale_a, s.scale_b):
        return None
    faults = [f"{d} operands: block scales are for 8-bit floats" for d in {s.dtype_a, s.dtype_b} if "8" not in d[:3]]
    if a.tile_k != s.scale_block or s.scale_block % max(1, a.warp_tile_k):
        faults.append(f"blocks of {s.scale_block} with tile_k {a.tile_k}, warp_tile_k {a.warp_tile_k}")
    if s.scale_b == "block" and a.tile_n % s.scale_block:
        faults.append(f"blocks of {s.scale_block} columns with tile_n {a.tile_n}")
    fix = {"tile_k": s.scale_block} if a.tile_k != s.scale_block else None
    return say(faults, fix, "" if fix else "use another backend", scale_block=s.scale_block) if faults else None


@rule("ck_tile.gemm.quant_scale_a", "problem", "block scales of A: those of a row lie next to each other")
def quant_scale_a(c: Subject) -> Broken | None:
    """`MakeGemmTensorViews` of ops/gemm_quant/kernel/gemm_quant_kernel.hpp: strides stride_AQ and 1."""
    if c.algorithm.family != "quant" or c.problem.scale_a != "block":
        return None
    rows, columns = c.problem.shape("scale_a")
    _, row, column = c.problem.stride("scale_a")
    if row >= 0 and _along(columns, column, rows, row):
        return None
    text = f"scales of {rows} rows of {columns} blocks of A have strides {row} and {column}; CK reads them along k"
    return say([text], remedy="store the scales of A row by row", strides=(row, column))


@rule("ck_tile.gemm.quant_scale_b", "problem", "block scales of B: those of a column of blocks lie next to each other")
def quant_scale_b(c: Subject) -> Broken | None:
    """ops/gemm_quant/pipeline/gemm_bquant_pipeline_ag_bg_cr_v3.hpp: "Bq must be col major"."""
    if c.algorithm.family != "quant" or c.problem.scale_b != "block":
        return None
    rows, columns = c.problem.shape("scale_b")
    _, row, column = c.problem.stride("scale_b")
    if (columns <= 1 or column >= rows) and _along(rows, row, columns, column):
        return None
    text = f"scales of {rows} x {columns} blocks of B have strides {row} and {column}; CK reads them along k"
    return say([text], remedy="store the scales of B column by column", strides=(row, column))


def _along(steps: int, inner: int, lines: int, leading: int) -> bool:
    """Return whether scales lie next to each other along k, in lines that 32-bit byte offsets reach."""
    return (steps <= 1 or inner == 1) and ((lines - 1) * leading + steps) * SCALE_BYTES < MAX_BYTES


@rule("ck_tile.gemm.quant_rows", "problem", "scales of rows of A and of columns of B lie next to each other")
def quant_rows(c: Subject) -> Broken | None:
    """CK's arguments have no strides for them: stride_AQ and stride_BQ are those of blocks."""
    p = c.problem
    for role, kind, count in (("scale_a", p.scale_a, p.m), ("scale_b", p.scale_b, p.n)):
        if c.algorithm.family != "quant" or kind != "row" or role not in p.strides:
            continue
        step = p.stride(role)[0]
        if count > 1 and step != 1:
            text = f"{role}: {count} scales are {step} elements apart; CK reads them one after another"
            return say([text], remedy="pass the scales contiguous", step=step)
    return None


@rule("ck_tile.gemm.quant_split", "problem", "quant: split_k == 1")
def quant_split(c: Subject) -> Broken | None:
    """IsSupportedArgument of ops/gemm_quant/kernel/gemm_quant_kernel.hpp: "Conditions not met for Kbatch >1"."""
    split_k = split_of(c)
    if c.algorithm.family != "quant" or split_k == 1:
        return None
    return say([f"split_k {split_k} with scales"], remedy="use split_k 1", split_k=split_k)


@rule("ck_tile.gemm.stream_k_depth", "problem", "Stream-K: K % tile_k == 0, padded or not")
def stream_k_depth(c: Subject) -> Broken | None:
    """Parts of a tile are read in whole steps, the last one too: its loads would run into the next row.

    See `k_size` of StreamKGemm in ops/gemm/kernel/streamk_gemm_kernel.hpp. CK checks it only for kernels without pad_k.
    """
    unit = max(1, c.algorithm.tile_k)
    if c.algorithm.family not in STREAM_K or c.problem.k % unit == 0:
        return None
    text = f"K = {c.problem.k:,} % tile_k {unit} = {c.problem.k % unit}; Stream-K multiplies whole steps, padded or not"
    return say([text], {"family": "universal"}, k=c.problem.k)


@rule("ck_tile.gemm.stream_k_split", "problem", "Stream-K: split_k == 1")
def stream_k_split(c: Subject) -> Broken | None:
    """The kernel shares out K by itself."""
    split_k = split_of(c)
    if c.algorithm.family not in STREAM_K or split_k == 1:
        return None
    return say([f"split_k {split_k} with Stream-K"], {"family": "universal"}, split_k=split_k)


@rule("ck_tile.gemm.batch", "problem", "family batched if and only if batch > 1")
def batch(c: Subject) -> Broken | None:
    """The other kernels multiply one pair of matrices; a batch of one is theirs."""
    got, batched = c.problem.batch, c.algorithm.family == "batched"
    if batched == (got > 1):
        return None
    text = f"batch {got} > 1; a kernel of family {c.algorithm.family} multiplies one pair of matrices"
    if batched:
        text = f"batch is {got}; kernels of family batched are for more than one product"
    return say([text], {"family": "universal" if batched else "batched"}, batch=got)


@rule(
    "ck_tile.gemm.batch_strides",
    "problem",
    "batched, no D operands: matrices of A, B and the output at least rows * columns elements apart",
)
def batch_strides(c: Subject) -> Broken | None:
    """So says IsSupportedArgument of ops/gemm/kernel/batched_gemm_kernel.hpp; a matrix for all products is refused.

    With D operands the kernel is that of contractions, which does not ask for it.
    """
    if c.algorithm.family != "batched" or c.signature.d:
        return None
    faults = []
    for role in ("a", "b", "out"):
        rows, columns = c.problem.shape(role)
        far = c.problem.stride(role)[0]
        if far < rows * columns:
            faults.append(f"{role}: matrices are {far:,} elements apart; CK asks for {rows} x {columns} at least")
    return say(faults, remedy="give each product matrices of its own, or use another backend") if faults else None


@rule(
    "ck_tile.gemm.batch_offsets",
    "problem",
    "batched: the first element of every matrix is less than 2**31 elements from the first",
)
def batch_offsets(c: Subject) -> Broken | None:
    """The kernel multiplies the number of the product and the stride in 32 bits."""
    if c.algorithm.family != "batched":
        return None
    reach = {o.role: (c.problem.batch - 1) * abs(c.problem.stride(o.role)[0]) for o in operands(c)}
    faults = [f"{role} spans {r:,} >= {MAX_BYTES:,} elements" for role, r in reach.items() if r >= MAX_BYTES]
    return say(faults, remedy="split the batch") if faults else None


@rule("ck_tile.gemm.batch_vectors", "problem", "batched: matrices of A, B and the output start at whole vectors")
def batch_vectors(c: Subject) -> Broken | None:
    """CK does not check it: vectors of the second matrix would not be aligned."""
    if c.algorithm.family != "batched":
        return None
    faults = []
    for o in operands(c):
        far = c.problem.stride(o.role)[0]
        if far % o.vector:
            faults.append(f"{o.role}: matrices {far:,} elements apart % {o.vector} = {far % o.vector}")
    return say(faults, remedy="pad the matrices, or use another backend") if faults else None


RULES = (
    batched_pipeline,
    family_persistent,
    stream_k_pipeline,
    stream_k_output,
    stream_k_waves,
    quant_pipeline,
    quant_layout,
    quant_epilogue,
    quant_block,
)
PROBLEM_RULES = (
    batch,
    batch_strides,
    batch_offsets,
    batch_vectors,
    stream_k_depth,
    stream_k_split,
    quant_split,
    quant_rows,
    quant_scale_a,
    quant_scale_b,
)
