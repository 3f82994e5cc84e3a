"""The sweep on a real Ray cluster of two nodes on this machine, with a station killed in the middle."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tilewright.errors import DeviceError
from tilewright.settings import Settings
from tilewright.store import Store, read_rows, write_rows
from tilewright.tune.measure.sweep import Sweep
from tilewright.tune.measure.task import SweepPolicy

ray = pytest.importorskip("ray", reason="the extra 'cluster' is not installed")

from small_kernels import device, make_all, small_problem

from tilewright.tune.measure.cluster import RayStation, checked_address, ray_stations

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::FutureWarning"),
    pytest.mark.xdist_group("ray"),
]
STORE_BYTES = 80 << 20


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from ray.cluster_utils import Cluster

    tests = str(Path(__file__).parents[2] / "support")
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(p for p in (tests, before) if p)
    node = {"num_cpus": 1, "object_store_memory": STORE_BYTES, "include_dashboard": False}
    made = Cluster(initialize_head=True, head_node_args=node)
    made.add_node(num_cpus=1, object_store_memory=STORE_BYTES)
    made.wait_for_nodes()
    yield made
    ray.shutdown()
    made.shutdown()
    os.environ.pop("PYTHONPATH") if before is None else os.environ.update(PYTHONPATH=before)


@pytest.fixture(scope="module")
def stations(cluster: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[RayStation]]:
    settings = Settings.from_env(cache_dir=str(tmp_path_factory.mktemp("cache")), threads=1)
    found = ray_stations(cluster.address, settings)
    yield found
    for station in found:
        station.close()


@pytest.mark.parametrize("address", ["", "local", "10.0.0.7", "ray://", "http://x:1", "x:1 y", "x:123456", "AUTO"])
def test_only_a_cluster_that_is_there_is_joined(address: str) -> None:
    """Ray would start one for some of these, with open ports."""
    with pytest.raises(DeviceError, match="not the address of a Ray cluster"):
        ray_stations(address, Settings())


@pytest.mark.parametrize("address", ["auto", "10.0.0.7:6379", "ray://head.example:10001", "[::1]:6379"])
def test_addresses_of_clusters(address: str) -> None:
    assert checked_address(address) == address


def test_two_nodes_share_a_sweep_and_one_is_killed(stations: list[RayStation], tmp_path: Path) -> None:
    assert len(stations) == 2
    places = [ray.get(s.actor.place.remote()) for s in stations]
    assert len({p["pid"] for p in places}) == 2
    cache = stations[0].device
    assert cache == stations[1].device == device()
    root = _cache_of(stations[0])
    candidates, built = make_all(["good", "slow", "crash"], root)
    store, problems = Store(tmp_path / "s.sqlite"), [small_problem(m=8 + i) for i in range(8)]

    def kill() -> None:
        while len(store) < 6:
            time.sleep(0.01)
        os.kill(places[0]["pid"], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    run = Sweep(store, stations, device(), built, SweepPolicy(rounds=3, sample_ms=0.1))  # type: ignore[arg-type]
    report = run.run([(p, candidates[: 3 if i < 2 else 2]) for i, p in enumerate(problems)])
    killer.join()
    assert report.lost == []
    assert report.problems == len(problems)
    assert dict(report.statuses) == {"ok": 16, "crash": 2}
    assert ray.get(stations[0].actor.place.remote())["pid"] != places[0]["pid"]
    rows = list(store.rows())
    assert len(rows) == len({r.id for r in rows}) == 18
    assert store.check() == []


def test_stations_build_on_their_machine(stations: list[RayStation]) -> None:
    from tilewright.registry import default_registry

    problem = small_problem()
    spec = default_registry().consider(problem, stations[0].device).legal[0].spec
    for station in stations:
        [built] = station.build([spec.to_dict()], 300.0)
        assert not built.failure
        assert built.digest == spec.digest
        assert built.artifact


def test_rows_of_several_machines_merge_without_duplicates(tmp_path: Path) -> None:
    from dataclasses import replace

    from measurements import some_rows

    here = [replace(r, host="one") for r in some_rows(4)]
    there = [replace(r, host="two") for r in some_rows(4)]
    files = []
    for name, rows in (("one", here), ("two", there)):
        files.append(tmp_path / f"{name}.jsonl.gz")
        write_rows(rows, files[-1])
    with Store(tmp_path / "all.sqlite") as store:
        counts = [store.merge(read_rows(f)) for f in (*files, *files)]
        assert counts == [(4, 0), (4, 0), (0, 4), (0, 4)]
        assert {r.host for r in store.rows()} == {"one", "two"}


def _cache_of(station: RayStation) -> str:
    found: str = ray.get(station.actor.cache_dir.remote())
    return found
