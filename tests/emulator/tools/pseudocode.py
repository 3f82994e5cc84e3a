"""An interpreter for the pseudocode of AMD's ISA documents, as far as arithmetic instructions need it.

It knows nothing of the emulator: it is the other party of the cross-check. `make_alu_vectors.py` uses it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

WIDTH = re.compile(r"[uifb](\d+)|bf16")
TOKEN = re.compile(
    r"\s*(\d+'-?\d+(?:\.\d+|U)?|\d+'[FUIB]|0x[0-9a-fA-F]+(?:ULL|LL|U)?|\d+\.\d+F?|\d+(?:ULL|LL|U)?|\*\*|<<|>>|<=|>=|==|!=|<>|&&|\|\||"
    r"\+=|-=|[A-Za-z_]\w*|[-+*/&|^~!?:;=<>()\[\]{},.])"
)


class CannotReadError(Exception):
    """The pseudocode uses something this interpreter does not know."""


class Value:
    """Bits with a type such as u32, f16 or b64."""

    def __init__(self, bits: int, ty: str) -> None:
        self.ty, self.width = ty, int(ty[1:]) if ty != "bf16" else 16
        self.bits = bits & ((1 << self.width) - 1)

    @property
    def number(self) -> Any:
        """Return the Python number."""
        if self.ty[0] == "f":
            kind = {16: np.float16, 32: np.float32, 64: np.float64}[self.width]
            return float(np.array([self.bits], f"u{self.width // 8}").view(kind)[0])
        if self.ty[0] == "i" and self.bits >> (self.width - 1):
            return self.bits - (1 << self.width)
        return self.bits


def make(number: Any, ty: str) -> Value:
    """Return a number as a value; floats are rounded to nearest even."""
    if ty[0] == "f":
        width = int(ty[1:])
        kind = {16: np.float16, 32: np.float32, 64: np.float64}[width]
        with np.errstate(all="ignore"):
            return Value(int(np.array([number], np.float64).astype(kind).view(f"u{width // 8}")[0]), ty)
    return Value(int(number), ty)


def exact(a: Any, b: Any, c: Any) -> float:
    """Return a * b + c, rounded once."""
    if all(map(math.isfinite, (a, b, c))):
        total = Fraction(a) * Fraction(b) + Fraction(c)
        return float(total) if total else a * b + c
    with np.errstate(all="ignore"):
        return float(np.float64(a) * np.float64(b) + np.float64(c))


def _root(x: float) -> float:
    return math.sqrt(x) if x >= 0 else math.nan


def _power(base: float, x: float) -> float:
    with np.errstate(all="ignore"):
        return float(np.power(np.float64(base), np.float64(x)))


def _to_int(low: int, high: int) -> Callable[[float], int]:
    def convert(x: float) -> int:
        if math.isnan(x):
            return 0
        return low if x <= low else high if x >= high else int(x)

    return convert


def _signaling(v: Value) -> bool:
    quiet = {16: 9, 32: 22, 64: 51}[v.width]
    return math.isnan(v.number) and not v.bits >> quiet & 1


class Interpreter:
    """Runs the pseudocode of one instruction for one lane."""

    def __init__(self, code: str, names: dict[str, Value], others: dict[str, str]) -> None:
        self.names, self.others = names, others
        text = re.sub(r"//[^\n]*", "", code)
        self.tokens: list[str] = []
        at = 0
        text = text.replace("\n", " ; ")
        text = re.sub(r"(then|else|do|\|\||&&) ;", r"\1 ", text)
        while at < len(text.rstrip()):
            match = TOKEN.match(text, at)
            if match is None:
                raise CannotReadError(text[at : at + 20])
            self.tokens.append(match[1])
            at = match.end()
        self.at = 0

    def run(self) -> None:
        """Execute all statements."""
        self._statements(("",), True)

    def _peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def _take(self, wanted: str = "") -> str:
        token = self._peek()
        if not token or (wanted and token != wanted):
            raise CannotReadError(f"{token!r} instead of {wanted!r}")
        self.at += 1
        return token

    def _statements(self, ends: tuple[str, ...], live: bool) -> None:
        while self._peek() not in ends:
            if self._peek() == ";":
                self._take()
            elif self._peek() == "if":
                self._if(live)
            elif self._peek() == "for":
                self._for(live)
            elif self._peek() in ("declare", "eval", "lambda") or self._peek(2) == "lambda":
                self._declare_or_fail()
            else:
                self._assign(live)

    def _declare_or_fail(self) -> None:
        if self._peek() != "declare":
            raise CannotReadError(self._peek())
        self._take()
        name = self._take()
        self._take(":")
        width = re.match(r"(\d+)", self._take())
        if width is None:
            raise CannotReadError("declare")
        while self._peek() not in (";", ""):
            self._take()
        self.names[name] = Value(0, f"b{width[1]}")

    def _if(self, live: bool) -> None:
        done = False
        self._take("if")
        while True:
            test = bool(self._expression().number)
            self._take("then")
            self._statements(("elsif", "else", "endif"), live and test and not done)
            done = done or test
            word = self._take()
            if word == "elsif":
                continue
            if word == "else":
                self._statements(("endif",), live and not done)
                self._take("endif")
            return

    def _for(self, live: bool) -> None:
        self._take("for")
        name = self._take()
        self._take("in")
        first = int(self._binary(8).number)
        self._take(":")
        last = int(self._binary(8).number)
        self._take("do")
        body = self.at
        for i in range(first, last + 1):
            self.at, self.names[name] = body, Value(i, "i32")
            self._statements(("endfor",), live)
        self._take("endfor")

    def _assign(self, live: bool) -> None:
        targets = [self._target()]
        while self._peek() not in ("=", "+=", "-="):
            raise CannotReadError(f"statement at {self._peek()}")
        sign = self._take()
        start = self.at
        while True:  # a = b = value
            try:
                target = self._target()
                self._take("=")
                targets.append(target)
                start = self.at
            except CannotReadError:
                self.at = start
                break
        value = self._expression()
        if self._peek() not in (";", "", "elsif", "else", "endif"):
            raise CannotReadError(f"after an expression: {self._peek()}")
        if live:
            for target in targets:
                if sign != "=":
                    old = self.names[target[0]]
                    old = self._as(old, target[3]) if target[3] else old
                    value = make(old.number + (value.number if sign == "+=" else -value.number), old.ty)
                self._store(target, value)

    def _target(self) -> tuple[str, int, int, str]:
        """(name, low bit, width or 0 for all, type) of the left side."""
        name = self._take()
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise CannotReadError(name)
        low, width, ty = 0, 0, ""
        while self._peek() in (".", "["):
            if self._take() == ".":
                ty = self._take()
                continue
            first = self._expression().number
            if self._peek() == ":":
                self._take()
                second = self._expression().number
                if first < second:
                    raise CannotReadError("reversed bits")
                low, width = low + second, first - second + 1
            else:
                low, width = low + first, 1
            self._take("]")
        return name, low, width, ty

    def _store(self, target: tuple[str, int, int, str], value: Value) -> None:
        name, low, width, ty = target
        if name not in self.names and width:
            self.names[name] = Value(0, "b64")
        if name not in self.names or (not width and name in self.names and name[0] == "t"):
            self.names[name] = value if not ty else self._as(value, ty)
            return
        old = self.names[name]
        if ty and WIDTH.fullmatch(ty) and ty[0] == "f":
            value = make(value.number, ty) if value.ty[0] == "f" else Value(value.bits, ty)
        if not width:
            width = int(ty[1:]) if ty and WIDTH.fullmatch(ty) else old.width
            if value.ty[0] in "ui" and width > value.width and ty[:1] == "i":
                value = Value(int(value.number), f"i{width}")
        mask = ((1 << width) - 1) << low
        self.names[name] = Value((old.bits & ~mask) | ((value.bits << low) & mask), f"b{max(old.width, low + width)}")

    # ---- expressions

    def _expression(self) -> Value:
        test = self._binary(0)
        if self._peek() != "?":
            return test
        self._take()
        yes = self._expression()
        self._take(":")
        no = self._expression()
        return yes if test.number else no

    LEVELS = (("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!=", "<>"), ("<", ">", "<=", ">="), ("<<", ">>"),
              ("+", "-"), ("*", "/"), ("**",))  # fmt: skip

    def _binary(self, level: int) -> Value:
        if level == len(self.LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while self._peek() in self.LEVELS[level]:
            sign = self._take()
            left = self._combine(sign, left, self._binary(level + 1))
        return left

    def _combine(self, sign: str, a: Value, b: Value) -> Value:
        x, y = a.number, b.number
        if sign in ("||", "&&"):
            return Value(int(bool(x) or bool(y) if sign == "||" else bool(x) and bool(y)), "u1")
        if sign in ("==", "!=", "<>", "<", ">", "<=", ">="):
            if sign == "<>":
                return Value(int(x < y or x > y), "u1")
            return Value(
                int({"==": x == y, "!=": x != y, "<": x < y, ">": x > y, "<=": x <= y, ">=": x >= y}[sign]), "u1"
            )
        if sign in ("<<", ">>"):
            return make(x << y if sign == "<<" else x >> y, a.ty)
        ty = self._common(a, b)
        if ty[0] == "f":
            return make(self._float(sign, x, y), ty)
        if sign == "/":
            raise CannotReadError("integer division")
        return make({"+": x + y, "-": x - y, "*": x * y, "&": a.bits & b.bits, "|": a.bits | b.bits,
                     "^": a.bits ^ b.bits, "**": 0}[sign], ty)  # fmt: skip

    @staticmethod
    def _float(sign: str, x: float, y: float) -> float:
        with np.errstate(all="ignore"):
            p, q = np.float64(x), np.float64(y)
            if sign == "**":
                return _power(x, y)
            if sign not in "+-*/":
                raise CannotReadError(sign)
            return float({"+": p + q, "-": p - q, "*": p * q, "/": p / q}[sign])

    @staticmethod
    def _common(a: Value, b: Value) -> str:
        floats = [v for v in (a, b) if v.ty[0] == "f"]
        if floats:
            named = [v for v in floats if not getattr(v, "literal", False)] or floats
            return max(named, key=lambda v: v.width).ty
        if getattr(a, "literal", False) != getattr(b, "literal", False):
            plain = b if getattr(a, "literal", False) else a
            return plain.ty if plain.width >= 32 else plain.ty[0] + "32"
        widest = max(a, b, key=lambda v: v.width)
        return widest.ty if widest.width >= 32 else widest.ty[0] + "32"

    def _unary(self) -> Value:
        sign = self._peek()
        if sign in ("-", "~", "!", "+"):
            self._take()
            v = self._unary()
            if sign == "!":
                return Value(int(not v.number), "u1")
            if sign == "~":
                return Value(~v.bits, v.ty)
            if sign == "-" and v.ty[0] == "f":
                return Value(v.bits ^ (1 << (v.width - 1)), v.ty)
            found = make(-v.number, "i" + v.ty[1:] if v.ty[0] == "u" else v.ty) if sign == "-" else v
            found.literal = getattr(v, "literal", False)  # type: ignore[attr-defined]
            return found
        return self._postfix(self._primary())

    def _postfix(self, v: Value) -> Value:
        while self._peek() in (".", "["):
            if self._take() == ".":
                v = self._as(v, self._take())
                continue
            first = self._expression().number
            if self._peek() == ":":
                self._take()
                last = self._expression().number
                if first >= last:
                    v = Value(v.bits >> last, f"b{first - last + 1}")
                else:  # reversed
                    text = format(v.bits, f"0{v.width}b")[::-1]
                    v = Value(int(text[v.width - 1 - last : v.width - first] or "0", 2), f"b{last - first + 1}")
            else:
                v = Value(v.bits >> first, "u1")
            self._take("]")
        return v

    @staticmethod
    def _as(v: Value, ty: str) -> Value:
        if ty == "u24":
            return Value(v.bits & 0xFFFFFF, "u32")
        if ty == "i24":
            low = v.bits & 0xFFFFFF
            return Value(low - (1 << 24) if low >> 23 else low, "i32")
        if not re.fullmatch(r"[uifb](1|2|3|4|8|16|32|64)", ty):
            raise CannotReadError(f".{ty}")
        return Value(v.bits, ty)

    def _primary(self) -> Value:
        token = self._take()
        if token == "(":
            v = self._expression()
            self._take(")")
            return v
        if token == "{":
            parts = [self._expression()]
            while self._peek() == ",":
                self._take()
                parts.append(self._expression())
            self._take("}")
            bits = 0
            for p in parts:
                bits = bits << p.width | p.bits
            return Value(bits, f"b{sum(p.width for p in parts)}")
        if match := re.fullmatch(r"(\d+)'([FUIB])", token):
            self._take("(")
            v = self._expression()
            self._take(")")
            return self._cast(v, match[2].lower() + match[1])
        if match := re.fullmatch(r"(\d+)'(-?\d+)U?", token):
            return Value(int(match[2]), f"u{match[1]}")
        if match := re.fullmatch(r"(\d+)'(-?\d+\.\d+)", token):
            return make(float(match[2]), f"f{match[1]}")
        if token[0].isdigit():
            return self._literal(token)
        if self._peek() == "(":
            return self._call(token)
        if token in ("INF", "NAN", "PI"):
            if self._peek() == ".":
                self._take()
                return make({"INF": math.inf, "NAN": math.nan, "PI": math.pi}[token], self._take())
            return make({"INF": math.inf, "NAN": math.nan, "PI": math.pi}[token], "f64")
        if token not in self.names:
            raise CannotReadError(token)
        return self.names[token]

    @staticmethod
    def _literal(token: str) -> Value:
        if "." in token:
            v = make(float(token.rstrip("F")), "f32" if token.endswith("F") else "f64")
        else:
            digits = re.sub(r"(ULL|LL|U)$", "", token)
            v = Value(int(digits, 0), ("u" if "U" in token else "i") + ("64" if "LL" in token else "32"))
        v.literal = True  # type: ignore[attr-defined]
        return v

    @staticmethod
    def _cast(v: Value, ty: str) -> Value:
        if ty[0] == "f":
            if v.ty[0] == "f":
                return make(v.number, ty)
            return Value(v.bits, ty) if getattr(v, "literal", False) or v.ty[0] == "b" else make(v.number, ty)
        if v.ty[0] == "f":
            raise CannotReadError("float to integer cast")
        return make(v.number if v.ty[0] != "b" else v.bits, ty)

    def _call(self, name: str) -> Value:
        self._take("(")
        args = [] if self._peek() == ")" else [self._expression()]
        while self._peek() == ",":
            self._take()
            args.append(self._expression())
        self._take(")")
        return self._apply(name, args)

    def _apply(self, name: str, args: list[Value]) -> Value:
        n = [a.number for a in args]
        ty = args[0].ty if args else "u32"
        simple: dict[str, Callable[[], Value]] = {
            "isNAN": lambda: Value(int(math.isnan(n[0])), "u1"),
            "isSignalNAN": lambda: Value(int(_signaling(args[0])), "u1"),
            "isQuietNAN": lambda: Value(int(math.isnan(n[0]) and not _signaling(args[0])), "u1"),
            "isINF": lambda: Value(int(math.isinf(n[0])), "u1"),
            "cvtToQuietNAN": lambda: args[0],
            "fma": lambda: make(exact(*n), ty),
            "floor": lambda: make(math.floor(n[0]) if math.isfinite(n[0]) else n[0], ty),
            "trunc": lambda: make(np.trunc(n[0]), ty),
            "isEven": lambda: Value(int(n[0] % 2 == 0), "u1"),
            "sqrt": lambda: make(_root(n[0]), ty),
            "pow": lambda: make(_power(*n), args[1].ty),
            "log2": lambda: make(float(np.log2(np.float64(n[0]))), ty),
            "abs": lambda: make(abs(n[0]), ty),
            "sign": lambda: Value(args[0].bits >> (args[0].width - 1), "u1"),
            "signext": lambda: make(n[0], "i64"),
            "signext_from_bit": lambda: make(_extended(args[0].bits, int(n[1])), ty),
            "i32_to_f32": lambda: make(n[0], "f32"),
            "u32_to_f32": lambda: make(n[0], "f32"),
            "i16_to_f16": lambda: make(n[0], "f16"),
            "u16_to_f16": lambda: make(n[0], "f16"),
            "f32_to_f16": lambda: make(n[0], "f16"),
            "f16_to_f32": lambda: make(n[0], "f32"),
            "f32_to_f64": lambda: make(n[0], "f64"),
            "f64_to_f32": lambda: make(n[0], "f32"),
            "i32_to_f64": lambda: make(n[0], "f64"),
            "u32_to_f64": lambda: make(n[0], "f64"),
            "f32_to_u32": lambda: make(_to_int(0, 2**32 - 1)(n[0]), "u32"),
            "f32_to_i32": lambda: make(_to_int(-(2**31), 2**31 - 1)(n[0]), "i32"),
            "f64_to_u32": lambda: make(_to_int(0, 2**32 - 1)(n[0]), "u32"),
            "f64_to_i32": lambda: make(_to_int(-(2**31), 2**31 - 1)(n[0]), "i32"),
            "f16_to_i16": lambda: make(_to_int(-(2**15), 2**15 - 1)(n[0]), "i16"),
            "f16_to_u16": lambda: make(_to_int(0, 2**16 - 1)(n[0]), "u16"),
            "fract": lambda: make(n[0] - math.floor(n[0]) if math.isfinite(n[0]) else math.nan, ty),
            "LT_NEG_ZERO": lambda: Value(int(n[0] < n[1] or _below_zero(n[0], n[1])), "u1"),
            "GT_NEG_ZERO": lambda: Value(int(n[0] > n[1] or _below_zero(n[1], n[0])), "u1"),
            "f32_to_u8": lambda: make(_to_int(0, 255)(n[0]), "u8"),
            "u8_to_u32": lambda: make(n[0], "u32"),
            "u4_to_u32": lambda: make(n[0], "u32"),
            "u16_to_u32": lambda: make(n[0], "u32"),
            "i8_to_i32": lambda: make(n[0], "i32"),
            "i16_to_i32": lambda: make(n[0], "i32"),
        }  # fmt: skip
        if name in simple:
            return simple[name]()
        if name.upper() in self.others:  # another instruction
            inner = {f"S{i}": a for i, a in enumerate(args)} | {"D0": Value(0, "b64"), "WAVE_MODE": Value(0, "u32")}
            Interpreter(self.others[name.upper()], inner, self.others).run()
            return Value(inner["D0"].bits, name[-3:])
        raise CannotReadError(f"{name}()")


def _below_zero(a: float, b: float) -> bool:
    return a == b == 0 and math.copysign(1, a) < math.copysign(1, b)


def _extended(bits: int, width: int) -> int:
    if width == 0:
        return 0
    bits &= (1 << width) - 1
    return bits - (1 << width) if bits >> (width - 1) else bits
