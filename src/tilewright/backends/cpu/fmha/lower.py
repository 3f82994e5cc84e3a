"""From a spec to a translation unit: the generated code only instantiates, the real code lives in the headers."""

from __future__ import annotations

from typing import Any

from ....model.kernel import KernelSpec
from ....settings import Settings
from ..units import CPP_TYPES, unit_request

TEMPLATE = """\
// {name}
#include <tw/{header}>
#include <tw/attention_export.hpp>
namespace {{
struct Config {{
{fields}
}};
}}  // namespace
TW_EXPORT({kernel}, Config)
"""
# header, kernel and tensor slots, by family or inner loop
KERNELS = {
    "bwd": ("attention_backward.hpp", "AttentionBackward", "BackwardSlots"),
    "fwd_appendkv": ("attention_append.hpp", "AttentionAppend", "AppendSlots"),
    "fma": ("attention.hpp", "Attention", "ForwardSlots"),
    "amx": ("attention_amx.hpp", "AttentionAmx", "ForwardSlots"),
}


def source_of(spec: KernelSpec) -> str:
    """The C++ text of one kernel: a pure function of the spec."""
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
    lines = [
        f"using Element = {CPP_TYPES[s.dtype]}; using Out = {CPP_TYPES[s.dtype_out]};",
        f"using BiasElement = {CPP_TYPES[bias]}; using Slots = tw::{slots};",
        f"static constexpr int hdim_q = {s.hdim_q}, hdim_v = {s.hdim_v}, row_vectors = {a.row_vectors};",
        f"static constexpr int block_keys = {a.block_keys};",
        f"static constexpr tw::Bias bias = tw::Bias::{s.bias};",
        f"static constexpr tw::QScale qscale = tw::QScale::{s.qscale};",
        f"static constexpr tw::Rope rope = tw::Rope::{s.rope};",
        f"static constexpr tw::Lookup lookup = tw::Lookup::{s.lookup};",
        *(f"static constexpr bool {name} = {str(value).lower()};" for name, value in flags.items()),
        f'static constexpr const char* digest = "{spec.digest}";',
    ]
    return TEMPLATE.format(
        header=header, kernel=kernel, name=spec.name, fields="\n".join("  " + line for line in lines)
    )


def request_of(spec: KernelSpec, settings: Settings) -> Any:
    """The build request of one kernel."""
    return unit_request(spec, source_of(spec), settings)
