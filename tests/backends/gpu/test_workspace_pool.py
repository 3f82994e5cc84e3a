"""Workspaces come from blocks: apart, zeroed, never used before, and given back."""

from __future__ import annotations

import itertools
import threading

from tilewright.backends.gpu.workspace_pool import ALIGNMENT, LARGEST, SHARE, SMALLEST, WorkspacePool, pool_of


class Driver:
    """Hands out addresses and remembers what is in use."""

    def __init__(self) -> None:
        self.blocks: dict[int, int] = {}
        self.allocated = 0

    def allocate(self, size: int) -> int:
        self.allocated += 1
        address = self.allocated << 40
        self.blocks[address] = size
        return address

    def free(self, address: int) -> None:
        del self.blocks[address]


class User:
    """Holds a piece."""

    def __init__(self, pool: WorkspacePool, size: int) -> None:
        self.size, self.address = size, pool.alloc(size, self)


def within(driver: Driver, user: User) -> bool:
    return any(at <= user.address and user.address + user.size <= at + size for at, size in driver.blocks.items())


def test_pieces_are_apart_and_inside_of_blocks() -> None:
    driver = Driver()
    pool = WorkspacePool(driver)
    users = [User(pool, size) for size in (1, 511, 512, 513, 100_000, SMALLEST, 3, LARGEST, 7, SMALLEST // 2) * 20]
    ends = sorted((u.address, u.address + u.size) for u in users)
    assert all(end <= begin for (_, end), (begin, _) in itertools.pairwise(ends))
    assert all(within(driver, u) and u.address % ALIGNMENT == 0 for u in users)
    assert driver.allocated < len(users) // 2


def test_one_user_may_take_several_pieces() -> None:
    driver, user = Driver(), type("Streams", (), {})()
    pool = WorkspacePool(driver)
    assert len({pool.alloc(100, user) for _ in range(3)}) == 3
    assert len(pool._uses) == 3
    assert len(driver.blocks) == 1
    del user
    assert not driver.blocks
    assert not pool._uses


def test_a_block_goes_back_when_all_of_its_pieces_are_given_back() -> None:
    driver = Driver()
    pool = WorkspacePool(driver)
    a, b = User(pool, 10), User(pool, 10)
    assert driver.allocated == 1
    del a
    assert driver.blocks
    c = User(pool, 10)
    assert c.address > b.address  # what was used is not handed out again: it may not be zero
    del b, c
    assert not driver.blocks
    d = User(pool, 10)
    assert within(driver, d)
    assert driver.allocated == 2


def test_a_large_piece_is_a_block_of_its_own() -> None:
    driver = Driver()
    pool = WorkspacePool(driver)
    small, large, again = User(pool, 10), User(pool, LARGEST // SHARE + 1), User(pool, 10)
    assert again.address == small.address + ALIGNMENT
    assert driver.blocks[large.address] < LARGEST // SHARE + 1 + ALIGNMENT
    del large
    assert len(driver.blocks) == 1


def test_threads_get_pieces_of_their_own() -> None:
    driver = Driver()
    pool = pool_of(driver)
    assert pool_of(driver) is pool
    users: list[User] = []
    threads = [threading.Thread(target=lambda: users.extend(User(pool, 64) for _ in range(500))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({u.address for u in users}) == 2000
    users.clear()
    assert not driver.blocks
