"""Reports of graphs that torch has in its cache: the pass does not see them again, so reports are kept beside them."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch
from torch import fx

from ...errors import TilewrightError
from ...jit.files import replacing
from ...model.fields import fields_from
from ...model.json_text import read_json
from .report import Entry
from .rewrite import Rewriter

FOLDER = "tilewright_reports"


class ReportingPass:
    """A rewriter whose report about the graphs of one module is also written to a file."""

    def __init__(self, rewrite: Rewriter, path: Path) -> None:
        self._rewrite, self._path = rewrite, path
        self._graphs: list[int] = []
        self._restored = False

    def __call__(self, graph: fx.Graph) -> None:
        """Rewrite a graph, and keep what was reported."""
        report = self._rewrite.report
        if self._restored:  # torch had the forward graph only: this is the backward graph, compiled anew
            for number in self._graphs[1:]:
                report.drop(number)
            del self._graphs[1:]
            self._restored = False
        self._graphs.append(self._rewrite(graph))
        graphs = [[asdict(e) for e in report.entries if e.graph == number] for number in self._graphs]
        with contextlib.suppress(OSError):  # as if torch's cache could not be written
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(self._path) as temporary:
                temporary.write_text(json.dumps(graphs))

    def restore(self) -> None:
        """Report what the file says, if the pass saw no graph because torch had all of them."""
        if self._graphs:
            return
        try:
            graphs = [[Entry(**fields_from(Entry, row, "entry")) for row in rows] for rows in read_json(self._path)]
        except (TilewrightError, TypeError):  # there is none, or it is damaged
            return
        report = self._rewrite.report
        for entries in graphs:
            number = report.new_graph()
            self._graphs.append(number)
            for entry in entries:
                report.add(replace(entry, graph=number))
        self._restored = True


def report_path(folder: Path, module: fx.GraphModule, inputs: Sequence[Any], facts: Sequence[Any]) -> Path:
    """Return the file for a module that is compiled for such inputs; `facts` are all else that decisions depend on."""
    shapes = [_described(value) for value in inputs]
    text = [str(module.graph), shapes, torch.is_grad_enabled(), [str(fact) for fact in facts]]
    return folder / FOLDER / f"{hashlib.sha256(json.dumps(text).encode()).hexdigest()}.json"


def _described(value: Any) -> str:
    if not isinstance(value, torch.Tensor):
        return str(value)
    return f"{value.dtype} {tuple(value.shape)} {value.stride()} {value.device} {value.requires_grad}"
