"""The thread pool: barriers, nesting, oversubscription, several callers, fork, exit, idle cost, torch beside it."""

from __future__ import annotations

import os
import statistics
import subprocess
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from launch_kernel import ADD, NATIVE, NEST, REVERSE, TEAM_NAP, arrays, bind, own_cache, run_script

from tilewright.errors import BuildForbiddenError
from tilewright.jit import Cache, find_compiler
from tilewright.jit.launcher import launcher
from tilewright.jit.library import dlopen, reserve_threads, runtime_address, runtime_library
from tilewright.jit.native_build import load_runtime
from tilewright.settings import Settings, available_cores


@pytest.fixture(scope="module", autouse=True)
def _own_cache():
    launcher(own_cache())
    runtime_library(own_cache())


@pytest.mark.parametrize("threads", [2, 3, 8, 40])
def test_any_number_of_threads_gives_the_same_result(threads):
    a, b, out = arrays(50, 19)
    call = bind(a, b, out, ADD, threads=threads)
    for _ in range(20):
        out[:] = -1
        np.testing.assert_array_equal(call(a, b, out), a + b)


@pytest.mark.parametrize("threads", [2, 8, 33])
def test_barriers_hold_when_threads_outnumber_cores(threads):
    a, b, out = arrays(66, 9)
    call = bind(a, b, out, REVERSE, threads=threads, extra=50, release_gil=True)
    for _ in range(10):
        out[:] = -1
        np.testing.assert_array_equal(call(a, b, out), (a + b + 49)[::-1])


@pytest.mark.parametrize("threads", [2, 5])
def test_nested_teams_with_barriers(threads):
    a, b, _ = arrays(12, 7)
    out = np.zeros((12 * threads, 7), np.float32)
    call = bind(a, b, out, NEST, threads=threads, extra=10, release_gil=True)
    for _ in range(10):
        out[:] = -1
        call(a, b, out)
        np.testing.assert_array_equal(out, np.tile((a + b + 9)[::-1], (threads, 1)))


STRESS = r"""
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>
#include "tilewright_abi.h"
extern "C" const tw_runtime* tw_runtime_get(void);
extern "C" int tw_runtime_threads(void);
#ifdef BORROW
#include <omp.h>
extern "C" void GOMP_parallel(void (*)(void*), void*, unsigned, unsigned);
extern "C" void tw_runtime_borrow(void*, void*, void*, void*, void*, void*);
extern "C" const tw_runtime* tw_runtime_get_borrowing(void);
#define tw_runtime_get tw_runtime_get_borrowing
#endif
struct Round { std::vector<long> value; int rounds, nested; std::atomic<int>* wrong; };
static void task(void* context, int index, int count, tw_team* team) {
  Round* round = (Round*)context;
  const tw_runtime* runtime = tw_runtime_get();
  for (long r = 1; r <= round->rounds; ++r) {
    round->value[index] = r;
    runtime->barrier(team, index);
    for (int i = 0; i < count; ++i) *round->wrong += round->value[i] != r;
    runtime->barrier(team, index);
  }
  if (!round->nested) return;
  Round inner{std::vector<long>(round->nested), 10, 0, round->wrong};
  runtime->parallel(round->nested, task, &inner);
}
int main() {
  std::atomic<int> wrong{0};
  auto use = [&](int count, int rounds, int nested) {
    Round round{std::vector<long>(count), rounds, nested, &wrong};
    tw_runtime_get()->parallel(count, task, &round);
  };
#ifdef BORROW
  tw_runtime_borrow((void*)GOMP_parallel, (void*)omp_get_thread_num, (void*)omp_get_num_threads,
                    (void*)omp_get_max_threads, (void*)omp_in_parallel, nullptr);
  for (int count : {2, 3, 4, 2}) use(count, 10, 0);
  printf("own threads %d\n", tw_runtime_threads());
#endif
  for (int count : {1, 2, 3, 8, 16})
    for (int i = 0; i < REPEATS; ++i) use(count, 10, i % 5 ? 0 : 3);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 5; ++caller)
    callers.emplace_back([&, caller] { for (int i = 0; i < REPEATS; ++i) use(1 + caller, 5, i % 7 ? 0 : 2); });
  for (auto& caller : callers) caller.join();
  printf("wrong %d\n", wrong.load());
  return wrong.load() != 0;
}
"""


@pytest.mark.parametrize("system", [(), ("-DTW_PORTABLE_RUNTIME",)], ids=["native", "portable"])
@pytest.mark.parametrize(
    ("sanitizer", "repeats"), [((), 60), (("-fsanitize=thread", "-O1", "-g"), 8)], ids=["plain", "tsan"]
)
def test_stress_in_c(tmp_path, sanitizer, repeats, system):
    """Many callers, counts and nested teams, by Linux's calls and by POSIX alone, and with the thread sanitizer."""
    (tmp_path / "stress.cpp").write_text(STRESS)
    compiler = find_compiler(own_cache().settings).argv
    sources = [str(NATIVE / "runtime.cpp"), "stress.cpp"]
    options = ["-std=c++17", "-O2", "-pthread", f"-DREPEATS={repeats}", f"-I{NATIVE}", *system, *sanitizer]
    built = subprocess.run(
        [*compiler, *options, *sources, "-o", "stress"], cwd=tmp_path, capture_output=True, text=True
    )
    if sanitizer and built.returncode != 0:
        pytest.skip(f"no thread sanitizer here: {built.stderr.strip()[-200:]}")
    assert built.returncode == 0, built.stderr
    done = subprocess.run([str(tmp_path / "stress")], capture_output=True, text=True, timeout=300)
    if sanitizer and "unexpected memory mapping" in done.stderr:
        pytest.skip("the thread sanitizer does not know this kernel's memory layout")
    assert (done.returncode, done.stdout) == (0, "wrong 0\n"), done.stderr


@pytest.mark.parametrize(("limit", "own"), [("8", 0), ("2", 3)], ids=["lent", "refused"])
def test_threads_of_openmp_are_borrowed(tmp_path, limit, own):
    """Four threads compute for teams of up to four; where OpenMP may start only two, the pool has its own."""
    (tmp_path / "stress.cpp").write_text(STRESS)
    options = ["-std=c++17", "-O1", "-pthread", "-fopenmp", "-DBORROW", "-DREPEATS=20", f"-I{NATIVE}"]
    command = [*find_compiler(own_cache().settings).argv, *options, str(NATIVE / "runtime.cpp"), "stress.cpp"]
    built = subprocess.run([*command, "-o", "stress"], cwd=tmp_path, capture_output=True, text=True)
    if built.returncode != 0 and "omp" in built.stderr:
        pytest.skip(f"no OpenMP here: {built.stderr.strip()[-200:]}")
    assert built.returncode == 0, built.stderr
    env = {**os.environ, "OMP_NUM_THREADS": "4", "OMP_THREAD_LIMIT": limit, "OMP_DYNAMIC": "false"}
    done = subprocess.run([str(tmp_path / "stress")], capture_output=True, text=True, timeout=300, env=env)
    assert (done.returncode, done.stdout) == (0, f"own threads {own}\nwrong 0\n"), done.stderr


def test_torch_programs_compute_on_the_threads_of_torch():
    """In a process that used nothing but torch's operators, and after a fork, where OpenMP's threads are gone."""
    pytest.importorskip("torch")
    assert (
        run_script(
            """
            import os, torch, tilewright.torch
            from tilewright.torch.threads import loaded_openmp
            assert loaded_openmp() is not None
            torch.set_num_threads(2)
            a, b, out = arrays(50, 19)
            call = bind(a, b, out, ADD, threads=2)
            torch.ones(1 << 20).add_(1)
            np.testing.assert_array_equal(call(a, b, out), a + b)
            child = os.fork()
            if child == 0:
                out[:] = -1
                os._exit(0 if np.array_equal(call(a, b, out), a + b) else 1)
            assert os.waitpid(child, 0)[1] == 0
            print("same")
            """
        ).strip()
        == "same"
    )


def test_fork_after_a_launch():
    text = """
    import numpy as np, os
    a, b, out = arrays(40, 8)
    call = bind(a, b, out, REVERSE, threads=4, extra=3, release_gil=True)
    expected = (a + b + 2)[::-1]
    assert np.array_equal(call(a, b, out), expected)
    for generation in range(3):
        child = os.fork()
        out[:] = -1
        good = np.array_equal(call(a, b, out), expected)  # in parent and child alike
        if child == 0:
            grandchild = os.fork()
            out[:] = -1
            good = good and np.array_equal(call(a, b, out), expected)
            if grandchild:
                good = good and os.waitpid(grandchild, 0)[1] == 0
            os._exit(0 if good else 1)
        assert good and os.waitpid(child, 0)[1] == 0
    print("fine")
    """
    assert run_script(text) == "fine\n"


def test_fork_while_another_thread_launches():
    text = """
    import numpy as np, os, threading
    a, b, out = arrays(40, 8)
    call = bind(a, b, out, REVERSE, threads=2, extra=3, release_gil=True)
    expected = (a + b + 2)[::-1]
    stop = threading.Event()
    def busy():
        mine = np.zeros_like(out)
        while not stop.is_set():
            call(a, b, mine)
    threads = [threading.Thread(target=busy) for _ in range(2)]
    for thread in threads: thread.start()
    for _ in range(20):
        child = os.fork()
        if child == 0:
            good = all(np.array_equal(call(a, b, out), expected) for _ in range(3))
            os._exit(0 if good else 1)
        assert os.waitpid(child, 0)[1] == 0
    stop.set()
    for thread in threads: thread.join()
    print("fine")
    """
    assert run_script(text) == "fine\n"


def test_multiprocessing_fork_with_torch_loaded():
    pytest.importorskip("torch")
    text = """
    import multiprocessing, numpy as np, torch
    torch.set_num_threads(2)
    x = torch.randn(256, 256)
    torch.mm(x, x)
    a, b, out = arrays(40, 8)
    call = bind(a, b, out, REVERSE, threads=3, extra=3, release_gil=True)
    expected = (a + b + 2)[::-1]
    assert np.array_equal(call(a, b, out), expected)
    def work():
        out[:] = -1
        assert np.array_equal(call(a, b, out), expected)
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=work) for _ in range(3)]
    for child in children: child.start()
    work()
    for child in children: child.join(60)
    print([child.exitcode for child in children])
    """
    assert run_script(text) == "[0, 0, 0]\n"


def test_exit_is_clean_while_threads_are_busy():
    text = """
    import numpy as np, threading, time
    a, b, out = arrays(40, 8)
    call = bind(a, b, out, REVERSE, threads=3, extra=200, release_gil=True)
    def busy():
        mine = np.zeros_like(out)
        while True:
            call(a, b, mine)
    for _ in range(2): threading.Thread(target=busy, daemon=True).start()
    time.sleep(0.1)
    print("leaving")
    """
    for _ in range(3):
        assert run_script(text, timeout=60) == "leaving\n"


def test_an_idle_pool_uses_no_cpu():
    a, b, out = arrays(64, 64)
    bind(a, b, out, REVERSE, threads=8, extra=5)(a, b, out)
    time.sleep(0.1)  # the bounded spin ends
    before = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - before < 0.4, "a worker that spins would have used half a second"


def task_status(field: str) -> list[str]:
    """A field of /proc/self/task/*/status for the threads of the pool."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        lines = dict(line.split(":\t", 1) for line in (task / "status").read_text().splitlines() if ":\t" in line)
        if lines["Name"].startswith("tilewright-"):
            found.append(lines[field].strip())
    return found


def test_workers_leave_signals_to_python():
    reserve_threads(3)
    blocked = task_status("SigBlk")
    assert len(blocked) >= 2
    for mask in blocked:
        assert int(mask, 16) >> 1 & 1  # SIGINT


def test_threads_are_reused():
    a, b, out = arrays()
    call = bind(a, b, out, ADD, threads=4)
    call(a, b, out)
    before = runtime_library().tw_runtime_threads()
    for _ in range(200):
        call(a, b, out)
    assert runtime_library().tw_runtime_threads() == before


def seconds_of_two_callers(threads: int) -> float:
    """How long two Python threads take together, each with a team that sleeps 0.2 seconds."""
    a, b, out = arrays()
    call = bind(a, b, out, TEAM_NAP, threads=threads, extra=200_000, release_gil=True)
    call(a, b, out)
    callers = [threading.Thread(target=call, args=(a, b, np.zeros_like(out))) for _ in range(2)]
    begin = time.monotonic()
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    return time.monotonic() - begin


def test_a_second_team_waits_where_the_cores_are_taken():
    assert seconds_of_two_callers(max(2, available_cores())) >= 0.4


@pytest.mark.timing
def test_teams_that_fit_the_cores_run_side_by_side():
    if available_cores() < 4:
        pytest.skip(f"needs 4 cores for two teams of two; there are {available_cores()}")
    assert seconds_of_two_callers(2) < 0.4


def test_threads_that_the_system_refuses_are_an_error_at_bind():
    text = """
    import resource
    from tilewright.errors import LaunchError
    from tilewright.jit.library import runtime_library
    a, b, out = arrays()
    bind(a, b, out)
    pages = int(open("/proc/self/statm").read().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * 4096 + (80 << 20),) * 2)
    try:
        bind(a, b, out, threads=300)
    except LaunchError as error:
        print(error)
    bind(a, b, out, threads=2)(a, b, out)
    assert (out == a + b).all()
    """
    said = run_script(text)
    assert "a launch needs 300 threads, but the system grants this process" in said
    assert "TILEWRIGHT_THREADS=" in said


@pytest.mark.timing
def test_peace_with_torch_threads():
    """Interleaved with torch's OpenMP team on the same cores, our launches slow down by some factor, not by orders."""
    torch = pytest.importorskip("torch")
    torch.set_num_threads(2)
    x = torch.randn(384, 384)
    a, b, out = arrays(512, 256)
    call = bind(a, b, out, REVERSE, threads=2, extra=8, release_gil=True)

    def seconds(function, *arguments) -> float:
        begin = time.perf_counter()
        function(*arguments)
        return time.perf_counter() - begin

    seconds(torch.mm, x, x)
    alone = statistics.median(seconds(call, a, b, out) for _ in range(30))
    torch_alone = statistics.median(seconds(torch.mm, x, x) for _ in range(30))
    pairs = [(seconds(torch.mm, x, x), seconds(call, a, b, out)) for _ in range(60)]
    np.testing.assert_array_equal(out, (a + b + 7)[::-1])
    assert statistics.median(p[1] for p in pairs) < 20 * alone + 2e-3
    assert statistics.median(p[0] for p in pairs) < 20 * torch_alone + 2e-3


def test_the_runtime_describes_itself():
    import ctypes

    header = (ctypes.c_uint32 * 2).from_address(runtime_address())
    assert list(header) == [1, 24]


def test_no_build_where_building_is_forbidden(tmp_path):
    cache = Cache(tmp_path, settings=Settings(cache_dir=str(tmp_path), build="never"))
    with pytest.raises(BuildForbiddenError, match="tw_runtime is not in the cache"):
        load_runtime(dlopen, cache)
    assert os.listdir(tmp_path) in ([], ["v1"])  # at most the note about the compiler
