"""Fixtures of the tests that run kernels of the other kind of CPU (`make test-foreign`)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from arm_cases import arm_cases
from emulated_machine import LAUNCHER, Machine
from foreign_cases import Case, cases
from foreign_tools import MACHINE, ForeignTools, emulated_cpu, find_tools

from tilewright.arch import default_catalog
from tilewright.errors import ToolchainError
from tilewright.jit import launcher as launcher_module
from tilewright.jit.progress import LineProgress
from tilewright.model.arch import CpuArch
from tilewright.registry import Registry
from tilewright.settings import Settings

PATIENCE = 1800.0  # seconds for one compile: no kernel may fail because the machine is busy


def foreign_archs() -> list[CpuArch]:
    """Return the archs of the other kind of CPU, and those of any."""
    return [a for a in default_catalog().values() if isinstance(a, CpuArch) and a.is_for(MACHINE)]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give each kernel a test of its own, unless the tests are skipped anyway."""
    if "case" not in metafunc.fixturenames:
        return
    found: list[Any] = [None]
    if "foreign" in metafunc.config.option.markexpr:
        archs = [arch for arch in foreign_archs() if emulated_cpu(MACHINE, arch)]
        found = [case for arch in archs for case in (*cases(arch), *arm_cases(arch))]
    metafunc.parametrize("case", found, ids=[c.label if c else "" for c in found])


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say which archs are left out."""
    left_out = [a.name for a in foreign_archs() if not emulated_cpu(MACHINE, a)]
    if "foreign" not in config.option.markexpr or not left_out:
        return None
    return f"left out, since the emulator has no such CPU: {', '.join(left_out)}"


def pytest_collection_finish(session: pytest.Session) -> None:
    """Build the kernels of all chosen tests together; if that cannot be, the run ends here and says what to install.

    It is no fixture, because the time limit of a test is for one kernel.
    """
    foreign = [item for item in session.items if item.get_closest_marker("foreign")]
    chosen = [item.callspec.params.get("case") for item in foreign if hasattr(item, "callspec")]
    chosen = [case for case in chosen if isinstance(case, Case)]
    if not chosen or session.config.option.collectonly:
        return
    try:
        tools = find_tools(MACHINE)
    except ToolchainError as error:
        pytest.exit(f"make test-foreign cannot run: {error}", returncode=2)
    print(f"\n{MACHINE}: {tools.compiler} and {tools.emulator}", flush=True)
    settings = Settings.from_env(cxx=tools.compiler, threads=2, build_timeout=PATIENCE)
    session.config.stash[FOREIGN] = Foreign(tools, settings, build_all(chosen, settings))


def build_all(chosen: Sequence[Case], settings: Settings) -> dict[str, Any]:
    """Return an artifact or a failure for each kernel, by spec digest."""
    specs = list({case.candidate.spec.digest: case.candidate.spec for case in chosen}.values())
    results = Registry().build(specs=specs, settings=settings, progress=LineProgress(sys.stdout))
    return dict(zip((spec.digest for spec in specs), results, strict=True))


@dataclass(frozen=True)
class Foreign:
    """The tools of the other machine, settings that name its compiler, and what that made of each kernel."""

    tools: ForeignTools
    settings: Settings
    built: Mapping[str, Any]


FOREIGN = pytest.StashKey[Foreign]()


@pytest.fixture
def foreign(request: pytest.FixtureRequest) -> Foreign:
    """The other machine's tools and kernels."""
    return request.config.stash[FOREIGN]


@pytest.fixture(scope="session")
def machine_of(request: pytest.FixtureRequest) -> Iterator[Callable[[str], Machine]]:
    """A function from the name of an arch to an emulated machine that has little more than the arch needs."""
    machines: dict[str, Machine] = {}
    foreign = request.config.stash[FOREIGN]

    def find(arch: str) -> Machine:
        if arch not in machines:
            facts = default_catalog()[arch]
            assert isinstance(facts, CpuArch)
            cpu = emulated_cpu(MACHINE, facts)
            assert cpu is not None
            machines[arch] = Machine(foreign.tools.command(cpu), foreign.settings)
        return machines[arch]

    yield find
    for machine in machines.values():
        machine.close()


@pytest.fixture
def launched_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans launch through the machine that holds their kernel."""
    monkeypatch.setattr(launcher_module, "_active", LAUNCHER)
