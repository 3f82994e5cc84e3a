"""ConvProblem: direction, sizes, types, layout, strides and epilogue of one grouped convolution."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from math import prod
from typing import Any

from ...errors import ProblemError
from ...model.canonical import canonical, digest
from ...model.device import full_device_name
from ...model.dtype import BYTES
from ...model.locks import cached_property
from ...model.rule import Subject
from ...model.summation import ANY
from ...model.tensor import reach_of
from ..gemm.epilogue import DTensor, Epilogue, d_tensor
from ..gemm.problem import usual_accumulator, usual_out
from ..given import given_fields
from .checks import mistakes_of
from .geometry import ImplicitGemm, implicit_gemm
from .layout import CHANNELS_LAST, dense_strides
from .parse import pairs, per_dim
from .signature import RESULT, ConvSignature

NEEDED = ("direction", "n", "c", "k", "input", "filter")
NAME = "grouped_conv"  # the name of the op in problem files


_signature = lru_cache(maxsize=1024, typed=True)(ConvSignature)  # few, and asked for by every new shape


@dataclass(frozen=True)
class ConvProblem:
    """One grouped convolution. `c` and `k` are totals over all groups; `pad` holds (left, right) per dimension.

    The tensors are input, weight and output in every direction; `direction` says which of them is computed. `strides`
    holds, per role and in elements along the canonical axes (see `layout`), the strides of a tensor that is not dense.
    `alignment` holds the pointer alignment class per role if it is known. If `split_k` is None, tilewright chooses.

    >>> size = {"n": 2, "c": 8, "k": 4, "input": [9, 9], "filter": [3, 3], "stride": 2, "dtype": "fp16"}
    >>> p = ConvProblem.from_dict({"direction": "forward", **size})
    >>> p.output, p.dtype_acc, p.layout
    ((4, 4), 'fp32', 'nhwgc')
    """

    op = "conv"  # not annotated: no field; the name of the folder; problem files say "grouped_conv"
    deterministic = False  # not a choice of this op
    summation = ANY  # no order is promised
    direction: str
    n: int
    g: int
    c: int
    k: int
    input: tuple[int, ...]
    filter: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    pad: tuple[tuple[int, int], ...]
    dtype_input: str
    dtype_weight: str
    dtype_output: str
    dtype_acc: str
    layout: str
    epilogue: Epilogue = field(default_factory=Epilogue)
    d: tuple[DTensor, ...] = ()
    split_k: int | None = None
    strides: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    alignment: Mapping[str, int] = field(default_factory=dict)
    device: str = "cpu"

    def __post_init__(self) -> None:
        object.__setattr__(self, "device", full_device_name(self.device))  # one name, one exact key
        mistakes = mistakes_of(self)
        if mistakes:
            raise ProblemError.of("convolution problem", mistakes)

    @property
    def variant(self) -> str:
        """The direction: each has models of its own."""
        return self.direction

    @property
    def operand_dtype(self) -> str:
        """The dtype of the first operand."""
        return self.dtype_input

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ConvProblem:
        """Return a problem from its JSON form; `dtype` sets the three tensors and the usual accumulator."""
        rest = given_fields("convolution problem", data, [*(f.name for f in fields(cls)), "dtype"], NEEDED)
        rest["input"] = per_dim(rest["input"], 1)
        dims = len(rest["input"])
        rest["filter"] = per_dim(rest["filter"], dims)
        for name in ("stride", "dilation"):
            rest[name] = per_dim(rest.get(name, 1), dims)
        rest["pad"] = pairs(rest.get("pad", 0), dims)
        rest.setdefault("g", 1)
        rest.setdefault("layout", CHANNELS_LAST.get(dims, "nhwgc"))
        rest.update(_dtypes(rest))
        rest.pop("dtype", None)
        rest["epilogue"] = Epilogue.parse(rest.get("epilogue", {}))
        rest["d"] = tuple(d_tensor(d) for d in rest.get("d", ()))
        return cls(**rest)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: equal dtypes as one, equal paddings of both sides as one number."""
        data: dict[str, Any] = {"op": NAME, **canonical(self)}
        data["pad"] = [left if left == right else [left, right] for left, right in self.pad]
        first = self.signature.dtype_read[0]
        usual = _dtypes({"direction": self.direction, "dtype": first})
        if all(getattr(self, name) == value for name, value in usual.items()):
            data = {name: v for name, v in data.items() if name not in usual}
            data["dtype"] = first
        return data

    @property
    def dims(self) -> int:
        """The number of spatial dimensions."""
        return len(self.input)

    @property
    def c_group(self) -> int:
        """Input channels of one group."""
        return self.c // self.g

    @property
    def k_group(self) -> int:
        """Output channels of one group."""
        return self.k // self.g

    @cached_property
    def output(self) -> tuple[int, ...]:
        """The spatial extents of the output."""
        return tuple(
            (size + left + right - ((f - 1) * dilation + 1)) // stride + 1
            for size, f, stride, dilation, (left, right) in zip(
                self.input, self.filter, self.stride, self.dilation, self.pad, strict=True
            )
        )

    @property
    def result(self) -> str:
        """The role that is computed."""
        return RESULT[self.direction]

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """The tensors of this problem in order: input, weight, output, then d operands."""
        return ("input", "weight", "output", *(f"d{i}" for i in range(len(self.d))))

    @cached_property
    def signature(self) -> ConvSignature:
        """What is computed, without the sizes."""
        e = self.epilogue
        types = (self.dtype_input, self.dtype_weight, self.dtype_output, self.dtype_acc)
        return _signature(self.direction, *types, self.layout, e.combine, e.activation, self.d)

    def extents(self, role: str) -> tuple[int, ...]:
        """Return the extents along the axes (n, g, c, spatial...), (g, k, c, filter...) or (n, g, k, spatial...)."""
        return self._extents[role]

    @cached_property
    def _extents(self) -> dict[str, tuple[int, ...]]:
        return {role: self._extents_of(role) for role in self.roles}

    def _extents_of(self, role: str) -> tuple[int, ...]:
        if role == "input":
            return (self.n, self.g, self.c_group, *self.input)
        if role == "weight":
            return (self.g, self.k_group, self.c_group, *self.filter)
        if role == "output":
            return (self.n, self.g, self.k_group, *self.output)
        whole = self._extents_of(self.result)
        if self.d[int(role[1:])].broadcast == "none":
            return whole
        return (1, whole[1], whole[2], *(1 for _ in self.input))

    def shape(self, role: str) -> tuple[int, ...]:
        """Return torch's shape: (n, c, spatial...), (k, c/g, filter...), (n, k, spatial...); (k,) for a bias."""
        e = self.extents(role)
        if role == "weight" or (role not in ("input", "output") and self.result == "weight"):
            return (e[0] * e[1], *e[2:])
        if role not in ("input", "output") and self.d[int(role[1:])].broadcast == "row":
            return (e[1] * e[2],)
        return (e[0], e[1] * e[2], *e[3:])

    def dtype(self, role: str) -> str:
        """Return the dtype of a role."""
        return self.signature.dtype(role)

    def stride_of(self, role: str) -> tuple[int, ...]:
        """Return the strides of a role along the canonical axes, in elements: as given, or dense in the layout."""
        return self._strides[role]

    @cached_property
    def _strides(self) -> dict[str, tuple[int, ...]]:
        return {role: self._strides_of(role) for role in self.roles}

    def _strides_of(self, role: str) -> tuple[int, ...]:
        if role in self.strides:
            return self.strides[role]
        kind = role if role in ("input", "weight", "output") else self.result
        dense = dense_strides(self.layout, kind, self.extents(role))
        if kind != role and self.d[int(role[1:])].broadcast == "row":
            return (0, *dense[1:3], *(0 for _ in self.input))
        return dense

    @cached_property
    def gemm(self) -> ImplicitGemm:
        """The implicit matrix product of each group, in the mapping of this direction."""
        return implicit_gemm(self)

    @cached_property
    def exact_key(self) -> str:
        """Identity for the plan cache."""
        return digest(self)

    @cached_property
    def tuning_key(self) -> str:
        """Identity for measurements: sizes, signature, and how well the pixels of each tensor are aligned."""
        alignment = {r: self.pixel_alignment(r) for r in ("input", "weight", "output")}
        sizes = (self.n, self.g, self.c, self.k, self.input, self.filter, self.stride, self.dilation, self.pad)
        return digest(
            {"op": NAME, "sizes": sizes, "signature": self.signature, "align": alignment, "split_k": self.split_k}
        )

    def reach(self, role: str) -> int:
        """Return the distance between the first and last element of a role in memory, in elements."""
        return self._reaches[role]

    @cached_property
    def _reaches(self) -> dict[str, int]:
        return {role: reach_of(self.extents(role), self.stride_of(role)) for role in self.roles}

    def pixel_alignment(self, role: str) -> int:
        """Return the largest power of two, up to 16, of bytes that divides every stride but the unit one."""
        return self.pixel_alignments[role]

    @cached_property
    def pixel_alignments(self) -> dict[str, int]:
        """The alignment of every role."""
        found = {}
        for role, size in zip(self.roles, self.sizes, strict=True):
            steps = zip(self._strides[role], self._extents[role], strict=True)
            found[role] = _alignment(size, [step for step, n in steps if n > 1 and (step > 1 or step < -1)])
        return found

    def step_alignment(self, role: str, merged: bool) -> int:
        """Return the alignment of every stride except the channels', and except the groups' if they are `merged`."""
        return self._step_alignments[role, merged]

    @cached_property
    def _step_alignments(self) -> dict[tuple[str, bool], int]:
        found = {}
        for role, size in zip(self.roles, self.sizes, strict=True):
            pairs = enumerate(zip(self._strides[role], self._extents[role], strict=True))
            steps = {axis: step for axis, (step, n) in pairs if n > 1 and axis != 2}
            found[role, False] = _alignment(size, steps.values())
            steps.pop(1, None)
            found[role, True] = _alignment(size, steps.values())
        return found

    @property
    def sizes(self) -> tuple[float, ...]:
        """Bytes of an element of each of `roles`."""
        types = (self.dtype_input, self.dtype_weight, self.dtype_output, *(d.dtype for d in self.d))
        return tuple([BYTES[dtype] for dtype in types])

    @cached_property
    def flops(self) -> int:
        """Multiplications and additions, the same in every direction; taps that fall into the padding count too."""
        return 2 * self.n * self.k * prod(self.output) * self.c_group * prod(self.filter)

    @property
    def flops_per_group(self) -> int:
        """The share of one group."""
        return self.flops // self.g

    @cached_property
    def bytes(self) -> int:
        """The fewest bytes that must move: each tensor once."""
        return int(sum(prod(e) * size for e, size in zip(self._extents.values(), self.sizes, strict=True)))

    @property
    def bytes_per_group(self) -> int:
        """The share of one group."""
        return self.bytes // self.g

    @property
    def kind(self) -> str:
        """depthwise (one input channel per group, several groups), grouped, pointwise (1x1) or dense."""
        if self.g > 1:
            return "depthwise" if self.c_group == 1 else "grouped"
        return "pointwise" if prod(self.filter) == 1 else "dense"

    def features(self) -> dict[str, float]:
        """Return numbers that describe the problem to a selection model, see `features.numbers`."""
        from .features import numbers

        return dict(numbers(self))

    def label(self) -> str:
        """Return a short readable text for tables."""
        groups = f" g{self.g}" if self.g > 1 else ""
        extra = "".join(
            f" {letter}{'x'.join(map(str, values))}"
            for letter, values in (("s", self.stride), ("d", self.dilation))
            if set(values) != {1}
        )
        sizes = f"n{self.n}{groups} c{self.c} k{self.k} {'x'.join(map(str, self.input))}"
        text = f"conv {sizes} f{'x'.join(map(str, self.filter))}{extra}"
        return f"{text} {self.signature.label()}"


ConvSubject = Subject[ConvProblem]  # what rules of one op look at


def _alignment(size: float, steps: Iterable[int]) -> int:
    """Return the largest power of two, up to 16, of bytes that divides every step, in elements of `size` bytes."""
    bits = 16
    for step in steps:
        bits |= int(step * size)
    return bits & -bits


def _dtypes(data: Mapping[str, Any]) -> dict[str, str]:
    """Return the four dtypes: those given, `dtype` for the tensors that are read, the usual ones for the rest."""
    direction = data.get("direction")
    result = f"dtype_{RESULT.get(direction if isinstance(direction, str) else '', 'output')}"
    read = [name for name in ("dtype_input", "dtype_weight", "dtype_output") if name != result]
    short = data.get("dtype", data.get(read[0], data.get(read[1])))
    if short is None:
        raise ProblemError("convolution problem: the dtype is missing", remedy='give "dtype"')
    found = {name: data.get(name, short) for name in read}
    found[result] = data.get(result, usual_out(found[read[0]]))
    found["dtype_acc"] = data.get("dtype_acc", usual_accumulator(found[read[0]]))
    return found
