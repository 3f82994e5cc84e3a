"""GpuCall: one kernel launch with everything prepared: repeating it costs little more than the driver's own work.

A kernel's parameters live in one block of host memory; a launch hands the driver pointers into it. New tensors of the
same shapes only change addresses (`rebind`), which rewrites pointers and tensor maps in place.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import LaunchError, SchemaError
from ...model.json_text import read_json
from .cuda_driver import CLUSTER_ATTRIBUTE, PDL_ATTRIBUTE, LaunchAttribute, LaunchConfig

SIZES = {"pointer": 8, "i64": 8, "u64": 8, "fp64": 8, "i32": 4, "u32": 4, "fp32": 4, "i16": 2, "i8": 1, "i1": 1,
         "tensormap": 128}  # fmt: skip
FORMATS = {"pointer": "<Q", "i64": "<q", "u64": "<Q", "fp64": "<d", "i32": "<i", "u32": "<I", "fp32": "<f",
           "i16": "<h", "i8": "<b", "i1": "<?"}  # fmt: skip
TENSOR_MAP_ALIGNMENT = 128
GRID = struct.Struct("3I")  # at the beginning of a launch configuration
Packing = tuple[tuple[str, ...], Callable[[Mapping[str, Any]], Any], Callable[..., None]]


class GpuKernel:
    """A loaded kernel: its function handle and what its launch metadata says. Loads at first use, once per GPU."""

    def __init__(self, folder: Path, binary: str, meta: dict[str, Any]) -> None:
        if meta.get("schema") != 1:
            raise SchemaError(f"kernel metadata of schema {meta.get('schema')!r} cannot be read", remedy="rebuild it")
        if meta["global_scratch"] or meta["profile_scratch"]:
            raise LaunchError(f"{meta['name']} asks for scratch memory, which launches do not provide")
        self.folder, self.binary, self.meta = folder, binary, meta
        self._functions: dict[Any, int] = {}
        self.offsets, self.size = _layout(meta["args"])
        self.slots = [(a["path"], a["kind"], o) for a, o in zip(meta["args"], self.offsets, strict=False)]
        self.pointers = [(path, offset) for path, kind, offset in self.slots if kind == "pointer"]
        self.maps = [(path, offset, arg) for (path, kind, offset), arg in zip(self.slots, meta["args"], strict=True)
                     if kind == "tensormap"]  # fmt: skip
        self._params = ctypes.c_void_p * len(self.offsets)
        self._ends = -(-self.size // 8) * 8  # where the pointers to the parameters begin
        self._pointer_bytes = 8 * len(self.offsets)
        self._room = ctypes.c_char * (self._ends + self._pointer_bytes + TENSOR_MAP_ALIGNMENT)
        self._ones = sum(1 << 64 * i for i in range(len(self.offsets)))  # one number with a word for each pointer
        self._pointed = sum(offset << 64 * i for i, offset in enumerate(self.offsets))
        self._packing: Packing | None = None

    @classmethod
    def open(cls, folder: Path, prefix: str = "kernel") -> GpuKernel:
        """Return a kernel in an artifact's folder; the GPU is not touched."""
        meta = read_json(folder / f"{prefix}.json")
        return cls(folder, f"{prefix}." + {"cuda": "cubin", "hip": "hsaco"}[meta["backend"]], meta)

    def function(self, driver: Any) -> int:
        """Return the function handle on the driver's GPU."""
        handle = self._functions.get(driver)
        if handle is None:
            # HIP unloads the code of kernels that are gone.
            owner = {"owner": self} if self.binary.endswith(".hsaco") else {}
            handle = driver.load(self.folder / self.binary, self.meta["name"], self.meta["shared"], **owner)
            self._functions[driver] = handle
        return handle

    def new_block(self) -> tuple[Any, int, Any]:
        """Return a block of parameters, all zero, where they begin in it, and the pointers to them, which it holds too.

        Triton kernels end in two scratch pointers, which stay null here.
        """
        raw = self._room()
        at = ctypes.addressof(raw)
        base = -(-at // TENSOR_MAP_ALIGNMENT) * TENSOR_MAP_ALIGNMENT
        pointers = (base * self._ones + self._pointed).to_bytes(self._pointer_bytes, "little")  # all in one sum
        ctypes.memmove(base + self._ends, pointers, self._pointer_bytes)
        return raw, base - at, self._params.from_address(base + self._ends)

    def pack(self, block: Any, first: int, values: Mapping[str, Any]) -> None:
        """Write the numbers among `values` into a block of parameters that begins at `first`; the others become zero.

        The calls of a kernel name the same parameters, so one packer writes all of them.
        """
        packing, names = self._packing, tuple(values)
        if packing is None or packing[0] != names:
            packing = self._packing = self._packer(names)
        packing[2](block, first, *packing[1](values))

    def _packer(self, names: tuple[str, ...]) -> Packing:
        """Return the names, a function that reads the parameters among them, and one that writes them."""
        named = [slot for slot in self.slots if slot[1] != "tensormap" and slot[0] in names]
        form, at = "<", 0
        for _, kind, offset in named:
            form += f"{offset - at}x{FORMATS[kind][1:]}"
            at = offset + SIZES[kind]
        return names, _reader([path for path, _, _ in named]), struct.Struct(form).pack_into


def _reader(paths: list[str]) -> Callable[[Mapping[str, Any]], Any]:
    """Return a function that reads these values, always as a tuple."""
    if len(paths) > 1:
        return itemgetter(*paths)
    return lambda values: [values[path] for path in paths]


def stream_lookup() -> Any:
    """torch's function from a GPU's number to its current stream; None if torch is not loaded or has no GPU.

    A program that uses torch expects launches on torch's current stream, under graph capture too; any other program
    gets the default stream.
    """
    torch = sys.modules.get("torch")
    if torch is None or not (torch.cuda.is_initialized() or torch.cuda.is_available()):  # the first is far cheaper
        return None
    return torch._C._cuda_getCurrentRawStream


def current_stream(ordinal: int) -> int:
    """Return the stream that a launch without one goes to: torch's current one, or the default stream (0)."""
    lookup = stream_lookup()
    return int(lookup(ordinal)) if lookup is not None else 0


class GpuCall:
    """A prepared launch. Calling it launches once, on the given stream or on the current one; nothing is allocated or
    waited for.

    `values` maps each parameter path to its number; a tensor map's path to {"address", "shape", "strides"} (and
    perhaps "box" and "steps", see `CudaDriver.encode`). `early`
    lets a kernel that can (`pdl`) set itself up while the one before it in the stream still runs.
    """

    packed = False  # each parameter is kept by itself, so its kind is known
    __slots__ = ("_block", "_config", "_config_at", "_driver", "_first", "_keep", "_kernel", "_launch",
                 "_maps", "_params", "_pointers", "_size", "function", "name")  # fmt: skip

    def __init__(
        self,
        kernel: GpuKernel,
        driver: Any,
        grid: tuple[int, int, int],
        values: Mapping[str, Any],
        early: bool = True,
    ) -> None:
        self._driver, self.name = driver, kernel.meta["name"]
        self.function = ctypes.c_void_p(kernel.function(driver))
        self._size = kernel.size
        self._kernel = kernel
        self._new_block()
        self._config, self._config_at = _config(grid, kernel.meta, early)
        self._launch = driver.launch
        self._maps: dict[int, int] = {}
        self._pointers: list[tuple[int, int]] = []
        if values:
            self.rebind(values)

    def _new_block(self) -> None:
        self._keep, self._first, self._params = self._kernel.new_block()
        self._block = ctypes.addressof(self._keep) + self._first

    def rebind(self, values: Mapping[str, Any]) -> None:
        """Write all parameters; those that `values` does not name are zero."""
        kernel = self._kernel
        kernel.pack(self._keep, self._first, values)
        for path, offset, arg in kernel.maps:
            found = values.get(path)
            if found is not None:
                self._driver.encode(self._block + offset, arg, **found)
                self._maps[offset] = found["address"]
        self._pointers = [(offset, values.get(path, 0)) for path, offset in kernel.pointers]

    def addresses(self) -> list[tuple[str, int, int]]:
        """Return (kind of parameter, where it is kept, the address it holds) of every parameter that holds one."""
        maps = [("tensormap", self._block + offset, address) for offset, address in self._maps.items()]
        block = self._block
        return [*maps, *[("pointer", block + offset, address) for offset, address in self._pointers]]

    def moved(self, to: Callable[[int], int]) -> GpuCall:
        """Return the same launch on other memory: `to` gives the new address for each that a parameter holds.

        Much cheaper than a new launch: parameters are copied, and addresses written over.
        """
        made = GpuCall.__new__(GpuCall)
        for name in (
            "_config",
            "_config_at",
            "_driver",
            "_kernel",
            "_launch",
            "_size",
            "function",
            "name",
        ):
            setattr(made, name, getattr(self, name))
        made._new_block()
        ctypes.memmove(made._block, self._block, self._size)
        made._maps = {offset: to(address) for offset, address in self._maps.items()}
        made._pointers = [(offset, to(address)) for offset, address in self._pointers]
        for offset, address in made._maps.items():
            self._driver.move_map(made._block + offset, address)
        for offset, address in made._pointers:
            ctypes.c_uint64.from_address(made._block + offset).value = address
        return made

    def __call__(self, stream: int | None = None) -> None:
        """Launch on `stream`: a raw handle (0 is the default stream), or None for the current one."""
        self._config.stream = current_stream(self._driver.ordinal) if stream is None else stream
        code = self._launch(self._config_at, self.function, self._params, None)
        if code and self._driver.entered(code):  # another thread's first launch
            code = self._launch(self._config_at, self.function, self._params, None)
        if code:
            self.failed(code)

    @property
    def places(self) -> tuple[int, int, int]:
        """Where the launch configuration, the function and the parameters are: what a launch in C needs."""
        return self._config_at, self.function.value or 0, ctypes.addressof(self._params)

    def failed(self, code: int) -> None:
        """Raise an error for a code of the driver that is not success."""
        self._driver.check(code, f"launch {self.name}")


class Recorder:
    """A driver that records launches instead of preparing them; all else goes to the real driver."""

    def __init__(self, driver: Any) -> None:
        self._driver = driver

    def __getattr__(self, name: str) -> Any:
        return getattr(self._driver, name)


class Recorded(NamedTuple):
    """The arguments of a `GpuCall`."""

    kernel: GpuKernel
    grid: tuple[Any, Any, Any]
    values: Mapping[str, Any]
    early: bool


def gpu_call(
    kernel: GpuKernel, driver: Any, grid: tuple[int, int, int], values: Mapping[str, Any], early: bool = True
) -> Any:
    """Return a prepared launch; a `Recorder` gets its arguments instead."""
    if type(driver) is Recorder:
        return Recorded(kernel, grid, values, early)
    return GpuCall(kernel, driver, grid, values, early)


@cache
def numbered(name: str, count: int) -> tuple[str, ...]:
    """Return the paths of the numbers in a tuple that a kernel takes as one parameter.

    >>> numbered("src_strides", 2)
    ('src_strides.0', 'src_strides.1')
    """
    return tuple(f"{name}.{i}" for i in range(count))


def by_number(name: str, values: Sequence[Any]) -> dict[str, Any]:
    """Return the numbers of such a parameter by path.

    >>> by_number("window", (1, 2))
    {'window.0': 1, 'window.1': 2}
    """
    return dict(zip(numbered(name, len(values)), values, strict=True))


def map_values(name: str, described: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tensor map by path, and the sizes and strides that a kernel reads beside it."""
    shape, strides = described["shape"], described["strides"]
    return {name: described, **by_number(f"{name}.shape", shape), **by_number(f"{name}.strides", strides)}


def _layout(args: list[dict[str, Any]]) -> tuple[list[int], int]:
    """Return (offset of each parameter and of two null pointers, size of the block)."""
    offsets, at = [], 0
    for kind in [*(a["kind"] for a in args), "pointer", "pointer"]:
        align = TENSOR_MAP_ALIGNMENT if kind == "tensormap" else SIZES[kind]
        at = -(-at // align) * align
        offsets.append(at)
        at += SIZES[kind]
    return offsets, at


def config_of(meta: dict[str, Any], early: bool) -> Any:
    """Return the launch configuration of a kernel without a grid; it lives as long as the process, and never changes.

    `early`: the launch may begin while the one before it in the stream still runs, if the kernel can.
    """
    return _template(meta["threads"], meta["shared"], meta.get("cluster", 1), early and meta["pdl"])


def _config(grid: tuple[int, int, int], meta: dict[str, Any], early: bool) -> tuple[Any, Any]:
    config = LaunchConfig.from_buffer_copy(config_of(meta, early))
    GRID.pack_into(config, 0, *grid)
    return config, ctypes.addressof(config)


@cache
def _template(threads: int, shared: int, cluster: int, early: bool) -> Any:
    """Return a launch configuration without a grid. Its attributes never change, so copies share them."""
    config = LaunchConfig()
    config.block[:] = (threads, 1, 1)
    config.shared = shared
    wanted: list[tuple[int, tuple[int, ...]]] = [(PDL_ATTRIBUTE, (1,))] if early else []
    if cluster > 1:
        wanted.append((CLUSTER_ATTRIBUTE, (cluster, 1, 1)))
    if wanted:
        attributes = (LaunchAttribute * len(wanted))()
        for attribute, (kind, values) in zip(attributes, wanted, strict=True):
            attribute.id = kind
            attribute.value[: len(values)] = values
        config.attributes = ctypes.cast(attributes, ctypes.POINTER(LaunchAttribute))
        config.attribute_count = len(wanted)
        config.kept = attributes
    return config
