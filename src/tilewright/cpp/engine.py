"""Selection over the kernels of a bundle: what a problem is, which kernels may run it, which is best, and its launch.

This module is ordinary Python and runs as such in tests. It is also translated to C++, together with the definitions
that it calls, into the library that a bundle carries. Requests and answers are plain JSON data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from ..backends import SMALLEST
from ..backends.formula_cost import ASSUMED, DEVICE, launch_numbers, least_seconds
from ..errors import ProblemError, SelectionError, UnknownNameError
from ..model.canonical import canonical, canonical_json
from ..model.device import Device
from ..model.json_text import Json
from ..model.kernel import Candidate, KernelSpec, Launch
from ..model.rule import Rule, Subject
from ..model.tensor import reach_of
from ..ops import NOTES, form_mistakes
from ..ops.gemm.epilogue import d_tensor
from ..ops.gemm.prologue import prologue_of
from ..select.features import family_of
from .archs import ARCHS

Posed = Any  # a problem of any of the ops in `parts`
GRID_SLOTS = 2
SELECTORS = ("first_fit", "rules", "cost", "learned")
LEARNED = ("prices of model", "model", "the cost model, corrected by model", "the first trees of model")
ALIASES = {"grouped_conv": "conv"}


@dataclass(frozen=True)
class Parts:
    """What selection needs of an op: the op itself and a backend's definitions.

    `grid` belongs to kernels with the C ABI; `prepare` records the launches of GPU kernels (see `gpu`).
    """

    op: Any
    signature: type
    algorithm: type
    rules: tuple[Rule, ...]
    launches: Callable[..., Sequence[Launch]]
    grid: Callable[..., tuple[int, ...]]
    numbers: Callable[[Any], Any] | None
    predict: Callable[..., float] | None
    preference: Callable[..., Any] | None
    delegate: Callable[..., Any]
    prepare: Callable[..., tuple[int, list[Any]]] | None = None
    counted_seconds: Callable[..., float] | None = None
    most_launches: int = 0  # of each kernel, those with the smallest predicted times; 0: all


@dataclass(frozen=True)
class Kernel:
    """A kernel of a bundle: its spec, its signature as text, and its numbers in the formulas of the cost model.

    A predicted time is multiplied by `factor` and rests on `basis`, if there is one. A kernel with `counted` numbers is
    judged by `Parts.counted_seconds` instead.
    """

    place: int
    spec: KernelSpec
    signature: str
    numbers: tuple[float, ...]
    factor: float = 1.0
    basis: str = ""
    counted: Mapping[str, float] | None = None

    @property
    def reason(self) -> str:
        """Why the cost model prefers this kernel."""
        return f"{SMALLEST}, {self.basis}" if self.basis else SMALLEST


def all_parts() -> Mapping[str, Parts]:
    """Return the definitions of every op of a backend: here the CPU's; the programs of others have their own."""
    from .parts import PARTS

    return PARTS


def parts_of(name: Any) -> Parts:
    """Return the definitions of an op."""
    known = all_parts()
    found = known.get(ALIASES.get(name, name)) if isinstance(name, str) else None
    if found is None:
        raise UnknownNameError("op", name, [n for n in (*known, *ALIASES) if ALIASES.get(n, n) in known])
    return found


def problem_of(data: Mapping[str, Any]) -> Any:
    """Return the problem of its JSON form."""
    if not isinstance(data, dict) or "op" not in data:
        raise ProblemError("the problem has no op", remedy='give "op"')
    wrong = form_mistakes(data)
    if wrong:
        raise ProblemError.of("the problem", wrong)
    stated = {name: value for name, value in data.items() if name not in NOTES}  # of a captured problem
    if stated.get("summation", "any") != "any":
        raise ProblemError("a bundle has no invariant results", remedy="omit summation, or use the Python package")
    if data["op"] == "gemm" and stated.get("groups", 0) != 0:
        raise ProblemError("a bundle has no products in groups", remedy="pose one problem for each group")
    problem = parts_of(data["op"]).op.problem_from_dict(stated)
    check_place(problem)
    return problem


def check_place(problem: Posed) -> None:
    """Raise `ProblemError` if a problem is not on the CPU; the programs of GPUs accept any place."""
    if problem.device != "cpu":
        raise ProblemError(f"the problem is on {problem.device}; this bundle runs on cpu", remedy="leave device out")


def describe(data: Mapping[str, Any]) -> Json:
    """Return what a caller has to know of a problem: its key, tensors, work, and whether nothing is to do."""
    problem = problem_of(data)
    op = parts_of(problem.op).op
    written = op.out_roles(problem)
    return {
        "op": problem.op,
        "key": problem.exact_key,
        "label": problem.label(),
        "empty": op.is_empty(problem),
        "flops": problem.flops,
        "bytes": problem.bytes,
        "tensors": [
            {"role": role, "written": role in written, **tensor_facts(problem, role)} for role in op.roles(problem)
        ],
        "aliases": sorted(op.may_alias(problem)),
        "index_limits": index_limits(problem),
        "problem": problem.to_dict(),
    }


def tensor_facts(problem: Posed, role: str) -> Json:
    """Return dtype, shape, strides and the elements that a tensor spans."""
    if problem.op == "conv":
        extents, strides, dtype = problem.extents(role), problem.stride_of(role), problem.dtype(role)
    elif problem.op == "fmha":
        extents, strides, dtype = problem.shape(role), problem.stride(role), problem.dtype_of(role)
    elif role.startswith("scale"):
        extents, dtype = problem.shape(role), problem.dtype(role)
        strides = problem.stride(role)[-len(extents) :] if len(extents) > 1 else problem.strides.get(role, (1,))[:1]
    else:
        extents, strides, dtype = (problem.batch, *problem.shape(role)), problem.stride(role), problem.dtype(role)
        if len(strides) == 3 and role not in problem.strides and problem.batch > 1:
            strides = (reach_of(extents[1:], strides[1:]) + 1, *strides[1:])
    span = reach_of(extents, strides) + 1 if prod(extents) else 0
    packed = problem.op == "gemm" and role == "b" and problem.b_format != "plain"
    if packed:
        span = 0  # only the kernel knows the size of its panels
    return {"dtype": dtype, "shape": list(extents), "strides": list(strides), "span": span, "packed": packed}


def index_limits(problem: Posed) -> Json:
    """Return what bounds the lengths and tables of a problem, as `ops.fmha.contents` reads it; empty if it has none."""
    if problem.op != "fmha":
        return {}
    names = ("batch", "seqlen_q", "seqlen_k", "seqlen_new", "total_q", "total_k", "page_size", "num_pages")
    return {name: getattr(problem, name) for name in names}


def load(rows: Sequence[Mapping[str, Any]]) -> tuple[Kernel, ...]:
    """Return the kernels of a bundle from the rows of its manifest."""
    return tuple(_kernel(place, row) for place, row in enumerate(rows))


def _kernel(place: int, row: Mapping[str, Any]) -> Kernel:
    data = row["spec"]
    parts = parts_of(data["op"])
    fields = {name: _as_tuple(value) for name, value in data["signature"].items()}
    if "d" in fields:
        fields["d"] = tuple(d_tensor(d) for d in fields["d"])
    for name in ("prologue_a", "prologue_b"):
        if name in fields:
            fields[name] = prologue_of(fields[name])
    signature, algorithm = parts.signature(**fields), parts.algorithm(**data["algorithm"])
    spec = KernelSpec(data["op"], data["backend"], data["arch"], signature, algorithm)
    cost = (row.get("factor", 1.0), row.get("basis", ""), row.get("counted"))
    return Kernel(place, spec, canonical_json(signature), tuple(row["numbers"]), *cost)


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def arch_named(name: str) -> Any:
    """Return the facts of an arch."""
    if name not in ARCHS:
        raise UnknownNameError("arch", name, ARCHS)
    return ARCHS[name]


def device_numbers(device: Device, dtype: str) -> tuple[float, ...]:
    """Return the numbers of a device in the order of the formulas; see `backends.formula_cost.device_numbers`."""
    arch = arch_named(device.arch)
    rate = arch.ops_per_cycle.get(dtype) or arch.ops_per_cycle.get("fp16") or 1.0
    values = (device.units, device.threads, device.clock_mhz * 1e6, device.bandwidth_gbps * 1e9, device.l1_bytes,
              device.l2_bytes, device.llc_bytes, getattr(arch, "lanes", 1), rate)  # fmt: skip
    return tuple(float(v) or ASSUMED.get(name, 1.0) for name, v in zip(DEVICE, values, strict=True))


def least_of(device: Device, p: Mapping[str, float], d: Sequence[float]) -> float:
    """Return the seconds that no prediction for an AMD GPU is below; see `CountedOp.least_seconds`."""
    if arch_named(device.arch).kind != "amd":
        return 0.0
    return least_seconds(p, dict(zip(DEVICE, d, strict=True)))


def formula_us(
    op: str, kernel: Sequence[float], launch: Sequence[float], p: Sequence[float], d: Sequence[float]
) -> Any:
    """Return the predicted microseconds of an op's formulas; C++ has them as generated code."""
    from .formulas import python_formula

    return python_formula(op, kernel, launch, p, d)


def learned_scores(
    family: str,
    backend: str,
    arch: str,
    kernels: Sequence[Sequence[float]],
    launches: Sequence[Sequence[float]],
    p: Sequence[float],
    d: Sequence[float],
) -> Any:
    """Return (seconds, score, what predicted, model) of each candidate by a trained model; None if there is none.

    C++ has the models of the bundle as data. In Python `select.learned` does the same.
    """
    raise SelectionError("models are used by the selector 'learned' of the dispatcher")


def rank(kernels: Sequence[Kernel], request: Mapping[str, Any]) -> Json:
    """Return candidates, best first, and the rules that removed the others.

    `request` has `problem`, `device`, `selector`, and `order`: the places of the kernels to consider. `limit` bounds
    the listed candidates; 0 lists all.
    """
    problem, device = problem_of(request["problem"]), Device(**request["device"])
    selector, parts = request["selector"], parts_of(problem.op)
    if selector not in SELECTORS:
        raise UnknownNameError("selector", selector, SELECTORS)
    wanted, considered = canonical_json(problem.signature), 0
    found: list[tuple[Kernel, Launch]] = []
    rejected = []
    for place in request["order"]:
        kernel = kernels[place]
        if kernel.spec.op != problem.op or kernel.signature != wanted:
            continue
        considered += 1
        said = broken_rules(parts.rules, kernel.spec, problem)
        if said:
            rejected.append({"kernel": kernel.place, "rules": said})
        else:
            found += [(kernel, launch) for launch in _launches(parts, kernel, problem, device)]
    scored = _scored(selector, parts, found, problem, device)
    limit = request.get("limit", 0)
    listed = scored[:limit] if limit else scored
    return {
        "considered": considered,
        "candidates": len(found),
        "ranked": [
            {"kernel": kernel.place, "launch": canonical(launch), "score": score, "seconds": seconds, "reason": reason}
            for score, kernel, launch, seconds, reason in listed
        ],
        "rejected": rejected,
    }


def _launches(parts: Parts, kernel: Kernel, problem: Posed, device: Device) -> Sequence[Launch]:
    """Return the launches of a kernel that are worth considering."""
    found = parts.launches(kernel.spec, problem, device)
    if not parts.most_launches or len(found) == 1 or parts.numbers is None:
        return found
    p = tuple(float(x) for x in parts.numbers(problem).values())
    d = device_numbers(device, problem.operand_dtype)
    timed = [(formula_us(problem.op, kernel.numbers, launch_numbers(x), p, d), i) for i, x in enumerate(found)]
    return [found[i] for _, i in sorted(timed)[: parts.most_launches]]


def broken_rules(rules: Sequence[Rule], spec: KernelSpec, problem: Posed) -> list[Json]:
    """Return every rule about problems that a kernel breaks, with its values and remedy."""
    subject = Subject(spec, arch_named(spec.arch), problem)
    found = []
    for rule in rules:
        broken = rule.check(subject)
        if broken is not None:
            values = {name: _plain(value) for name, value in broken.values.items()}
            found.append({"rule": rule.id, "message": broken.message, "values": values, "remedy": broken.remedy})
    return found


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, (tuple, list)) else value


def _scored(
    selector: str, parts: Parts, found: list[tuple[Kernel, Launch]], problem: Posed, device: Device
) -> list[Any]:
    """Return (score, kernel, launch, seconds, reason), smallest score first; ties by the candidate's key."""
    if selector == "first_fit":
        return [(i, k, launch, None, f"number {i} in the registry's order") for i, (k, launch) in enumerate(found, 1)]
    rows: list[Any] = []
    asked = parts.op.rounded(problem, parts.prepare is None)  # as `select.rounded` does
    if selector == "learned":
        rows = _learned(parts, found, asked, device)
        if rows:
            return _in_order(rows)
    if selector == "rules" and parts.preference is not None:
        for kernel, launch in found:
            score, reason = parts.preference(Candidate(kernel.spec, launch), problem, device)
            rows.append((score, kernel, launch, None, reason))
    elif parts.numbers is not None:
        p = tuple(float(x) for x in parts.numbers(asked).values())
        d = device_numbers(device, problem.operand_dtype)
        least = least_of(device, parts.numbers(asked), d)
        for kernel, launch in found:
            seconds = formula_us(problem.op, kernel.numbers, launch_numbers(launch), p, d) * 1e-6 * kernel.factor
            if kernel.counted and parts.counted_seconds:
                seconds = parts.counted_seconds(kernel.counted, launch, parts.numbers(asked), d)
            seconds = max(seconds, least)
            rows.append((seconds, kernel, launch, seconds, kernel.reason))
    else:
        for kernel, launch in found:
            seconds = parts.predict(Candidate(kernel.spec, launch), asked, device) if parts.predict else 0.0
            rows.append((seconds, kernel, launch, seconds, kernel.reason))
    return _in_order(rows)


def _learned(parts: Parts, found: list[tuple[Kernel, Launch]], problem: Posed, device: Device) -> list[Any]:
    """Return (score, kernel, launch, seconds, reason) by a trained model; empty if none predicts this problem."""
    if parts.numbers is None or not found:
        return []
    p = tuple(float(x) for x in parts.numbers(problem).values())
    d = device_numbers(device, problem.operand_dtype)
    own, launches = [k.numbers for k, _ in found], [launch_numbers(launch) for _, launch in found]
    scores = learned_scores(family_of(problem), found[0][0].spec.backend, device.arch, own, launches, p, d)
    if scores is None:
        return []
    return [
        (score, kernel, launch, seconds, f"learned: {LEARNED[by]} {name}")
        for (kernel, launch), (seconds, score, by, name) in zip(found, scores, strict=True)
    ]


def _in_order(rows: list[Any]) -> list[Any]:
    """Sort by score; candidates of equal score by their key, which is computed only then."""
    rows = sorted(rows, key=lambda row: row[0])
    result: list[Any] = []
    tied: list[Any] = []
    for row in rows:
        if tied and tied[0][0] != row[0]:
            result += _by_key(tied)
            tied = []
        tied.append(row)
    return result + _by_key(tied)


def _by_key(tied: list[Any]) -> list[Any]:
    return tied if len(tied) < 2 else sorted(tied, key=lambda row: Candidate(row[1].spec, row[2]).key)


def lower(kernels: Sequence[Kernel], request: Mapping[str, Any]) -> Json:
    """Return the values of a launch in the C ABI: sizes, scalars, strides and launch choices by slot.

    `request` has `problem`, `kernel`, `launch` and `threads`, the number to use if the launch leaves it open.
    """
    problem, launch = problem_of(request["problem"]), launch_of(request["launch"])
    candidate = Candidate(kernels[request["kernel"]].spec, launch)
    roles = parts_of(problem.op).op.roles(problem)
    stands = parts_of(problem.op).delegate(candidate, problem)
    inner, solved, names = stands or (candidate, problem, {role: role for role in roles})
    parts = parts_of(solved.op)
    abi, own = parts.op.abi_for(solved), parts.op.roles(solved)
    threads = launch.threads or request["threads"]
    grid = parts.grid(inner, solved, threads)
    splits = max(launch.split_k, launch.num_splits)
    return {
        "digest": inner.spec.digest,
        "slots": {names[role]: abi.slot(role) for role in own},
        "sizes": list(parts.op.sizes(solved)),
        "scalars": list(parts.op.scalars(solved)),
        "strides": {str(abi.slot(role)): list(parts.op.strides(solved, role)) for role in own},
        "launch": [threads, splits, *grid, *([0] * (GRID_SLOTS - len(grid))), *launch.blocks],
        "threads": threads,
    }


def launch_of(data: Mapping[str, Any]) -> Launch:
    """Return a launch from its canonical form."""
    return Launch(**{name: _as_tuple(value) for name, value in data.items()})


def no_candidate(label: str, answer: Mapping[str, Any]) -> str:
    """Return why no kernel is left for a problem: the signature is not in the bundle, or rules removed all."""
    if not answer["considered"]:
        return f"no kernel of the bundle computes {label}"
    rules: dict[str, int] = {}
    for row in answer["rejected"]:
        for said in row["rules"]:
            rules[said["rule"]] = rules.get(said["rule"], 0) + 1
    counts = ", ".join(f"{name} removed {count}" for name, count in rules.items())
    return f"no kernel of the bundle is left for {label}: {counts}"


def best_of(kernels: Sequence[Kernel], request: Mapping[str, Any]) -> Json:
    """Return the best candidate, or raise `SelectionError` that says why there is none."""
    answer = rank(kernels, {**request, "limit": 1})
    if not answer["ranked"]:
        message = no_candidate(problem_of(request["problem"]).label(), answer)
        raise SelectionError(message, remedy="make a bundle with such a kernel, or change the problem")
    best: Json = answer["ranked"][0]
    return best


def choose(kernels: Sequence[Kernel], request: Mapping[str, Any]) -> Json:
    """Return the best candidate and its launch values, or raise `SelectionError` that says why there is none."""
    best = best_of(kernels, request)
    values = lower(kernels, {**request, "kernel": best["kernel"], "launch": best["launch"]})
    return {**values, **best, "values": values["launch"]}
