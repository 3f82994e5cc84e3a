"""From a spec to a translation unit: the generated code only instantiates, the real code is in the headers."""

from __future__ import annotations

from typing import Any

from ....model.kernel import KernelSpec
from ....ops.fmha.signature import BIASES, LOOKUPS, QSCALES, ROPES
from ....settings import Settings
from ...cpp_text import CppText, cpp, cpp_identifier, cpp_int
from ..units import bool_line, cpp_type, digest_line, enum_line, int_line, micro_kernels, unit_parts, unit_request

TEMPLATE = """\
// {name}
{kernels}#include <tw/attention/{header}.hpp>
#include <tw/attention/export.hpp>
namespace {{
struct Config {{
{fields}
}};
}}  // namespace
TW_EXPORT({kernel}, Config)
"""
# header, kernel and tensor slots, by family or inner loop
KERNELS = {
    "bwd": ("backward", "AttentionBackward", "BackwardSlots"),
    "fwd_appendkv": ("append", "AttentionAppend", "AppendSlots"),
    "fma": ("forward", "Attention", "ForwardSlots"),
    "amx": ("amx", "AttentionAmx", "ForwardSlots"),
}


def source_of(spec: KernelSpec) -> CppText:
    """Return the C++ text of one kernel: a pure function of the spec."""
    s, a = spec.signature, spec.algorithm
    header, kernel, slots = KERNELS.get(s.family) or KERNELS[a.inner]
    bias = "fp32" if s.bias == "alibi" or s.dtype not in ("fp32", "bf16", "fp16") else s.dtype
    flags = {
        "varlen": s.mode == "group",
        "masked": s.mask != "none",
        "windowed": "window" in s.mask,
        "top_left": s.mask.endswith("top_left"),
        "soft_cap": s.soft_cap,
        "dropout": s.dropout != "none",
        "lse": s.lse,
        "dbias": s.dbias,
        "v_columns": s.v_layout == "col",
    }
    sizes = [cpp_int(size) for size in (s.hdim_q, s.hdim_v, a.row_vectors)]
    lines = [
        cpp("using Element = {}; using Out = {};", cpp_type(s.dtype), cpp_type(s.dtype_out)),
        cpp("using BiasElement = {}; using Slots = tw::{};", cpp_type(bias), cpp_identifier(slots)),
        cpp("static constexpr int hdim_q = {}, hdim_v = {}, row_vectors = {};", *sizes),
        int_line("block_keys", a.block_keys),
        enum_line("Bias", "bias", s.bias, BIASES),
        enum_line("QScale", "qscale", s.qscale, QSCALES),
        enum_line("Rope", "rope", s.rope, ROPES),
        enum_line("Lookup", "lookup", s.lookup, LOOKUPS),
        *(bool_line(name, value) for name, value in flags.items()),
        digest_line(spec),
    ]
    kernels = micro_kernels(spec, "attention_tile")
    return cpp(TEMPLATE, kernels=kernels, **unit_parts(spec, lines, header=header, kernel=kernel))


def request_of(spec: KernelSpec, settings: Settings) -> Any:
    """Return the build request of one kernel."""
    return unit_request(spec, source_of(spec), settings)
