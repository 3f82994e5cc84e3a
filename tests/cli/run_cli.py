"""Running the command line in this process, with what it wrote."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from tilewright.cli.app import run

P = '{"op":"gemm","m":48,"n":40,"k":32,"dtype":"fp32","layout":"rrr"}'
GPU = '{"op":"gemm","m":4096,"n":4096,"k":4096,"dtype":"fp16","layout":"rcr"}'


@dataclass(frozen=True)
class Ran:
    """Exit status and both streams of one command."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What was written to stdout, as JSON."""
        return json.loads(self.out)


def cli(capfd: pytest.CaptureFixture[str], *arguments: str) -> Ran:
    """Run one command."""
    capfd.readouterr()
    status = run(arguments)
    out, err = capfd.readouterr()
    return Ran(status, out, err)
