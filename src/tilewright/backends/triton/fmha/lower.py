"""From a spec to a build request: what is compiled for an attention."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....jit.artifact import BuildRequest
from ....model.kernel import KernelSpec
from ....settings import Settings
from ..closure import Entry
from ..request import build_request
from .hopper_backward import BIAS_KINDS, KINDS, SHARE_KINDS, SINK_KINDS, has_sink_rows

# What the code of a job is made from: the function that makes its source, and the kernel.
ENTRIES = {
    "forward": ("source:_forward", "forward:attention_forward"),
    "split": ("source:_forward", "forward:attention_forward"),
    "combine": ("source:_combine", "forward:combine_splits"),
    "dots": ("source:_dots", "backward:row_dots"),
    "origins": ("source:_origins", "backward:row_origins"),
    "key_gradients": ("source:_key_gradients", "backward:key_gradients"),
    "query_gradients": ("source:_query_gradients", "backward:query_gradients"),
    "bias_gradients": ("source:_bias_gradients", "backward:bias_gradients"),
    "append": ("source:_append", "append:append_rows"),
    "hopper_gradients": ("hopper_backward:gradients_source", "hopper_backward:hopper_gradients"),
    "prepare": ("source:_prepare", "backward:prepare_rows"),
    "convert": ("hopper_backward:convert_source", "hopper_sums:convert_sums"),
    "convert_keys": ("hopper_backward:convert_keys_source", "hopper_sums:convert_key_sums"),
    "sinks": ("source:_sinks", "backward:sink_gradients"),
    "look": ("source:_look", "bias_blocks:look_at_bias"),
    "list": ("source:_list", "bias_blocks:list_blocks"),
    "hopper_forward": ("hopper_forward:forward_source", "hopper_forward:hopper_forward"),
}


def kinds_of(spec: KernelSpec) -> tuple[str, ...]:
    """Return the kernels of a spec, the one that names it first."""
    s = spec.signature
    if s.family == "fwd_appendkv":
        return ("append",)
    if s.family == "bwd" and spec.algorithm.pipeline == "hopper":
        some = (BIAS_KINDS, s.bias != "none"), (SHARE_KINDS, spec.algorithm.share), (SINK_KINDS, has_sink_rows(s))
        return (*KINDS, *(kind for kinds, there in some if there for kind in kinds))
    if s.family == "bwd":
        origins, biases = s.bias == "elementwise", s.dbias
        further = *(("origins",) if origins else ()), *(("bias_gradients",) if biases else ())
        return ("key_gradients", "query_gradients", "dots", *further)
    if spec.algorithm.pipeline == "hopper" and s.bias != "none":
        return ("forward", "look", "list")
    return ("forward", "split", "combine") if s.family == "fwd_splitkv" else ("forward",)


def jobs_of(spec: KernelSpec) -> dict[str, Any]:
    """Everything that is compiled for a spec, by file prefix; the first is called `kernel`."""
    kinds = kinds_of(spec)
    return {k if i else "kernel": {"kind": k, "spec": spec.to_dict()} for i, k in enumerate(kinds)}


def request_of(spec: KernelSpec, settings: Settings) -> BuildRequest:
    """Return the build of one spec: machine code, assembly and launch metadata for its arch."""
    return build_request(spec, jobs_of(spec), entries_of(spec), settings)


def entries_of(spec: KernelSpec) -> Iterator[Entry]:
    """Yield the definitions that the code of a spec is made from."""
    hopper = spec.algorithm.pipeline == "hopper"
    for kind in kinds_of(spec):
        maker, kernel = ENTRIES["hopper_forward" if hopper and kind in ("forward", "split") else kind]
        for folder, name in (("fmha", maker), ("fmha/kernels", kernel)):
            module, _, function = name.partition(":")
            yield f"{folder}/{module}.py", function
