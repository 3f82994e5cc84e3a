"""Runs PTX that Triton made on NumPy, all programs and threads at once: Gluon kernels have no interpreter of their own.

Control flow must be uniform. Asynchronous copies land when their group is waited for, and shared memory begins as NaN,
so that a missing wait is seen; missing barriers are not. Reads and writes outside of `memory` are errors.
"""

from __future__ import annotations

import re

import numpy as np

TYPES = {"b8": np.uint8, "u8": np.uint8, "s8": np.int8, "b16": np.uint16, "u16": np.uint16, "s16": np.int16,
         "f16": np.float16, "b32": np.uint32, "u32": np.uint32, "s32": np.int32, "f32": np.float32, "b64": np.uint64,
         "u64": np.uint64, "s64": np.int64}  # fmt: skip
RAW = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
WIDER = {"s16": np.int32, "u16": np.uint32, "s32": np.int64, "u32": np.uint64}
SILENT = ("bar", "barrier", "griddepcontrol", "membar", "fence")
COMPARE = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
           "ge": np.greater_equal}  # fmt: skip
SIMPLE = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "min": np.minimum, "max": np.maximum,
          "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}  # fmt: skip


def from_bf16(x):
    return (x.astype(np.uint32) << 16).view(np.float32)


def to_bf16(x):
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return np.where(np.isnan(x), 0x7FFF, (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def to_fp16(x):
    return x.astype(np.float16).view(np.uint16)


def names(text):
    """The registers of a vector operand."""
    return [x.strip() for x in text.strip("{} ").split(",")]


def parse(statement):
    """(predicate or None, operation, operands) of one statement."""
    found = re.match(r"(?:@(!?)(%\w+)\s+)?(\S+)\s*(.*)$", statement, re.S)
    operands, depth, piece = [], 0, ""
    for char in found.group(4).strip() + ",":
        depth += (char in "{[") - (char in "}]")
        if char == "," and depth == 0:
            operands.append(piece.strip())
            piece = ""
        else:
            piece += char
    predicate = (found.group(1) == "!", found.group(2)) if found.group(2) else None
    return predicate, found.group(3), [x for x in operands if x]


def program(text):
    """(statements, where labels stand) of the kernel in a PTX module."""
    body = re.sub(r"//[^\n]*", "", text[text.index(".entry") :])
    body = body[body.index("{") + 1 : body.rindex("\n}")]
    code, labels, rest = [], {}, ""
    for line in map(str.strip, body.split("\n")):
        label = re.match(r"^(\$\w+):$", line)
        if label:
            labels[label.group(1)] = len(code)
        elif line and not line.startswith((".loc", ".pragma", ".section", ".file")):
            *done, rest = (rest + " " + line).split(";")
            done = [s.strip().removeprefix("{").removeprefix("}").strip() if "= {" not in s else s for s in done]
            code += [parse(s) for s in done if s and not s.startswith(".")]
    return code, labels


class Kernel:
    """A launch: `run` changes `memory` (bytes; the address of a byte is its index).

    Or `grid` of its programs from the `first` on, where programs take different ways.
    """

    def __init__(self, text, grid, threads, shared, parameters, memory, first=0):
        self.code, self.labels = program(text)
        self.count, self.memory, self.parameters = grid * threads, memory, parameters
        self.shared = np.full((grid, max(16, shared)), 0xFF, np.uint8)
        self.cta, self.tid = np.repeat(np.arange(grid), threads), np.tile(np.arange(threads), grid)
        self.first = first
        self.registers, self.groups, self.group = {}, [], []

    def run(self):
        at = 0
        with np.errstate(all="ignore"):
            while at < len(self.code):
                predicate, operation, operands = self.code[at]
                mask = self.mask(predicate)
                if operation in ("ret", "exit") or operation.startswith("bra"):
                    assert mask.all() or not mask.any(), f"threads part ways at {operation} {operands}"
                    if mask.all() and not operands:
                        return
                    at = self.labels[operands[0]] if mask.all() else at + 1
                    continue
                kind = operation.split(".")[0]
                if kind not in SILENT:
                    self.step(kind, operation.split("."), operands, mask)
                at += 1

    def mask(self, predicate):
        if predicate is None:
            return np.ones(self.count, bool)
        value = self.registers[predicate[1]]
        return ~value if predicate[0] else value

    def get(self, name, kind):
        """The value of an operand as NumPy's type for `kind`."""
        dtype = np.dtype(TYPES[kind])
        special = {"%tid.x": self.tid, "%ctaid.x": self.cta + self.first, "%laneid": self.tid % 32}
        if name in special:
            return special[name].astype(dtype)
        if name.startswith("%"):
            return self.registers[name].astype(RAW[dtype.itemsize]).view(dtype)
        if name.startswith("0f"):
            return np.full(self.count, int(name[2:], 16), np.uint32).view(dtype)
        number = 0 if name == "global_smem" else int(name, 0)
        return np.full(self.count, number & ((1 << 8 * dtype.itemsize) - 1), RAW[dtype.itemsize]).view(dtype)

    def put(self, name, value, mask):
        value = value if value.dtype == bool else np.ascontiguousarray(value).view(RAW[value.dtype.itemsize])
        old = self.registers.get(name)
        self.registers[name] = value if old is None or mask.all() else np.where(mask, value, old)

    def address(self, operand):
        total = np.zeros(self.count, np.int64)
        for part in operand.strip("[] ").split("+"):
            part = part.strip()
            total += self.get(part, "s64" if part.startswith("%rd") else "s32").astype(np.int64)
        return total

    def read(self, at, size, mask, shared):
        out, who = np.zeros((self.count, size), np.uint8), np.nonzero(mask)[0]
        if len(who):
            self.check(at[who], size, shared)
            places = at[who][:, None] + np.arange(size)
            out[who] = self.shared[self.cta[who][:, None], places] if shared else self.memory[places]
        return out

    def write(self, at, data, mask, shared):
        who = np.nonzero(mask)[0]
        if len(who):
            self.check(at[who], data.shape[1], shared)
            places = at[who][:, None] + np.arange(data.shape[1])
            if shared:
                self.shared[self.cta[who][:, None], places] = data[who]
            else:
                self.memory[places] = data[who]

    def check(self, at, size, shared):
        limit = self.shared.shape[1] if shared else len(self.memory)
        assert at.min() >= 0, f"address {at.min()}"
        assert at.max() + size <= limit, f"{size} bytes at {at.max()} of {limit}"
        assert not (at % size).any(), f"{size} bytes at an odd address"

    def bytes_of(self, registers, kind):
        return np.concatenate(
            [np.ascontiguousarray(self.get(r, kind)).view(np.uint8).reshape(self.count, -1) for r in registers], 1
        )

    def put_bytes(self, registers, data, mask):
        size = data.shape[1] // len(registers)
        for i, name in enumerate(registers):
            if name != "_":
                self.put(name, np.ascontiguousarray(data[:, i * size : (i + 1) * size]).view(RAW[size])[:, 0], mask)

    def step(self, kind, words, operands, mask):
        special = {"ld": self.load, "st": self.store, "cp": self.copy, "ldmatrix": self.load_matrix,
                   "stmatrix": self.store_matrix, "mma": self.multiply, "mov": self.move, "cvt": self.convert,
                   "shfl": self.shuffle}  # fmt: skip
        if kind in special:
            special[kind](words, operands, mask)
        else:
            self.put(operands[0], self.compute(kind, words, operands[1:]), mask)

    def compute(self, kind, words, operands):
        """The value of an arithmetic operation."""
        t = words[-1]
        if t == "pred":
            x, *y = (self.registers[o] for o in operands)
            return ~x if kind == "not" else SIMPLE[kind](x, y[0])
        if kind == "selp":
            return np.where(self.registers[operands[2]], self.get(operands[0], t), self.get(operands[1], t))
        if kind == "setp":
            return COMPARE[words[1]](self.get(operands[0], t), self.get(operands[1], t))
        if kind in ("shl", "shr", "bfe"):
            return self.shift(kind, t, operands)
        x, y, z = (self.get(o, t) if i < 2 else o for i, o in enumerate([*operands, "0", "0"][:3]))
        if kind in ("neg", "not"):
            return -x if kind == "neg" else ~x
        if "wide" in words:
            product = x.astype(WIDER[t]) * y.astype(WIDER[t])
            return product + self.get(z, "s64").astype(WIDER[t]) if kind == "mad" else product
        if "hi" in words:
            return ((x.astype(WIDER[t]) * y.astype(WIDER[t])) >> 32).astype(TYPES[t])
        if kind in ("fma", "mad"):
            exact = np.float64 if t == "f32" else TYPES[t]
            return (x.astype(exact) * y.astype(exact) + self.get(z, t).astype(exact)).astype(TYPES[t])
        if kind in ("div", "rem"):
            quotient = np.trunc(x.astype(np.float64) / y).astype(TYPES[t])
            return quotient if kind == "div" else x - y * quotient
        return SIMPLE[kind](x, y)

    def shift(self, kind, t, operands):
        x, by = self.get(operands[0], t), self.get(operands[1], "u32").astype(np.int64)
        bits = 8 * x.dtype.itemsize
        if kind == "bfe":
            size = self.get(operands[2], "u32").astype(np.int64)
            field = (x.view(np.uint32).astype(np.int64) >> by) & ((1 << size) - 1)
            negative = (field >> np.maximum(0, size - 1)) & (t[0] == "s")
            return (field - (negative << size)).astype(TYPES[t])
        if kind == "shr":
            shifted = x >> np.minimum(by, bits - 1).astype(x.dtype)
            return shifted if t[0] == "s" else np.where(by < bits, shifted, 0).astype(x.dtype)
        return np.where(by < bits, x << np.minimum(by, bits - 1).astype(x.dtype), 0).astype(x.dtype)

    def move(self, words, operands, mask):
        t, (to, of) = words[-1], operands
        if t == "pred":
            self.put(to, self.registers[of] if of.startswith("%") else np.full(self.count, int(of) != 0), mask)
        elif "{" in to:
            self.put_bytes(names(to), self.bytes_of([of], t), mask)
        elif "{" in of:
            parts = names(of)
            data = self.bytes_of(parts, f"b{8 * np.dtype(TYPES[t]).itemsize // len(parts)}")
            self.put(to, data.view(RAW[data.shape[1]])[:, 0], mask)
        else:
            self.put(to, self.get(of, t), mask)

    def convert(self, words, operands, mask):
        to, of = words[-2:]
        narrow = to_bf16 if to.startswith("bf16") else to_fp16
        if to.endswith("x2"):
            high, low = (narrow(self.get(o, "f32")).astype(np.uint32) for o in operands[1:])
            value = (high << 16) | low
        elif to in ("f16", "bf16"):
            value = narrow(self.get(operands[1], "f32"))
        elif of == "bf16":
            value = from_bf16(self.get(operands[1], "b16"))
        else:
            value = self.get(operands[1], of).astype(TYPES[to])
        self.put(operands[0], value, mask)

    def load(self, words, operands, mask):
        t = words[-1]
        if "param" in words:
            value = self.parameters[int(re.search(r"_param_(\d+)", operands[1]).group(1))]
            value = np.array([value], np.float32).view(np.uint32) if isinstance(value, float) else np.array([value])
            self.put(operands[0], np.full(self.count, value.astype(TYPES[t])[0]), mask)
            return
        registers = names(operands[0])
        size = np.dtype(TYPES[t]).itemsize * len(registers)
        self.put_bytes(registers, self.read(self.address(operands[1]), size, mask, "shared" in words), mask)

    def store(self, words, operands, mask):
        self.write(self.address(operands[0]), self.bytes_of(names(operands[1]), words[-1]), mask, "shared" in words)

    def copy(self, words, operands, mask):
        if words[2] == "commit_group":
            self.groups.append(self.group)
            self.group = []
        elif words[2] == "wait_group":
            while len(self.groups) > int(operands[0], 0):
                for copied in self.groups.pop(0):
                    self.write(*copied, True)
        else:
            size = int(operands[2], 0)
            live = mask & (self.get(operands[3], "u32") > 0)
            data = self.read(self.address(operands[1]), size, live, False)
            self.group.append((self.address(operands[0]), data, mask))

    def rows(self, at, i):
        """Where the 8 rows of the i-th matrix of every warp lie."""
        who = slice(8 * i, 8 * i + 8)
        return self.cta.reshape(-1, 32)[:, who, None], at.reshape(-1, 32)[:, who, None] + np.arange(16)

    def load_matrix(self, words, operands, mask):
        at = self.address(operands[1])
        for i, name in enumerate(names(operands[0])):
            matrix = self.shared[self.rows(at, i)].view(np.uint16)
            matrix = matrix.transpose(0, 2, 1) if "trans" in words else matrix
            self.put(name, np.ascontiguousarray(matrix).view(np.uint32).reshape(-1), mask)

    def store_matrix(self, words, operands, mask):
        at = self.address(operands[0])
        for i, name in enumerate(names(operands[1])):
            matrix = self.get(name, "b32").reshape(-1, 8, 4).view(np.uint16)
            matrix = matrix.transpose(0, 2, 1) if "trans" in words else matrix
            self.shared[self.rows(at, i)] = np.ascontiguousarray(matrix).view(np.uint8)

    def multiply(self, words, operands, mask):
        """m16n8k16 of 16-bit operands, summed in fp32."""
        assert "m16n8k16" in words, words
        warps = self.count // 32

        def matrix(name):
            bits = np.ascontiguousarray(self.get(name, "b32")).view(np.uint16)
            numbers = from_bf16(bits) if "bf16" in words else bits.view(np.float16)
            return numbers.astype(np.float64).reshape(warps, 8, 8)

        to, left, right, add = map(names, operands)
        a = [matrix(x) for x in left]
        a = np.concatenate([np.concatenate(a[:2], 1), np.concatenate(a[2:], 1)], 2)
        b = np.concatenate([matrix(x) for x in right], 2)
        product = np.einsum("wmk,wnk->wmn", a, b)
        for i, name in enumerate(to):
            rows = product[:, 8 * (i // 2) : 8 * (i // 2) + 8, i % 2 :: 2].reshape(-1)
            self.put(name, (rows + self.get(add[i], "f32")).astype(np.float32), mask)

    def shuffle(self, words, operands, mask):
        lane, by = np.arange(32), self.get(operands[2], "u32").reshape(-1, 32).astype(np.int64)
        of = {"bfly": lane ^ by, "idx": by % 32, "down": np.minimum(lane + by, 31)}[words[2]]
        moved = np.take_along_axis(self.get(operands[1], "b32").reshape(-1, 32), of, 1)
        self.put(operands[0].split("|")[0], moved.reshape(-1), mask)
