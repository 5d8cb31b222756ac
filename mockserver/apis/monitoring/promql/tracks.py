"""What a query is evaluated over: named, labelled samples in order of time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

import re2

from mockserver.apis.monitoring.promql.nodes import Matcher

NAME = "__name__"
Labels = tuple[tuple[str, str], ...]
"""Label names and values, sorted by name."""


@dataclass(slots=True, eq=False)
class Track:
    """Samples of one series, oldest first; times are microseconds.

    Attributes:
        labels: Its labels, with its name.
        times: Times of the samples, ascending.
        values: Their values.
        memo: What functions computed of the samples.
    """

    labels: Labels
    times: Sequence[int]
    values: Sequence[float]
    memo: dict[str, Any] = field(default_factory=dict)


class Source(Protocol):
    """Where tracks come from."""

    def select(self, matchers: Sequence[Matcher]) -> Sequence[Track]:
        """The tracks whose labels meet all matchers."""
        ...


def without(labels: Labels, *names: str) -> Labels:
    """Labels without some.

    >>> without((("__name__", "up"), ("job", "a")), "__name__")
    (('job', 'a'),)
    """
    return tuple(pair for pair in labels if pair[0] not in names)


def only(labels: Labels, names: Sequence[str]) -> Labels:
    """Some of the labels."""
    return tuple(pair for pair in labels if pair[0] in names)


def with_label(labels: Labels, name: str, value: str) -> Labels:
    """Labels with one set; an empty value removes it."""
    rest = without(labels, name)
    return tuple(sorted((*rest, (name, value)))) if value else rest


def matches(matchers: Sequence[Matcher], labels: Labels) -> bool:
    """Whether labels meet all matchers; a label that is absent is empty."""
    values = dict(labels)
    return all(matches_text(matcher, values.get(matcher.label, "")) for matcher in matchers)


def matches_text(matcher: Matcher, value: str) -> bool:
    """Whether a label's value meets a matcher; expressions are anchored at both ends."""
    if matcher.operator == "=":
        return value == matcher.value
    if matcher.operator == "!=":
        return value != matcher.value
    found = _pattern(matcher.value).fullmatch(value) is not None
    return found == (matcher.operator == "=~")


def compiled(matcher: Matcher, refused: Callable[[str], Exception]) -> None:
    """Check a matcher's regular expression; raises what `refused` makes of the reason."""
    if matcher.operator in {"=~", "!~"}:
        try:
            _pattern(matcher.value)
        except re2.error as error:
            why = matcher.value.join("``")
            raise refused(f"error parsing regexp: {why} is none that RE2 reads") from error


@lru_cache(maxsize=1024)
def _pattern(text: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.dot_nl = True
    return re2.compile(text, options)
