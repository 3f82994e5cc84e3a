"""From a spec to a translation unit: the generated code only instantiates, the real code is in the headers."""

from __future__ import annotations

from typing import Any

from ....model.kernel import KernelSpec
from ....settings import Settings
from ...cpp_text import CppText, cpp, cpp_join, cpp_name
from ..units import (
    bool_line,
    cpp_type,
    digest_line,
    enum_line,
    enumerator,
    int_line,
    micro_kernels,
    unit_parts,
    unit_request,
)

ACCUMULATORS = {"fp32": "float", "int32": "int32_t"}
LAYOUTS = {"r": "row", "c": "col"}

TEMPLATE = """\
// {name}
{kernels}#include <tw/gemm/export.hpp>
namespace {{
struct Config {{
{fields}
}};
}}  // namespace
TW_EXPORT_GEMM(Config)
"""


def source_of(spec: KernelSpec) -> CppText:
    """Return the C++ text of one kernel: a pure function of the spec."""
    s, a = spec.signature, spec.algorithm
    lines = [
        cpp("using A = {}; using B = {};", cpp_type(s.dtype_a), cpp_type(s.dtype_b)),
        cpp("using Out = {}; using Acc = {};", cpp_type(s.dtype_out), cpp_name(ACCUMULATORS, s.dtype_acc, "dtype_acc")),
        *(
            enum_line("Layout", f"layout_{who}", LAYOUTS[letter])
            for who, letter in zip(("a", "b", "out"), s.layout, strict=True)
        ),
        enum_line("Pipeline", "pipeline", a.pipeline),
        enum_line("Inner", "inner", a.inner),
        *(int_line(name, getattr(a, name)) for name in ("mr", "nr", "kc", "mc", "nc")),
        *(bool_line(name, getattr(a, name)) for name in ("pack_a", "pack_b")),
        enum_line("BFormat", "b_format", "plain" if s.b_format == "plain" else "packed"),
        enum_line("Scale", "scale_a", s.scale_a),
        enum_line("Scale", "scale_b", s.scale_b),
        enum_line("Combine", "combine", s.combine),
        enum_line("Activation", "activation", s.activation),
        cpp("using D = tw::List<{}>;", cpp_join(_d_type(d) for d in s.d)),
        digest_line(spec),
    ]
    return cpp(TEMPLATE, kernels=micro_kernels(spec), **unit_parts(spec, lines))


def request_of(spec: KernelSpec, settings: Settings) -> Any:
    """Return the build request of one kernel."""
    return unit_request(spec, source_of(spec), settings)


def _d_type(d: Any) -> CppText:
    return cpp("tw::DTensor<{}, {}>", cpp_type(d.dtype), enumerator("Broadcast", d.broadcast))
