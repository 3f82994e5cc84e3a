"""From many specs to many files: lowered in parallel, written if changed, listed in the manifest."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from ...backends.ck_tile.ck_revision import CkRevision
from ...backends.ck_tile.lower import lower
from ...errors import SpecError
from ...model.json_text import Json
from ...model.kernel import KernelSpec
from .folder import OnFile, prepare, remove, write_changed
from .manifest import NAME, Manifest, read_manifest
from .trailer import with_trailer

CHUNK = 64
PROCESSES_FROM = 1000  # fewer kernels are finished before a second interpreter has started


@dataclass(frozen=True)
class Generated:
    """The result of a generation: header files in order, and which of them were written."""

    folder: Path
    files: tuple[str, ...]
    written: tuple[str, ...]
    removed: tuple[str, ...] = ()
    rejected: Mapping[str, int] = field(default_factory=dict)

    @property
    def paths(self) -> list[Path]:
        """The header files."""
        return [self.folder / name for name in self.files]


def parallel_generate(
    specs: Iterable[KernelSpec],
    output_dir: str | os.PathLike[str],
    ck: CkRevision,
    *,
    workers: int = 0,
    on_file: OnFile | None = None,
    rejected: Mapping[str, int] | None = None,
    label: str = "python",
    clean: bool = False,
) -> Generated:
    """Write one header per spec and the manifest into `output_dir`; the same specs give the same bytes.

    Several calls may fill one folder; `clean` removes the files of earlier ones. `on_file(number, total, name, status)`
    is called per kernel with the status written or unchanged. `workers` 0 means one per core.

    >>> import tempfile
    >>> from tilewright.backends.ck_tile.ck_revision import REFERENCE
    >>> from tilewright.backends.ck_tile.gemm import preselected_kernels
    >>> kernels = preselected_kernels("fp16_rcr_essential", "gfx942")
    >>> len(parallel_generate(kernels, tempfile.mkdtemp(), REFERENCE).written)
    7
    """
    folder = Path(output_dir).expanduser().absolute()
    unique = list({s.digest: s for s in specs}.values())
    if not unique:
        raise SpecError("there is nothing to generate", remedy="choose other dtypes, layouts, variants or another arch")
    before = read_manifest(folder)
    prepare(folder, _ours(before))
    manifest = before if before is not None and before.revision == ck.name and not clean else Manifest(ck.name)
    stale = sorted(set(before.kernels) - set(manifest.kernels)) if before is not None else []
    files, written = [], []
    for number, (file, entry, changed) in enumerate(_lowered(unique, folder, ck, workers), 1):
        manifest.kernels[file] = entry
        files.append(file)
        if changed:
            written.append(file)
        if on_file is not None:
            on_file(number, len(unique), file.removesuffix(".hpp"), "written" if changed else "unchanged")
    gone = [name for name in stale if name not in manifest.kernels]
    remove(folder, gone)
    if rejected is not None:
        manifest.rejected[label] = dict(rejected)
    manifest.write(folder)
    return Generated(folder, tuple(files), tuple(written), tuple(gone), dict(rejected or {}))


def _ours(manifest: Manifest | None) -> set[str]:
    return {NAME, *manifest.kernels} if manifest is not None else set()


def _lowered(
    specs: Sequence[KernelSpec], folder: Path, ck: CkRevision, workers: int
) -> Iterator[tuple[str, Json, bool]]:
    """Yield (file, manifest entry, whether it was written) per spec, in order."""
    chunks = [specs[i : i + CHUNK] for i in range(0, len(specs), CHUNK)]
    work = partial(_write_chunk, folder=folder, ck=ck)
    workers = workers or len(os.sched_getaffinity(0))
    with _executor(workers, len(specs)) as executor:
        for done in executor.map(work, chunks):
            yield from done


def _executor(workers: int, count: int) -> Executor:
    """Return processes for many kernels, or a thread for few, which keeps the files of one call in one process."""
    if workers > 1 and count >= PROCESSES_FROM:
        return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
    return ThreadPoolExecutor(1)


def _write_chunk(specs: Sequence[KernelSpec], folder: Path, ck: CkRevision) -> list[tuple[str, Json, bool]]:
    return [_write(spec, folder, ck) for spec in specs]


def _write(spec: KernelSpec, folder: Path, ck: CkRevision) -> tuple[str, Json, bool]:
    source = lower(spec, ck)
    file, text = f"{source.name}.hpp", with_trailer(source.header_text, spec, ck.name)
    entry = {
        "digest": source.digest,
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "instances": list(source.instances),
        "spec": spec.to_dict(),
    }
    return file, entry, write_changed(folder / file, text)


def count_rejections(rejected: Iterable[tuple[KernelSpec, Sequence[Any]]]) -> dict[str, int]:
    """Return how many combinations each rule removed, most first.

    >>> count_rejections([])
    {}
    """
    return dict(Counter(r.rule for _, found in rejected for r in found).most_common())
