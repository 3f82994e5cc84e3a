"""Peers: other libraries that compute the same problem, timed in turn with ours on the same memory.

A peer gets the same tensors as our kernel (no copies), its own output whose pages were touched before, and our number
of threads. If a peer cannot compute a problem, the reason is reported; no problem is skipped silently.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from ...errors import check_known
from ...model.problem import Problem
from ...model.tensor import Tensors
from ...ops.gemm.problem import GemmProblem


@dataclass(frozen=True)
class PeerCall:
    """A prepared call: `call` computes the problem into `out` (a NumPy view of it, or a torch tensor on a GPU); `what`
    names the functions.
    """

    call: Callable[[], Any]
    out: Any
    what: str


@dataclass(frozen=True)
class Unable:
    """Why a peer cannot compute a problem."""

    reason: str


def not_compared(problem: GemmProblem) -> str | None:
    """Return why no library is asked for a product; None if they are.

    >>> not_compared(GemmProblem.from_dict({"m": 8, "n": 8, "k": 8, "dtype": "fp16"})) is None
    True
    """
    if problem.groups:
        return "groups are not compared"
    return "prologues are not compared" if problem.has_prologue else None


class Peer(Protocol):
    """Another library. The constructor imports it, and raises `MissingExtraError` if it is not installed."""

    name: str

    def version(self) -> str:
        """Return the library's name, version and its backends."""
        ...

    def limit_threads(self, threads: int) -> str | None:
        """Make the library use `threads` threads; return the reason if that is not possible."""
        ...

    def prepare(self, problem: Problem, tensors: Tensors) -> PeerCall | Unable:
        """Return a call that computes `problem` on `tensors` (by role: NumPy arrays, or torch tensors on a GPU)."""
        ...


_PEERS = {"numpy": "peers_numpy", "torch": "peers_torch", "torch_compile": "peers_torch_compile"}


def get_peer(name: str) -> Peer:
    """Return the peer called `name`; its library is imported now.

    >>> get_peer("numpy").name
    'numpy'
    """
    check_known("peer", name, _PEERS)
    return import_module(f".{_PEERS[name]}", __package__).PEER()


def parse_peers(text: str) -> list[str]:
    """Return the names in a comma-separated list, each known, without duplicates.

    >>> parse_peers("numpy,torch,numpy"), parse_peers("")
    (['numpy', 'torch'], [])
    """
    names = [n.strip() for n in text.split(",") if n.strip()]
    for name in names:
        check_known("peer", name, _PEERS)
    return list(dict.fromkeys(names))
