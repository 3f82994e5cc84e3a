"""The call path of all public functions: tensors -> keys -> prepared launch, or -> views -> problem -> plan -> launch.

A public function says what it asks for (`Asked`), and `public` computes it: a call in the words of an earlier one, on
tensors that look like those, is one call into C. An op's front end is a `Description`: how its arguments become a
problem, and the shape of its results. Each call checks the contents of index tensors, and whether written memory
overlaps other tensors; the op declares these tensors.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, wraps
from math import prod
from typing import Any, NamedTuple, ParamSpec

from ..dispatcher import Dispatcher, content_mistakes
from ..errors import ProblemError, TensorError, TilewrightError
from ..jit.arrays import is_torch, view_at
from ..jit.memo import Record, make_memo, register_tensor_types
from ..model.device import memory_of
from ..model.dtype import numpy_dtype
from ..model.expr import UntraceableError
from ..model.problem import Problem
from ..model.tensor import TensorView, extents_overlap
from ..ops import get_op
from ..plan import PreparedCalls
from . import default
from .call_series import keep_series
from .call_template import CallTemplate, CallTemplates, Places, Sizes, address_of, dense, tensor_key
from .default import chosen

P = ParamSpec("P")
log = logging.getLogger("tilewright")
ABSENT = (None, 0)  # the key of a tensor that is not given
Tensors = dict[str, Any]
Views = dict[str, TensorView]


@dataclass(frozen=True)
class Result:
    """A tensor that a call creates: strides in elements, None if it is dense in the order of its shape."""

    shape: tuple[int, ...]
    dtype: str
    strides: tuple[int, ...] | None = None


def plain_view(tensor: Any, role: str, place: str | None, choices: Mapping[str, Any]) -> TensorView:
    """Return the view of a tensor as it is."""
    return view_at(tensor, role, place)


@dataclass(frozen=True, eq=False)
class Description:
    """How the arguments of one kind of call become a problem. Compared by identity.

    `choices` names the options of a call besides its tensors, in the order of the values for `run`. `pose` makes the
    problem from tensors, their views and the options by name; results may be absent. `result` describes a result that
    the caller did not give. `view` makes the view of a tensor. `places` says where sizes are found that change from
    call to call, for the choices of a call by name.
    """

    op: str
    choices: tuple[str, ...]
    pose: Callable[..., Any]
    result: Callable[[Any, str, Views, Mapping[str, Any]], Result]
    view: Callable[[Any, str, str | None, Mapping[str, Any]], TensorView] = plain_view
    places: Callable[[Mapping[str, Any]], Places] | None = None


class Asked(NamedTuple):
    """What a call of a public function asks for: the arguments of `run`, and the roles of what it returns."""

    kind: Description
    given: Tensors
    choices: tuple[Any, ...]
    dispatcher: Any
    device: Any
    results: str | tuple[str, ...]


def public(asks: Callable[P, Any]) -> Callable[P, Any]:
    """Return the function that computes what `asks` asks for with an `Asked`; it has the name and signature of `asks`.

    The C launcher finds a call of the default dispatcher by the arguments as they are written, without looking at what
    the options mean.
    """

    @wraps(asks)
    def function(*arguments: P.args, **options: P.kwargs) -> Any:
        where = default.made
        if where is not None and (memo := where.calls.in_c) is not None:
            result = memo.again(asks, arguments, options)
            if result is not None:
                return result
        asked = asks(*arguments, **options)
        given = run(*asked[:5], written=(asks, arguments, options, asked.results))
        if isinstance(asked.results, str):
            return given[asked.results]
        return tuple([given[role] for role in asked.results])

    return function


def run(
    kind: Description, given: Tensors, choices: tuple[Any, ...], dispatcher: Any = None, device: Any = None, *,
    written: tuple[Any, ...] = (),
) -> Tensors:  # fmt: skip
    """Compute, and return `given` with the missing results (None) filled in.

    `given` holds every tensor of this kind of call by role, always in the same order. `written` is the call as
    `Memo.run` takes it, if it may be found by its arguments.
    """
    where = default.made if dispatcher is None else dispatcher
    if not isinstance(where, Dispatcher):  # there is no default one yet, or something else was given
        where = chosen(dispatcher)
    where.follow_mode()
    calls = where.calls  # taken before the choice: a change of the registry meanwhile leaves this entry behind
    asked: tuple[Any, ...] = (kind, choices, device)
    if written:  # choices of a user, who may write True for 1.0: equal, and yet refused
        asked = (*asked, types_in(choices))
    if calls.in_c is not None and calls.in_c.run(asked, given, *(written if dispatcher is None else ())):
        return given
    seen: list[Any] = [ABSENT if tensor is None else tensor_key(tensor) for tensor in given.values()]
    if None in seen:
        return _Request(kind, given, choices, where, device).run(calls, None)
    key = (asked, *[tensor for tensor, _ in seen])
    addresses = [address for _, address in seen]
    prepared = calls.find(key)
    if prepared is not None and prepared.run(given, addresses):
        prepared.keep_in_c(calls, asked, given)  # again: the launches in C may belong to another stream
        return given
    return _new(kind, given, choices, where, device, calls, key, addresses)


def types_in(choices: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the type of each choice, and of what is inside of tuples.

    >>> types_in((1, (True, 2.0)))
    (<class 'int'>, (<class 'bool'>, <class 'float'>))
    """
    return tuple([types_in(x) if type(x) is tuple else type(x) for x in choices])


def _new(
    kind: Description, given: Tensors, choices: tuple[Any, ...], where: Dispatcher, device: Any, calls: PreparedCalls,
    key: tuple[Any, ...], addresses: list[int],
) -> Tensors:  # fmt: skip
    """Compute a call whose tensors look like none before: like one of other sizes, or the whole way."""
    whole = partial(_Request, kind, given, choices, where, device)
    if kind.places is None:
        return whole().run(calls, key)
    try:
        known = calls.templates.get(key[0])
    except TypeError:  # an option cannot be hashed: the whole way refuses it, by its name
        return whole().run(calls, key)
    if known is None:
        places = kind.places(dict(zip(kind.choices, choices, strict=True)))
        if not places:  # no size that may change
            return whole().run(calls, key)
        known = CallTemplates(places, given)
        calls.keep_templates(key[0], known)
    sizes = known.sizes(key[1:])
    if sizes is None:
        return whole().run(calls, key)
    request = None if sizes in known else whole()
    template = known.find(sizes) if request is None else request.template(known.places, sizes, key[0])
    seen = {} if request is None else request.views
    prepared = None if template is None else _like(template, sizes, given, addresses, where, seen)
    if prepared is None:
        found = None if template is None else template.posed(sizes.sizes)
        (request or whole()).run(calls, key, None if found is None else found[0])
    if request is not None:
        register_tensor_types(given.values())  # calls like this one have tensors of the same types
        known.keep(sizes, template)
    if template is not None and prepared is not None:
        prepared.keep(calls, key, given)
        field = template.grown(sizes.sizes)
        if field is not None and calls.in_c is not None:
            keep_series(calls.in_c, key, prepared, given, template, known, sizes.sizes, field, where)
    return given


def _like(
    template: CallTemplate, sizes: Sizes, given: Tensors, addresses: list[int], where: Dispatcher, seen: Views
) -> Prepared | None:
    """Return the launch of a call by its template; None if it has to go the whole way.

    `seen` has the views of the call that the template is made of: a library may want to see its tensors.
    """
    found = template.posed(sizes.sizes)
    if found is None:
        return None
    problem, rows = found
    makers = template.makers(rows)
    for role, place, make in makers:
        given[role] = made = make()
        addresses[place] = address_of(made)
    plan, views = where.plan(problem), template.views(rows, addresses)
    if seen:
        views = {role: replace(v, owner=seen[role].owner if role in seen else given[role]) for role, v in views.items()}
    call = plan.prepared_call(views) if plan.candidate is not None else None
    fits = call is not None and hasattr(call, "run_pointers")
    prepared = Prepared.like(call, template, rows, makers) if fits else None
    if prepared is None or not prepared.launch(addresses):
        given.update((role, None) for role, _, _ in makers)
        return None
    return prepared


def remembered(asked: tuple[Any, ...], given: Tensors) -> bool:
    """Compute if the C launcher knows such a call of the default dispatcher; `given` then holds the results.

    `asked` is (kind, choices, device), as `run` keeps it.

    >>> remembered(("nothing", (), None), {"a": None})
    False
    """
    where = default.made
    return where is not None and where.calls.in_c is not None and where.calls.in_c.run(asked, given)


class Prepared:
    """A launch for tensors with one key, and what must still be checked each time."""

    __slots__ = ("_extents", "_made", "_on_tensors", "_order", "_read", "_run", "_unfit", "_written", "call")

    def __init__(
        self,
        call: Any,
        problem: Problem,
        roles: Sequence[str],
        views: Views,
        made: Mapping[str, Callable[[], Any]],
        read: bool,
    ) -> None:
        op = get_op(problem.op)
        self.call, self._run = call, getattr(call, "run_pointers", None) or call.run_tensors
        self._on_tensors = not hasattr(call, "run_pointers")  # a library that takes nothing else
        self._order = [roles.index(role) for role in op.roles(problem)]
        self._extents = tuple(views[role].extent if role in views else (0, 0) for role in roles)
        self._made = [(role, roles.index(role), make) for role, make in made.items()]
        self._written = _written_ranges(problem, roles, {r: v for r, v in views.items() if r not in made})
        self._read = problem if read and any(role in views for role in op.index_roles) else None
        self._unfit = self._read is not None  # C cannot check contents that must be read each time

    @classmethod
    def like(
        cls, call: Any, template: CallTemplate, rows: Any, makers: list[tuple[str, int, Callable[[], Any]]]
    ) -> Prepared:
        """Return the launch of a call like one of other sizes; `rows` describes its tensors."""
        made = cls.__new__(cls)
        made.call, made._run = call, call.run_pointers
        made._order, made._extents = template.order, template.extents(rows)
        made._made, made._written = makers, template.written(made._extents)
        made._read, made._unfit, made._on_tensors = None, False, False
        return made

    def keep(self, calls: PreparedCalls, key: tuple[Any, ...], given: Tensors) -> None:
        """Keep the launch for calls whose tensors look the same."""
        calls.keep(key, self)
        self.keep_in_c(calls, key[0], given)

    def run(self, given: Tensors, addresses: list[int]) -> bool:
        """Make the results and launch, unless written memory overlaps another tensor; planning then reports it."""
        if self._overlaps(addresses):
            return False
        if self._read is not None:
            _refuse(self._read, content_mistakes(self._read, given))
        for role, place, make in self._made:
            made = given[role] = make()
            addresses[place] = address_of(made)
        values = [*given.values()] if self._on_tensors else addresses
        self._run(*[values[i] for i in self._order])
        return True

    def launch(self, addresses: list[int]) -> bool:
        """Launch on tensors that are all there, unless written memory overlaps another tensor."""
        if self._overlaps(addresses):
            return False
        self._run(*map(addresses.__getitem__, self._order))
        return True

    def _overlaps(self, addresses: list[int]) -> bool:
        """Return whether written memory overlaps another tensor that it must not be."""
        for out, low, high, others in self._written:
            at = addresses[out]
            for other, first, last, may_be_same in others:
                address = addresses[other]
                if extents_overlap(address, (first, last), at, (low, high)) and not (may_be_same and address == at):
                    return True
        return False

    def tensors(self, given: Tensors) -> Tensors:
        """Return the tensors as a call gives them: without those that it makes."""
        found = dict(given)
        for role, _, _ in self._made:
            found[role] = None
        return found

    def record(self, given: Tensors) -> Record:
        """Return the launch as the C launcher's memo keeps it."""
        makers: list[Callable[[], Any] | None] = [None] * len(given)
        for _, place, make in self._made:
            makers[place] = maker_by_sample(make)
        native = getattr(self.call, "in_c", None)  # launches on a GPU, if the driver can be called from C
        written, same_memory = list[int](), list[tuple[int, int]]()
        for out, _, _, others in self._written:
            written.append(out)
            same_memory += [(out, other) for other, _, _, same in others if same]
        call = (native() if native is not None else None) or self.call
        return Record(call, self._extents, tuple(written), tuple(same_memory), tuple(makers), tuple(self._order))

    def keep_in_c(self, calls: PreparedCalls, asked: tuple[Any, ...], given: Tensors) -> None:
        """Keep the launch in the C launcher's memo too, which then runs calls like this one without Python."""
        if self._unfit:
            return
        tensors = self.tensors(given)
        in_c = calls.in_c = calls.in_c if calls.in_c is not None else make_memo(deterministic=calls.deterministic)
        self._unfit = in_c is None or not in_c.keep(asked, tensors, *self.record(given))


Written = tuple[int, int, int, list[tuple[int, int, int, bool]]]


def _written_ranges(problem: Problem, roles: Sequence[str], views: Views) -> list[Written]:
    """Return the byte range of each written tensor, and every other tensor that could overlap it.

    Tensors are named by their place in `roles`; the last value says whether the two may share memory.
    """
    op, found = get_op(problem.op), []
    may_alias = op.may_alias(problem)
    for role in (r for r in op.out_roles(problem) if r in views):
        out, others = views[role], []
        for other, view in views.items():
            if other != role:
                same = (view.dtype, view.shape, view.strides) == (out.dtype, out.shape, out.strides)
                others.append((roles.index(other), *view.extent, same and may_alias.get(other) == role))
        found.append((roles.index(role), *out.extent, others))
    return found


def _is_tensor(value: Any) -> bool:
    """Return whether a value is an array of some library, also one without dimensions; NumPy's numbers are none."""
    found = 0 if isinstance(value, type) else getattr(value, "ndim", 0)
    return hasattr(value, "__dlpack__") or (isinstance(found, int) and found > 0)


class _Request:
    """A call that is not prepared: views, the problem, every mistake at once, the plan."""

    def __init__(
        self, kind: Description, given: Tensors, choices: tuple[Any, ...], dispatcher: Dispatcher, device: Any
    ) -> None:
        self.kind, self.op, self.given, self.dispatcher = kind, get_op(kind.op), given, dispatcher
        self.choices = dict(zip(kind.choices, choices, strict=True))
        tensors = [name for name, value in self.choices.items() if _is_tensor(value)]
        if tensors:
            raise ProblemError(f"{kind.op}: {tensors[0]} is a tensor; it is an option", remedy="give one value")
        self.place = device if device is None else str(device)  # of torch too
        self.views = {role: self._view(t, role) for role, t in given.items() if t is not None}

    def run(self, calls: PreparedCalls, key: tuple[Any, ...] | None, known: Problem | None = None) -> Tensors:
        """Plan and launch; keep the launch under `key`. `known` is the problem by a template: its plan serves here."""
        problem, made = self.posed()
        if known == problem:
            problem = known
        mistakes = self.op.mismatches(problem, self.views)
        read = memory_of(problem.device) == "cpu" or self.dispatcher.settings.strict  # copied from a GPU in strict mode
        if not mistakes and read:
            mistakes = content_mistakes(problem, self.given)
        _refuse(problem, mistakes)
        plan = self.dispatcher.plan(problem)
        views = {role: self.views[role] for role in self.op.roles(problem)}
        call = plan.prepared_call(views) if key is not None and plan.candidate is not None else None
        if call is None or not hasattr(call, "run_pointers"):
            plan.bind(views)()
        else:
            call.run_pointers(*(view.address for view in views.values()))
        if call is not None and key is not None:
            register_tensor_types(self.given.values())
            Prepared(call, problem, [*self.given], views, made, read).keep(calls, key, self.given)
        return self.given

    def template(self, places: Places, sizes: Sizes, asked: Any) -> CallTemplate | None:
        """Return this call as a template of others; None if it cannot be one."""
        if any(role in self.views for role in self.op.index_roles):
            return None
        make = partial(maker, next((t for t in self.given.values() if t is not None), None))
        try:
            return CallTemplate(
                self.kind, self.given, self.views, self.choices, make, places, sizes.sizes, (asked, sizes.key)
            )
        except (UntraceableError, TilewrightError) as error:  # the whole way says what is wrong with the call
            log.debug("calls of other sizes go the whole way: %s", error)
            return None

    def posed(self) -> tuple[Any, dict[str, Callable[[], Any]]]:
        """Return the problem with the strides of all tensors, and makers of the missing results."""
        given = {role: t for role, t in self.given.items() if t is not None}
        problem = self.kind.pose(given, self.views, **self.choices)
        like = next(iter(given.values()), None)
        absent = [role for role in self.op.out_roles(problem) if role not in self.views]
        results = {role: self.kind.result(problem, role, self.views, self.choices) for role in absent}
        made = {role: maker(like, result) for role, result in results.items()}
        for role, make in made.items():
            self.given[role] = make()
            self.views[role] = self._view(self.given[role], role)
        return (self.op.fitted(problem, self.views) if made else problem), made

    def _view(self, tensor: Any, role: str) -> TensorView:
        return self.kind.view(tensor, role, self.place, self.choices)


def _refuse(problem: Problem, mistakes: list[str]) -> None:
    if mistakes:
        raise TensorError.of(f"tensors of {problem.label()}", mistakes)


def hashable(value: Any) -> Any:
    """Return a choice of the caller as a value that can be a key: lists become tuples.

    >>> hashable([1, 2]), hashable([(0, 1), [2]])
    ((1, 2), ((0, 1), (2,)))
    """
    return tuple(map(hashable, value)) if isinstance(value, (list, tuple)) else value


def maker(like: Any, result: Result) -> Callable[[], Any]:
    """Return a function that makes a new tensor: of torch, and on its device, if `like` is; else of NumPy.

    >>> maker(None, Result((2, 3), "fp32", (1, 2)))().strides
    (4, 8)
    """
    dtype = numpy_dtype(result.dtype)
    if is_torch(like):
        import torch

        options = {"dtype": getattr(torch, dtype.name), "device": like.device}
        strides = dense(result.shape) if result.strides is None else result.strides
        return partial(torch.empty_strided, result.shape, strides, **options)  # faster than `torch.empty`
    import numpy as np

    if result.strides is None:
        return partial(np.empty, result.shape, dtype)
    return partial(_strided, result.shape, result.strides, dtype)


def maker_by_sample(make: Any) -> Callable[[], Any]:
    """Return a maker of the same tensors with one argument, a sample without memory, if they are torch's on the host.

    Four arguments take three times as long to read if caches are cold.

    >>> import torch
    >>> maker_by_sample(maker(torch.ones(1), Result((2, 3), "fp32", (1, 2))))().stride()
    (1, 2)
    """
    device = make.keywords.get("device")
    if device is None or device.type != "cpu":
        return make
    import torch

    sample = make()
    sample.untyped_storage().resize_(0)
    return partial(torch.empty_like, sample)


def _strided(shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any) -> Any:
    """Return a new array of NumPy whose strides, in elements, are a permutation of dense ones."""
    import numpy as np

    return np.ndarray(shape, dtype, np.empty(prod(shape), dtype), 0, [s * dtype.itemsize for s in strides])
