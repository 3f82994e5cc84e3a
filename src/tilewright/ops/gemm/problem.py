"""GemmProblem: sizes, types, layout, strides and epilogue of one matrix product."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any

from ...errors import ProblemError, check_known
from ...model.abi import MAX_TENSORS
from ...model.canonical import canonical, digest
from ...model.device import full_device_name
from ...model.dtype import get_dtype
from ...model.expr import is_integer
from ...model.fields import shown
from ...model.layout import check_layout, dense_strides
from ...model.locks import cached_property
from ...model.rule import Subject
from ...model.summation import ANY, is_summation
from ...model.tensor import MAX_BYTES, MAX_ELEMENT_BYTES, overflows, reach_of
from ..given import given_fields
from .epilogue import DTensor, Epilogue, d_tensor
from .prologue import PrologueStep, prologue_mistakes, prologue_of, with_tensor
from .signature import SCALE_BLOCK, SCALES, GemmSignature

MAX_D = 8
INDEX_ROLES = ("ends",)  # of rows in groups


@dataclass(frozen=True)
class GemmProblem:
    """One matrix product: out[m, n] = epilogue(A[m, k] * B[k, n]), `batch` times.

    `strides` holds (batch, row, col) per role, in elements, if a tensor is not dense in its layout. `alignment` holds
    the pointer alignment class per role if it is known. If `split_k` is None, tilewright chooses. `scale_block` is the
    size of the blocks that a scale of kind "block" has factors for. `summation` is the order of the sums along K: any,
    invariant (the same for every m and batch), or the name of one (`model.summation`). With `groups` the rows of A are
    so many groups one after the other, and there is a B for each: group g ends before row `ends[g]`. `prologue_a` and
    `prologue_b` are the steps that A and B go through before they are multiplied, in fp32, rounded to their dtype at
    the end.

    >>> GemmProblem.from_dict({"m": 4, "n": 8, "k": 2, "dtype": "fp16"}).dtype_acc
    'fp32'
    """

    op = "gemm"  # not annotated: no field
    deterministic = False  # not a choice of this op
    m: int
    n: int
    k: int
    dtype_a: str
    dtype_b: str
    dtype_out: str
    dtype_acc: str
    batch: int = 1
    layout: str = "rcr"
    scale_a: str = "none"
    scale_b: str = "none"
    epilogue: Epilogue = field(default_factory=Epilogue)
    d: tuple[DTensor, ...] = ()
    b_format: str = "plain"
    split_k: int | None = None
    strides: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)
    alignment: Mapping[str, int] = field(default_factory=dict)
    device: str = "cpu"
    scale_block: int = SCALE_BLOCK
    summation: str = ANY
    groups: int = 0
    prologue_a: tuple[PrologueStep, ...] = ()
    prologue_b: tuple[PrologueStep, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "device", full_device_name(self.device))  # one name, one exact key
        mistakes = [
            f"{name} is {shown(getattr(self, name))}; it must be an integer >= 0 of 64 bits"
            for name in ("m", "n", "k", "batch", "groups")
            if not _is_size(getattr(self, name))
        ]
        if self.split_k is not None and not (_is_size(self.split_k) and self.split_k >= 1):
            mistakes.append(
                f"split_k is {self.split_k!r}; it must be an integer >= 1, or null to let tilewright choose"
            )
        if not _is_size(self.scale_block) or self.scale_block < 1:
            mistakes.append(f"scale_block is {self.scale_block!r}; it must be an integer >= 1")
        if not is_summation(self.summation):
            mistakes.append(f"summation is {shown(self.summation)}; it must be any, invariant or the name of an order")
        if self.groups:
            mistakes += self._group_mistakes()
        if len(self.d) > MAX_D:
            mistakes.append(f"d has {len(self.d)} operands; at most {MAX_D}")
        if self.prologue_a or self.prologue_b:
            mistakes += prologue_mistakes("prologue_a", self.prologue_a, self.dtype_a)
            mistakes += prologue_mistakes("prologue_b", self.prologue_b, self.dtype_b)
            if len(self.roles) > MAX_TENSORS:
                mistakes.append(f"it has {len(self.roles)} tensors; at most {MAX_TENSORS}")
        mistakes += self.epilogue.mistakes(self.dtype_acc, self.d)
        mistakes += [f"strides of {r!r}: {s!r}; need (batch, row, col)" for r, s in self.strides.items() if len(s) != 3]
        mistakes += [
            f"strides of {r!r}: no such tensor; there are {', '.join(self.roles)}"
            for r in self.strides
            if r not in self.roles
        ]
        if mistakes:
            raise ProblemError.of("gemm problem", mistakes)
        for name in ("dtype_a", "dtype_b", "dtype_out", "dtype_acc"):
            get_dtype(getattr(self, name))
        for name in ("scale_a", "scale_b"):
            check_known(name, getattr(self, name), SCALES)
        check_layout(self.layout)
        matrices = self.m * self.n, self.m * self.k, self.k * self.n * max(1, self.groups)
        bound = MAX_BYTES // MAX_ELEMENT_BYTES
        if any(self.batch * n * (self.k + 1) > bound for n in matrices):  # a quick check that few problems fail
            self.check_addresses(self.roles, self.batch * max(matrices))
        elif self.strides:
            self.check_addresses(self.strides)

    def check_addresses(self, roles: Iterable[str], elements: int = 0) -> None:
        """Raise `ProblemError` if addresses of these tensors, `elements` or products overflow."""
        mistakes = overflows({r: self._reach(r) for r in roles if not is_list(r)}, self.dtype)
        if elements > MAX_BYTES:
            mistakes.append("the elements of all matrices of the batch overflow 64 bits")
        if not mistakes and self.m * self.n * self.k * self.batch > MAX_BYTES:
            mistakes.append("the products of all matrices of the batch overflow 64 bits")
        if mistakes:
            raise ProblemError.of("gemm problem", mistakes, "split the problem")

    def _reach(self, role: str) -> int:
        return reach_of((self.matrices(role), *self.shape(role)), self.stride(role))

    def _group_mistakes(self) -> list[str]:
        found = [f"batch is {self.batch}; groups are rows of one product"] if self.batch != 1 else []
        if self.scale_a != "none" or self.scale_b != "none":
            found.append(f"scale_a is {self.scale_a}, scale_b is {self.scale_b}; products in groups have no scales")
        if self.b_format != "plain":
            found.append(f"b_format is {self.b_format}; the matrices of groups are plain")
        if self.has_prologue:
            found.append("products in groups have no prologues")
        return found

    def matrices(self, role: str) -> int:
        """Return how many matrices a role has: one for each product of a batch, and B one for each group."""
        return self.groups if role == "b" and self.groups else self.batch

    @property
    def products(self) -> int:
        """How many products there are: those of a batch, or one for each group."""
        return self.groups or self.batch

    @property
    def rows_each(self) -> int:
        """The rows of each product; of groups, which differ, the mean."""
        return -(-self.m // self.groups) if self.groups else self.m

    @property
    def variant(self) -> str:
        """Empty: one model serves all problems."""
        return ""

    @property
    def operand_dtype(self) -> str:
        """The dtype of the first operand."""
        return self.dtype_a

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> GemmProblem:
        """Return a problem from its JSON form; `dtype` sets A, B and the usual output and accumulator."""
        rest = given_fields("gemm problem", data, [*(f.name for f in fields(cls)), "dtype"], ("m", "n", "k"))
        rest.update(_dtypes(rest))
        rest.pop("dtype", None)
        rest["epilogue"] = Epilogue.parse(rest.get("epilogue", {}))
        rest["d"] = tuple(d_tensor(d) for d in rest.get("d", ()))
        rest["prologue_a"] = prologue_of(rest.get("prologue_a", ()))
        rest["prologue_b"] = prologue_of(rest.get("prologue_b", ()))
        rest["strides"] = {role: _three(s) for role, s in rest["strides"].items()}
        return cls(**rest)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form without fields at their default."""
        return {"op": "gemm", **canonical(self)}

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """The tensors of this problem in order: a, b, out, then those that it has of scales, d operands, tensors of
        prologues and ends of groups."""
        scales = tuple(r for r in ("scale_a", "scale_b") if getattr(self, r) != "none")
        found = ("a", "b", "out", *scales, *(f"d{i}" for i in range(len(self.d))))
        if self.groups:
            return (*found, "ends")
        if not self.has_prologue:
            return found
        more_a = tuple(f"a{i + 1}" for i in range(len(with_tensor(self.prologue_a))))
        more_b = tuple(f"b{i + 1}" for i in range(len(with_tensor(self.prologue_b))))
        return (*found, *more_a, *more_b)

    @property
    def has_prologue(self) -> bool:
        """Whether A or B goes through steps before the product."""
        return bool(self.prologue_a or self.prologue_b)

    def step(self, role: str) -> PrologueStep:
        """Return the step of the prologue that combines an operand with the tensor `role`."""
        return with_tensor(self.prologue_a if role[0] == "a" else self.prologue_b)[int(role[1:]) - 1]

    @cached_property
    def signature(self) -> GemmSignature:
        """What is computed, without the sizes."""
        e = self.epilogue
        types = (self.dtype_a, self.dtype_b, self.dtype_acc, self.dtype_out)
        return _signature(
            *types, self.layout[:3], self.scale_a, self.scale_b, e.combine, e.activation, self.d, self.b_format,
            self.scale_block if "block" in (self.scale_a, self.scale_b) else SCALE_BLOCK,
            self.prologue_a, self.prologue_b,
        )  # fmt: skip

    def shape(self, role: str) -> tuple[int, ...]:
        """Return the shape of one matrix of a role: (rows, cols), or (count,) for ends and scales without blocks."""
        if role in ("a", "b", "out"):
            return (self.m, self.k) if role == "a" else (self.k if role == "b" else self.m, self.n)
        blocks = -(-self.k // self.scale_block)
        if role == "scale_a":
            return (self.m, blocks) if self.scale_a == "block" else (self.m if self.scale_a == "row" else 1,)
        if role == "scale_b" and self.scale_b == "block":
            return (blocks, -(-self.n // self.scale_block))
        if role == "scale_b":
            return (self.n if self.scale_b == "row" else 1,)
        if role == "ends":
            return (self.groups,)
        if role[0] in "ab":
            return self.step(role).shape(*((self.m, self.k) if role[0] == "a" else (self.k, self.n)))
        return self.d[int(role[1:])].shape(self.m, self.n)

    def dtype(self, role: str) -> str:
        """Return the dtype of a role."""
        if role.startswith("scale"):
            return "fp32"
        if role == "ends":
            return "int32"
        if role.startswith("d") and role[1:].isdigit():
            return self.d[int(role[1:])].dtype
        if role[1:].isdigit():
            return self.step(role).dtype
        return {"a": self.dtype_a, "b": self.dtype_b, "out": self.dtype_out}[role]

    def repeats(self, role: str) -> bool:
        """Return whether a role is a vector for all rows, or all columns: of the output (D), of A or of B."""
        if not role[1:].isdigit():
            return False
        return (self.d[int(role[1:])].broadcast if role[0] == "d" else self.step(role).broadcast) != "none"

    def stride(self, role: str) -> tuple[int, int, int]:
        """Return (batch, row, col) strides of a matrix role in elements: as given, or dense in its layout."""
        found = self._stride_table.get(role)
        if found is None:
            found = self._stride_table[role] = self._stride_of(role)
        return found

    @cached_property
    def _stride_table(self) -> dict[str, tuple[int, int, int]]:
        return {}

    def _stride_of(self, role: str) -> tuple[int, int, int]:
        if role in self.strides:
            return self.strides[role]
        rows, cols = self.shape(role)
        if role.startswith("scale"):
            return (0, cols, 1)
        letter = self.layout[{"a": 0, "b": 1}.get(role[0], 2)]
        if role.startswith("d") and len(self.layout) == 4:
            letter = self.layout[3]
        return dense_strides(letter, rows, cols)

    def with_packed_b(self, b_format: str, letter: str) -> GemmProblem:
        """Return the problem with B in a packed format, which counts as dense in the layout `letter`.

        >>> strides = {"a": (0, 16, 1), "b": (0, 9, 1)}
        >>> p = GemmProblem.from_dict({"m": 8, "n": 8, "k": 8, "dtype": "fp32", "strides": strides})
        >>> p.with_packed_b("panels", "r").strides
        {'a': (0, 16, 1)}
        """
        strides = {r: v for r, v in self.strides.items() if r != "b"}
        alignment = {r: v for r, v in self.alignment.items() if r != "b"}
        layout = f"{self.layout[0]}{letter}{self.layout[2:]}"
        return replace(self, b_format=b_format, layout=layout, strides=strides, alignment=alignment)

    @cached_property
    def exact_key(self) -> str:
        """Identity for the plan cache."""
        return digest(self)

    @cached_property
    def tuning_key(self) -> str:
        """Identity for measurements: sizes, signature, and how well the leading dimensions are aligned."""
        sizes = (self.m, self.n, self.k, self.batch, *((self.groups,) if self.groups else ()))
        alignment = {r: self.leading_alignment(r) for r in ("a", "b", "out")}
        return digest(
            {"op": "gemm", "sizes": sizes, "signature": self.signature, "ld": alignment, "split_k": self.split_k}
        )

    def leading_alignment(self, role: str) -> int:
        """Return the largest power of two, up to 16, of bytes that divides the leading dimension of a role."""
        found = self._alignment_table.get(role)
        if found is None:
            found = self._alignment_table[role] = self._leading_alignment_of(role)
        return found

    @cached_property
    def _alignment_table(self) -> dict[str, int]:  # rules read it once per kernel
        return {}

    def _leading_alignment_of(self, role: str) -> int:
        if self.b_format != "plain" and role == "b":
            return 16
        _, row, col = self.stride(role)
        leading = int(max(abs(row), abs(col)) * get_dtype(self.dtype(role)).bytes)
        return min(16, leading & -leading) if leading else 16

    @cached_property
    def flops(self) -> int:
        """Multiplications and additions of the product."""
        return 2 * self.batch * self.m * self.n * self.k

    @cached_property
    def bytes(self) -> int:
        """The fewest bytes that must move: each operand once."""
        bits = 0
        for role in self.roles:
            count = 1 if is_list(role) else self.matrices(role)
            for extent in self.shape(role):
                count *= extent
            bits += count * get_dtype(self.dtype(role)).bits
        return bits // 8

    def label(self) -> str:
        """Return a short readable text for tables."""
        batch = f"{self.batch}x" if self.batch != 1 else ""
        groups = f" {self.groups}-groups" if self.groups else ""
        return f"gemm {batch}{self.m}x{self.n}x{self.k} {self.signature.label()}{groups}"


GemmSubject = Subject[GemmProblem]  # what rules of one op look at


_signature = lru_cache(maxsize=1024, typed=True)(GemmSignature)  # few, and asked for by every new shape


def is_list(role: str) -> bool:
    """Return whether a role is no matrix of the product: scales, and the ends of groups.

    >>> [r for r in ("a", "d0", "scale_a", "ends") if is_list(r)]
    ['scale_a', 'ends']
    """
    return role.startswith("scale") or role == "ends"


def _is_size(value: Any) -> bool:
    return is_integer(value) and 0 <= value <= MAX_BYTES


def _dtypes(data: Mapping[str, Any]) -> dict[str, str]:
    short = data.get("dtype")
    a = data.get("dtype_a", short)
    b = data.get("dtype_b", short if short is not None else a)
    if a is None or b is None:
        raise ProblemError("gemm problem: the dtype is missing", remedy='give "dtype", or "dtype_a" and "dtype_b"')
    acc = data.get("dtype_acc", usual_accumulator(a))
    scaled = any(data.get(s, "none") != "none" for s in ("scale_a", "scale_b"))
    return {"dtype_a": a, "dtype_b": b, "dtype_acc": acc, "dtype_out": data.get("dtype_out", usual_out(a, scaled))}


def usual_accumulator(dtype: str) -> str:
    """Return the usual accumulator of an operand dtype.

    >>> usual_accumulator("int8"), usual_accumulator("bf16")
    ('int32', 'fp32')
    """
    return get_dtype(dtype).accumulator


def usual_out(dtype: str, scaled: bool = False) -> str:
    """Return the default output dtype: int8 gives int32 (fp32 if scaled), the 8-bit floats fp16.

    >>> usual_out("fp8"), usual_out("int8", scaled=True)
    ('fp16', 'fp32')
    """
    return "fp32" if scaled and get_dtype(dtype).kind == "int" else get_dtype(dtype).default_out


def _three(strides: Any) -> tuple[int, ...]:
    values = tuple(strides)
    return (0, *values) if len(values) == 2 else values
