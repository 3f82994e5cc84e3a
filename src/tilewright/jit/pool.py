"""Build many kernels at once into one cache: each thread watches one compiler process.

Two processes that build the same set share the work: a key that another process is building is put back and the next
one is tried, so each kernel is compiled once and nobody waits while there is other work.
"""

from __future__ import annotations

import errno
import threading
from collections import deque
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..errors import CacheError, TilewrightError
from ..model.locks import new_lock
from .artifact import Artifact, BuildFailure, BuildRequest
from .cache import Cache
from .files import cache_errors
from .progress import NoProgress, Progress

BUSY_PAUSE = 0.02  # seconds before a key that another process builds is checked again
ATTEMPTS = 4  # of a build whose work folder is removed during the build

Result = Artifact | BuildFailure


def build_many(
    requests: Iterable[BuildRequest],
    cache: Cache,
    *,
    max_workers: int | None = None,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
    retry_failed: bool = False,
) -> list[Result]:
    """Return an `Artifact` or a `BuildFailure` for each request, in their order; equal requests are built once.

    Cached results are returned at once, without a thread or a process. A recorded failure of the same key is returned
    too unless `retry_failed`. Setting `cancel`, or Ctrl-C, kills the running compilers and leaves a clean cache;
    cancelled kernels return a `BuildFailure` of kind "cancelled". Raise `CacheError` if the cache cannot be written;
    finished builds stay.

    >>> import tempfile
    >>> copy = BuildRequest("", "copy", {"a": "hi"}, (("cp", "a", "b"),), ("b",), {})
    >>> [result.name for result in build_many([copy, copy], Cache(tempfile.mkdtemp()))]
    ['copy', 'copy']
    """
    ordered = list(requests)
    unique = {request.build_key: request for request in ordered}
    reporter = _Reporter(progress if progress is not None else NoProgress())
    reporter.progress.start(len(unique))
    try:
        results: dict[str, Result] = {}
        missing: list[BuildRequest] = []
        for key, request in unique.items():
            known = _known(cache, request, retry_failed)
            if known is None:
                missing.append(request)
            else:
                results[key] = known
                reporter.answered(request, known)
        if missing:
            workers = max_workers if max_workers is not None else cache.settings.resolved_workers()
            _check_workers(workers)
            results.update(_Pool(cache, reporter, cancel, retry_failed).run(missing, workers))
    finally:
        reporter.progress.finish()
    return [results[request.build_key] for request in ordered]


def build_one(
    request: BuildRequest,
    cache: Cache,
    *,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
    retry_failed: bool = False,
) -> Artifact:
    """Return the artifact of `request`, built if it is not cached; raise `BuildError` with the whole log if it fails.

    >>> import tempfile
    >>> copy = BuildRequest("", "copy", {"a": "hi"}, (("cp", "a", "b"),), ("b",), {})
    >>> build_one(copy, Cache(tempfile.mkdtemp())).file("b").read_text()
    'hi'
    """
    found = cache.find(request.build_key)  # the usual case first: a hit costs a few stats
    if found is not None and progress is None:
        return found
    [result] = build_many([request], cache, max_workers=1, progress=progress, cancel=cancel, retry_failed=retry_failed)
    if isinstance(result, BuildFailure):
        raise result.error()
    return result


def _check_workers(workers: int) -> None:
    if workers < 1:
        raise TilewrightError(f"max_workers is {workers}; at least 1 is needed", remedy="pass None for one per core")


def _known(cache: Cache, request: BuildRequest, retry_failed: bool, *, lock_held: bool = False) -> Result | None:
    """Return the cached result, if there is one."""
    found = cache.find(request.build_key, lock_held=lock_held)
    if found is not None or retry_failed:
        return found
    failure = cache.failure(request.build_key)
    return failure if failure is not None and failure.permanent else None


class _Reporter:
    """Passes events to the progress, one call at a time."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self._lock = new_lock()

    def begin(self, request: BuildRequest) -> None:
        with self._lock:
            self.progress.begin(request.name)

    def built(self, request: BuildRequest, result: Result) -> None:
        stopped = isinstance(result, BuildFailure) and result.kind == "cancelled"
        status = "stopped" if stopped else "failed" if isinstance(result, BuildFailure) else "built"
        with self._lock:
            self.progress.done(request.name, result.seconds, status)

    def answered(self, request: BuildRequest, result: Result) -> None:
        status = "failed" if isinstance(result, BuildFailure) else "cached"
        with self._lock:
            self.progress.done(request.name, 0.0, status)


class _Pool:
    """One run of the workers over the requests that have to be built."""

    def __init__(self, cache: Cache, reporter: _Reporter, cancel: threading.Event | None, retry_failed: bool) -> None:
        self._cache, self._reporter, self._retry_failed = cache, reporter, retry_failed
        self._cancel = cancel
        self._abort = threading.Event()  # set by Ctrl-C and by an error that affects every build
        self._waiting: deque[BuildRequest] = deque()
        self._results: dict[str, Result] = {}
        self._error: BaseException | None = None

    def run(self, requests: Sequence[BuildRequest], workers: int) -> dict[str, Result]:
        from .supervisor import SUPERVISOR

        with SUPERVISOR.session():
            return self._run(requests, workers)

    def _run(self, requests: Sequence[BuildRequest], workers: int) -> dict[str, Result]:
        self._cache.sweep()
        self._waiting.extend(requests)
        finished = [threading.Event() for _ in range(min(workers, len(requests)))]
        for event in finished:
            threading.Thread(target=self._work, args=(event,), name="tilewright-build", daemon=True).start()
        # Events, not Thread.join: a join that Ctrl-C interrupts treats the thread as ended (Python <= 3.12).
        try:
            for event in finished:
                event.wait()
        finally:  # Ctrl-C arrives here: the workers kill their compilers and remove their folders first
            self._abort.set()
            for event in finished:
                event.wait()
        if self._error is not None:
            raise self._error
        for request in requests:
            self._results.setdefault(request.build_key, _cancelled(request))
        return self._results

    def _stopping(self) -> bool:
        return self._abort.is_set() or (self._cancel is not None and self._cancel.is_set())

    def _work(self, finished: threading.Event) -> None:
        try:
            while not self._stopping():
                try:
                    request = self._waiting.popleft()
                except IndexError:
                    return
                result = self._attempt(request)
                if result is not None:
                    self._results[request.build_key] = result
                else:  # another process builds it
                    self._waiting.append(request)
                    self._abort.wait(BUSY_PAUSE)
        except BaseException as problem:
            self._error = self._error or problem
            self._abort.set()
        finally:
            finished.set()

    def _attempt(self, request: BuildRequest) -> Result | None:
        """Return the result of one request, or None if another process is building it."""
        with self._cache.locked(request.build_key) as mine:
            if not mine:
                return None
            # The previous holder of the lock may have finished it.
            found = _known(self._cache, request, self._retry_failed, lock_held=True)
            if found is not None:
                self._reporter.answered(request, found)
                return found
            self._reporter.begin(request)
            result = self._build(request)
        self._reporter.built(request, result)
        return result

    def _build(self, request: BuildRequest) -> Result:
        """Build in a work folder; try again if the folder is removed meanwhile (a deleted cache)."""
        for left in reversed(range(ATTEMPTS)):
            with self._cache.workspace(request.build_key) as folder:
                try:
                    return self._build_in(folder, request)
                except CacheError:
                    if folder.is_dir() or not left or self._stopping():
                        raise
        raise AssertionError("unreachable")

    def _build_in(self, folder: Path, request: BuildRequest) -> Result:
        from .runner import execute  # here, because it imports subprocess, which a warm start does not need

        with cache_errors(self._cache.root, f"build {request.name}"):
            outcome = execute(request, folder, self._stopping)
            if outcome.kind not in ("ok", "cancelled") and not folder.is_dir():
                raise FileNotFoundError(errno.ENOENT, "the work folder was removed during the build")
        if outcome.kind == "ok":
            return self._cache.publish(folder, request, outcome.seconds, outcome.metadata)
        failure = BuildFailure(
            build_key=request.build_key,
            spec_digest=request.spec_digest,
            name=request.name,
            reason=outcome.reason,
            command=outcome.command,
            log=outcome.log,
            seconds=round(outcome.seconds, 6),
            kind=outcome.kind,
            spec=request.spec,
        )
        if failure.kind != "cancelled":
            self._cache.remember(failure)
        return failure


def _cancelled(request: BuildRequest) -> BuildFailure:
    return BuildFailure(
        request.build_key, request.spec_digest, request.name, "the build was cancelled", "", "", 0.0, "cancelled"
    )
