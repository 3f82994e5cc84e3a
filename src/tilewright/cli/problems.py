"""Reading problems from the command line: JSON text, a file of JSON lines, or standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..errors import DeviceError, ProblemError, UnknownNameError
from ..model.device import full_device_name
from ..model.json_text import MAX_BYTES, decode_text, read_bytes
from ..model.problem import Problem
from ..ops.problem_files import parse_problem, problem_lines


def read_problems(texts: Iterable[str]) -> list[Problem]:
    """Return the problems that `texts` name, at least one; an error names the file and line of a mistake.

    >>> [p.m for p in read_problems(['{"op":"gemm","m":4,"n":2,"k":2,"dtype":"fp32"}'])]
    [4]
    """
    given = list(texts)
    found = [parse_problem(line, where) for text in given for where, line in problem_texts(text)]
    if not found:
        what = f"{', '.join('standard input' if t == '-' else t for t in given)}: contains no problem" if given else ""
        raise ProblemError(what or "no problem was given", remedy="give a JSON object, or a file with one per line")
    return found


def placed(problems: list[Problem], device: str) -> list[Problem]:
    """Return the problems with their tensors on `device`: cpu, cuda, cuda:1, or the arch of a GPU of this machine.

    >>> placed(read_problems(['{"op":"gemm","m":4,"n":2,"k":2,"dtype":"fp32"}']), "cuda")[0].device
    'cuda:0'
    """
    if not device:
        return problems
    from ..backends import known_places

    name = device if device.partition(":")[0] in known_places() else _place_of_arch(device)
    return [replace(p, device=full_device_name(name)) for p in problems]


def _place_of_arch(arch: str) -> str:
    from ..arch import get_arch
    from ..backends import backend_names, get_backend, known_places, place_of
    from ..settings import Settings

    settings = Settings.from_env()
    try:
        arch = get_arch(arch).name
    except UnknownNameError as error:
        raise UnknownNameError("device", arch, (*known_places(), *error.known)) from None
    place = place_of(arch, settings)
    if place is None:
        here = dict.fromkeys(d.arch for b in backend_names() for d in get_backend(b).devices(settings))
        raise DeviceError(
            f"this machine has no device of arch {arch}; it has: {', '.join(here) or 'none'}",
            remedy="run on a machine with one; `tilewright explain --arch` and `build --arch` do not need the device",
        )
    return place


def problem_texts(text: str) -> Iterator[tuple[str, str]]:
    """Yield (origin, JSON text) of each problem."""
    if text.lstrip().startswith(("{", "[")):
        yield "the command line", text
        return
    name, content = ("standard input", _read_stdin()) if text == "-" else (text, _read(text))
    yield from problem_lines(name, content)


def _read(path: str) -> str:
    return decode_text(read_bytes(path, error=ProblemError), f"problem file {path!r}", ProblemError)


def _read_stdin() -> str:
    if sys.stdin is None or sys.stdin.closed:
        raise ProblemError("standard input is closed", remedy="give a file of JSON lines")
    data = getattr(sys.stdin, "buffer", None)
    if data is None:  # a program that runs commands may provide text
        return sys.stdin.read(MAX_BYTES)
    try:
        found: bytes = data.read(MAX_BYTES + 1)
    except OSError as error:
        raise ProblemError(f"standard input cannot be read: {error.strerror or error}") from None
    if len(found) > MAX_BYTES:
        raise ProblemError(f"standard input has more than {MAX_BYTES:,} bytes", remedy="split the problems")
    return decode_text(found, "standard input", ProblemError)
