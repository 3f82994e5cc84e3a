"""What a kernel's metadata and descriptor say: arguments, sizes, registers."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import AssemblyError


@dataclass(frozen=True)
class Argument:
    """One kernel argument as the metadata describes it. Hidden ones are filled in at launch."""

    offset: int
    size: int
    kind: str
    name: str = ""

    @property
    def hidden(self) -> bool:
        """Whether the runtime fills it in, not the caller."""
        return self.kind.startswith("hidden_")


def parse_metadata(text: str) -> dict[str, dict[str, Any]]:
    """Return the metadata of each kernel by name, from the text between .amdgpu_metadata and its end.

    It reads the block style that LLVM writes: lists of mappings by indentation, scalars without quotes or in single
    ones. It is no general YAML reader.
    """
    lines = [(len(raw) - len(raw.lstrip()), raw.strip()) for raw in text.splitlines()]
    lines = [(indent, line) for indent, line in lines if line and line not in ("---", "...") and line[0] != "#"]
    document, _ = _block(lines, 0, 0)
    kernels = document.get("amdhsa.kernels", []) if isinstance(document, dict) else []
    return {kernel[".name"]: kernel for kernel in kernels if isinstance(kernel, dict) and ".name" in kernel}


def _block(lines: list[tuple[int, str]], at: int, indent: int) -> tuple[Any, int]:
    """Return (value, next line) of the list or mapping that starts at line `at`."""
    if at < len(lines) and lines[at][1].startswith("- "):
        return _list(lines, at, lines[at][0])
    found: dict[str, Any] = {}
    while at < len(lines) and lines[at][0] >= indent and not lines[at][1].startswith("- "):
        if lines[at][0] > indent:
            indent = lines[at][0]
        key, _, value = lines[at][1].partition(":")
        at += 1
        if value.strip():
            found[key] = _scalar(value.strip())
        elif at < len(lines) and (lines[at][0] > indent or (lines[at][0] == indent and lines[at][1][:2] == "- ")):
            found[key], at = _block(lines, at, lines[at][0])
        else:
            found[key] = None
    return found, at


def _list(lines: list[tuple[int, str]], at: int, indent: int) -> tuple[list[Any], int]:
    items: list[Any] = []
    while at < len(lines) and lines[at][0] == indent and lines[at][1].startswith("- "):
        rest = lines[at][1][2:].lstrip()
        if not re.match(r"[.\w]+:(\s|$)", rest):
            items.append(_scalar(rest))
            at += 1
            continue
        inner = indent + len(lines[at][1]) - len(rest)
        changed = [*lines[:at], (inner, rest), *lines[at + 1 :]]
        end = at + 1
        while end < len(lines) and lines[end][0] > indent:
            end += 1
        item, _ = _block(changed[at:end], 0, inner)
        items.append(item)
        at = end
    return items, at


def _scalar(text: str) -> Any:
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    if text == "[]":
        return []
    return {"true": True, "false": False}.get(text, text.strip("'\""))


def arguments_of(metadata: Mapping[str, Any]) -> tuple[Argument, ...]:
    """Return the arguments in the order of their offsets."""
    found = [
        Argument(int(a[".offset"]), int(a[".size"]), str(a[".value_kind"]), str(a.get(".name", "")))
        for a in metadata.get(".args") or ()
    ]
    return tuple(sorted(found, key=lambda a: a.offset))


SYMBOL = re.compile(r"[A-Za-z_.$][\w.$@]*")
FUNCTIONS = ("max", "alignto", "totalnumvgprs", "extrasgprs", "occupancy", "instprefsize")


def evaluate(text: str, symbols: Mapping[str, str], where: str) -> int:
    """Return the value of a descriptor expression, such as `max(totalnumvgprs(k.num_agpr, k.num_vgpr), 1, 0)`.

    >>> evaluate("((alignto(max(1, k.n), 4)/4)-1)&63", {"k.n": "9"}, "here")
    2
    """
    names: dict[str, str] = {}

    def swap(match: re.Match[str]) -> str:
        if match[0] in FUNCTIONS:
            return match[0]
        return names.setdefault(match[0], f"n{len(names)}")

    replaced = SYMBOL.sub(swap, re.sub(r"0x[0-9a-fA-F]+", lambda m: str(int(m[0], 16)), text))
    back = {new: old for old, new in names.items()}
    try:
        return _value(ast.parse(replaced, mode="eval").body, back, symbols, where)
    except (SyntaxError, KeyError, RecursionError, ZeroDivisionError):
        raise AssemblyError(
            f"{where}: cannot evaluate {text!r}", remedy="pass the whole assembly text of the compiler"
        ) from None


def _value(node: ast.AST, names: Mapping[str, str], symbols: Mapping[str, str], where: str) -> int:
    def go(inner: ast.AST) -> int:
        return _value(inner, names, symbols, where)

    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name):
        return evaluate(symbols[names[node.id]], symbols, where)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Invert)):
        return -go(node.operand) if isinstance(node.op, ast.USub) else ~go(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return int(OPERATORS[type(node.op)](go(node.left), go(node.right)))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _call(node.func.id, [go(a) for a in node.args])
    raise KeyError(ast.dump(node))


OPERATORS: dict[type, Any] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a // b,
    ast.BitAnd: lambda a, b: a & b,
    ast.BitOr: lambda a, b: a | b,
    ast.LShift: lambda a, b: a << b,
    ast.RShift: lambda a, b: a >> b,
}


def _call(name: str, values: list[int]) -> int:
    if name == "max":
        return max(values)
    if name == "alignto":
        return -(-values[0] // values[1]) * values[1]
    if name == "totalnumvgprs":  # accumulation registers follow the vector registers, at a multiple of four
        return -(-values[1] // 4) * 4 + values[0] if values[0] else values[1]
    return 0
