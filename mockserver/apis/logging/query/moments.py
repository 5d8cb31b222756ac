"""Timestamps and durations as whole nanoseconds, so that they compare exactly and fast."""

import re
from datetime import UTC, date, datetime
from functools import lru_cache

_TIME = re.compile(
    r"(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2})(:\d{2})?(?:[.,](\d{1,9}))?"
    r"(Z|z|[+-]\d{2}(?::?\d{2})?)?)?"
)
_DURATION = re.compile(r"(-?)(\d*)(?:\.(\d{1,9}))?(ns|us|ms|s|m|h|d)?")
_UNITS = {
    "": 10**9,
    "ns": 1,
    "us": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
    "d": 86_400 * 10**9,
}
_SECOND = 10**9
_DIGITS = 9
_WHOLE = len("1970-01-01T00:00:00Z")


def time_ns(text: str) -> int:
    """Nanoseconds since 1970 of a timestamp; a day alone is its first moment, UTC.

    Forms: RFC 3339 with up to nine digits, an offset with or without colon
    (`2026-11-19T10:16:19.866742+0000`), and shorter ones (`2026-11-19`, `2026-11-19T10:16`).

    Raises:
        ValueError: Not a timestamp.

    >>> time_ns("1970-01-01T00:00:01.5Z"), time_ns("1970-01-02")
    (1500000000, 86400000000000)
    """
    plain = plain_ns(text)
    if plain is not None:
        return plain
    match = _TIME.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a timestamp")
    day, clock, seconds, fraction, zone = match.groups()
    if clock is None:
        return _day_ns(day)
    whole = _second(f"{day}T{clock}{seconds or ':00'}{_offset(zone)}")
    return whole * _SECOND + int((fraction or "0").ljust(9, "0"))


def plain_ns(text: str) -> int | None:
    """The same, fast, of a timestamp as Google's APIs write it; None of any other form.

    >>> plain_ns("1970-01-01T00:00:01.5Z"), plain_ns("1970-01-01T00:00:01+00:00")
    (1500000000, None)
    """
    fraction = text[20:-1]
    if text[-1:] != "Z" or text[10:11] != "T" or text[19:20] not in {".", "Z"}:
        return None
    if len(text) == _WHOLE:
        return _second(text[:19]) * _SECOND
    if not (0 < len(fraction) <= _DIGITS and fraction.isdecimal() and fraction.isascii()):
        return None
    return _second(text[:19]) * _SECOND + int(fraction.ljust(_DIGITS, "0"))


def _offset(zone: str | None) -> str:
    return "+00:00" if zone is None or zone in "Zz" else zone


def _day_ns(day: str) -> int:
    return (date.fromisoformat(day) - date(1970, 1, 1)).days * 86_400 * _SECOND


@lru_cache(maxsize=65_536)
def _second(text: str) -> int:
    found = datetime.fromisoformat(text)
    return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp())


def duration_ns(text: str) -> int:
    """Nanoseconds of a duration: a decimal number with `ns`, `us`, `ms`, `s`, `m`, `h` or `d`.

    Raises:
        ValueError: Not a duration.

    >>> duration_ns("1.5s"), duration_ns("500ms")
    (1500000000, 500000000)
    """
    match = _DURATION.fullmatch(text)
    if match is None or not (match.group(2) or match.group(3)):
        raise ValueError(f"{text!r} is not a duration")
    sign, whole, fraction, unit = match.groups()
    factor = _UNITS[unit or ""]
    found = int(whole or "0") * factor
    if fraction:
        found += int(fraction) * factor // 10 ** len(fraction)
    return -found if sign else found
