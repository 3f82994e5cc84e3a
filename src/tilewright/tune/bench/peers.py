"""Peers: other libraries that compute the same problem, to be timed beside ours on the same memory.

A peer gets the very tensors of our kernel (no copies), an output of its own that was touched before, and our number of
threads. A problem that a peer cannot compute is answered with the reason, never left out silently.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from ...errors import UnknownNameError


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


class Peer(Protocol):
    """Another library. Making one imports the library, and raises `MissingExtraError` where it is not installed."""

    name: str

    def version(self) -> str:
        """The library's name, version and what it computes with."""
        ...

    def limit_threads(self, threads: int) -> str | None:
        """Make the library use `threads` threads; the reason where it cannot be made to."""
        ...

    def prepare(self, problem: Any, tensors: Mapping[str, Any]) -> PeerCall | Unable:
        """A call that computes `problem` on `tensors` (by role: NumPy arrays, or torch tensors on a GPU)."""
        ...


_PEERS = {"numpy": "peers_numpy", "torch": "peers_torch", "torch_compile": "peers_torch_compile"}


def peer_names() -> list[str]:
    """The peers there are.

    >>> peer_names()
    ['numpy', 'torch', 'torch_compile']
    """
    return sorted(_PEERS)


def get_peer(name: str) -> Peer:
    """The peer called `name`, imported now.

    >>> get_peer("numpy").name
    'numpy'
    """
    if name not in _PEERS:
        raise UnknownNameError("peer", name, _PEERS)
    peer: Peer = import_module(f".{_PEERS[name]}", __package__).PEER()
    return peer


def parse_peers(text: str) -> list[str]:
    """The names in a comma-separated list, each known, doubles removed.

    >>> parse_peers("numpy,torch,numpy"), parse_peers("")
    (['numpy', 'torch'], [])
    """
    names = [n.strip() for n in text.split(",") if n.strip()]
    for name in names:
        if name not in _PEERS:
            raise UnknownNameError("peer", name, _PEERS)
    return list(dict.fromkeys(names))
