"""From a spec to a translation unit: the generated code only instantiates, the real code lives in the headers."""

from __future__ import annotations

from typing import Any

from ....model.kernel import KernelSpec
from ....settings import Settings
from ..units import CPP_TYPES, enum_line, unit_request

ACCUMULATORS = {"fp32": "float", "int32": "int32_t"}
LAYOUTS = {"r": "row", "c": "col"}

TEMPLATE = """\
// {name}
#include <tw/gemm.hpp>
namespace {{
struct Config {{
{fields}
}};
}}  // namespace
TW_EXPORT_GEMM(Config)
"""


def source_of(spec: KernelSpec) -> str:
    """The C++ text of one kernel: a pure function of the spec."""
    s, a = spec.signature, spec.algorithm
    lines = [
        f"using A = {CPP_TYPES[s.dtype_a]}; using B = {CPP_TYPES[s.dtype_b]};",
        f"using Out = {CPP_TYPES[s.dtype_out]}; using Acc = {ACCUMULATORS[s.dtype_acc]};",
        *(
            enum_line("Layout", f"layout_{who}", LAYOUTS[letter])
            for who, letter in zip(("a", "b", "out"), s.layout, strict=True)
        ),
        enum_line("Pipeline", "pipeline", a.pipeline),
        enum_line("Inner", "inner", a.inner),
        *(f"static constexpr int {name} = {getattr(a, name)};" for name in ("mr", "nr", "kc", "mc", "nc")),
        *(f"static constexpr bool {name} = {str(getattr(a, name)).lower()};" for name in ("pack_a", "pack_b")),
        enum_line("BFormat", "b_format", "plain" if s.b_format == "plain" else "packed"),
        enum_line("Scale", "scale_a", s.scale_a),
        enum_line("Scale", "scale_b", s.scale_b),
        enum_line("Combine", "combine", s.combine),
        enum_line("Activation", "activation", s.activation),
        f"using D = tw::List<{', '.join(_d_type(d) for d in s.d)}>;",
        f'static constexpr const char* digest = "{spec.digest}";',
    ]
    return TEMPLATE.format(name=spec.name, fields="\n".join("  " + line for line in lines))


def request_of(spec: KernelSpec, settings: Settings) -> Any:
    """The build request of one kernel."""
    return unit_request(spec, source_of(spec), settings)


def _d_type(d: Any) -> str:
    return f"tw::DTensor<{CPP_TYPES[d.dtype]}, tw::Broadcast::{d.broadcast}>"
