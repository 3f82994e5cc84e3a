"""Loading kernels: the struct in Python is the struct in C, and what is not a fitting kernel is refused by name."""

from __future__ import annotations

import ctypes
import json
import subprocess
import textwrap

import pytest
from launch_kernel import DIGEST, NATIVE, REVERSE, SOURCE, args_for, arrays, kernel, kernel_path, own_cache, run_script

from tilewright.errors import CacheError, LaunchError, ToolchainError
from tilewright.jit import Cache, find_compiler
from tilewright.jit import launcher as launcher_module
from tilewright.jit.launcher import TwArgs, c_launcher, ctypes_launcher, new_args
from tilewright.jit.loader import TwKernelInfo, load_kernel
from tilewright.model import abi
from tilewright.settings import Settings

STRUCTS = {"tw_args": TwArgs, "tw_kernel_info": TwKernelInfo}


def c_layout(tmp_path) -> dict:
    """sizeof and offsetof as a C++ program prints them."""
    lines = []
    for name, struct in STRUCTS.items():
        lines.append(f'printf("{{\\"{name}\\": {{\\"size\\": %zu", sizeof({name}));')
        for field, *_ in struct._fields_:
            lines.append(
                f'printf(", \\"{field}\\": [%zu, %zu]", offsetof({name}, {field}), sizeof((({name}*)0)->{field}));'
            )
        lines.append('puts("}}");')
    constants = ["ABI_VERSION", "MAX_TENSORS", "MAX_RANK", "MAX_SIZES", "MAX_SCALARS", "MAX_LAUNCH", "ERROR_BYTES"]
    lines += [f'printf("{{\\"{name}\\": %d}}\\n", TW_{name});' for name in constants]
    program = (
        f'#include <stddef.h>\n#include <stdio.h>\n#include "tilewright_abi.h"\nint main() {{ {" ".join(lines)} }}\n'
    )
    (tmp_path / "layout.cpp").write_text(program)
    compiler = find_compiler(own_cache().settings).argv
    subprocess.run([*compiler, f"-I{NATIVE}", "layout.cpp", "-o", "layout"], cwd=tmp_path, check=True)
    text = subprocess.run([str(tmp_path / "layout")], capture_output=True, text=True, check=True).stdout
    return {key: value for line in text.splitlines() for key, value in json.loads(line).items()}


def test_structs_and_constants_are_those_of_the_header(tmp_path):
    layout = c_layout(tmp_path)
    for name, struct in STRUCTS.items():
        mine = {field: [getattr(struct, field).offset, getattr(struct, field).size] for field, *_ in struct._fields_}
        assert layout.pop(name) == {"size": ctypes.sizeof(struct), **mine}
    assert layout == {name: getattr(abi, name) for name in layout}
    assert len(layout) == 7


def test_a_kernel_is_loaded_and_described():
    found = kernel()
    assert found.digest == DIGEST
    assert found.address("tw_run") == found.run_address
    assert found.address("tw_pack_b") is None
    a, b, out = arrays(3, 5)
    assert found.workspace(args_for(a, b, out, REVERSE, threads=2)) == 60
    assert found.workspace(args_for(a, b, out)) == 0


def test_another_abi_version_is_refused():
    with pytest.raises(
        LaunchError, match=r"has ABI version 77 with \d+ bytes of arguments; this tilewright has version 1"
    ):
        load_kernel(kernel_path("77"))


def test_another_argument_struct_is_refused():
    source = SOURCE.replace("sizeof(tw_args), ", "sizeof(tw_args) - 8, ")
    with pytest.raises(LaunchError, match=f"with {ctypes.sizeof(TwArgs) - 8} bytes"):
        load_kernel(kernel_path(source=source))


def test_another_digest_is_refused():
    with pytest.raises(CacheError, match=r"was generated from spec d1ge57.*, not from 0000"):
        load_kernel(kernel_path(), "0" * 64)


def test_what_is_no_library_is_refused(tmp_path):
    (tmp_path / "text.so").write_text("not a library")
    with pytest.raises(CacheError, match="cannot be loaded"):
        load_kernel(tmp_path / "text.so")
    with pytest.raises(CacheError, match="cannot be loaded"):
        load_kernel(tmp_path / "absent.so")


@pytest.mark.parametrize("name", ["tw_info", "tw_run", "tw_workspace"])
def test_a_missing_export_is_named(name):
    source = SOURCE.replace(f" {name}(", f" other_{name}(")
    with pytest.raises(LaunchError, match=f"does not export {name}"):
        load_kernel(kernel_path(source=source))


def test_a_negative_workspace_is_an_error():
    source = SOURCE.replace("return tile;", "return -5;")
    a, b, out = arrays()
    with pytest.raises(LaunchError, match="needs -5 bytes"):
        load_kernel(kernel_path(source=source)).workspace(args_for(a, b, out, REVERSE))


def test_new_args_refuses_too_many_values():
    with pytest.raises(ValueError):
        new_args(sizes=range(abi.MAX_SIZES + 1))


def test_without_python_headers_ctypes_takes_over_and_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr("sysconfig.get_paths", lambda: {"include": str(tmp_path)})
    monkeypatch.setattr(launcher_module, "_active", None)
    with pytest.raises(ToolchainError, match=r"Python\.h is not in"):
        c_launcher(own_cache())
    status = launcher_module.launcher_status(own_cache())
    assert status.startswith("ctypes launcher")
    assert "Python.h is not in" in status
    assert "apt-get install" in status


def test_without_a_compiler_ctypes_takes_over_and_says_so(monkeypatch, tmp_path):
    cache = Cache(tmp_path, settings=Settings(cxx="no-such-compiler", cache_dir=str(tmp_path)))
    monkeypatch.setattr(launcher_module, "_active", None)
    status = launcher_module.launcher_status(cache)
    assert status.startswith("ctypes launcher")
    assert "no-such-compiler" in status


def test_a_compiler_that_fails_is_told_with_the_reason(monkeypatch, tmp_path):
    cache = Cache(tmp_path, settings=Settings(cache_dir=str(tmp_path)))
    monkeypatch.setattr("tilewright.jit.native_build.FLAGS", ("-shared", "--no-such-option"))
    monkeypatch.setattr(launcher_module, "_active", None)
    status = launcher_module.launcher_status(cache)
    assert status.startswith("ctypes launcher")
    assert "tw_launcher was not built" in status


def test_ctypes_kernels_use_the_same_threads():
    from launch_kernel import bind

    a, b, out = arrays(20, 4)
    call = bind(a, b, out, REVERSE, threads=2, active=ctypes_launcher("asked for by the test"))
    assert ((a + b)[::-1] == call(a, b, out)).all()


def test_a_second_process_finds_the_helpers_in_the_cache():
    use = """
    a, b, out = arrays()
    assert (bind(a, b, out, threads=2)(a, b, out) == a + b).all()
    print(launcher().kind)
    """
    assert run_script(use) == "c\n"  # builds what no test before this one has built
    before = sorted(p.name for p in (own_cache().folder("entries")).glob("*/*"))
    no_build = "import tilewright.jit.pool as pool\npool.build_many = None  # a build would fail\n"
    assert run_script(no_build + textwrap.dedent(use)) == "c\n"
    assert sorted(p.name for p in (own_cache().folder("entries")).glob("*/*")) == before
