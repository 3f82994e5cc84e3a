"""Lower, build, bind: a problem and its kernel become stages that launch on tensors."""

from .plan import BoundPlan, Plan, Plans, PreparedCalls, empty_plan, index_arrays, make_plan
from .stages import PaddedStage, on_stream, tensor_over

__all__ = [
    "BoundPlan",
    "PaddedStage",
    "Plan",
    "Plans",
    "PreparedCalls",
    "empty_plan",
    "index_arrays",
    "make_plan",
    "on_stream",
    "tensor_over",
]
