"""Fuzz targets for readers of specs, registries, sweeps and settings.

A target takes random choices, and may raise `TilewrightError` only. It raises `AcceptedError` if a value was taken
that a rule forbids: a silent acceptance.
"""

from __future__ import annotations

import json
import tempfile
import typing
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from fuzz_values import MARK, TEXTS, bad_value, changed, changed_text

from tilewright.arch import checks as arch_checks
from tilewright.arch.catalog import load_archs
from tilewright.backends import get_backend_op
from tilewright.backends.plain import set_from_dict, set_to_dict, spec_from_dict
from tilewright.cli.problems import read_problems
from tilewright.cli.sets import read_spec
from tilewright.model.canonical import canonical
from tilewright.model.json_text import parse_json
from tilewright.model.kernel import Launch, fields_from
from tilewright.model.sweep import Words, read_sweep
from tilewright.ops import get_op, problem_from_dict
from tilewright.ops.gemm import Epilogue
from tilewright.registry import Registry
from tilewright.settings import Settings
from tilewright.tune.measure.task import SweepPolicy
from tilewright.tune.measure.worker import task_from

CORPUS = Path(__file__).parent / "corpus"


class AcceptedError(AssertionError):
    """A value was taken that a rule forbids."""


@cache
def document(name: str) -> Any:
    return json.loads((CORPUS / name).read_text())


@cache
def specs() -> list[Any]:
    """Plain specs of every op that is lowered to C++, and of Triton's."""
    from tilewright.registry import default_registry

    found = []
    for data in document("problems.json"):
        problem = problem_from_dict(data)
        for arch in ("x86_64_v3", "gfx942", "sm_90"):
            from tilewright.dispatcher import nominal_device

            legal = default_registry().legal(problem, nominal_device(arch))
            found += [c.spec.to_dict() for c in legal[:: max(1, len(legal) // 3)] if c.spec.backend != "reference"]
    return found


@cache
def registry_document() -> Any:
    registry = Registry("fuzzed")
    for data in specs()[::3]:
        registry.add(spec_from_dict(data), priority=1, source="fuzz")
    for backend in ("cpu", "triton"):
        for op in ("gemm", "conv", "fmha"):
            registry.declare(get_backend_op(backend, op).default_sets()[0])
    return json.loads(json.dumps(registry.to_dict()))


def check_types(value: Any, path: str = "") -> None:
    """Raise if a dataclass holds a value that is not of its field's type; written apart from the code it judges."""
    hints = typing.get_type_hints(type(value))
    for f in fields(value):
        if not _is_a(getattr(value, f.name), hints[f.name]):
            raise AcceptedError(f"{path}{f.name} = {getattr(value, f.name)!r} in {type(value).__name__}")
        if is_dataclass(getattr(value, f.name)):
            check_types(getattr(value, f.name), f"{path}{f.name}.")


def _is_a(value: Any, kind: Any) -> bool:
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return True
    if inner and origin is tuple:
        members = [inner[0]] * len(value) if inner[-1] is ... else inner
        return type(value) is tuple and len(value) == len(members) and all(map(_is_a, value, members))
    if inner and type(None) in inner:
        return value is None or any(_is_a(value, k) for k in inner if k is not type(None))
    if kind in (int, bool, str, float):
        return type(value) is kind or (kind is float and type(value) is int)
    return isinstance(value, origin or kind)


def lowered(spec: Any) -> str:
    """The C++ of a kernel, or nothing for one of Triton's."""
    if spec.backend == "cpu":
        from importlib import import_module

        if getattr(spec.algorithm, "pipeline", "") == "gemm":
            return ""
        return str(import_module(f"tilewright.backends.cpu.{spec.op}.lower").source_of(spec))
    if spec.backend == "ck_tile":
        from tilewright.backends.ck_tile.ck_revision import REFERENCE
        from tilewright.backends.ck_tile.lower import lower

        made = lower(spec, REFERENCE)
        return str(made.header_text) + str(made.wrapper_text)
    return ""


def check_spec_is_clean(spec: Any) -> None:
    check_types(spec.signature)
    check_types(spec.algorithm)
    if MARK in json.dumps(spec.to_dict()) or MARK in lowered(spec):
        raise AcceptedError(f"{spec.name} carries text of a file")
    if spec_from_dict(json.loads(json.dumps(spec.to_dict()))) != spec:
        raise AcceptedError(f"{spec.name} is another after a round trip")


def json_text(rng: Random) -> None:
    parse_json(changed_text(rng.choice(document("problems.json")), rng), "a text")


def problem(rng: Random) -> None:
    found = problem_from_dict(changed(rng.choice(document("problems.json")), rng))
    check_types(found)
    if problem_from_dict(json.loads(json.dumps(found.to_dict()))).exact_key != found.exact_key:
        raise AcceptedError(f"{found.label()} is another after a round trip")
    for ask in (
        found.label,
        lambda: found.tuning_key,
        lambda: found.flops,
        lambda: found.bytes,
        lambda: found.signature,
    ):
        ask()


def problem_lines(rng: Random) -> None:
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        file.write(changed_text(rng.choice(document("problems.json")), rng))
        file.flush()
        read_problems([file.name])


def epilogue(rng: Random) -> None:
    check_types(Epilogue.parse(changed({"combine": "add", "activation": "relu", "alpha": 1.0, "beta": 2}, rng)))


def spec(rng: Random) -> None:
    found = spec_from_dict(changed(rng.choice(specs()), rng))
    check_types(found.signature)
    check_types(found.algorithm)
    Registry("one").add(found)
    check_spec_is_clean(found)


def spec_text(rng: Random) -> None:
    read_spec("{" + changed_text(rng.choice(specs()), rng).decode(errors="replace")[1:])


def made_spec(rng: Random) -> None:
    """A spec that Python made, not a file: `add` checks it all the same, and lowering refuses what slips past."""
    from dataclasses import replace

    good = spec_from_dict(rng.choice(specs()))
    part = rng.choice(("signature", "algorithm"))
    value = getattr(good, part)
    name = rng.choice([f.name for f in fields(value)])
    bad = bad_value(rng)
    if isinstance(bad, (list, dict)):
        bad = tuple(bad)
    found = replace(good, **{part: replace(value, **{name: bad})})
    Registry("one").add(found)
    check_spec_is_clean(found)


def kernel_set(rng: Random) -> None:
    plain = registry_document()["sets"]
    found = set_from_dict(changed(rng.choice(plain), rng))
    Registry("one").declare(found)
    set_to_dict(found)


def registry(rng: Random) -> None:
    found = Registry.from_dict(changed(registry_document(), rng))
    for entry in found:
        check_spec_is_clean(entry.spec)


def registry_file(rng: Random) -> None:
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(changed_text(registry_document(), rng))
        file.flush()
        Registry.import_json(file.name)


def launch(rng: Random) -> None:
    plain = {"split_k": 2, "num_splits": 1, "threads": 2, "grid": [4, 1], "blocks": [64, 64]}
    check_types(Launch(**fields_from(Launch, changed(plain, rng), "launch")))


def sweep(rng: Random) -> None:
    op = get_backend_op("cpu", "gemm")
    names = tuple(f.name for f in fields(get_op("gemm").plain_problem("fp32").signature))
    plain = {
        "name": "tall",
        "signature": {"layout": ["rcr", "rrr"], "dtype_a": "fp32"},
        "priority": 1,
        "algorithm": {"mr": [4, 6], "kc": {"min": 128, "max": 256, "step": 64}, "inner": "*", "pack_a": True},
    }
    with tempfile.NamedTemporaryFile(suffix=rng.choice((".json", ".json", ".toml"))) as file:
        file.write(changed_text({"sets": [plain] * 2} if rng.random() < 0.3 else plain, rng))
        file.flush()
        for found in read_sweep(file.name, Words("gemm", "cpu", op.tunables(), names)):
            Registry("one").declare(found)


def ck_sweep(rng: Random) -> None:
    from tilewright.backends.ck_tile.gemm.config import read_config

    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(changed_text(document("sweep.json"), rng))
        file.flush()
        for found in read_config(file.name, ["fp16"], ["rcr"]):
            Registry("one").declare(found)


def arch_file(rng: Random) -> None:
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(changed_text(document("arch.json"), rng))
        file.flush()
        arch_checks.check(file.name)
        load_archs(file.name)


def settings(rng: Random) -> None:
    names = [name for name, _, _ in Settings.documented()]
    found = Settings.from_env({rng.choice(names): str(bad_value(rng)) for _ in range(2)})
    check_types(found)
    found.resolved_threads()
    if not 0 <= found.threads <= 4096:
        raise AcceptedError(f"threads = {found.threads}")


def settings_in_python(rng: Random) -> None:
    found = Settings.from_env({}, **{rng.choice([f.name for f in fields(Settings)]): bad_value(rng)})
    check_types(found)


def task(rng: Random) -> None:
    plain = {"policy": canonical(SweepPolicy()), "problem": document("problems.json")[0], "choices": {"0": {}}}
    found = task_from(changed_text(plain, rng).decode(errors="replace"))
    SweepPolicy(**fields_from(SweepPolicy, found["policy"], "policy"))


def names(rng: Random) -> None:
    from tilewright.arch import get_arch
    from tilewright.backends import device_at, get_backend
    from tilewright.model.dtype import get_dtype

    ask = rng.choice((get_arch, get_backend, get_op, get_dtype, lambda n: device_at(n, Settings.from_env())))
    ask(rng.choice((*TEXTS, "cuda:x", "cuda:-1", "cuda:99999999999999999999", 5, None, (1,))))


READERS: dict[str, Callable[[Random], None]] = {
    f.__name__: f
    for f in (
        json_text,
        problem,
        problem_lines,
        epilogue,
        spec,
        spec_text,
        made_spec,
        kernel_set,
        registry,
        registry_file,
        launch,
        sweep,
        ck_sweep,
        arch_file,
        settings,
        settings_in_python,
        task,
        names,
    )
}
