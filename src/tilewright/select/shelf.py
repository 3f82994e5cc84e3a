"""Where trained models are kept: the user's own folder over those that ship with the package."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from ..errors import TilewrightError
from ..settings import Settings
from ..store.sqlite import data_root
from .model import SelectionModel

SHIPPED = Path(__file__).with_name("models")
log = logging.getLogger("tilewright")


class Shelf:
    """Models by family, backend and arch; each file is read once. The first folder that has a model wins.

    >>> Shelf([]).find("gemm_fp32", "cpu", "x86_64_v3") is None
    True
    """

    def __init__(self, folders: list[Path]) -> None:
        self.folders = folders
        self._models: dict[str, SelectionModel | None] = {}
        self._lock = threading.Lock()

    @classmethod
    def of(cls, settings: Settings | None = None) -> Shelf:
        """The user's models over the shipped ones."""
        return cls([models_folder(settings), SHIPPED])

    def find(self, family: str, backend: str, arch: str) -> SelectionModel | None:
        """The model of a family on an arch; None where there is none, or none that this version can read."""
        name = f"{family}-{backend}-{arch}"
        with self._lock:
            if name not in self._models:
                self._models[name] = self._load(name)
            return self._models[name]

    def put(self, model: SelectionModel) -> None:
        """Use this model from now on; its file is not touched."""
        with self._lock:
            self._models[model.name] = model

    def files(self) -> list[Path]:
        """Every model file, those that win first."""
        found: dict[str, Path] = {}
        for folder in self.folders:
            for path in sorted(folder.glob("*.npz")):
                found.setdefault(path.name, path)
        return list(found.values())

    def _load(self, name: str) -> SelectionModel | None:
        for folder in self.folders:
            path = folder / f"{name}.npz"
            if not path.is_file():
                continue
            try:
                model = SelectionModel.load(path)
                _ = model.spec  # refuses features of another version
                return model
            except TilewrightError as error:
                log.warning("model not used: %s", error)
        return None


def models_folder(settings: Settings | None = None) -> Path:
    """The folder of the user's own models.

    >>> str(models_folder(Settings(data_dir="/tmp/x")))
    '/tmp/x/models'
    """
    return data_root(settings) / "models"
