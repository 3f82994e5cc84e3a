"""A fork at any moment, also during a first call, works or gives a clear error; it never hangs."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import threading
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

import tilewright
from tilewright.jit import supervisor
from tilewright.jit.files import NameLock
from tilewright.model import locks
from tilewright.model.locks import cached_property, new_lock, new_rlock
from tilewright.plan import Plan, Plans
from tilewright.store import Store

SOURCE = Path(tilewright.__file__).parent
KNOWN_TO = ("locks.py", "correction.py")  # Python's `cached_property`: others may use it in their algorithms
LIMIT = 60  # seconds after which a child counts as hanging


def _in_child(work: object) -> int:
    """Run `work()` in a forked child and return its exit status: 0 if it returned True."""
    child = os.fork()
    if child == 0:
        status = 3
        try:
            status = 0 if work() else 1  # type: ignore[operator]
        finally:
            os._exit(status)
    for _ in range(LIMIT * 100):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        threading.Event().wait(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return -1


class _Thread:
    """A thread that does something until the test ends."""

    def __init__(self, work: object) -> None:
        self.begun, self.end = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=work, args=(self,), daemon=True)

    def __enter__(self) -> _Thread:
        self._thread.start()
        assert self.begun.wait(LIMIT)
        return self

    def __exit__(self, *_: object) -> None:
        self.end.set()
        self._thread.join(LIMIT)


FIRST_CALL = """
import os, sys, threading, time
import numpy as np, tilewright as tw
a = np.ones((48, 48), np.float32)
slow = threading.Thread(target=lambda: tw.gemm(a, a))
slow.start()
time.sleep(float(sys.argv[1]))
child = os.fork()
if child == 0:
    os._exit(0 if (tw.gemm(a, a) == 48).all() else 1)
slow.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.parametrize("after", ["0.05", "0.7"])
def test_a_fork_during_a_first_call_computes(tmp_path: Path, after: str) -> None:
    """A thread compiles its first kernel; the child makes the same call."""
    env = {**os.environ, "TILEWRIGHT_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-c", FIRST_CALL, after]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=LIMIT)
    assert (done.stdout.strip(), done.returncode) == ("0", 0), done.stderr


IMPORTS = """
import os, sys, threading, time
import tilewright as tw
thread = threading.Thread(target=lambda: tw.gemm)   # imports what a first call needs
thread.start()
while "tilewright.frontends" not in sys.modules and thread.is_alive():
    time.sleep(0)
child = os.fork()
if child == 0:
    os._exit(0 if callable(tw.gemm) else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_fork_waits_for_an_import_also_in_a_process_that_stood_still(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine under load may let a process stand still for a minute: an import has then not had that time."""
    imports = iter([True] * 5 + [False])
    monkeypatch.setattr(locks, "_imports_elsewhere", lambda: next(imports))
    minutes = count(0, 60)
    clock = SimpleNamespace(sleep=lambda seconds: None, monotonic=lambda: next(minutes))
    monkeypatch.setattr(locks, "time", clock)
    locks._stop_imports()
    locks._allow_imports()
    assert list(imports) == []


def test_a_fork_during_an_import_of_tilewright_waits_for_its_end() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True, timeout=LIMIT)
    assert (done.stdout.strip(), done.returncode) == ("0", 0), done.stderr


IMPORT_FOR_US = """
import os, sys, threading, time
import tilewright
sys.path.insert(0, sys.argv[1])
work = "import slowly_imported"
thread = threading.Thread(target=exec, args=(work, {"__name__": "tilewright.anywhere"}))
thread.start()
while "slowly_imported" not in sys.modules:
    time.sleep(0)
child = os.fork()
if child == 0:
    import slowly_imported
    os._exit(0 if slowly_imported.whole else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_fork_waits_for_what_tilewright_imports_from_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "slowly_imported.py").write_text("import time\ntime.sleep(0.5)\nwhole = True\n")
    command = [sys.executable, "-c", IMPORT_FOR_US, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    assert (done.stdout.strip(), done.returncode) == ("0", 0), done.stderr


def test_a_fork_waits_while_a_program_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its child would hold the pipe open by which `Popen` learns that the program runs."""
    begun, pipe = threading.Event(), os.pipe

    def slow() -> tuple[int, int]:
        made = pipe()
        begun.set()
        threading.Event().wait(0.3)
        return made

    monkeypatch.setattr(os, "pipe", slow)
    options = {"cwd": None, "env": dict(os.environ), "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    thread = threading.Thread(target=lambda: supervisor._popen(["true"], **options).wait())
    thread.start()
    assert begun.wait(LIMIT)
    child = os.fork()
    if child == 0:
        threading.Event().wait(LIMIT)
        os._exit(0)
    try:
        thread.join(LIMIT / 2)
        assert not thread.is_alive()
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


LENT = """
import os, sys
import numpy as np, torch, tilewright as tw, tilewright.torch
torch.set_num_threads(2)
a = {given}
for _ in range(4):
    tw.gemm(a, a)
child = os.fork()
if child == 0:
    b = torch.ones(512, 512)
    os._exit(0 if float((b @ b)[0, 0]) == 512 else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.parametrize("given", ["np.ones((512, 512), np.float32)", "torch.ones(512, 512)"], ids=["numpy", "torch"])
def test_torch_computes_in_a_fork_after_a_product(given: str) -> None:
    """Threads of torch's OpenMP do not survive a fork: a product does not start them, or they are ended before it."""
    pytest.importorskip("torch")
    env = {**os.environ, "TILEWRIGHT_THREADS": "2"}
    program = LENT.replace("{given}", given)
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, timeout=LIMIT)
    assert (done.stdout.strip(), done.returncode) == ("0", 0), done.stderr


def test_a_turn_of_a_thread_that_is_not_there_is_taken_again() -> None:
    plans, plan = Plans(), Plan(None, None, ())  # type: ignore[arg-type]

    def make(thread: _Thread) -> None:
        def slow() -> Plan:
            thread.begun.set()
            thread.end.wait(LIMIT)
            return plan

        plans.get_or_make("key", slow)

    with _Thread(make):
        assert _in_child(lambda: plans.get_or_make("key", lambda: plan) is plan) == 0


def test_the_turn_of_the_thread_that_forks_goes_on_in_both() -> None:
    plans, plan, status = Plans(), Plan(None, None, ()), []  # type: ignore[arg-type]

    def make() -> Plan:
        child = os.fork()
        if child:
            status.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        else:
            status.append(None)
        return plan

    found = plans.get_or_make("key", make)
    if status == [None]:
        os._exit(0 if found is plan and plans.get("key") is plan else 1)
    assert status == [0]


@pytest.mark.parametrize("made", [new_lock, new_rlock])
def test_a_lock_that_another_thread_holds_is_free_in_the_child(made: object) -> None:
    lock = made()  # type: ignore[operator]

    def hold(thread: _Thread) -> None:
        with lock:
            thread.begun.set()
            thread.end.wait(LIMIT)

    with _Thread(hold):
        assert _in_child(lambda: lock.acquire(timeout=5)) == 0
        assert not lock.acquire(blocking=False)  # here it is still held


def test_a_reentrant_lock_of_the_forking_thread_stays_held() -> None:
    lock = new_rlock()
    with lock:
        assert _in_child(lambda: lock._is_owned()) == 0


def test_the_child_does_not_keep_the_parents_lock_on_a_file(tmp_path: Path) -> None:
    """The parent dies while it builds; its child asks for the same lock."""
    path = tmp_path / "x.lock"
    lock = NameLock(path)
    assert lock.acquire()

    def child() -> bool:
        lock.release()  # the parent's: nothing happens
        assert path.exists()
        return not NameLock(path).acquire()  # the parent still holds it

    assert _in_child(child) == 0
    copy = os.fork()
    if copy == 0:  # lives on while the parent lets its descriptor go without removing the file, as at SIGKILL
        threading.Event().wait(LIMIT)
        os._exit(0)
    try:
        os.close(lock._descriptor)  # type: ignore[arg-type]
        again, tries = NameLock(path), iter(range(LIMIT * 100))
        while not again.acquire():  # the copy may not have run yet
            assert next(tries, None) is not None, "the copy keeps the lock"
            threading.Event().wait(0.01)
        again.release()
    finally:
        os.kill(copy, 9)
        os.waitpid(copy, 0)


def test_a_store_is_opened_anew_in_the_child(tmp_path: Path) -> None:
    from tilewright.store import Measurement

    def row(key: str) -> Measurement:
        return Measurement({"op": "gemm"}, key, {"backend": "cpu", "arch": "a"}, "s", {}, "b", {"name": "d"})

    store = Store(tmp_path / "s.sqlite")
    store.put([row("parent")])
    assert len([*store.rows()]) == 1

    def child() -> bool:
        store.put([row("child")])
        return len([*store.rows()]) == 2

    assert _in_child(child) == 0
    assert {m.tuning_key for m in store.rows()} == {"parent", "child"}


def test_a_property_that_another_thread_computes_is_computed_in_the_child() -> None:
    thread: _Thread

    class Slow:
        @cached_property
        def value(self) -> int:
            if threading.current_thread() is not threading.main_thread():
                thread.begun.set()
                thread.end.wait(LIMIT)
            return 7

    with (thread := _Thread(lambda _: Slow().value)):
        assert _in_child(lambda: Slow().value == 7) == 0


def test_every_lock_is_made_where_a_fork_renews_it() -> None:
    """`threading.Lock()` elsewhere would stay held in a child; each exception is listed with its reason."""
    allowed = {
        "model/locks.py": 3,  # makes them
        "plan/plan.py": 1,  # a turn: forgotten as a whole
        "tune/bench/ceilings.py": 1,  # barriers inside of one function, which starts its threads and waits for them
        "tune/measure/quiet.py": 1,
    }
    found: dict[str, int] = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "functools":
                names = {alias.name for alias in node.names}
                assert "cached_property" not in names or path.name in KNOWN_TO, f"{path}: Python's has a lock"
            name = node.func if isinstance(node, ast.Call) else None
            text = ast.unparse(name) if name is not None else ""
            if text.split(".")[-1] in ("Lock", "RLock", "Condition", "Semaphore", "BoundedSemaphore", "Barrier"):
                place = str(path.relative_to(SOURCE))
                found[place] = found.get(place, 0) + 1
    assert found == allowed
