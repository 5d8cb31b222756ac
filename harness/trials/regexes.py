"""Regular expressions of cases, searched so that no pattern can hold a run up."""

import re
from functools import lru_cache
from typing import Any

TIME_LIMIT_S = 2.0
"""How long a pattern with look-around or back-references may search one text."""


class PatternError(ValueError):
    """A pattern of a case is no regular expression, or took too long."""


class SearchPattern:
    """A compiled pattern.

    RE2 searches in linear time. What RE2 does not know (look-around, back-references, possessive
    and atomic groups) is searched by the `regex` module, which is given up after `TIME_LIMIT_S`.
    """

    __slots__ = ("_compiled", "_limited", "source")

    def __init__(self, source: str, *, ignore_case: bool) -> None:
        """Compile a pattern.

        Raises:
            PatternError: It is no regular expression.
        """
        import re2

        self.source = source
        self._limited = False
        options = re2.Options()
        options.case_sensitive = not ignore_case
        options.log_errors = False
        try:
            self._compiled: Any = re2.compile(source, options)
        except (re2.error, TypeError) as error:
            self._compiled = _compile_backtracking(source, _message(error), ignore_case=ignore_case)
            self._limited = True

    def search(self, text: str) -> bool:
        """Whether the pattern is found anywhere in a text.

        Raises:
            PatternError: The search took too long.
        """
        if not self._limited:
            return self._compiled.search(text) is not None
        try:
            return self._compiled.search(text, timeout=TIME_LIMIT_S) is not None
        except TimeoutError as error:
            raise self._too_slow() from error

    def find_all(self, text: str) -> list[str]:
        """Every part of a text that the pattern matches, in order.

        Raises:
            PatternError: The search took too long.
        """
        if not self._limited:
            return [found.group() for found in self._compiled.finditer(text)]
        try:
            return [found.group() for found in self._compiled.finditer(text, timeout=TIME_LIMIT_S)]
        except TimeoutError as error:
            raise self._too_slow() from error

    def _too_slow(self) -> PatternError:
        return PatternError(
            f"the pattern {self.source!r} searched one text for more than {TIME_LIMIT_S:g} s"
        )


@lru_cache(maxsize=512)
def search_pattern(source: str, *, ignore_case: bool = True) -> SearchPattern:
    """Compile a pattern once.

    Raises:
        PatternError: It is no regular expression; the message says why.

    >>> search_pattern(r"(?<!not )done").search("all Done")
    True
    """
    return SearchPattern(source, ignore_case=ignore_case)


def never_matches(source: str) -> bool:
    """Whether no text can match a pattern, because something must stand before `^` or after `$`.

    What stands in groups or beside `|` is not looked at, nor patterns with flags of their own.

    >>> never_matches("done$ and more"), never_matches("^done$"), never_matches("a$|b")
    (True, False, False)
    """
    symbols = _SYMBOL.findall(source)
    depths = [0]
    for symbol in symbols:
        depths.append(depths[-1] + {"(": 1, ")": -1}.get(symbol, 0))
    outside = [symbol for symbol, depth in zip(symbols, depths, strict=False) if not depth]
    if _FLAGS.search(source) or "|" in outside:
        return False
    for number, symbol in enumerate(symbols):
        before, after, then = (_at(symbols, number + step) for step in (-1, 1, 2))
        if depths[number]:
            continue
        if symbol == "^" and _takes_one(before):
            return True
        if symbol == "$" and _takes_one(after) and then not in _OPTIONAL:
            return True
    return False


_SYMBOL = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)
_FLAGS = re.compile(r"\(\?[a-zA-Z]*[mx]")
_OPTIONAL = frozenset("?*{")
_TAKES_NONE = frozenset(("", "\n", *"^$|()?*+{}", *(f"\\{letter}" for letter in "AbBZzn")))


def _at(symbols: list[str], place: int) -> str:
    return symbols[place] if 0 <= place < len(symbols) else ""


def _takes_one(symbol: str) -> bool:
    return symbol not in _TAKES_NONE


def _compile_backtracking(source: str, why: str, *, ignore_case: bool) -> Any:
    try:
        import regex
    except ModuleNotFoundError as error:
        message = (
            f"{source!r} is no pattern of RE2: {why}; look-around and back-references need the"
            " package regex: pip install 'understudy[regex]'"
        )
        raise PatternError(message) from error
    try:
        return regex.compile(source, regex.IGNORECASE if ignore_case else 0)
    except (regex.error, TypeError, OverflowError, RecursionError) as error:
        message = f"{source!r} is not a regular expression: {why or error}"
        raise PatternError(message) from error


def _message(error: Exception) -> str:
    said = error.args[0] if error.args else ""
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
