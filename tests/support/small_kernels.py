"""Kernels that compile in a blink: a plain triple loop that is right, or that crashes, hangs, is wrong or fails.

Each is built through the cache like any kernel and carries the digest of the spec that it stands for, so a sweep loads,
runs and verifies it as it would a real one.
"""

from __future__ import annotations

from pathlib import Path

from tilewright.backends.cpu.gemm.algorithm import CpuGemm
from tilewright.dispatcher import Dispatcher
from tilewright.jit import Cache, build_one, cxx_request
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.ops import problem_from_dict
from tilewright.settings import Settings
from tilewright.tune.measure.station import Built

ABI = Path(__file__).parents[2] / "src" / "tilewright" / "jit" / "native"
SOURCE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <tilewright_abi.h>
#define EXPORTED extern "C" __attribute__((visibility("default")))
EXPORTED const tw_kernel_info* tw_info(void) {
  static const tw_kernel_info info = {TW_ABI_VERSION, sizeof(tw_args), "@DIGEST@"};
  return &info;
}
EXPORTED int64_t tw_workspace(const tw_args*) { return 0; }
EXPORTED int tw_run(tw_args* a) {
  const float *x = (const float*)a->tensors[0], *y = (const float*)a->tensors[1];
  float* out = (float*)a->tensors[2];
  const char* how = "@HOW@";
  if (how[0] == 'c') abort();
  if (how[0] == 'h') for (;;) usleep(1000);
  if (how[0] == 'o') { snprintf(a->error, sizeof a->error, "out of memory: 99 GB asked for"); return 1; }
  if (how[0] == 's') usleep(20000);
  if (how[0] == 'p') { puts("{\"end\": true}"); fflush(stdout); }
  for (int64_t i = 0; i < a->sizes[0]; i++)
    for (int64_t j = 0; j < a->sizes[1]; j++) {
      float sum = 0;
      for (int64_t k = 0; k < a->sizes[2]; k++)
        sum += x[i * a->strides[0][1] + k * a->strides[0][2]] * y[k * a->strides[1][1] + j * a->strides[1][2]];
      out[i * a->strides[2][1] + j * a->strides[2][2]] = how[0] == 'w' ? sum * 1.01f : sum;
    }
  return 0;
}
"""


def small_problem(m: int = 24, n: int = 20, k: int = 16) -> object:
    """A problem that the triple loop does in microseconds."""
    return problem_from_dict({"op": "gemm", "m": m, "n": n, "k": k, "dtype": "fp32", "layout": "rrr"})


def device() -> object:
    """This machine with one thread."""
    return Dispatcher(settings=Settings.from_env(threads=1)).device_for(small_problem())


def make(how: str, number: int, cache_dir: str, arch: str = "generic") -> tuple[Candidate, Built]:
    """A candidate that behaves as `how` says: good, slow, wrong, crash, hang, oom or prints."""
    settings = Settings.from_env(cache_dir=cache_dir)
    signature = small_problem().signature  # type: ignore[attr-defined]
    spec = KernelSpec("gemm", "cpu", arch, signature, CpuGemm(mr=4, nr=16, kc=16 * (number + 1), mc=48))
    source = SOURCE.replace("@DIGEST@", spec.digest).replace("@HOW@", how)
    request = cxx_request(source, name=f"small_{how}", spec_digest=spec.digest, include_dirs=(ABI,), settings=settings)
    artifact = build_one(request, Cache.from_settings(settings))
    built = Built(spec.digest, artifact.build_key, artifact.content_sha256, "a test")
    return Candidate(spec, Launch(threads=1)), built


def make_all(hows: list[str], cache_dir: str) -> tuple[list[Candidate], dict[str, Built]]:
    """Several of them, and their builds by digest."""
    made = [make(how, number, cache_dir) for number, how in enumerate(hows)]
    return [c for c, _ in made], {b.digest: b for _, b in made}
