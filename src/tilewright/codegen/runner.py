"""CodegenRunner: generate kernels from Python, with the names of the CK dispatcher."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from ..backends.ck_tile.ck_revision import REFERENCE, CkRevision
from ..backends.ck_tile.gemm.request import GemmRequest, requested
from ..errors import SpecError
from ..model.kernel import KernelSpec
from .ck.emit import Generated, count_rejections, parallel_generate
from .ck.folder import OnFile
from .ck.headers import installed_revision
from .kernel_config import DEFAULT_ARCH, VARIANTS, KernelConfig

log = logging.getLogger(__name__)


class CodegenRunner:
    """Generates kernels into a folder, for the installed headers.

    >>> import tempfile
    >>> runner = CodegenRunner(tempfile.mkdtemp())
    >>> result = runner.generate_from_config(KernelConfig(tile_m=256, tile_n=256, tile_k=64))
    >>> result.paths[0].suffix
    '.hpp'
    """

    def __init__(
        self,
        output_dir: str | os.PathLike[str] = "generated_kernels",
        datatype: str = "fp16",
        layout: str = "rcr",
        gpu_target: str = DEFAULT_ARCH,
        *,
        workers: int = 0,
        on_file: OnFile | None = None,
        ck: CkRevision | None = None,
    ) -> None:
        self.output_dir = Path(output_dir)
        self.datatype, self.layout, self.gpu_target = datatype, layout, gpu_target
        self._workers, self._on_file, self._ck = workers, on_file, ck

    @property
    def ck(self) -> CkRevision:
        """The header revision to generate for: the installed one, or else the reference revision."""
        if self._ck is None:
            self._ck = installed_revision() or REFERENCE
        return self._ck

    def generate_from_config(self, config: KernelConfig) -> Generated:
        """Generate one kernel; an illegal config is an error that lists every broken rule."""
        return self._write([config.checked_spec()], "config", {})

    def generate(self, variant: str = "standard") -> Generated:
        """Generate the usual kernels of one variant: standard, preshuffle or multi_d."""
        request = GemmRequest(self.gpu_target, (self.datatype,), (self.layout,), (variant,))
        found = requested(request)
        if not found.specs:
            reasons = "; ".join(dict.fromkeys(str(r) for _, rs in found.rejected for r in rs))
            raise SpecError(f"no {variant} kernel of {self.datatype} {self.layout} on {self.gpu_target}: {reasons}")
        return self._write(found.specs, variant, count_rejections(found.rejected))

    def generate_preselected(self, name: str) -> Generated:
        """Generate the kernels of a preselected set."""
        return self._write(requested(GemmRequest(self.gpu_target, preselected=name)).specs, name, {})

    def generate_all(self) -> list[Generated]:
        """Generate every variant that the arch and layout have kernels of, one result each; raise if there is none."""
        found, refused = list[Generated](), list[SpecError]()
        for variant in VARIANTS:
            try:
                found.append(self.generate(variant))
            except SpecError as error:
                log.warning("%s", error.message)
                refused.append(error)
        if not found:
            raise refused[0]
        return found

    def _write(self, specs: list[KernelSpec], label: str, rejected: dict[str, int]) -> Generated:
        label = f"gemm {self.gpu_target} {label} {self.datatype} {self.layout}"
        return parallel_generate(
            specs,
            self.output_dir,
            self.ck,
            workers=self._workers,
            on_file=self._on_file,
            rejected=rejected,
            label=label,
        )
