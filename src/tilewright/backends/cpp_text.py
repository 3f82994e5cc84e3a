"""Text of generated C++: a type that holds only this program's own literals, numbers, booleans and known names.

A value of a spec reaches generated source only through a function of this module. `CppText` cannot be made in any
other way, every operation of `str` on it gives a plain `str` again, and the code that renders or compiles a source
refuses a plain `str`. A test checks that the first argument of every `cpp(...)` is a literal.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ..errors import SpecError, UnknownNameError

_LABEL = re.compile(r"[A-Za-z0-9_.+-]{1,400}")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_HEX = re.compile(r"[0-9a-f]{1,128}")
INT64 = 1 << 63


class CppText(str):
    """C++ that came from a function of this module.

    >>> CppText('system("true")')
    Traceback (most recent call last):
    TypeError: C++ text is made by the functions of tilewright.backends.cpp_text only
    """

    __slots__ = ()

    def __new__(cls, *_: Any) -> CppText:
        """Raise: text of unknown origin does not become C++."""
        raise TypeError("C++ text is made by the functions of tilewright.backends.cpp_text only")

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the process as plain text: what another process sends back is not trusted."""
        return str, (str(self),)


def cpp(template: str, /, *values: Any, **named: Any) -> CppText:
    """Return a literal of this program with values in its braces; `cpp_value` checks each value.

    >>> cpp("static constexpr int {} = {};", cpp("mr"), 6)
    'static constexpr int mr = 6;'
    """
    if not values and not named:
        return _made(template)
    return _made(template.format(*map(cpp_value, values), **{name: cpp_value(v) for name, v in named.items()}))


def cpp_value(value: Any) -> CppText:
    """Return the C++ of a whole number or a boolean, and C++ text as it is; raise `SpecError` for anything else.

    >>> cpp_value(64), cpp_value(True)
    ('64', 'true')
    >>> try:
    ...     cpp_value("64")
    ... except SpecError as error:
    ...     print(error.message)
    generated C++ cannot hold '64' (str); it holds whole numbers, booleans and known names
    """
    if isinstance(value, CppText):
        return value
    if type(value) is bool:
        return cpp_bool(value)
    if type(value) is int:
        return cpp_int(value)
    raise _refused(value, "it holds whole numbers, booleans and known names")


def cpp_int(value: Any) -> CppText:
    """Return a whole number of 64 bits; a boolean is not one.

    >>> cpp_int(-1)
    '-1'
    """
    if type(value) is not int or not -INT64 <= value < INT64:
        raise _refused(value, "a whole number of 64 bits belongs here")
    return _made(str(value))


def cpp_bool(value: Any) -> CppText:
    """Return a boolean; 0 and 1 are not booleans.

    >>> cpp_bool(False)
    'false'
    """
    if type(value) is not bool:
        raise _refused(value, "a boolean belongs here")
    return _made("true" if value else "false")


def cpp_name(table: Mapping[str, str] | Collection[str], key: Any, kind: str) -> CppText:
    """Return the value of `table` for `key`, or `key` itself if the table is a plain list of names.

    >>> cpp_name({"fp32": "float"}, "fp32", "dtype"), cpp_name(("fma", "amx"), "amx", "inner")
    ('float', 'amx')
    """
    if type(key) is not str or key not in table:
        raise UnknownNameError(kind, _short(key) if type(key) is not str else key, table)
    return _made(table[key] if isinstance(table, Mapping) else key)


def cpp_label(text: Any) -> CppText:
    """Return a name for comments, files and symbols if it has only letters, digits and ``_ . + -``.

    >>> cpp_label("gemm_cpu_x86_64_v3")
    'gemm_cpu_x86_64_v3'
    """
    return _matching(_LABEL, text, "a name of letters, digits, _ . + -")


def cpp_identifier(text: Any) -> CppText:
    """Return the name of something that generated C++ declares.

    >>> cpp_identifier("layout_a")
    'layout_a'
    """
    return _matching(_IDENTIFIER, text, "an identifier")


def cpp_digest(text: Any) -> CppText:
    """Return a digest if it has only hex digits.

    >>> cpp_digest("00ff")
    '00ff'
    """
    return _matching(_HEX, text, "a row of hex digits")


def cpp_join(parts: Iterable[Any], between: str = ", ") -> CppText:
    """Return the parts, each as `cpp_value` gives it, with a literal between them.

    >>> cpp_join([2, 2, 1])
    '2, 2, 1'
    """
    return _made(between.join(map(cpp_value, parts)))


def cpp_replace(text: CppText, place: str, value: Any) -> CppText:
    """Return the text with `value` at each place of a literal mark.

    >>> cpp_replace(cpp("@::Arguments"), "@", cpp("tw_00ff"))
    'tw_00ff::Arguments'
    """
    return _made(str(cpp_value(text)).replace(place, cpp_value(value)))


def cpp_render(template: Any, values: Mapping[str, Any]) -> CppText:
    """Return a rendered Jinja2 template; `cpp_value` checks each value where it is written.

    >>> import jinja2
    >>> environment = jinja2.Environment(finalize=cpp_value)
    >>> cpp_render(environment.from_string("int tile = {{ tile }};"), {"tile": 64})
    'int tile = 64;'
    """
    if template.environment.finalize is not cpp_value:
        raise TypeError("C++ is rendered in an environment with finalize=cpp_value")
    return _made(template.render(**values))


def cpp_source(text: Any) -> str:
    """Return a whole source as plain text if it is C++ text; raise `SpecError` if its parts were not checked.

    >>> cpp_source(cpp("int main() {{}}", 0))
    'int main() {}'
    """
    if type(text) is not CppText:
        raise SpecError("generated source that was not made of checked parts is not compiled")
    return str(text)


def _matching(pattern: re.Pattern[str], text: Any, words: str) -> CppText:
    if not isinstance(text, str) or not pattern.fullmatch(text):
        raise _refused(text, f"{words} belongs here")
    return _made(text)


def _refused(value: Any, rule: str) -> SpecError:
    return SpecError(f"generated C++ cannot hold {_short(value)} ({type(value).__name__}); {rule}")


def _made(text: str) -> CppText:
    return str.__new__(CppText, text)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
