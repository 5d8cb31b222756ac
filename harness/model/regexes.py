"""Regular expressions of cases, searched so that no pattern can hold a run up."""

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
            self._compiled = _backtracking(source, _message(error), ignore_case=ignore_case)
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


def _backtracking(source: str, why: str, *, ignore_case: bool) -> Any:
    import regex

    try:
        return regex.compile(source, regex.IGNORECASE if ignore_case else 0)
    except (regex.error, TypeError, OverflowError, RecursionError) as error:
        message = f"{source!r} is not a regular expression: {why or error}"
        raise PatternError(message) from error


def _message(error: Exception) -> str:
    said = error.args[0] if error.args else ""
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
