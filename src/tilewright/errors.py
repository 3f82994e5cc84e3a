"""Every exception of tilewright. Each says what was given, what the limit is, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Sequence
from typing import Any

MAX_NAMES = 24  # a longer list of known names does not help in a message


class TilewrightError(Exception):
    """Base of all errors: a message (what was given, the limit) and a remedy (what to do).

    >>> str(TilewrightError("k is -1; sizes must be >= 0", remedy="pass k >= 0"))
    'k is -1; sizes must be >= 0. Fix: pass k >= 0.'
    """

    def __init__(self, message: str, *, remedy: str | None = None) -> None:
        self.message = message.rstrip(".")
        self.remedy = remedy.rstrip(".") if remedy else None
        super().__init__(self.message)

    def __str__(self) -> str:
        if self.remedy is None:
            return f"{self.message}."
        return f"{self.message}. Fix: {self.remedy}."

    def __reduce__(self) -> tuple[Any, ...]:
        """Make errors picklable, independent of the arguments of their constructor."""
        return _remade, (type(self), dict(self.__dict__))


def _remade(kind: type[TilewrightError], state: dict[str, Any]) -> TilewrightError:
    error = kind.__new__(kind, state["message"])
    error.__dict__.update(state)
    return error


class UnknownNameError(TilewrightError):
    """A name that is not in a closed list; names the nearest of them.

    >>> str(UnknownNameError("dtype", "fp61", ["fp16", "fp32"]))
    "unknown dtype 'fp61'; did you mean 'fp16'? Known: fp16, fp32."
    >>> str(UnknownNameError("activation", "gelu", ["gelu_erf", "gelu_tanh", "relu"]))
    "unknown activation 'gelu'; did you mean 'gelu_erf' or 'gelu_tanh'? Known: gelu_erf, gelu_tanh, relu."
    """

    def __init__(self, kind: str, got: Any, known: Iterable[str]) -> None:
        self.kind, self.got, self.known = kind, got, sorted(known)
        longer = [k for k in self.known if str(got) and k.lower().startswith(f"{got}_".lower())]
        near = longer[:3] or [name for name in (nearest(str(got), self.known),) if name]
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else "."
        listed = self.known
        if len(listed) > MAX_NAMES:  # the names that contain it, or the first ones
            like = [k for k in listed if str(got) and str(got).lower() in k.lower()] or listed
            listed = [*like[:MAX_NAMES], f"... ({len(self.known)} in all)"]
        super().__init__(f"unknown {kind} {str(got)!r}{hint} Known: {', '.join(listed)}")


def check_known(kind: str, name: Any, known: Collection[str]) -> None:
    """Raise `UnknownNameError` if `name` is not in a closed list.

    >>> check_known("dtype", "fp16", ["fp16", "fp32"])
    """
    if name not in known:
        raise UnknownNameError(kind, name, known)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name closest to `name`, or None if no name is close.

    One letter makes a short name another one, so they must agree more, and in the first one: "gpu" is not for "cpu".

    >>> nearest("gfx924", ["gfx942", "sm_90"]), nearest("gpu", ["cpu", "cuda"])
    ('gfx942', None)
    """
    wanted = name.lower()
    short = len(wanted) <= 4
    by_lower = {k.lower(): k for k in known if not short or k[:1].lower() == wanted[:1]}
    found = difflib.get_close_matches(wanted, by_lower, n=1, cutoff=0.6 if short else 0.5)
    return by_lower[found[0]] if found else None


def plural(count: int, noun: str) -> str:
    """Return a count with its noun, which takes an s unless the count is one.

    >>> plural(1, "kernel"), plural(1200, "row")
    ('1 kernel', '1,200 rows')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


class ArchError(TilewrightError):
    """The arch facts are inconsistent, or an arch cannot do what was asked."""


class ProblemError(TilewrightError):
    """A problem description that is not valid; lists every mistake at once.

    >>> str(ProblemError.of("gemm problem", ["m is -1; need >= 0", "k is missing"]))
    'gemm problem, 2 mistakes: (1) m is -1; need >= 0; (2) k is missing.'
    """

    @classmethod
    def of(cls, what: str, mistakes: Sequence[str], remedy: str | None = None) -> ProblemError:
        """Return one error that lists all mistakes."""
        return cls(count_mistakes(what, mistakes), remedy=remedy)


class TensorError(ProblemError):
    """Tensors that do not fit their problem: shape, dtype, device, overlap, writability."""


def count_mistakes(what: str, mistakes: Sequence[str]) -> str:
    """Return one readable sentence for a list of mistakes.

    >>> count_mistakes("out", ["is read-only"])
    'out: is read-only'
    """
    if len(mistakes) == 1:
        return f"{what}: {mistakes[0]}"
    listed = "; ".join(f"({i}) {m}" for i, m in enumerate(mistakes, 1))
    return f"{what}, {len(mistakes)} mistakes: {listed}"


class SpecError(TilewrightError):
    """A kernel spec that breaks rules; `rejections` holds every broken rule, not only the first."""

    def __init__(self, message: str, *, rejections: Sequence[Any] = (), remedy: str | None = None) -> None:
        self.rejections = tuple(rejections)
        super().__init__(message, remedy=remedy)


class SchemaError(TilewrightError):
    """A file or record whose schema version or fields cannot be read."""


class SelectionError(TilewrightError):
    """No candidate is left for a problem; says which rules removed the others."""


class BuildError(TilewrightError):
    """A kernel did not compile; carries the command and the whole compiler log.

    `permanent` says whether its source is at fault; anything else may be a passing fault of the machine.
    """

    def __init__(
        self, message: str, *, command: str = "", log: str = "", remedy: str | None = None, permanent: bool = False
    ) -> None:
        self.command, self.log, self.permanent = command, log, permanent
        super().__init__(message, remedy=remedy)


class BuildForbiddenError(BuildError):
    """A kernel would have to be built, but building is switched off (`build="never"`)."""


class CaptureError(BuildForbiddenError):
    """A kernel would have to be built while a graph is captured."""


class BuildCancelledError(BuildError):
    """The build was cancelled before this kernel was compiled."""


class ToolchainError(TilewrightError):
    """A compiler, header or library that is needed was not found."""


class CacheError(TilewrightError):
    """The kernel cache cannot be read or written."""


class StoreError(TilewrightError):
    """The store of measurements, or a file of them, cannot be read or written."""


class BudgetError(TilewrightError):
    """A time limit ran out before anything was measured."""


class LaunchError(TilewrightError):
    """A compiled kernel refused or failed a launch."""


class VerificationError(TilewrightError):
    """A result that differs from the reference by more than the tolerance."""


class DeviceError(TilewrightError):
    """A device is absent, out of memory, or not the one the tensors live on."""


class GradientError(TilewrightError):
    """A derivative or transform that an operator does not have: a second derivative, vmap, a step without gradient."""


class TransformError(GradientError):
    """A call that is transformed: by `torch.func`, in forward mode, or by `torch.jit.trace`. Only torch computes it."""


class MissingExtraError(TilewrightError):
    """An optional dependency is not installed; names the install command.

    >>> str(MissingExtraError("triton", extra="triton", why="to compile GPU kernels"))
    "the package 'triton' is needed to compile GPU kernels. Fix: pip install 'tilewright[triton]'."
    """

    def __init__(self, package: str, *, extra: str, why: str) -> None:
        super().__init__(f"the package {package!r} is needed {why}", remedy=f"pip install 'tilewright[{extra}]'")


class EmulatorError(TilewrightError):
    """The AMD emulator cannot continue. `kernel` and `line` name the place in the assembly text, if there is one."""

    def __init__(self, message: str, *, kernel: str = "", line: int = 0, remedy: str | None = None) -> None:
        self.kernel, self.line = kernel, line
        super().__init__(message, remedy=remedy)


class AssemblyError(EmulatorError):
    """Assembly text that is truncated, malformed, or names a register the kernel does not have."""


class UnsupportedInstructionError(EmulatorError):
    """An instruction, operand or modifier without semantics in the emulator."""


class KernelArgumentError(EmulatorError):
    """Arguments, a grid or a block that do not fit the kernel's metadata."""


class EmulatorMemoryError(EmulatorError):
    """More memory than the emulator's limit, or an address that belongs to no allocation."""


class KernelFaultError(EmulatorError):
    """A kernel did something that faults on a GPU: an access outside of every allocation, a trap, a deadlock."""


class StepLimitError(EmulatorError):
    """A kernel executed more instructions than the limit; it may never terminate."""


class SanitizerError(EmulatorError):
    """The sanitizer found faults in kernels, whose results may still be correct; `findings` holds each fault.

    >>> str(SanitizerError(["LDS race"]))
    'the sanitizer found 1 fault: LDS race.'
    """

    def __init__(self, findings: Sequence[Any]) -> None:
        self.findings = tuple(findings)
        listed = "\n".join(map(str, self.findings))
        count = len(self.findings)
        super().__init__(f"the sanitizer found {count} fault{'s'[: count > 1]}: {listed}")
