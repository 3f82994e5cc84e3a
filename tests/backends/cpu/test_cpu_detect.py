"""Which arch this machine generates for, and what happens if CPU, compiler and settings do not agree."""

from __future__ import annotations

import json
import logging
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tilewright.arch import get_arch, get_supported_archs
from tilewright.backends.cpu import detect
from tilewright.backends.cpu.detect import cpu_flags, host_arch, host_archs
from tilewright.cli.doctor import _cpu
from tilewright.errors import ArchError
from tilewright.jit.host_cpu import host_cpu
from tilewright.settings import Settings

FOREIGN = [
    a for kind in ("x86", "arm") for a in get_supported_archs(kind) if not get_arch(a).is_for(host_cpu().machine)
]
# A process that sees no feature of its CPU, on a machine that no arch names.
STRANGE_CPU = """
from pathlib import Path
from types import SimpleNamespace
from tilewright.jit import host_cpu
host_cpu.CPUINFO = Path("/nonexistent/cpuinfo")
host_cpu.platform = SimpleNamespace(machine=lambda: "riscv64")  # the loader still knows what it loads
from tilewright.cli import main
main()
"""


def test_every_cpu_ends_in_the_generic_arch() -> None:
    assert host_archs()[-1].name == "generic"


@pytest.mark.skipif(not detect._sysconf_caches() or not detect._sysfs_caches(), reason="two sources are compared")
def test_caches_are_known_where_sys_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = detect.caches()
    monkeypatch.setattr(detect, "CACHES", tmp_path / "none")
    found = detect.caches.__wrapped__()
    assert (found["l1"], found["l2"]) == (told["l1"], told["l2"])


def test_a_cpu_that_nobody_foresaw_runs_the_demo(tmp_path: Path) -> None:
    command = [sys.executable, "-c", STRANGE_CPU, "demo", "--quick", "--json", "--threads", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "arch      generic" in done.stderr
    lines = json.loads(done.stdout)["problems"]
    assert {line["arch"] for line in lines} == {"generic"}
    assert all(line["ok"] for line in lines)


@pytest.mark.parametrize("arch", FOREIGN)
def test_an_arch_of_another_machine_is_refused(arch: str) -> None:
    with pytest.raises(ArchError, match=f"{arch}, which is for .*; this machine is {host_cpu().machine}") as refused:
        host_arch(Settings.from_env(cpu_arch=arch))
    assert "generic" in (refused.value.remedy or "")


def test_a_gpu_is_no_cpu() -> None:
    with pytest.raises(ArchError, match="sm_90, which is not a CPU"):
        host_arch(Settings.from_env(cpu_arch="sm_90"))


def test_a_level_that_this_cpu_lacks_is_refused_with_what_it_lacks() -> None:
    own = [get_arch(a) for a in get_supported_archs() if get_arch(a).kind == host_archs()[0].kind]
    lacking = [a for a in own if not a.runs_on(host_cpu().machine, cpu_flags())]
    if not lacking:
        pytest.skip("this CPU has everything that the archs ask for")
    with pytest.raises(ArchError, match=f"which {lacking[0].name} needs"):
        host_arch(Settings.from_env(cpu_arch=lacking[0].name))


@pytest.fixture
def old_compiler(tmp_path: Path) -> Settings:
    """A compiler that knows no -march, as one older than the CPU does not know the CPU's."""
    real = shutil.which("g++") or shutil.which("clang++")
    script = tmp_path / "g++"
    script.write_text(
        "#!/bin/sh\n"
        'for word in "$@"; do case "$word" in -march=*) echo "error: bad value for $word" >&2; exit 1;; esac; done\n'
        f'exec {real} "$@"\n'
    )
    script.chmod(0o755)
    return Settings.from_env(cxx=str(script), cache_dir=str(tmp_path / "cache"))


def test_a_compiler_that_refuses_an_arch_falls_back_and_says_so(
    old_compiler: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, logger="tilewright"):
        assert host_arch(old_compiler).name == "generic"
        host_arch(old_compiler)
    said = [r.getMessage() for r in caplog.records if "refuses the flags of" in r.getMessage()]
    assert [a.name for a in host_archs()[:-1]] == [line.split("flags of ")[1].split(",")[0] for line in said]
    assert "bad value for -march=" in said[0]
    missing = [f for f in _cpu(old_compiler) if f.state == "missing"]
    assert "not those of" in missing[0].found


def test_kernels_of_the_fallback_are_right(old_compiler: Settings) -> None:
    from tilewright.dispatcher import Dispatcher
    from tilewright.ops import get_op, problem_from_dict

    p = problem_from_dict({"op": "gemm", "m": 9, "n": 11, "k": 13, "dtype": "fp32"})
    dispatcher = Dispatcher(settings=old_compiler)
    tensors = get_op("gemm").random_tensors(p, seed=0)
    get_op("gemm").verify(p, tensors, dispatcher.run(p, **tensors)).require("generic")
    assert dispatcher.plan(p).candidate.spec.arch == "generic"


def test_a_kernel_can_be_chosen_without_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert host_arch(Settings.from_env(cxx="")) == host_archs()[0]
