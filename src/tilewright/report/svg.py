"""Small parts of SVG drawings. Text is escaped; colours come from classes, so that a page can be light or dark."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log2, log10
from typing import Any

from markupsafe import Markup, escape

COLOURS = 8  # classes c0 ... c7 of the style sheet


def tag(name: str, *inner: Any, **attributes: Any) -> Markup:
    """Return one element. A trailing underscore of an attribute is dropped, others become hyphens.

    >>> tag("text", "a < b", x=1, class_="label", text_anchor="end")
    Markup('<text x="1" class="label" text-anchor="end">a &lt; b</text>')
    """
    written = Markup("").join(
        Markup(' {}="{}"').format(Markup(n.rstrip("_").replace("_", "-")), _shown(v))
        for n, v in attributes.items()
        if v is not None
    )
    body = Markup("").join(escape(i) for i in inner)
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(name), written, body)


def _shown(value: Any) -> Any:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else value


def group(*inner: Any, **attributes: Any) -> Markup:
    """Return a group of elements."""
    return tag("g", *inner, **attributes)


def text(x: float, y: float, words: str, anchor: str = "start", class_: str = "label") -> Markup:
    """Return a line of text."""
    return tag("text", words, x=float(x), y=float(y), text_anchor=anchor, class_=class_)


def line(x1: float, y1: float, x2: float, y2: float, class_: str = "grid") -> Markup:
    """Return a straight line."""
    return tag("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), class_=class_)


def dot(x: float, y: float, hint: str, class_: str, radius: float = 3.5) -> Markup:
    """Return a point with a tooltip."""
    return tag("circle", tag("title", hint), cx=float(x), cy=float(y), r=float(radius), class_=class_)


def box(x: float, y: float, width: float, height: float, class_: str, hint: str = "") -> Markup:
    """Return a rectangle, with a tooltip if there is one."""
    inner = [tag("title", hint)] if hint else []
    return tag("rect", *inner, x=float(x), y=float(y), width=float(width), height=float(height), class_=class_)


def drawing(width: int, height: int, *inner: Any, title: str) -> Markup:
    """Return a whole drawing that scales with the page; `title` is read to those who cannot see it."""
    view = f"0 0 {width} {height}"
    return tag("svg", tag("title", title), *inner, viewBox=view, role="img", width=width, height=height)


@dataclass(frozen=True)
class Scale:
    """A mapping of numbers to places along an axis, linear or logarithmic. Numbers outside are put at its ends.

    >>> Scale(1, 100, 0, 200, log=True)(10)
    100.0
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """Return the place of a number."""
        low, high, value = (_log(v) if self.log else v for v in (self.low, self.high, value))
        share = (value - low) / ((high - low) or 1.0)
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)

    def decades(self) -> list[float]:
        """Return the powers of ten within the scale.

        >>> Scale(0.5, 200, 0, 1, log=True).decades()
        [1.0, 10.0, 100.0]
        """
        return [10.0**e for e in range(ceil(_log(self.low) - 1e-9), floor(_log(self.high) + 1e-9) + 1)]

    def marks(self) -> list[float]:
        """Return where a logarithmic axis has marks: at powers of ten, and between them if there are few.

        >>> Scale(3, 60, 0, 1, log=True).marks()
        [5.0, 10.0, 20.0, 50.0]
        """
        found = self.decades()
        if len(found) > 2:
            return found
        steps = [f * 10.0**e for e in range(floor(_log(self.low)), ceil(_log(self.high)) + 1) for f in (1, 2, 5)]
        return [v for v in steps if self.low <= v <= self.high]


def _log(value: float) -> float:
    return log10(max(value, 1e-300))


def whole_decades(values: list[float]) -> tuple[float, float]:
    """Return the powers of ten that enclose some numbers.

    >>> whole_decades([3.0, 250.0])
    (1.0, 1000.0)
    """
    low, high = floor(_log(min(values))), ceil(_log(max(values)))
    return 10.0**low, 10.0 ** max(high, low + 1)


def short(value: float, unit: str = "") -> str:
    """Return a number with a metric prefix.

    >>> short(1.5e12, "FLOP/s"), short(150), short(0.25)
    ('1.5 TFLOP/s', '150', '0.25')
    """
    for factor, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= 0.9995 * factor:
            return f"{value / factor:.3g} {prefix}{unit}"
    return f"{value:.3g} {unit}".rstrip()


def time(seconds: float) -> str:
    """Return a time with a unit.

    >>> time(3.2e-6), time(0.0123), time(75.0)
    ('3.2 us', '12.3 ms', '75 s')
    """
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= 0.9995 * factor:
            return f"{seconds / factor:.3g} {unit}" if seconds < 1e3 else f"{seconds:,.0f} s"
    return f"{seconds / 1e-9:.3g} ns"


def power_of_two(value: float) -> int:
    """Return the exponent of the largest power of two that is not above `value`.

    >>> power_of_two(1000)
    9
    """
    return floor(log2(max(value, 1.0)))
