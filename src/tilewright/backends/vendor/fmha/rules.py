"""What torch's attention kernels compute exactly as the reference defines it; only their result is copied."""

from __future__ import annotations

from ....model.arch import CpuArch
from ....model.dtype import get_dtype
from ....model.rule import Broken, Rule, broken, rule
from ....ops.fmha.problem import FmhaSubject as Subject
from ..rules import gpu_dtypes, library, place

# Operand types and the largest hdim of each kernel on a GPU.
ON_GPU = {
    "flash": (("fp16", "bf16"), 256),
    "cudnn": (("fp16", "bf16"), 128),
    "efficient": (("fp32", "fp16", "bf16"), 65536),
    "math": (("fp32",), 65536),
}
ON_CPU = {"flash": (("fp32",), 65536), "math": (("fp32",), 65536)}  # 16 bits: scores overflow where ours do not
VECTOR = 16  # bytes that a GPU's kernel reads at once


@rule("vendor.fmha.kernel", "semantic", "dtypes of q, k, v, out are equal and the kernel has them; hdim in its limit")
def kernel(s: Subject) -> Broken | None:
    """Refuse types and sizes that the kernel does not have."""
    g, name = s.signature, s.algorithm.library
    table = ON_CPU if isinstance(s.arch, CpuArch) else ON_GPU
    there = [known for known in table if known != "cudnn" or s.arch.kind == "nvidia"]
    if name not in there:
        return broken(f"there is no kernel {name} on {s.arch.name}", f"use {' or '.join(there)}", arch=s.arch.name)
    dtypes, most = table[name]
    if g.dtype != g.dtype_out or g.dtype not in dtypes:
        return broken(f"{g.dtype} to {g.dtype_out}; {name} has {', '.join(dtypes)}", "use another kernel")
    if g.hdim_q != g.hdim_v or g.hdim_q > most:
        return broken(
            f"hdim {g.hdim_q} and {g.hdim_v}; {name} takes equal ones <= {most}", "", hdim=g.hdim_q, most=most
        )
    vector = 1 if isinstance(s.arch, CpuArch) else int(VECTOR / get_dtype(g.dtype).bytes)
    if g.hdim_q % vector:
        return broken(f"hdim {g.hdim_q} is no multiple of {vector}: it would be padded", "pad it", hdim=g.hdim_q)
    return None


@rule(
    "vendor.fmha.features",
    "semantic",
    "forward in batch mode, V by rows; no bias, cap, dropout, sink, scale, page; an LSE of fp32 by flash",
)
def features(s: Subject) -> Broken | None:
    """Refuse what torch's kernels do not have, or define otherwise."""
    g, name = s.signature, s.algorithm.library
    there = {
        f"the family {g.family}": g.family not in ("fwd", "fwd_splitkv"),
        "sequences of different lengths": g.mode == "group",
        "V by columns": g.v_layout != "row",
        f"the mask {g.mask}": g.mask not in ("none", "causal_top_left", "causal_bottom_right"),
        "a sink": g.sink,
        f"the bias {g.bias}": g.bias != "none",
        "a soft cap": g.soft_cap,
        f"dropout by {g.dropout}": g.dropout != "none",
        f"scales {g.qscale}": g.qscale != "none",
        f"rope {g.rope}": g.rope != "none",
        f"pages of {g.page_size}": g.page_size > 0,
        f"LSE of {g.dtype}": g.lse and (name != "flash" or g.dtype != "fp32"),  # 16-bit scores give a rough one
    }
    missing = [what for what, asked in there.items() if asked]
    return broken(f"torch's kernel {name} has no {missing[0]}", "use another backend") if missing else None


@rule("vendor.fmha.sizes", "problem", "seqlen_k >= 1, no lengths; causal: seqlen_q == seqlen_k; num_splits null or 1")
def sizes(s: Subject) -> Broken | None:
    """Refuse sizes at which torch's kernels differ from the reference, or cannot run."""
    p, name = s.problem, s.algorithm.library
    if p.kv_lengths or p.seqlen_k < 1:
        return broken(f"{p.seqlen_k} keys, lengths of each sequence: {p.kv_lengths}", "", seqlen_k=p.seqlen_k)
    if p.mask != "none" and p.seqlen_q != p.seqlen_k:
        return broken(f"a causal mask of {p.seqlen_q} x {p.seqlen_k}", "", rows=p.seqlen_q, keys=p.seqlen_k)
    if p.heads_q != p.heads_kv and (name not in ("flash", "cudnn") or isinstance(s.arch, CpuArch)):
        return broken(f"{p.heads_q} query heads share {p.heads_kv}: {name} would copy K and V", "", heads=p.heads_kv)
    if p.num_splits not in (None, 1):
        return broken(f"num_splits is {p.num_splits}; libraries choose for themselves", "leave it null")
    return None


@rule("vendor.fmha.strides", "problem", "hdim is contiguous, other strides >= 0; GPU: multiples of 16 bytes")
def strides(s: Subject) -> Broken | None:
    """Refuse strides for which the library would copy a tensor first."""
    p, on_cpu = s.problem, isinstance(s.arch, CpuArch)
    for role in ("q", "k", "v"):
        steps = [step for step, n in zip(p.stride(role), p.shape(role), strict=True) if n > 1]
        if p.shape(role)[-1] > 1 and p.stride(role)[-1] != 1:
            return broken(f"{role} has the stride {p.stride(role)[-1]} along hdim", "make hdim contiguous")
        if any(step <= 0 for step in steps):
            return broken(f"{role} has strides {p.stride(role)}", "make it dense")
        if on_cpu:
            continue
        # Also of a dimension of size 1, whose step nobody takes: the kernels look at it all the same.
        elements = int(VECTOR / get_dtype(p.dtype).bytes)
        if any(step % elements for step in p.stride(role)[:-1]) or p.alignment.get(role, VECTOR) < VECTOR:
            got = f"{role} has strides {p.stride(role)} and lies at multiples of {p.alignment.get(role, VECTOR)} bytes"
            return broken(f"{got}; multiples of {VECTOR} bytes are needed", "make it dense", strides=p.stride(role))
    return None


RULES: tuple[Rule, ...] = (library, gpu_dtypes, kernel, features, place, sizes, strides)
