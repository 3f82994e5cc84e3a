"""Pack weights ahead of time: the choice of the format, and the call that writes it."""

from __future__ import annotations

from dataclasses import replace

from ..arch import get_arch
from ..backends import backend_names, get_backend, get_backend_op
from ..dispatcher import Dispatcher
from ..errors import ProblemError, SelectionError, TensorError, UnknownNameError
from ..model.fields import shown
from ..model.kernel import Candidate, KernelSpec
from ..model.layout import letter_of
from ..model.tensor import MAX_BYTES, PackedTensor, TensorView
from ..ops.gemm import GemmProblem
from ..ops.gemm.problem import usual_accumulator, usual_out


def pack(
    b: TensorView, m_hint: int, dtype_a: str | None, dispatcher: Dispatcher, format: str | None = None
) -> PackedTensor:
    """Return `b` in a packed format; if None, in that of the best kernel for an m_hint x n x k product."""
    if type(m_hint) is not int or not 0 <= m_hint <= MAX_BYTES:
        raise ProblemError(f"m_hint is {shown(m_hint)}; it must be an integer >= 0")
    if len(b.shape) != 2:
        raise TensorError(
            f"b has shape {b.shape}; pack_weights packs one [k, n] matrix", remedy="pack each matrix of a batch"
        )
    a, (k, n) = dtype_a or b.dtype, b.shape
    layout = "r" + letter_of(b.strides, k, n) + "r"
    types = (a, b.dtype, usual_out(a), usual_accumulator(a))
    problem = GemmProblem(max(m_hint, 1), n, k, *types, layout=layout, device=b.device)
    return pack_for(_best_packed(problem, dispatcher, format).spec, b, dispatcher)


def packed_candidate(problem: GemmProblem, dispatcher: Dispatcher) -> Candidate:
    """Return what the dispatcher runs for a problem if its B is packed in the best format; nothing is built."""
    plain = replace(problem, strides={})
    chosen = _best_packed(plain, dispatcher).spec.signature
    return dispatcher.choose(replace(plain, b_format=chosen.b_format, layout=chosen.layout)).candidate


def pack_for(spec: KernelSpec, b: TensorView, dispatcher: Dispatcher) -> PackedTensor:
    """Return `b` in the format that a kernel reads; a CPU kernel is built if it is not."""
    signature = spec.signature
    storage = get_backend_op(spec.backend, spec.op).pack(spec, b, lambda: dispatcher.load(spec))
    return PackedTensor(signature.b_format, b.dtype, b.shape, storage, signature.layout[1])


def _best_packed(problem: GemmProblem, dispatcher: Dispatcher, format: str | None = None) -> Candidate:
    """Return the best candidate over all packed formats that a legal kernel can read, or over the kernels of one."""
    forms = packed_forms(problem, dispatcher)
    if format is not None and format not in {p.b_format for p in forms}:
        raise UnknownNameError(f"packed format on {problem.device}", format, sorted({p.b_format for p in forms}))
    device, found = dispatcher.device_for(problem), list[Candidate]()
    for form in forms:
        if format in (None, form.b_format):
            found += dispatcher.registry.consider(form, device).legal
    if not found:
        raise SelectionError(f"no kernel reads packed weights for {problem.label()}", remedy="use the plain matrix")
    return dispatcher.selector.rank(problem, found, device)[0].candidate


def packed_forms(problem: GemmProblem, dispatcher: Dispatcher) -> list[GemmProblem]:
    """Return the problem with B in each packed format that kernels of the dispatcher read."""
    device = dispatcher.device_for(problem)
    legal = [c.spec for c in dispatcher.registry.consider(problem, device).legal]
    found: list[GemmProblem] = []
    arch = get_arch(device.arch)
    for name in backend_names():
        if arch.kind in get_backend(name).arch_kinds:
            plain = [spec for spec in legal if spec.backend == name]
            found += get_backend_op(name, "gemm").packed_forms(problem, plain, arch)
    return list({form.exact_key: form for form in found}.values())
