"""Finding and installing the AMD toolchain: every step with small stand-ins, and the real one where it is there."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import zipfile
from pathlib import Path

import pytest
from amd_toolchain import REAL, needs_toolchain
from ck_headers import headers

from tilewright.backends.ck_tile import toolchain_install
from tilewright.backends.ck_tile.toolchain import Toolchain, compile_flags, find_toolchain, rocm_compiler
from tilewright.backends.ck_tile.toolchain_check import check_toolchain, probe_request
from tilewright.backends.ck_tile.toolchain_install import MANIFEST, install, install_folder, installed, remove
from tilewright.backends.ck_tile.toolchain_parts import (
    DEVICE_ASSEMBLY,
    constant_ir,
    device_constants,
    recipe_digest,
    wheels,
)
from tilewright.backends.gpu.amd_code import code_object_version, read_code_object
from tilewright.cli.toolchain import _found
from tilewright.errors import ArchError, ToolchainError
from tilewright.jit.files import NameLock
from tilewright.jit.runner import execute
from tilewright.jit.wheels import Wheel
from tilewright.settings import Settings

# Stands in for the compiler: leaves an ELF-like file where it was told to write one.
COMPILER = """#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done
printf '\\177ELF stand-in' > "$out"
"""

# The header that is changed for hosts other than x86-64.
ASSEMBLY = "struct FastGeluAsm { asm volatile(1:); asm volatile(2:); }"


def small_wheel(broken: bool = False) -> tuple[Wheel, bytes]:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("t/zig", "#!/bin/sh\necho no such target >&2\nexit 1\n" if broken else COMPILER)
        archive.writestr("t/ck/ck_tile/core.hpp", "// core\n")
        archive.writestr(f"t/{DEVICE_ASSEMBLY}".replace("ck/include", "ck"), ASSEMBLY)
        archive.writestr("t/bitcode/ocml.bc", "x")
    data = stream.getvalue()
    members = {"t/zig": "zig/zig", "t/ck/": "ck/include", "t/bitcode/": "rocm/amdgcn/bitcode"}
    return Wheel("small", "1", hashlib.sha256(data).hexdigest(), len(data), members), data


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Settings, Path]:
    """Settings with a cache of their own, and a folder with the small wheel that stands for all."""
    wheel, data = small_wheel()
    folder = tmp_path / "wheels"
    folder.mkdir()
    (folder / "small-1.whl").write_bytes(data)
    monkeypatch.setattr(toolchain_install, "wheels", lambda: (wheel,))
    for name in ("ROCM_PATH", "CK_ROOT"):
        monkeypatch.delenv(name, raising=False)
    return Settings(cache_dir=str(tmp_path / "cache")), folder


def test_an_installation_appears_whole_and_is_found(place, monkeypatch):
    settings, folder = place
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    said: list[str] = []
    assert installed(settings) is None
    where = install(settings, local=folder, say=said.append)
    assert where == install_folder(settings) == installed(settings)
    assert (where / "hip.cfg").read_text().count("<CFGDIR>") == 5
    assert os.access(where / "zig" / "ld.lld", os.X_OK)
    assert len(list((where / "rocm" / "amdgcn" / "bitcode").glob("*.bc"))) == len(device_constants()) + 1
    assert sorted(p.name for p in where.parent.iterdir()) == [where.name]  # no downloads, no work folders
    found = find_toolchain(settings)
    assert (found.kind, found.ck_root) == ("cross", where / "ck")
    assert found.command("gfx942", "gemm", "k.cpp", "k.co")[-2:] == ("-o", "k.co")
    assert install(settings) == where  # at once: nothing is fetched
    assert remove(settings) > 0
    assert installed(settings) is None


def test_an_interrupted_installation_leaves_nothing_half_done_and_goes_on(place, monkeypatch):
    settings, folder = place
    real = toolchain_install.unpack

    def interrupted(*arguments):
        real(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(toolchain_install, "unpack", interrupted)
    with pytest.raises(KeyboardInterrupt):
        install(settings, local=folder)
    root = install_folder(settings).parent
    assert [p.name for p in root.iterdir()] == ["downloads"]
    monkeypatch.setattr(toolchain_install, "unpack", real)
    (folder / "small-1.whl").unlink()  # the download is there already
    assert install(settings, local=folder) == installed(settings)


def test_work_folders_of_a_killed_installation_are_swept(place):
    settings, folder = place
    left = install_folder(settings).parent / "tmp-dead"
    left.mkdir(parents=True)
    install(settings, local=folder)
    assert not left.exists()


def test_a_compiler_that_does_not_work_is_not_installed(place, monkeypatch):
    settings, folder = place
    wheel, data = small_wheel(broken=True)
    (folder / "small-1.whl").write_bytes(data)
    monkeypatch.setattr(toolchain_install, "wheels", lambda: (wheel,))
    with pytest.raises(ToolchainError, match="no such target"):
        install(settings, local=folder)
    assert installed(settings) is None


def test_two_installations_at_once_and_a_full_disk_are_told(place, monkeypatch):
    settings, folder = place
    root = install_folder(settings).parent
    root.mkdir(parents=True)
    lock = NameLock(root / "install.lock")
    assert lock.acquire()
    with pytest.raises(ToolchainError, match="another process is installing"):
        install(settings, local=folder)
    lock.release()
    monkeypatch.setattr(toolchain_install, "NEEDED_BYTES", 1 << 62)
    with pytest.raises(ToolchainError, match="MB free"):
        install(settings, local=folder)


def test_force_replaces_what_is_there(place):
    settings, folder = place
    where = install(settings, local=folder, keep_downloads=True)
    (where / "hip.cfg").write_text("damaged")
    install(settings, local=folder, force=True)
    assert "damaged" not in (where / "hip.cfg").read_text()
    assert (where / MANIFEST).is_file()


def test_rocm_is_preferred_and_a_checkout_is_taken(tmp_path, monkeypatch, place):
    settings, folder = place
    rocm, ck = tmp_path / "rocm", tmp_path / "composable_kernel"
    (rocm / "bin").mkdir(parents=True)
    (rocm / "bin" / "amdclang++").write_text("#!/bin/sh\necho AMD clang version 19\n")
    (rocm / "bin" / "amdclang++").chmod(0o755)
    monkeypatch.setenv("ROCM_PATH", str(rocm))
    assert rocm_compiler() == rocm / "bin" / "amdclang++"
    with pytest.raises(ToolchainError, match="no CK headers"):
        find_toolchain(settings)
    monkeypatch.setenv("CK_ROOT", str(ck))
    with pytest.raises(ToolchainError, match="CK_ROOT is"):
        find_toolchain(settings)
    headers(ck / "include")
    found = find_toolchain(settings)
    assert (found.kind, found.version, found.include_dirs) == ("rocm", "AMD clang version 19", (ck / "include",))
    monkeypatch.delenv("ROCM_PATH")
    monkeypatch.setenv("PATH", str(rocm / "bin"))  # found by where hipcc or amdclang++ on PATH lies
    assert rocm_compiler() == rocm / "bin" / "amdclang++"
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    install(settings, local=folder)
    assert find_toolchain(settings).ck_root == ck  # a checkout also serves the cross compiler


def rocm_with(folder: Path, monkeypatch: pytest.MonkeyPatch, **changed: str | None) -> Path:
    """A ROCm with a compiler and CK headers, some of whose templates are changed."""
    headers(folder / "include", **changed)
    (folder / "bin").mkdir()
    (folder / "bin" / "amdclang++").write_text("#!/bin/sh\necho AMD clang version 19\n")
    (folder / "bin" / "amdclang++").chmod(0o755)
    monkeypatch.setenv("ROCM_PATH", str(folder))
    return folder


STRANGE = {"TileGemmShape": "BlockTile_ Mystery_ BlockWarps_ WarpTile_"}


def test_headers_of_rocm_are_used_if_they_fit(tmp_path, monkeypatch, place):
    settings, _ = place
    rocm = rocm_with(tmp_path / "rocm", monkeypatch, TileGemmShape="WarpTile_ BlockTile_ BlockWarps_ New_?")
    assert find_toolchain(settings).ck_root == rocm
    [row] = [r for r in _found(settings) if r["what"] == "CK headers"]
    assert (row["state"], row["found"]) == ("ok", f"{rocm} (revision unnamed)")


def test_headers_of_another_revision_give_way_to_the_installed_ones(tmp_path, monkeypatch, place):
    settings, folder = place
    rocm = rocm_with(tmp_path / "rocm", monkeypatch, **STRANGE)
    with pytest.raises(ToolchainError, match=r"asks for Mystery_.*set CK_ROOT.*toolchain install amdgpu"):
        find_toolchain(settings)
    rows = {r["what"]: r for r in _found(settings)}
    assert {rows["CK headers"]["state"], rows["used for ck_tile"]["state"]} == {"missing"}
    where = install(settings, local=folder)
    shutil.rmtree(where / "ck")
    headers(where / "ck" / "include")
    found = find_toolchain(settings)
    assert (found.kind, found.argv[0], found.ck_root) == ("rocm", str(rocm / "bin" / "amdclang++"), where / "ck")
    rows = {r["what"]: r for r in _found(settings)}
    assert rows["CK headers"]["state"] == "ok"
    assert rows["CK headers"]["found"].startswith(f"{where / 'ck'} (revision 1.2.0); TileGemmShape of")


def test_a_checkout_that_does_not_fit_says_to_unset_it(tmp_path, monkeypatch, place):
    settings, _ = place
    headers(tmp_path / "ck" / "include", **STRANGE)
    monkeypatch.setenv("CK_ROOT", str(tmp_path / "ck"))
    with pytest.raises(ToolchainError, match=r"CK_ROOT: TileGemmShape.*Fix: unset CK_ROOT"):
        find_toolchain(settings)
    rows = {r["what"]: r["state"] for r in _found(settings)}
    assert rows["CK headers"] == rows["used for ck_tile"] == "missing"


def test_without_any_the_error_names_the_command(tmp_path, monkeypatch):
    for name in ("ROCM_PATH", "CK_ROOT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolchainError, match="tilewright toolchain install amdgpu"):
        find_toolchain(Settings(cache_dir=str(tmp_path)))


@pytest.mark.parametrize(
    ("arch", "op", "present", "absent"),
    [
        ("gfx942", "gemm", ["--offload-arch=gfx942", "-D__AMDGCN_WAVEFRONT_SIZE=64"], ["-DCK_GFX950_SUPPORT"]),
        ("gfx950", "gemm", ["-DCK_GFX950_SUPPORT"], ["-DCK_TILE_USE_WMMA=1"]),
        ("gfx1201", "conv", ["-D__AMDGCN_WAVEFRONT_SIZE=32", "-DCK_TILE_USE_WMMA=1"], []),
        ("gfx942", "fmha", ["-DCK_TILE_FMHA_FWD_FAST_EXP2=1", "-fgpu-flush-denormals-to-zero"], []),
    ],
)
def test_flags_follow_arch_and_op(arch, op, present, absent):
    flags = compile_flags(arch, op)
    assert all(flag in flags for flag in present)
    assert not any(flag in flags for flag in absent)


@pytest.mark.parametrize("op", ["gemm", "conv", "fmha"])
def test_bf16_is_rounded_to_nearest(op):
    """CK's default truncates: its results fail `--check`. Mode 3 is miscompiled (an operand without early clobber)."""
    assert "-DCK_TILE_FLOAT_TO_BFLOAT16_DEFAULT=0" in compile_flags("gfx942", op)


def test_code_objects_have_the_version_that_every_rocm_loads():
    assert "-mcode-object-version=5" in compile_flags("gfx942")


def test_flags_of_other_archs_are_an_error():
    with pytest.raises(ArchError, match="not an AMD GPU"):
        compile_flags("sm_90")


def test_constants_are_the_intermediate_code_that_device_libraries_ask_for():
    text = constant_ir(device_constants()["oclc_wavefrontsize64_off"])
    assert "@__oclc_wavefrontsize64 = linkonce_odr protected" in text
    assert "constant i32 5" in text


def test_pins_are_complete_and_other_machines_are_told():
    for machine in ("x86_64", "aarch64"):
        assert all(len(w.sha256) == 64 and w.size > 1e6 and w.members for w in wheels(machine))
    with pytest.raises(ToolchainError, match="no compiler for riscv64 hosts"):
        wheels("riscv64")
    assert recipe_digest() == recipe_digest()


@needs_toolchain
def test_the_real_toolchain_makes_matrix_instructions():
    tools: Toolchain = find_toolchain(REAL)
    assert check_toolchain(tools, ("gfx942",), REAL) == {"gfx942": None}
    assert "is not an AMD GPU" in str(check_toolchain(tools, ("sm_90",), REAL)["sm_90"])


@needs_toolchain
def test_equal_sources_give_equal_bytes_in_any_folder(tmp_path):
    request = probe_request(find_toolchain(REAL), "gfx1201")
    made = []
    for folder in (tmp_path / "one", tmp_path / "another" / "place"):
        folder.mkdir(parents=True)
        assert execute(request, folder).kind == "ok"
        made.append((folder / "probe.co").read_bytes())
    assert made[0] == made[1]
    assert read_code_object(made[0])[0] == "gfx1201"
    assert code_object_version(made[0]) == 5
