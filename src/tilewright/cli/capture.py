"""`capture`: run a torch program and write the problems that it poses."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ..errors import TilewrightError
from .options import AsJson
from .output import note, print_json, write_text

Command = Annotated[
    list[str],
    typer.Argument(metavar="-- COMMAND", help="python script.py ..., or python -m module ...", show_default=False),
]
Out = Annotated[str, typer.Option("--out", metavar="FILE", help="The problem file to write.")]
Where = Annotated[
    str, typer.Option("--device", metavar="NAME", help="Write problems for this device instead of that of the tensors.")
]
WITH_VALUE = ("-X", "-W", "--check-hash-based-pycs")  # options of Python that have a value of their own


def capture(command: Command, out: Out = "problems.jsonl", device: Where = "", as_json: AsJson = False) -> None:
    """Record every product, convolution and attention of a torch program, with counts and times.

    The program runs as it is, gradients included; compiled functions run eagerly. The file is written also if the
    program fails, whose exit status is passed on. `tune`, `build` and `bench` read it.
    """
    if device:
        from ..model.device import full_device_name

        device = full_device_name(device)
    python, options, program = split(command)
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "problems.jsonl"
        runner = [python, *options, "-m", "tilewright.torch.run_captured", str(found), device, *program]
        status = subprocess.run(runner, check=False).returncode
        if not found.exists():
            raise TilewrightError(
                f"the program ended with status {status} before its problems were written",
                remedy="see its own output; a program that is killed, or calls os._exit, cannot be captured",
            )
        text = found.read_text()
    write_text(out, text)
    count = len(text.splitlines())
    if as_json:
        print_json({"out": out, "problems": count, "status": status})
    else:
        note(f"{count} problems are in {out}")
    if status:
        raise typer.Exit(status if status > 0 else 128 - status)


def split(command: Sequence[str]) -> tuple[str, list[str], list[str]]:
    """Return the Python, its options, and the program with its arguments.

    A bare `python` is the one that runs this command, which has tilewright installed.

    >>> split(["/opt/bin/python3", "-u", "-W", "error", "train.py", "--steps", "2"])
    ('/opt/bin/python3', ['-u', '-W', 'error'], ['train.py', '--steps', '2'])
    """
    python, rest = command[0], list(command[1:])
    if not re.fullmatch(r"python[0-9.]*(\.exe)?", os.path.basename(python)):
        raise TilewrightError(
            f"the command begins with {python!r:.80}; only Python programs can be captured",
            remedy="write `tilewright capture -- python script.py`, or use tilewright.torch.capture() in the program",
        )
    options = []
    while rest and rest[0].startswith("-") and rest[0] not in ("-m", "-c", "-"):
        options += [rest.pop(0) for _ in range(2 if rest[0] in WITH_VALUE else 1) if rest]
    if not rest or rest[0] in ("-c", "-") or rest == ["-m"]:
        raise TilewrightError("no script is named", remedy="write `tilewright capture -- python script.py`")
    return (sys.executable if os.path.dirname(python) == "" else python), options, rest
