"""Results that no kernel writes: gradients of keys without rows are zeros in C++ too, and nothing else is touched."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("bundle")

PROGRAM = """
#include <cstdio>
#include <tilewright/tilewright.hpp>
using namespace tilewright;

int main(int, char** argv) {
  Dispatcher dispatcher(Bundle::open(argv[1]));
  const Problem problem = Problem::parse(argv[2]);
  std::vector<float> dk(2 * 5 * 3 * 12, 7.0f), dv(2 * 5 * 3 * 8, 7.0f), none(1), keys(2 * 5 * 3 * 8, 1.0f);
  for (int turn = 0; turn < 2; turn++) {  // the second one is remembered
    dispatcher.run(problem, {{"q", none}, {"k", keys}, {"v", keys}, {"out", none}, {"lse", none}, {"dout", none},
                             {"dq", none}, {"dk", dk}, {"dv", dv}});
    int wrong = 0;
    for (size_t i = 0; i < dk.size(); i++) wrong += dk[i] != (i % 12 < 8 ? 0.0f : 7.0f);  // rows are 12 apart
    for (float x : dv) wrong += x != 0.0f;
    std::printf("%d ", wrong);
    std::fill(dk.begin(), dk.end(), 7.0f), std::fill(dv.begin(), dv.end(), 7.0f);
  }
}
"""
PROBLEM = """{"op": "fmha", "family": "bwd", "batch": 2, "heads_q": 3, "heads_kv": 3, "seqlen_q": 0, "seqlen_k": 5,
    "hdim_q": 8, "dtype": "fp32", "lse": true, "strides": {"dk": [180, 36, 12, 1]}}"""


def test_gradients_of_keys_without_rows_are_zeros(
    bundle_folder: Path, bundle_code: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "program.cpp").write_text(PROGRAM)
    flags = ["-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", f"-I{bundle_folder}/include"]
    subprocess.run(["g++", *flags, "program.cpp", *bundle_code, "-o", "program"], check=True, cwd=tmp_path)
    done = subprocess.run([tmp_path / "program", bundle_folder, PROBLEM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["0", "0"]
