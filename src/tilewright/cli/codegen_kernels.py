"""Common parts of the kernel generators of `codegen`: options, words, progress, the report and its exit status."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ArchError, SpecError, UnknownNameError, check_known, plural
from .options import AsJson
from .output import note, print_json

if TYPE_CHECKING:
    from ..backends.ck_tile.ck_revision import CkRevision
    from ..model.correction import Correction
    from ..model.kernel_set import Expansion

OutputDir = Annotated[str, typer.Option("--output-dir", metavar="FOLDER", help="Output folder of the headers.")]
GpuTarget = Annotated[str, typer.Option("--gpu-target", metavar="ARCH", help="The GPU to generate for.")]
Datatypes = Annotated[
    list[str], typer.Option("--datatype", metavar="DTYPE", help="A dtype, or two joined by x; may be repeated.")
]
Workers = Annotated[int, typer.Option("--workers", metavar="N", min=0, help="Processes at once; 0: one per core.")]
Clean = Annotated[bool, typer.Option("--clean", help="Remove kernels of earlier runs from the folder.")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Print a line for each kernel.")]
More = Annotated[
    list[str] | None, typer.Argument(metavar="WORD", help="Further values of list options.", show_default=False)
]
ConfigFile = Annotated[str, typer.Option("--config", metavar="FILE", help="A JSON or TOML file of kernel sets.")]
Correct = Annotated[
    bool, typer.Option("--correct", help="Replace combinations that break rules by the nearest legal kernels.")
]
EXAMPLES = 3  # rejections shown if nothing is left


def take_words(words: Sequence[str] | None, **lists: tuple[list[str], Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Add each stray word to the list option that knows it, so that `--variants standard multi_d` works.

    >>> take_words(["multi_d"], variants=(["standard"], ("standard", "multi_d")), layouts=([], ("rcr",)))
    {'variants': ('standard', 'multi_d'), 'layouts': ()}
    """
    found = {
        name: [w for value in given for w in value.replace(",", " ").split()] for name, (given, _) in lists.items()
    }
    for word in words or ():
        owner = next((name for name, (_, known) in lists.items() if word in known), None)
        if owner is None:
            raise UnknownNameError("value", word, [w for _, known in lists.values() for w in known])
        found[owner].append(word)
    return {name: tuple(dict.fromkeys(values)) for name, values in found.items()}


ALWAYS = (
    "preselected",
    "config",
    "output_dir",
    "gpu_target",
    "correct",
    "workers",
    "clean",
    "verbose",
    "as_json",
    "words",
)


def refuse_ignored(context: typer.Context, honoured: Mapping[str, Sequence[str]]) -> None:
    """Raise `SpecError` if options were given that --preselected or --config would ignore.

    `honoured` has, for each of the two, the parameters that still count.
    """
    chosen = [name for name in ("preselected", "config") if context.params.get(name)]
    if not chosen:
        return
    counts = (*ALWAYS, *honoured[chosen[0]])
    options = [o for o in context.command.params if o.name not in counts and _was_given(context, o.name or "")]
    ignored = [*(o.opts[0] for o in options), *(f"--{name}" for name in chosen[1:])]
    if ignored:
        raise SpecError(
            f"--{chosen[0]} says which kernels to generate; {', '.join(ignored)} would be ignored",
            remedy=f"leave out --{chosen[0]}, or {', '.join(ignored)}",
        )


def _was_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def amd_target(name: str) -> str:
    """Return the name of an AMD arch; raise an error with the nearest name for any other."""
    from ..arch import get_arch, get_supported_archs

    known = get_supported_archs("amd")
    if name not in known and name in get_supported_archs():
        raise ArchError(f"{name} is not an AMD GPU", remedy=f"choose one of {', '.join(known)}")
    check_known("GPU target", name, known)
    return get_arch(name).name


def headers_revision() -> CkRevision:
    """Return the revision of the CK headers found; the reference revision, with a note, if there are none."""
    from ..backends.ck_tile.ck_revision import REFERENCE
    from ..codegen.ck.headers import installed_revision

    found = installed_revision()
    if found is None:
        note(f"no CK headers were found: generating for CK {REFERENCE.name}")
    return found or REFERENCE


@dataclass(frozen=True)
class Run:
    """Options of every generator: the target, the output folder and the output of the command."""

    output_dir: OutputDir = "generated_kernels"
    gpu_target: GpuTarget = "gfx942"
    workers: Workers = 0
    clean: Clean = False
    verbose: Verbose = False
    as_json: AsJson = False
    words: More = None

    @property
    def arch(self) -> str:
        """The name of the target."""
        return amd_target(self.gpu_target)


def report(op: str, expansion: Expansion, label: str, run: Run, correct: bool = False) -> None:
    """Generate the kernels of an expansion into a folder and report the result."""
    from ..codegen.ck.emit import count_rejections, parallel_generate

    corrected = corrected_into(expansion) if correct else []
    if not expansion.specs:
        raise nothing_left(op, expansion)
    counts = count_rejections(expansion.rejected)
    progress = FileProgress(run.verbose, run.as_json)
    done = parallel_generate(
        expansion.specs,
        run.output_dir,
        headers_revision(),
        workers=run.workers,
        on_file=progress.add,
        rejected=counts,
        label=label,
        clean=run.clean,
    )
    progress.finish()
    if run.as_json:
        print_json(
            {
                "op": op,
                "folder": str(done.folder),
                "kernels": list(done.files),
                "written": len(done.written),
                "removed": list(done.removed),
                "rejected": {"combinations": len(expansion.rejected), "rules": counts},
                **({"corrected": [_correction_dict(c) for c in corrected]} if correct else {}),
            }
        )
        return
    unchanged = len(done.files) - len(done.written)
    print(
        f"{plural(len(done.files), 'kernel')} in {run.output_dir}: {len(done.written)} written, {unchanged} unchanged"
    )
    for correction in corrected:
        print(f"corrected {correction.asked.name}: {correction}")
    print_rejections(len(expansion.rejected), counts)


def corrected_into(expansion: Expansion) -> list[Correction]:
    """Move rejected combinations that have a legal neighbour to the kernels of `expansion`; return the corrections."""
    from ..backends.corrections import correct_all

    found = correct_all(spec for spec, _ in expansion.rejected)
    hopeless = set(found.hopeless)
    expansion.rejected = [(spec, rejections) for spec, rejections in expansion.rejected if spec in hopeless]
    expansion.specs = list(dict.fromkeys([*expansion.specs, *found.specs]))
    return found.corrections


def _correction_dict(correction: Correction) -> dict[str, Any]:
    changes = {name: {"asked": old, "used": new} for name, (old, new) in correction.changes.items()}
    return {"asked": correction.asked.name, "kernel": correction.spec.name, "changes": changes}


def print_rejections(total: int, counts: Mapping[str, int]) -> None:
    """Print how many combinations each rule removed; one combination can break several rules."""
    if total:
        print(f"{total} combinations were removed by rules:")
        for rule, count in counts.items():
            print(f"  {count:6}  {rule}")


def nothing_left(op: str, expansion: Expansion) -> SpecError:
    """Return the error for an empty expansion: each broken rule once, with the numbers of an example."""
    examples: dict[str, Any] = {}
    for _, rejections in expansion.rejected:
        for rejection in rejections:
            examples.setdefault(rejection.rule, rejection)
    reasons = "; ".join(str(r) for r in examples.values()) or "the request names no combination"
    return SpecError(
        f"no {op} kernel is left: all {len(expansion.rejected)} combinations break rules: {reasons}",
        rejections=tuple(examples.values()),
    )


class FileProgress:
    """Per-kernel progress on stderr: one line per kernel if verbose, one moving line on a terminal, else nothing."""

    def __init__(self, verbose: bool, quiet: bool) -> None:
        self._lines = verbose and not quiet
        self._moving = not verbose and not quiet and sys.stderr.isatty()

    def add(self, number: int, total: int, name: str, status: str) -> None:
        """Report that one kernel is done."""
        if self._lines:
            print(f"[{number}/{total}] {status} {name}", file=sys.stderr)
        elif self._moving and (number % 25 == 0 or number == total):
            print(f"\r[{number}/{total}]", end="", file=sys.stderr, flush=True)

    def finish(self) -> None:
        """End the moving line."""
        if self._moving:
            print("\r\033[K", end="", file=sys.stderr)
