"""The filter of `traces.list`: terms side by side, each of which must hold for a trace.

Source: Cloud Trace filters reference. `root:`, `span:` and a bare name test the beginning of a
span's name, `+` makes a test exact, `^` asks the root span alone, `latency:` is a minimum, `label:`
asks for a label's key, `method:` and `url:` for the labels of HTTP, and any other name for a
label's value. `error:true` finds failed spans; it is not in the reference, but clients send it.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from mockserver.apis.cloudtrace.state import duration_s, root_span
from mockserver.googleapi import FilterError, invalid
from mockserver.googleapi.filters import read_terms, unescape
from mockserver.model import JsonObject

Test = Callable[[JsonObject], bool]

_STRING = r'"(?:[^"\\]|\\.)*"'
_TERM = re.compile(
    rf"""\s*(?P<signs>[+^]*)
    (?:(?P<key>{_STRING}|[^\s:"+^][^\s:"]*):(?=\S)(?P<value>{_STRING}|[^\s:"]+)
      |(?P<word>{_STRING}|[^\s:"+^][^\s:"]*+)(?!:))""",
    re.DOTALL | re.VERBOSE,
)
"""No parentheses and no OR; a value follows its key at once."""
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ns|us|ms|s|m|h)?")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "": 1.0, "m": 60.0, "h": 3600.0}
_LABELS = {"method": "/http/method", "url": "/http/url"}
_STATUS = ("/http/status_code", "http.status_code", "http.response.status_code")
_ERRORS = ("/error/message", "/error/name", "error.type")
_FAILED = 500


@dataclass(frozen=True)
class Term:
    """One term of a filter.

    Attributes:
        key: `root`, `latency` or a label's key; empty for a bare name.
        value: What is looked for.
        exact: Whether the whole text must be equal (`+`).
        of_root: Whether the root span alone is asked (`^`).
    """

    key: str
    value: str
    exact: bool = False
    of_root: bool = False


@lru_cache(maxsize=256)
def trace_test(text: str) -> Test:
    """The test that a filter puts to a trace; blank text holds for all.

    Raises:
        ApiError: 400; a term that cannot be read, or a duration that is none.
    """
    tests = [_term_test(term) for term in parse_terms(text)]
    return lambda trace: all(test(trace) for test in tests)


def parse_terms(text: str) -> tuple[Term, ...]:
    """Read the terms of a filter.

    Raises:
        ApiError: 400; a term that cannot be read.

    >>> parse_terms('+root:/cart latency:1s')
    (Term(key='root', value='/cart', exact=True, of_root=False), \
Term(key='latency', value='1s', exact=False, of_root=False))
    """
    text = text.strip()
    try:
        return tuple(
            Term(
                _plain(term["key"] or ""),
                _plain(term["value"] or term["word"]),
                "+" in term["signs"],
                "^" in term["signs"],
            )
            for term in read_terms(text, _TERM)
        )
    except FilterError as error:
        message = f"Invalid filter: '{text}' at position {error.token.place + 1}."
        raise invalid(message, location="filter") from error


def _plain(text: str) -> str:
    """A key or a value without its quotes."""
    return unescape(text[1:-1]) if text.startswith('"') else text


def _term_test(term: Term) -> Test:
    match term.key:
        case "" | "root":
            return lambda trace: _matches_text(term, str(root_span(trace).get("name", "")))
        case "span":
            return lambda trace: any(
                _matches_text(term, str(span.get("name", ""))) for span in _all_spans(trace)
            )
        case "latency":
            least = _seconds(term.value)
            return lambda trace: duration_s(root_span(trace)) >= least
        case "error":
            wanted = term.value.casefold() in {"true", "1"}
            return lambda trace: any(map(_has_failed, _spans_of_term(term, trace))) is wanted
        case _:
            return _label_test(term)


def _label_test(term: Term) -> Test:
    if term.key == "label":
        return lambda trace: any(
            term.value in _labels(span) for span in _spans_of_term(term, trace)
        )
    key = _LABELS.get(term.key, term.key)
    return lambda trace: any(
        key in _labels(span) and _matches_text(term, str(_labels(span)[key]))
        for span in _spans_of_term(term, trace)
    )


def _matches_text(term: Term, text: str) -> bool:
    return text == term.value if term.exact else text.startswith(term.value)


def _all_spans(trace: JsonObject) -> Iterable[JsonObject]:
    return trace.get("spans") or ()


def _spans_of_term(term: Term, trace: JsonObject) -> Iterable[JsonObject]:
    return (root_span(trace),) if term.of_root else _all_spans(trace)


def _labels(span: JsonObject) -> JsonObject:
    return span.get("labels") or {}


def _has_failed(span: JsonObject) -> bool:
    """Whether a span failed: it has an error label, or an HTTP status of 500 or more."""
    labels = _labels(span)
    if str(labels.get("error", "")).casefold() in {"true", "1"}:
        return True
    if any(name in labels for name in _ERRORS):
        return True
    statuses = [str(labels[name]) for name in _STATUS if name in labels]
    return any(each.isdigit() and int(each) >= _FAILED for each in statuses)


def _seconds(text: str) -> float:
    match = _DURATION.fullmatch(text.lstrip(">="))
    if match is None:
        raise invalid(f"Invalid latency '{text}' in the filter, such as 500ms.", location="filter")
    return float(match[1]) * _SECONDS[match[2] or ""]
