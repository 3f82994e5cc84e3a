"""What every command promises: help with an example, one-paragraph errors, exit status, a quick and light start."""

from __future__ import annotations

import logging
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from run_cli import P, cli

from tilewright import __version__
from tilewright.cli.app import app

HEAVY = ("torch", "triton", "lightgbm", "pydantic", "jinja2", "numpy", "rich", "ml_dtypes")


def commands(parent: typer.Typer = app, prefix: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for command in parent.registered_commands:
        yield (*prefix, command.name or "")
    for group in parent.registered_groups:
        assert group.typer_instance is not None
        yield from commands(group.typer_instance, (*prefix, group.name or ""))


ALL = sorted(commands())


@pytest.mark.parametrize("group", ["", "arch", "cache", "codegen", "data", "toolchain"])
@pytest.mark.parametrize("columns", ["80", "200"])
def test_no_list_of_commands_cuts_what_they_do(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, group: str, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    shown = cli(capfd, *filter(None, [group]), "--help").out.split("Commands:")[1]
    assert "..." not in shown
    assert max(map(len, shown.splitlines())) <= int(columns)


def test_the_commands_of_the_contract_are_there() -> None:
    names = {" ".join(c) for c in ALL}
    wanted = ["doctor", "support", "build", "select", "explain", "run", "bench", "demo"]
    wanted += [f"arch {c}" for c in ["list", "show", "check", "export"]]
    wanted += [f"cache {c}" for c in ["info", "verify", "prune", "clear", "export", "import"]]
    assert set(wanted) <= names


@pytest.mark.parametrize("command", ALL, ids=" ".join)
def test_help_has_an_example_and_json(capfd: pytest.CaptureFixture[str], command: tuple[str, ...]) -> None:
    ran = cli(capfd, *command, "--help")
    assert ran.status == 0
    assert f"Example:\n    tilewright {' '.join(command)}" in ran.out
    assert "--json" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80
    assert ran.err == ""


def test_version(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli(capfd, "--version").out == f"tilewright {__version__}\n"


def test_python_dash_m_is_the_command() -> None:
    ran = subprocess.run([sys.executable, "-m", "tilewright", "--version"], capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (0, f"tilewright {__version__}\n")


def test_start_is_light() -> None:
    code = "import sys, tilewright.cli.app; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not set(HEAVY) & set(loaded)


@pytest.mark.timing
def test_start_is_quick() -> None:
    times = []
    for _ in range(3):
        start = time.monotonic()
        subprocess.run([sys.executable, "-m", "tilewright", "--version"], capture_output=True, check=True)
        times.append(time.monotonic() - start)
    assert min(times) < 1.5  # 0.2 s on an idle machine


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["explain", "{not json"], "not valid JSON"),
        (["explain", '{"op":"gemm"}'], "m is missing"),
        (["explain", '{"op":"gem","m":1,"n":1,"k":1,"dtype":"fp32"}'], "did you mean 'gemm'"),
        (["explain", '{"op":"gemm","m":1,"n":1,"k":1,"dtype":"fp23"}'], "did you mean 'fp32'"),
        (["explain", '{"op":"gemm","m":1,"n":1,"k":1,"dtype":"fp32","layuot":"rrr"}'], "did you mean 'layout'"),
        (["explain", P, "--arch", "gfx924"], "did you mean 'gfx942'"),
        (["explain", "no_such_file.jsonl"], "no_such_file.jsonl"),
        (["select", P, "--selector", "analitical"], "did you mean 'analytical'"),
        (["select", '{"op":"gemm","m":8,"n":8,"k":8,"dtype":"fp64"}'], "fp64"),
        (["run", P, "--tier", "float46"], "did you mean 'float64'"),
        (["run", P, "--check", "--tier", "float46"], "did you mean 'float64'"),
        (["run", P, "--device", "gpu"], "unknown device 'gpu'. Known: "),
        (["explain", P, "--set", "xyz"], "in all)"),
        (["explain", P, "--backend", "triton"], "triton has no kernels for cpu"),
        (["explain", P, "--backend", "cpu", "--arch", "gfx942"], "cpu has no kernels for gfx942"),
        (["codegen", "docs", "--out", "/proc/nowhere"], "cannot make the folder /proc/nowhere"),
        (["bench", P, "--compare", "nunpy"], "did you mean 'numpy'"),
        (["bench", P, "--out", "/nonexistent/x.jsonl"], "/nonexistent/x.jsonl"),
        (["build", P, "--set", "cpu_gemm_fam"], "did you mean 'cpu_gemm_fma'"),
        (["arch", "show", "gfx9000"], "did you mean"),
        (["arch", "export", "--format", "rust"], "unknown export format"),
        (["arch", "check", "no_such_file.json"], "no_such_file.json"),
        (["cache", "prune"], "--max-size"),
        (["cache", "prune", "--max-size", "huge"], "500MB"),
        (["cache", "import", "no_such_file.tar.gz"], "no_such_file.tar.gz"),
        (["cache", "export", "/nonexistent/x.tar.gz"], "/nonexistent/x.tar.gz"),
    ],
    ids=lambda v: " ".join(v)[:60] if isinstance(v, list) else None,
)
def test_bad_input_is_one_paragraph_on_stderr(
    capfd: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    ran = cli(capfd, *arguments)
    assert ran.status == 1
    assert ran.out == ""
    assert says in ran.err
    assert "Traceback" not in ran.err
    assert ran.err.startswith("tilewright: ")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["frobnicate"],
        ["explain"],
        ["run", P, "--chekc"],
        ["arch"],
        ["run", P, "--seed", "-1"],
        ["tune", "--count", "-3"],
    ],
    ids=" ".join,
)
def test_wrong_usage_exits_2(capfd: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    ran = cli(capfd, *arguments)
    assert ran.status == 2
    assert "Traceback" not in ran.err
    assert "Usage: tilewright" in ran.err + ran.out


def test_a_wrong_setting_is_told(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_THREADS", "many")
    ran = cli(capfd, "doctor")
    assert ran.status == 1
    assert "TILEWRIGHT_THREADS" in ran.err


def test_an_unexpected_error_is_told_without_traceback(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import tilewright.cli.problems as problems

    def fail(path: str) -> str:
        raise ZeroDivisionError("by accident")

    monkeypatch.setattr(problems, "_read", fail)
    ran = cli(capfd, "explain", "file.jsonl")
    assert ran.status == 1
    assert "ZeroDivisionError: by accident" in ran.err
    assert "TILEWRIGHT_VERBOSE=1" in ran.err
    assert "Traceback" not in ran.err
    monkeypatch.setenv("TILEWRIGHT_VERBOSE", "1")
    with pytest.raises(ZeroDivisionError):
        cli(capfd, "explain", "file.jsonl")


def test_interruption_exits_130(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import tilewright.cli.problems as problems

    def interrupt(path: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(problems, "_read", interrupt)
    ran = cli(capfd, "explain", "file.jsonl")
    assert ran.status == 130
    assert ran.err == "tilewright: interrupted; finished work is kept\n"


def test_an_interruption_while_commands_are_loaded_exits_130(monkeypatch: pytest.MonkeyPatch) -> None:
    import tilewright.cli

    def interrupt(arguments: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("tilewright.cli.app.run", interrupt)
    with pytest.raises(SystemExit) as ended:
        tilewright.cli.main()
    assert ended.value.code == 130


def test_what_the_machine_lacks_is_no_fault_of_ours(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    huge = '{"op":"gemm","m":1099511627776,"n":1,"k":64,"dtype":"fp32"}'
    import tilewright.tune.bench.record as bench

    monkeypatch.setattr(bench, "prebuild", lambda *_: None)
    ran = cli(capfd, "run", huge)
    assert ran.status == 1
    assert "not enough memory" in ran.err
    assert "internal error" not in ran.err
    full = f"{sys.executable} -m tilewright arch list > /dev/full"
    ended = subprocess.run(["bash", "-c", full], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (
        1,
        "tilewright: operating system error: No space left on device.\n",
    )


@pytest.mark.parametrize(
    "line", ['{"op":"gemm","m":1,"n":1,"k":1,"dtype":"fp23"}', '{"op":"gem"}', '{"op":"gemm","x":1}']
)
def test_a_mistake_in_a_file_is_told_with_its_line(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, line: str
) -> None:
    file = tmp_path / "problems.jsonl"
    file.write_text(f"{P}\n\n{line}\n")
    ran = cli(capfd, "select", str(file))
    assert ran.status == 1
    assert f"{file}, line 3: unknown" in ran.err


def test_an_empty_file_is_named(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    assert "empty.jsonl: contains no problem" in cli(capfd, "bench", str(tmp_path / "empty.jsonl")).err


@pytest.mark.parametrize(
    "command", ["arch export --format json", "arch show gfx942", "support --arch aarch64_dot --json"]
)
def test_a_reader_that_stops_early_is_no_error(command: str) -> None:
    command = f"{sys.executable} -m tilewright {command} | head -c 10"
    ran = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert len(ran.stdout) == 10


def test_without_a_compiler_the_remedy_is_told(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("TILEWRIGHT_CXX", "no-such-compiler")
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))
    ran = cli(capfd, "run", P)
    assert ran.status == 1
    assert "no-such-compiler" in ran.err
    assert ran.err.count("\n") == 1


def test_a_command_leaves_log_and_warnings_as_they_were(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = logging.getLogger("tilewright")
    before = (log.propagate, list(log.handlers), log.level, warnings.showwarning)
    for verbose in ("0", "1"):
        monkeypatch.setenv("TILEWRIGHT_VERBOSE", verbose)
        assert cli(capfd, "select", P).status == 0
        assert (log.propagate, list(log.handlers), log.level, warnings.showwarning) == before


def test_verbose_logs_decisions(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_VERBOSE", "1")
    ran = cli(capfd, "run", P)
    assert "tilewright: gemm 48x40x32 fp32_rrr -> gemm_cpu" in ran.err


@pytest.mark.parametrize("own", ["", "27"])
def test_commands_let_idle_blas_threads_sleep_unless_told_otherwise(own: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else they would share their cores with what is timed next."""
    monkeypatch.delenv("OPENBLAS_THREAD_TIMEOUT", raising=False)
    if own:
        monkeypatch.setenv("OPENBLAS_THREAD_TIMEOUT", own)
    code = """if True:
        import atexit, os
        from tilewright.cli import main
        atexit.register(lambda: print(os.environ["OPENBLAS_THREAD_TIMEOUT"]))
        main()
    """
    done = subprocess.run([sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == (own or "20")
