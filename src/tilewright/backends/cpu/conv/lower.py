"""From a spec to a translation unit: the generated code only instantiates, the real code is in the headers."""

from __future__ import annotations

from typing import Any

from ....model.kernel import KernelSpec
from ....ops.conv.signature import DIRECTIONS
from ....settings import Settings
from ...cpp_text import CppText, cpp, cpp_identifier, cpp_join
from ...product_rules import PRODUCTS
from ..gemm.lower import request_of as gemm_request
from ..units import bool_line, cpp_type, digest_line, enum_line, int_line, micro_kernels, unit_parts, unit_request
from .algorithm import gemm_spec

TEMPLATE = """\
// {name}
{kernels}#include <tw/conv/export.hpp>
#include <tw/{folder}/{header}.hpp>
namespace {{
struct Config {{
{fields}
}};
}}  // namespace
TW_EXPORT_CONV(Config, tw::{kernel}<Config>)
"""

# The header and class of each pipeline: for the data directions, and for backward weight.
DATA = {
    "direct": ("gather", "Gather"),
    "lanes": ("gather", "Gather"),
    "depthwise": ("depthwise", "Depthwise"),
    "implicit": ("gemm", "ConvGemm"),
    "folded": ("folded", "Folded"),
    "stencil": ("stencil", "Stencil"),
}
WEIGHT = {
    "implicit": ("gemm_weight", "ConvGemmWeight"),
    "folded": ("folded_weight", "FoldedWeight"),
    "stencil": ("stencil_weight", "StencilWeight"),
}
# With the micro kernels of Arm.
ARM_HEADERS = {"gemm": "micro", "gemm_weight": "micro", "gather": "gather", "weight": "weight"}
NAMED_IN_HEADERS = ("direct", "lanes", "depthwise", "implicit")  # pipelines that share a header with another


def source_of(spec: KernelSpec) -> CppText:
    """Return the C++ text of one kernel: a pure function of the spec."""
    s, a = spec.signature, spec.algorithm
    weight = s.direction == "backward_weight"
    header, kernel = WEIGHT.get(a.pipeline, ("weight", "WeightGradient")) if weight else DATA[a.pipeline]
    lines = [
        *(
            cpp("using {} = {};", cpp_identifier(role.title()), cpp_type(s.dtype(role)))
            for role in ("input", "weight", "output")
        ),
        cpp("using Out = {}; using Acc = float;", cpp_type(s.dtype(s.result))),
        enum_line("Direction", "direction", s.direction, DIRECTIONS),
        *([enum_line("ConvPipeline", "pipeline", a.pipeline)] if a.pipeline in NAMED_IN_HEADERS else []),
        enum_line("Inner", "inner", a.inner),
        *(int_line(name, getattr(a, name)) for name in ("mr", "nr", "tall", "merge", "strip_kb", "kc", "rows")),
        bool_line("stream", a.stream),
        enum_line("Scale", "scale_a", "none"),
        enum_line("Scale", "scale_b", "none"),
        enum_line("Combine", "combine", s.combine),
        enum_line("Activation", "activation", s.activation),
        cpp("using D = tw::List<{}>;", cpp_join(_d_type(d) for d in s.d)),
        digest_line(spec),
    ]
    folder = "arm" if a.pipeline == "stencil" else "conv"
    parts = unit_parts(spec, lines, folder=folder, header=header, kernel=kernel)
    kernels = micro_kernels(spec, ARM_HEADERS[header]) if header in ARM_HEADERS else cpp("")
    return cpp(TEMPLATE, kernels=kernels, **parts)


def request_of(spec: KernelSpec, settings: Settings) -> Any:
    """Return the build request of one kernel; for a product, that of the gemm backend."""
    if spec.algorithm.pipeline in PRODUCTS:
        return gemm_request(gemm_spec(spec), settings)
    return unit_request(spec, source_of(spec), settings)


def _d_type(d: Any) -> CppText:
    # A bias has stride 0 from pixel to pixel, so one form of operand is enough.
    return cpp("tw::DTensor<{}, tw::Broadcast::none>", cpp_type(d.dtype))
