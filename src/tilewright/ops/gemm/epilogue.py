"""The epilogue of a GEMM: E = activation(alpha * A*B  combine  beta*D0  combine  D1 ...)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ...errors import ProblemError, UnknownNameError, check_known
from ...model.dtype import DTYPES, get_dtype
from ...model.fields import FACTOR, FLOAT32_END, Limit, fields_from, real_number, shown

PAIRS = ("add", "multiply")  # how two tensors become one
FORWARD = (*PAIRS, "multiply_add")  # what convolutions have, too
COMBINES = (*FORWARD, "gradient")
SCALARS = ("alpha", "beta")  # fields that a launch hands to its kernel, in the order of the C ABI
ACTIVATIONS = ("none", "relu", "gelu_erf", "gelu_tanh", "sigmoid", "tanh", "silu", "relu6", "hard_swish")
BROADCASTS = ("none", "row", "col")
# The steepest slope of each activation: the most that it can enlarge an error of its argument.
SLOPE = {"none": 1.0, "relu": 1.0, "gelu_erf": 1.13, "gelu_tanh": 1.13, "sigmoid": 0.25, "tanh": 1.0, "silu": 1.1,
         "relu6": 1.0, "hard_swish": 1.5}  # fmt: skip
Activate = Callable[[Any, str], Any]
Back = Callable[[Any, Any, str], Any]

# The names of the CK dispatcher, and their exact meaning.
CK_NAMES: dict[str, dict[str, Any]] = {
    "PassThrough": {},
    "MultiDAdd": {"combine": "add"},
    "MultiDMultiply": {"combine": "multiply"},
    "Relu": {"activation": "relu"},
    "Gelu": {"activation": "gelu_erf"},
    "Sigmoid": {"activation": "sigmoid"},
    "Tanh": {"activation": "tanh"},
}


@dataclass(frozen=True)
class DTensor:
    """One extra operand of the epilogue: `row` is one value per column (a bias), `col` one per row.

    >>> DTensor("bf16", "row").shape(4, 8)
    (1, 8)
    """

    ALLOWED: ClassVar[Mapping[str, Limit]] = {"dtype": tuple(DTYPES), "broadcast": BROADCASTS}

    dtype: str
    broadcast: str = "none"

    def __post_init__(self) -> None:
        get_dtype(self.dtype)
        check_known("broadcast", self.broadcast, BROADCASTS)

    def shape(self, m: int, n: int) -> tuple[int, int]:
        """Return the actual rows and columns of the operand."""
        return spread(self.broadcast, m, n)


def spread(broadcast: str, rows: int, columns: int) -> tuple[int, int]:
    """Return the shape of a tensor that is broadcast to a matrix."""
    return {"none": (rows, columns), "row": (1, columns), "col": (rows, 1)}[broadcast]


def d_tensor(data: Any) -> DTensor:
    """Return one extra operand of the epilogue.

    >>> d_tensor({"dtype": "bf16", "broadcast": "row"}).broadcast
    'row'
    """
    if isinstance(data, DTensor):
        return data
    if not isinstance(data, Mapping) or "dtype" not in data:
        raise ProblemError(f"d operand {data!r} needs a dtype", remedy='write {"dtype": "bf16", "broadcast": "row"}')
    unknown = set(data) - {"dtype", "broadcast"}
    if unknown:
        raise UnknownNameError("d field", sorted(unknown)[0], ("dtype", "broadcast"))
    return DTensor(data["dtype"], data.get("broadcast", "none"))


@dataclass(frozen=True)
class Epilogue:
    """How the product is finished. `beta` scales the first D operand.

    `combine` says how each D operand is applied in turn. With multiply_add the first one is multiplied and those after
    it are added, as the factor and the summand of a norm are. With gradient the first one is what the activation was
    applied to in a forward pass: the product, with the others added, is the gradient of what came out of it, and the
    result is the gradient of what went in.

    >>> Epilogue.parse("Relu").activation, Epilogue.parse({"activation": "silu"}).alpha
    ('relu', 1.0)
    """

    ALLOWED: ClassVar[Mapping[str, Limit]] = {"combine": COMBINES, "activation": ACTIVATIONS}

    combine: str = "add"
    activation: str = "none"
    alpha: float = 1.0
    beta: float = 1.0

    def __post_init__(self) -> None:
        check_known("combine", self.combine, COMBINES)
        check_known("activation", self.activation, ACTIVATIONS)
        for name in SCALARS:
            value = getattr(self, name)
            number = real_number(value)
            if number is None:
                raise ProblemError(f"epilogue {name} is {shown(value)}; it must be a finite number")
            if type(value) is not float:
                object.__setattr__(self, name, number)

    @property
    def scalars(self) -> tuple[float, ...]:
        """The numbers that a launch hands to its kernel, in the order of `SCALARS`."""
        return (self.alpha, self.beta)

    def mistakes(self, dtype_acc: str, d: Sequence[DTensor] = ()) -> list[str]:
        """Return what is wrong with the scalars, and with the operands of a gradient.

        Kernels are handed floats, those with fp64 sums doubles.
        """
        return [*self._scalar_mistakes(dtype_acc), *(self._gradient_mistakes(d) if self.is_gradient else ())]

    def _gradient_mistakes(self, d: Sequence[DTensor]) -> list[str]:
        found = []
        if self.activation == "none":
            found.append("combine gradient needs the activation whose gradient it is; got none")
        if not d or d[0].broadcast != "none":
            got = f"a {d[0].broadcast}" if d else "none"
            found.append(f"combine gradient needs a d0 like the output, which the activation was applied to; got {got}")
        if self.beta != 1.0:
            found.append(f"epilogue beta is {self.beta:g}; with combine gradient d0 has no factor")
        return found

    def _scalar_mistakes(self, dtype_acc: str) -> list[str]:
        if dtype_acc == "fp64" or (abs(self.alpha) < FLOAT32_END and abs(self.beta) < FLOAT32_END):
            return []
        large = [name for name in SCALARS if abs(getattr(self, name)) >= FLOAT32_END]
        return [f"epilogue {name} is {shown(getattr(self, name))}; {FACTOR}" for name in large]

    @property
    def is_gradient(self) -> bool:
        """Whether the result is a gradient that has gone back through the activation."""
        return self.combine == "gradient"

    @property
    def is_identity(self) -> bool:
        """Whether a product without D operands is stored as it is."""
        return self.activation == "none" and self.alpha == 1.0

    def is_linear(self, operands: int) -> bool:
        """Return whether the result is linear in A and B, with so many D operands."""
        return self.activation == "none" and all(map(self.adds, range(operands)))

    def adds(self, operand: int) -> bool:
        """Return whether the D operand of this number is added; else it is multiplied.

        >>> [Epilogue(combine="multiply_add").adds(i) for i in range(3)]
        [False, True, True]
        """
        return self.combine == "add" or (self.combine in ("multiply_add", "gradient") and operand > 0)

    def finished(
        self, value: Any, sizes: Sequence[Any], operands: Iterable[Any], activate: Activate, back: Back
    ) -> tuple[Any, ...]:
        """Return the result for a product that is already scaled, and its sizes on absolute values.

        They are arrays of NumPy or tensors of torch. `activate(x, name)` computes an activation, and
        `back(gradient, x, name)` what of a gradient goes back through it.

        >>> Epilogue(beta=0.5).finished(3.0, [3.0], [-4.0], lambda x, name: x, lambda gradient, x, name: gradient)
        (1.0, 5.0)
        """
        at = None
        for i, d in enumerate(operands):
            d = d if i or self.beta == 1.0 else d * self.beta
            if self.is_gradient and i == 0:
                at = d
            elif self.adds(i):
                value, sizes = value + d, [size + abs(d) for size in sizes]
            else:
                value, sizes = value * d, [size * abs(d) for size in sizes]
        done = back(value, at, self.activation) if self.is_gradient else activate(value, self.activation)
        return done, *(size * SLOPE[self.activation] for size in sizes)

    @classmethod
    def parse(cls, data: Any) -> Epilogue:
        """Return an epilogue from a mapping, or from one of the CK dispatcher's names."""
        if isinstance(data, Epilogue):
            return data
        if isinstance(data, str):
            check_known("epilogue", data, CK_NAMES)
            return cls(**CK_NAMES[data])
        if not isinstance(data, Mapping):
            raise ProblemError(f"epilogue is {data!r}; it must be a mapping or a name")
        return cls(**fields_from(cls, data, "epilogue"))
