"""`sdpa`: the signature of `torch.nn.functional.scaled_dot_product_attention`, and its replacement in that module.

The function belongs to no model: while any patch with attention is in force, all calls of the process through
`torch.nn.functional` reach it. Torch's fused path of `nn.TransformerEncoderLayer` in evaluation, which would go around
every layer, is switched off meanwhile.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch.nn import functional

from ..model.locks import new_lock
from ..ops.fmha.rules import MAX_HDIM
from .attention_calls import Extras, Options, recalled, run_as
from .fitness import MATMUL, NOT_COMPUTED, is_fp32_on_gpu, reason_of, why_layout, why_left
from .layer_turns import APART, OURS, TORCHS, begun, is_deterministic, is_plain, kind_of, mode_now
from .leaving import no_invariant, note_left
from .op_attention import attend, record_plain, record_recalled, seed_of
from .registration import scripts_as
from .report import Report
from .ways import RECORDED, autocast_dtype, can_use_memo, is_recorded, is_transformed, way_of

Tensor = torch.Tensor
PATH = "torch.nn.functional.scaled_dot_product_attention"
torchs = functional.scaled_dot_product_attention
ROW_ELEMENTS = 8  # of 16 bits, in 16 bytes
is_dynamo_compiling = torch.compiler.is_dynamo_compiling
is_compiling = torch.compiler.is_compiling
COPIED_ROWS = 64  # from which a kernel that reads blocks of rows gains more than a copy takes
_lock = new_lock()
_reports: list[Report] = []  # of the patches in force
_uncalled: list[Report] = []  # of those in whose time nobody has called the function
_fast_path = True
_invariant = False  # one of these patches wants results that do not depend on the batch
_deciding: Report | None = None  # of the model whose call runs, or was the latest: it says who computes
MAX_NAMES = 256
_names: dict[tuple[Any, ...], object] = {}  # by which the memo in C knows calls that are ours, by their options


def sdpa(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
    *,
    invariant: bool = False,
) -> Tensor:
    """Return what torch's function returns; by torch's own if no kernel of tilewright computes it (`left_calls`).

    With `invariant`, which is that of `tilewright.attention`, that is an error instead.

    >>> q = torch.ones(1, 2, 4, 32)
    >>> sdpa(q, q, q, is_causal=True).shape, sdpa(q[0], q, q).shape
    (torch.Size([1, 2, 4, 32]), torch.Size([1, 2, 4, 32]))
    """
    invariant = bool(invariant) or _invariant
    if attn_mask is None and not dropout_p and not is_dynamo_compiling():
        name = _names.get((is_causal, scale, invariant))
        if name is not None:
            known: Tensor | None = run_as(name, query, key, value)
            if known is not None:
                return known
    if not is_compiling() and _reports and not invariant and is_plain(query):
        values = (key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)
        state = _state_of(query, *values)
        if state is TORCHS:
            return torchs(query, *values[:5], scale=scale, enable_gqa=enable_gqa)
        if state is not OURS:
            found: Tensor = state(
                query,
                lambda q: _ours(q, *values, invariant),
                lambda q: torchs(q, *values[:5], scale=scale, enable_gqa=enable_gqa),
            )
            return found
    return _ours(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa, invariant, named=True)


scripts_as(sdpa, "aten::scaled_dot_product_attention")


def _state_of(query: Tensor, key: Any, value: Any, mask: Any, dropout: float, causal: bool, *rest: Any) -> Any:
    """Return who computes calls like this one: see `layer_turns`. Masks of one shape and dtype are one kind.

    So are the keys of a single row up to the next power of two: they are others with each token, in too few calls to
    compare anything. With dropout it is always ours: torch draws more numbers, and those that a program draws
    afterwards must not depend on measured times.
    """
    mode = mode_now(query.requires_grad)
    if dropout or mode is APART or is_transformed() or is_deterministic():
        return OURS
    try:
        keys, values = key.shape, value.shape
        if query.shape[-2] == 1:
            keys, values = (
                (*shape[:-2], (shape[-2] - 1).bit_length(), shape[-1], "power of two") for shape in (keys, values)
            )
        kind: Any = (PATH, *kind_of(query), mode, query.stride(), keys, values, causal, *rest)
        kind = kind if mask is None else (*kind, mask.shape, mask.dtype)
        report = _deciding or _reports[0]
        state = report.table.get(kind)
    except (AttributeError, TypeError, IndexError, RuntimeError):  # torch says what is wrong
        return OURS
    if state is None:
        shapes = ", ".join("x".join(map(str, t.shape)) for t in (query, key))
        state = begun(report, kind, PATH, shapes, query)
    return state


def _ours(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    dropout_p: float,
    is_causal: bool,
    scale: float | None,
    enable_gqa: bool,
    invariant: bool,
    named: bool = False,
) -> Tensor:
    """Return the attention by a kernel; by torch if there is none. `named`: calls like this one are ours for good."""
    if attn_mask is None and not dropout_p:
        if not _uncalled and not is_dynamo_compiling():  # a known call without gradients asks nothing else
            named = named and len(_names) < MAX_NAMES
            name = _names.setdefault((is_causal, scale, invariant), object()) if named else None
            known = recalled(query, key, value, None, is_causal, scale, False, invariant, quiet=True, name=name)
            if known is not None:
                return known[0]
        if not is_fp32_on_gpu(query):
            found = _recalled(query, key, value, is_causal, scale, invariant)
            if found is not None:
                return found
    if not torch.compiler.is_compiling() and _uncalled:
        _note_call()
    kept = why_left(query, key, MATMUL) is not None  # torch gets its tensors as they are
    shaped = None if kept else shaped_for_kernels(query, key, value, attn_mask, enable_gqa)
    if shaped is not None:
        q, k, v, mask, dims = shaped
        found = _ours(q, k, v, mask, dropout_p, is_causal, scale, True, invariant)
        return found if dims == 4 else found.squeeze(1) if dims == 3 else found[0, 0]
    reason = _why_left(query, key, value, attn_mask, is_causal, enable_gqa)
    if reason is None and (torch.compiler.is_compiling() or invariant):
        return _attention(query, key, value, attn_mask, dropout_p, is_causal, scale, invariant)
    if reason is not None and invariant:
        raise no_invariant("scaled_dot_product_attention", reason)
    if reason is None:
        try:
            if (
                attn_mask is None
                and not dropout_p
                and way_of(query, key, value) == RECORDED
                and autocast_dtype(query) is None
            ):
                recorded: Tensor = record_plain(query, key, value, is_causal, scale, False)
                return recorded
            return _attention(query, key, value, attn_mask, dropout_p, is_causal, scale)
        except NOT_COMPUTED as error:
            reason = reason_of(error)
    _note(reason)
    return torchs(query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)


def shaped_for_kernels(q: Any, k: Any, v: Any, mask: Any, grouped: bool) -> Any:
    """Return (q, k, v, mask, dimensions of the result) with four dimensions and one batch; None if they have both.

    Dimensions that are missing are put in, and those of one element are repeated, as torch broadcasts them. None as
    well for what no kernel takes.

    >>> q, k = torch.ones(2, 4, 32), torch.ones(3, 2, 5, 32)
    >>> [tuple(t.shape) for t in shaped_for_kernels(q, k, k, None, False)[:3]]
    [(3, 2, 4, 32), (3, 2, 5, 32), (3, 2, 5, 32)]
    """
    given = (q, k, v)
    if not all(isinstance(t, torch.Tensor) and 2 <= t.dim() <= 4 and not t.is_nested for t in given):
        return None
    dims = max(t.dim() for t in given)
    if min(t.dim() for t in given) == 4 and q.shape[0] == k.shape[0] == v.shape[0]:
        heads = {t.shape[1] for t in given}
        if grouped or len(heads) == 1:
            return None
    if dims < 4:  # one head
        q, k, v = (t.reshape((1,) * (3 - t.dim()) + tuple(t.shape)).unsqueeze(1) for t in given)
        mask = mask.unsqueeze(1) if mask is not None and mask.dim() == 3 else mask
    else:
        q, k, v = (t.reshape((1,) * (4 - t.dim()) + tuple(t.shape)) for t in given)
    batch = max(t.shape[0] for t in (q, k, v))
    heads_k = max(k.shape[1], v.shape[1])
    heads_q = q.shape[1] if grouped else max(q.shape[1], heads_k)
    wanted = (heads_q, heads_k, heads_k)
    fits = all(t.shape[0] in (1, batch) and t.shape[1] in (1, h) for t, h in zip((q, k, v), wanted, strict=True))
    if not fits or (heads_k not in (1, heads_q) and not grouped) or 0 in (batch, heads_k):
        return None
    q, k, v = (t.expand(batch, h, -1, -1) for t, h in zip((q, k, v), wanted, strict=True))
    return q, k, v, mask, dims


def _recalled(q: Tensor, k: Tensor, v: Tensor, causal: bool, scale: float | None, invariant: bool) -> Tensor | None:
    """Return the attention of tensors that look like those of an earlier call; None if there was none."""
    if can_use_memo():
        if not _uncalled:
            return None  # `sdpa` has asked
        _note_call()
        known = recalled(q, k, v, None, causal, scale, False, invariant)
        return None if known is None else known[0]
    if not is_recorded(q, k, v):
        return None
    if _uncalled:
        _note_call()
    recorded: Tensor | None = record_recalled(q, k, v, causal, scale, invariant)
    return recorded


def _attention(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout: float, causal: bool, scale: float | None,
    invariant: bool = False,
) -> Tensor:  # fmt: skip
    # Literals: a compiler takes the fields of a global value for inputs of its graph.
    options = Options(False, causal, (-1, -1), "top_left", 0, scale, 0.0, dropout, "bhsd", None, None, invariant)
    bias = None if mask is None else bias_of(mask, q, k, invariant)
    found: Tensor = attend(q, k, v, Extras(bias, seed_of(dropout, q)), options, False)
    return found


def bias_of(mask: Tensor, q: Tensor, k: Tensor, always: bool = False) -> Tensor:
    """Return the mask as an additive one with four dimensions; shared batches and heads stay shared.

    On a GPU it gets rows of its own that begin at multiples of 16 bytes, which the fastest kernels ask for: what is
    made of a boolean mask, and a copy of numbers that lie otherwise, if there are enough rows to gain from it. With
    `always` that holds for any number of rows, so that all of them have the same kernels.
    """
    rows, keys = q.shape[2], k.shape[2]
    mask = mask.reshape((1,) * (4 - mask.dim()) + tuple(mask.shape))
    spread = mask.is_cuda and (always or rows >= COPIED_ROWS)
    further = -keys % ROW_ELEMENTS if spread else 0
    if mask.dtype is torch.bool:
        if spread:
            mask = mask.expand(-1, -1, rows, keys)
        zero = torch.zeros((), dtype=q.dtype, device=q.device)
        mask = torch.where(functional.pad(mask, (0, further)) if further else mask, zero, float("-inf"))[..., :keys]
    elif spread and (mask.shape[2] == 1 or mask.stride(2) % ROW_ELEMENTS or not mask.stride(2)):
        mask = functional.pad(mask.expand(-1, -1, rows, keys), (0, further))[..., :keys]
    return mask.expand(-1, -1, rows, keys)


def _why_left(q: Any, k: Any, v: Any, mask: Any, causal: bool, grouped: bool) -> str | None:
    reason = why_left(q, k, MATMUL) or why_left(q, v, MATMUL)
    if reason is not None:
        return reason
    if q.dim() != 4 or k.dim() != 4 or v.dim() != 4:
        return "queries, keys or values have not four dimensions"
    if q.shape[1] != k.shape[1] and not grouped:
        return "the heads differ, without enable_gqa"
    if q.shape[0] != k.shape[0]:
        return "the batches differ"
    if max(q.shape[3], v.shape[3]) > MAX_HDIM:
        return f"heads are wider than {MAX_HDIM}"
    if q.stride(3) != 1 or k.stride(3) != 1 or v.stride(3) != 1:
        return "the last dimension of queries, keys or values is not dense"
    if mask is not None and causal:
        return "a mask and is_causal"
    return None if mask is None else _why_left_mask(mask, q)


def _why_left_mask(mask: Any, q: Any) -> str | None:
    if (laid_out := why_layout(mask)) is not None:
        return laid_out
    if mask.dtype is not torch.bool and mask.dtype is not q.dtype:
        return f"the mask is {mask.dtype}, the queries {q.dtype}".replace("torch.", "")
    if not 2 <= mask.dim() <= 4 or mask.shape[-1] == 1:
        return f"the mask has shape {tuple(mask.shape)}"
    return None


def _note(reason: str) -> None:
    """Record a call that is left to torch: in the reports of the patches in force, or as that of a function."""
    for report in list(_reports):
        report.note_left(PATH, reason)
    if not _reports:
        note_left("sdpa", reason)


@contextlib.contextmanager
def torchs_own() -> Iterator[None]:
    """Let torch's function be in its place meanwhile."""
    with _lock:
        replaced, functional.scaled_dot_product_attention = functional.scaled_dot_product_attention, torchs
        try:
            yield
        finally:
            functional.scaled_dot_product_attention = replaced


def _note_call() -> None:
    """Record the first call in the time of each patch."""
    with _lock:
        while _uncalled:
            _uncalled.pop().uncalled.discard(PATH)


def is_invariant() -> bool:
    """Return whether a patch in force wants results that do not depend on the batch.

    >>> is_invariant()
    False
    """
    return _invariant


def follow(report: Report) -> None:
    """Let the report of the model whose call begins decide. A call that is ours for one may be torch's for another."""
    global _deciding, _names
    if _deciding is not report and report in _reports:
        _deciding, _names = report, report.names


def _forget_names(report: Report) -> None:
    """Forget which calls are ours for good: another patch may decide otherwise about the same ones."""
    for names in (_names, *(other.names for other in (*_reports, report))):
        names.clear()


def install(report: Report, called: bool) -> None:
    """Put `sdpa` in the place of torch's function, for one more patch, whose model surely calls it or not."""
    global _fast_path, _invariant
    with _lock:
        _forget_names(report)
        _invariant = _invariant or report.invariant
        if not called:
            report.uncalled.add(PATH)
            _uncalled.append(report)
        if not _reports:
            _fast_path = torch.backends.mha.get_fastpath_enabled()
            torch.backends.mha.set_fastpath_enabled(False)
            functional.scaled_dot_product_attention = sdpa
        _reports.append(report)


def remove(report: Report) -> None:
    """Take `sdpa` back for one patch; the last one restores torch's function."""
    global _deciding, _invariant, _names
    with _lock:
        _forget_names(report)
        _reports.remove(report)
        if _deciding is report:
            _deciding, _names = None, {}
        _invariant = any(other.invariant for other in _reports)
        if report in _uncalled:
            _uncalled.remove(report)
        if not _reports:
            torch.backends.mha.set_fastpath_enabled(_fast_path)
            functional.scaled_dot_product_attention = torchs
