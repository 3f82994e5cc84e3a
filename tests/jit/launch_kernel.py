"""A small real kernel for the launcher and runtime tests: one C file, a few modes, built through the cache."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import numpy as np

from tilewright.jit import Cache, build_one, cxx_request
from tilewright.jit.launcher import Kernel, make_call, new_args
from tilewright.jit.library import runtime_library
from tilewright.jit.loader import load_kernel
from tilewright.settings import Settings

NATIVE = Path(__file__).parents[2] / "src" / "tilewright" / "jit" / "native"
DIGEST = "d1ge57" * 8
ADD, REVERSE, FAIL, NEST, NAP, NOTHING, TEAM_NAP = range(7)  # launch[1]: what the kernel does

SOURCE = (
    r"""
#include <stdio.h>
#include <unistd.h>
#include "tilewright_abi.h"
#define EXPORTED extern "C" __attribute__((visibility("default")))
enum { ADD, REVERSE, FAIL, NEST, NAP, NOTHING, TEAM_NAP };
static float* at(tw_args* a, int t, int64_t i, int64_t j) {
  return (float*)a->tensors[t] + i * a->strides[t][0] + j * a->strides[t][1];
}
static void add(void* context, int index, int count, tw_team*) {
  tw_args* a = (tw_args*)context;
  for (int64_t i = index; i < a->sizes[0]; i += count)
    for (int64_t j = 0; j < a->sizes[1]; ++j) *at(a, 2, i, j) = *at(a, 0, i, j) + *at(a, 1, i, j);
}
// Rows of a + b go to the workspace; after the barrier each member writes rows that others computed. Many rounds.
static void reverse(void* context, int index, int count, tw_team* team) {
  tw_args* a = (tw_args*)context;
  const int64_t m = a->sizes[0], n = a->sizes[1];
  float* scratch = (float*)a->workspace;
  for (int round = 0; round < a->launch[2]; ++round) {
    for (int64_t i = index; i < m; i += count)
      for (int64_t j = 0; j < n; ++j) scratch[i * n + j] = *at(a, 0, i, j) + *at(a, 1, i, j) + round;
    a->runtime->barrier(team, index);
    for (int64_t i = index; i < m; i += count)
      for (int64_t j = 0; j < n; ++j) *at(a, 2, i, j) = scratch[(m - 1 - i) * n + j];
    a->runtime->barrier(team, index);
  }
}
static void nest(void* context, int index, int, tw_team*) {
  tw_args* a = (tw_args*)context;  // every member of the outer team runs a whole team of its own, with barriers
  tw_args mine = *a;
  mine.workspace = (float*)a->workspace + index * a->sizes[0] * a->sizes[1];
  mine.tensors[2] = at(a, 2, index * a->sizes[0], 0);
  a->runtime->parallel(3, reverse, &mine);
}
static void nap(void* context, int, int, tw_team*) { usleep((useconds_t)((tw_args*)context)->launch[2]); }
static const tw_kernel_info info = {ABI, sizeof(tw_args), "@DIGEST@"};
EXPORTED const tw_kernel_info* tw_info(void) { return &info; }
EXPORTED int64_t tw_workspace(const tw_args* a) {
  const int64_t tile = a->sizes[0] * a->sizes[1] * 4;
  if (a->launch[1] == REVERSE) return tile;
  return a->launch[1] == NEST ? tile * a->launch[0] : 0;
}
EXPORTED int tw_run(tw_args* a) {
  const int threads = (int)a->launch[0];
  switch (a->launch[1]) {
    case ADD:
      if (a->runtime) a->runtime->parallel(threads, add, a);
      else add(a, 0, 1, nullptr);
      return 0;
    case REVERSE: a->runtime->parallel(threads, reverse, a); return 0;
    case NEST: a->runtime->parallel(threads, nest, a); return 0;
    case NAP: usleep((useconds_t)a->launch[2]); return 0;
    case FAIL:
      snprintf(a->error, sizeof a->error, "m is %lld, which this kernel dislikes", (long long)a->sizes[0]);
      return 7;
    case NOTHING: return 0;
    case TEAM_NAP: a->runtime->parallel(threads, nap, a); return 0;
  }
  return 1;
}
"""
).replace("@DIGEST@", DIGEST)


CACHE_VARIABLE = "TILEWRIGHT_TEST_CACHE"


@functools.cache
def own_cache() -> Cache:
    """One cache folder for this test run and the processes it starts; removed at the end."""
    folder = os.environ.get(CACHE_VARIABLE)
    if folder is None:
        folder = tempfile.mkdtemp(prefix="tilewright-tests-")
        owner = os.getpid()
        atexit.register(lambda: os.getpid() == owner and shutil.rmtree(folder, ignore_errors=True))
    return Cache(folder, settings=Settings(cache_dir=folder))


def run_script(text: str, timeout: float = 120, **env: str) -> str:
    """What a fresh Python prints that runs `text` beside this module; fails with its stderr where it fails."""
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    everything = {**os.environ, CACHE_VARIABLE: str(own_cache().root), "PYTHONPATH": path, **env}
    prelude = "from launch_kernel import *\nfrom tilewright.jit.launcher import launcher\nlauncher(own_cache())\n"
    command = [sys.executable, "-W", "ignore", "-c", prelude + textwrap.dedent(text)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=everything)
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def kernel_path(abi: str = "TW_ABI_VERSION", source: str = SOURCE) -> Path:
    """The built kernel; `abi` is the version it claims."""
    request = cxx_request(
        source, name="launch-test", include_dirs=[NATIVE], flags=[f"-DABI={abi}"], settings=own_cache().settings
    )
    return build_one(request, own_cache()).file()


@functools.cache
def kernel() -> Kernel:
    """The loaded kernel."""
    return load_kernel(kernel_path(), DIGEST)


def arrays(m: int = 8, n: int = 8, dtype: object = np.float32) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """a, b and out; the values say where they stand."""
    a = (np.arange(m * n).reshape(m, n) % 97).astype(dtype)
    b = (np.arange(m * n).reshape(m, n) % 89).astype(dtype)
    return a, b, np.zeros((m, n), dtype)


def args_for(a, b, out, mode: int = ADD, threads: int = 1, extra: int = 1):
    """Arguments for the kernel on three matrices."""
    strides = [[s // x.itemsize for s in x.strides] for x in (a, b, out)]
    return new_args(sizes=a.shape, launch=(threads, mode, extra), strides=strides)


def bind(a, b, out, mode: int = ADD, threads: int = 1, extra: int = 1, **options):
    """A Call of the kernel on arrays like these."""
    runtime_library(own_cache())
    options = {"release_gil": False, "names": ("a", "b", "out"), **options}
    return make_call(kernel(), args_for(a, b, out, mode, threads, extra), (0, 1, 2), (a, b, out), 2, **options)
