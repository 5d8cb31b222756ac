"""A query as one function of an entry, and the span of time that it can be about."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import assert_never
from urllib.parse import quote, unquote

from mockserver.apis.logging.query.comparing import Test as ValueTest
from mockserver.apis.logging.query.comparing import value_test
from mockserver.apis.logging.query.entries import Entry, as_written
from mockserver.apis.logging.query.fields import DEFAULTS, MISSING, Field, find_field, getter
from mockserver.apis.logging.query.functions import function_test
from mockserver.apis.logging.query.language import parse_query
from mockserver.apis.logging.query.moments import time_ns
from mockserver.googleapi.filters import And, Comparison, Function, Not, Or, Text, Value
from mockserver.googleapi.filters import Filter as Query
from mockserver.model import Json
from mockserver.state import shifted

Test = Callable[[Entry], bool]

EARLIEST, LATEST = -(1 << 80), 1 << 80
_TIMESTAMP = ("timestamp",)
_LOG_NAME = ("logName",)
_QUICK = {"severity": 0, "logName": 1, "resource": 2, "timestamp": 1}
"""Fields that are asked first: they are cheap, and most entries fail them."""


@dataclass(frozen=True, slots=True)
class Filter:
    """A query, ready to be put to entries in stored time.

    Attributes:
        holds: Whether it holds for an entry.
        start: No entry before this moment fits, nanoseconds since 1970.
        end: No entry at or after this moment fits.
        always: Whether it holds for every entry of its span.
    """

    holds: Test
    start: int = EARLIEST
    end: int = LATEST
    always: bool = False


@lru_cache(maxsize=512)
def compile_query(text: str, shift: timedelta = timedelta(0), *, or_first: bool = True) -> Filter:
    """Make a filter of a query.

    Args:
        text: The query.
        shift: What the entries' stored times lack to be session time, which the query is in.
        or_first: Whether OR binds tighter than AND.

    Raises:
        ApiError: 400; the query is not in the language, or names a field or function that is not.
    """
    query = parse_query(text, or_first=or_first)
    start, end, rest = EARLIEST, LATEST, []
    compiler = _Compiler(shift)
    for part in query.filters if isinstance(query, And) else (query,):
        span = compiler.span(part)
        if span is None:
            rest.append(part)
        else:
            start, end = max(start, span[0]), min(end, span[1])
    return Filter(compiler.test(And(tuple(rest))), start, end, always=not rest)


class _Compiler:
    """Makes tests of the parts of a query."""

    def __init__(self, shift: timedelta) -> None:
        self._shift = shift
        self._shift_ns = int(shift.total_seconds()) * 10**9

    def span(self, part: Query) -> tuple[int, int] | None:
        """The span that a part bounds the timestamp to, or None when it is about something else."""
        if not isinstance(part, Comparison) or find_field(part.path).path != _TIMESTAMP:
            return None
        if part.operator not in {"=", "<", "<=", ">", ">="}:
            return None
        try:
            moment = time_ns(part.text) - self._shift_ns
        except ValueError:
            return None
        return {
            "=": (moment, moment + 1),
            "<": (EARLIEST, moment),
            "<=": (EARLIEST, moment + 1),
            ">": (moment + 1, LATEST),
            ">=": (moment, LATEST),
        }[part.operator]

    def test(self, query: Query) -> Test:
        match query:
            case Comparison():
                made = self._comparison(query)
            case Text(value):
                made = _search(value.text)
            case Function():
                made = function_test(query)
            case Not(inner):
                made = _not(self.test(inner))
            case And(queries):
                made = _all([self.test(each) for each in sorted(queries, key=_cost)])
            case Or(queries):
                made = _any([self.test(each) for each in sorted(queries, key=_cost)])
            case _:
                assert_never(query)
        return made

    def _comparison(self, query: Comparison) -> Test:
        field = find_field(query.path)
        get = getter(field)
        if query.operator == ":" and query.text == "*" and not query.literal.quoted:
            return lambda entry: get(entry.row) is not MISSING
        test = self._value_test(field, query)
        missing = _of_missing(field, test)

        def compare(entry: Entry) -> bool:
            value = get(entry.row)
            if value is MISSING:
                return missing
            return any(map(test, value)) if type(value) is list else test(value)

        return compare

    def _value_test(self, field: Field, query: Comparison) -> ValueTest:
        kind, sign, value = field.kind, query.operator, query.literal
        if field.path == _LOG_NAME and sign in {"=", "!="}:
            value = Value(encoded_log_name(value.text))
        if kind != "time" or sign not in {":", "=~", "!~"}:
            return value_test(kind, sign, value, earlier_ns=self._shift_ns)
        # of a time as a text, the text is what the session shows
        text = value_test("text", sign, query.literal)
        shift = self._shift
        return lambda value: text(shifted(str(value), shift))


def encoded_log_name(name: str) -> str:
    """A log's name with its id as entries have it, encoded; client libraries send it plain.

    >>> encoded_log_name("projects/p/logs/app/worker")
    'projects/p/logs/app%2Fworker'
    """
    parent, logs, log = name.partition("/logs/")
    return f"{parent}{logs}{quote(unquote(log), safe='')}"


def _of_missing(field: Field, test: ValueTest) -> bool:
    """What a comparison is for an entry without the field.

    A field of the entry itself is then its default; of a payload or of labels it holds nothing, not
    even `!=` (Logging query language reference).
    """
    if field.kind not in DEFAULTS or "labels" in field.path[:-1] or field.path[0] == "labels":
        return False
    default: Json = DEFAULTS[field.kind]
    return test(default)


def _cost(query: Query) -> int:
    if isinstance(query, Comparison):
        slow = 10 if query.operator in {"=~", "!~"} else 0
        return slow + _QUICK.get(find_field(query.path).path[0], 5)
    if isinstance(query, Not):
        return _cost(query.filter)
    return 20 if isinstance(query, Text | Function) else 15


def _search(text: str) -> Test:
    folded, written = text.casefold(), as_written(text)
    return lambda entry: written in entry.written and folded in entry.text


def _not(test: Test) -> Test:
    return lambda entry: not test(entry)


def _all(tests: Sequence[Test]) -> Test:
    if len(tests) == 1:
        return tests[0]
    if len(tests) == 2:
        one, other = tests
        return lambda entry: one(entry) and other(entry)
    several = tuple(tests)

    def test(entry: Entry) -> bool:
        for each in several:  # noqa: SIM110  (a generator for each entry costs more)
            if not each(entry):
                return False
        return True

    return test


def _any(tests: Sequence[Test]) -> Test:
    several = tuple(tests)

    def test(entry: Entry) -> bool:
        for each in several:  # noqa: SIM110  (a generator for each entry costs more)
            if each(entry):
                return True
        return False

    return test
