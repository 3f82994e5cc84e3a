"""The folders of trained models: the user's own, then those that ship with the package."""

from __future__ import annotations

import logging
from functools import lru_cache
from pathlib import Path

from ..errors import SchemaError, TilewrightError
from ..model.locks import new_lock
from ..settings import Settings
from ..store.sqlite import data_root
from .model import SelectionModel

SHIPPED = Path(__file__).with_name("models")
log = logging.getLogger("tilewright")


class ModelDirectory:
    """Models by family, backend and arch; each file is read once. The first folder that has a model wins.

    >>> ModelDirectory([]).find("gemm_fp32", "cpu", "x86_64_v3") is None
    True
    """

    def __init__(self, folders: list[Path]) -> None:
        self.folders = folders
        self._models: dict[str, SelectionModel | None] = {}
        self._refused: dict[str, str] = {}
        self._lock = new_lock()
        self.changes = 0  # models that were put here

    @classmethod
    def of(cls, settings: Settings | None = None) -> ModelDirectory:
        """Return the user's models over the shipped ones."""
        return cls([models_folder(settings), SHIPPED])

    def find(self, family: str, backend: str, arch: str) -> SelectionModel | None:
        """Return the model of a family on an arch; None if missing or unreadable by this version."""
        name = f"{family}-{backend}-{arch}"
        with self._lock:
            if name not in self._models:
                self._models[name] = self._load(name)
            return self._models[name]

    def put(self, model: SelectionModel) -> None:
        """Use this model from now on; its file is not touched."""
        with self._lock:
            self._models[model.name] = model
            self.changes += 1

    def files(self) -> list[Path]:
        """Return every model file in order of precedence."""
        found: dict[str, Path] = {}
        for folder in self.folders:
            for path in sorted(folder.glob("*.npz")):
                found.setdefault(path.name, path)
        return list(found.values())

    def refused(self, family: str, backend: str, arch: str) -> str:
        """Return why the file of a model is not used; empty if there is no such file.

        >>> ModelDirectory([]).refused("gemm_fp32", "cpu", "x86_64_v3")
        ''
        """
        return self._refused.get(f"{family}-{backend}-{arch}", "")

    def bad_files(self) -> list[tuple[Path, TilewrightError]]:
        """Return every model file that cannot be used, and why.

        >>> ModelDirectory([SHIPPED]).bad_files()
        []
        """
        found = []
        for path in self.files():
            try:
                load_named(path)
            except TilewrightError as error:
                found.append((path, error))
        return found

    def _load(self, name: str) -> SelectionModel | None:
        """Return the first model that can be used; skip a bad one and try the next folder."""
        for folder in self.folders:
            path = folder / f"{name}.npz"
            if not path.is_file():
                continue
            try:
                return load_named(path)
            except TilewrightError as error:
                self._refused[name] = error.message
                _report(f"model not used: {error}")
        return None


def load_named(path: Path) -> SelectionModel:
    """Return the model of a file, which must have the model's name; raise `SchemaError` otherwise."""
    model = SelectionModel.load(path)
    if model.name != path.stem:
        raise SchemaError(f"{path} holds model {model.name}", remedy=f"rename it to {model.name}.npz")
    return model


@lru_cache(maxsize=256)
def _report(text: str) -> None:
    """Log a warning once per process: every dispatcher has its own directory."""
    log.warning("%s", text)


def models_folder(settings: Settings | None = None) -> Path:
    """Return the folder of the user's own models.

    >>> str(models_folder(Settings(data_dir="/tmp/x")))
    '/tmp/x/models'
    """
    return data_root(settings) / "models"
