"""The grammar of declarations: a macro with a name, and a chain of calls whose arguments are values or calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .tokens import Token, tokens_of

OWN = "TW_KERNEL_SET"
CK_MACROS = {
    "DECL_KERNEL_SET": "gemm",
    "DECL_GROUPED_CONV_KERNEL_SET": "conv",
    "DECL_CONV_KERNEL_SET": "conv",
    "DECL_FMHA_KERNEL_SET": "fmha",
}
MAX_DEPTH, MAX_NUMBER = 32, 64  # of brackets; characters of a number
WORDS: dict[str, Any] = {"true": True, "false": False, "ANY": "*", "ANY_INT": "*", "any": "*"}


@dataclass(frozen=True)
class Value:
    """A constant: text, a number, a truth value, "*", or a list of constants."""

    value: Any
    token: Token


@dataclass(frozen=True)
class Call:
    """A call with its arguments, and the calls that are chained to its result."""

    name: str
    arguments: tuple[Value | Call, ...]
    token: Token
    chain: tuple[Call, ...] = ()


@dataclass(frozen=True)
class Declaration:
    """One kernel set: the macro, the set's name and the calls on it."""

    macro: str
    name: str
    calls: tuple[Call, ...]
    token: Token


def parse(source: str, path: str) -> list[Declaration]:
    """Return the declarations of a C++ text; everything else in it is skipped.

    >>> [d.name for d in parse('int x; TW_KERNEL_SET(mine).add(mr(4, 6));', "x.cpp")]
    ['mine']
    """
    return _Parser(tokens_of(source, path)).declarations()


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self._tokens, self._at, self._open = tokens, 0, 0

    @property
    def _now(self) -> Token:
        return self._tokens[self._at]

    def _next(self) -> Token:
        token = self._now
        self._at += token.kind != "end"
        return token

    def _take(self, sign: str) -> Token:
        token = self._next()
        if token.text != sign:
            raise token.fail(f"{token.text or 'the end'!r} was found where {sign!r} belongs")
        return token

    def _take_open(self, sign: str) -> Token:
        """Take a bracket that opens; the caller counts it out again."""
        token = self._take(sign)
        self._open += 1
        if self._open > MAX_DEPTH:
            raise token.fail(f"calls and lists are nested more than {MAX_DEPTH} deep")
        return token

    def declarations(self) -> list[Declaration]:
        found = []
        while self._now.kind != "end":
            token = self._next()
            if token.text == OWN:
                found.append(self._own(token))
            elif token.text in CK_MACROS and self._now.text == "(":
                found.append(self._of_ck(token))
        return found

    def _own(self, token: Token) -> Declaration:
        self._take("(")
        name = self._set_name()
        self._take(")")
        calls = self._chain()
        self._take(";")
        return Declaration(token.text, name, calls, token)

    def _of_ck(self, token: Token) -> Declaration:
        self._take("(")
        name = self._set_name()
        self._take(",")
        calls = self._chain()
        self._take(")")
        self._take(";")
        return Declaration(token.text, name, calls, token)

    def _set_name(self) -> str:
        token = self._next()
        if token.kind not in ("name", "text"):
            raise token.fail("the name of a kernel set is missing", "write TW_KERNEL_SET(name)")
        return token.text.strip('"')

    def _chain(self) -> tuple[Call, ...]:
        calls = []
        while self._now.text == ".":
            self._next()
            calls.append(self._call(chained=False))
        return tuple(calls)

    def _call(self, chained: bool = True) -> Call:
        token = self._next()
        if token.kind != "name":
            raise token.fail(f"{token.text or 'the end'!r} was found where the name of a call belongs")
        arguments = self._arguments()
        return Call(token.text.split("::")[-1], arguments, token, self._chain() if chained else ())

    def _arguments(self) -> tuple[Value | Call, ...]:
        self._take_open("(")
        found: list[Value | Call] = []
        while self._now.text != ")":
            found.append(self._argument())
            if self._now.text != ")":
                self._take(",")
        self._next()
        self._open -= 1
        return tuple(found)

    def _argument(self) -> Value | Call:
        token = self._now
        if token.kind == "name" and self._tokens[self._at + 1].text in ("(", "{"):
            if self._tokens[self._at + 1].text == "{" and self._tokens[self._at + 2].text == "}":  # Signature{}
                self._at += 3
                return Call(token.text.split("::")[-1], (), token, self._chain())
            return self._call()
        return self._value()

    def _value(self) -> Value:
        if self._now.text == "{":
            return self._list()
        token = self._next()
        if token.kind == "text":
            return Value(token.text[1:-1].replace('\\"', '"'), token)
        if token.kind == "number" and len(token.text) > MAX_NUMBER:
            raise token.fail(f"a number of {len(token.text)} characters", f"write at most {MAX_NUMBER}")
        if token.kind == "number":
            return Value(float(token.text) if "." in token.text else int(token.text), token)
        if token.kind == "name" and token.text.split("::")[-1] in WORDS:
            return Value(WORDS[token.text.split("::")[-1]], token)
        raise token.fail(
            f"{token.text or 'the end'!r} is no value", "write text in quotes, a number, true, false or ANY"
        )

    def _list(self) -> Value:
        token, items = self._take_open("{"), []
        while self._now.text != "}":
            items.append(self._value().value)
            if self._now.text != "}":
                self._take(",")
        self._next()
        self._open -= 1
        return Value(items, token)
