"""Times as whole microseconds since 1970, which compare, subtract and search fast."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache

from mockserver.state import parse_rfc3339

SECOND = 1_000_000
MINUTE = 60 * SECOND
DAY = 86_400 * SECOND

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO = timedelta(microseconds=1)
_USUAL_LENGTHS = frozenset({20, 24, 27})
"""Of `2026-11-20T09:00:00Z`, and with milliseconds or microseconds: what the reader below takes."""


def micros(moment: datetime) -> int:
    """A moment in microseconds."""
    return (moment - _EPOCH) // _MICRO


@lru_cache(maxsize=65_536)
def read_time(text: str) -> int:
    """An RFC 3339 timestamp in microseconds; digits beyond them are cut.

    Raises:
        ValueError: It is none.

    >>> read_time("1970-01-01T00:01:00.25Z")
    60250000
    """
    if len(text) in _USUAL_LENGTHS and text[10] == "T" and text[-1] == "Z":
        return micros(datetime.fromisoformat(text))
    return micros(parse_rfc3339(text))


@lru_cache(maxsize=65_536)
def write_time(moment: int) -> str:
    """A timestamp as Google writes it: without a fraction, or with three or six digits.

    >>> write_time(60_000_000), write_time(60_250_000)
    ('1970-01-01T00:01:00Z', '1970-01-01T00:01:00.250Z')
    """
    seconds, rest = divmod(moment, SECOND)
    days, seconds = divmod(seconds, 86_400)
    hours, seconds = divmod(seconds, 3_600)
    text = f"{_day(days)}T{hours:02d}:{seconds // 60:02d}:{seconds % 60:02d}"
    if not rest:
        return f"{text}Z"
    return f"{text}.{rest:06d}Z" if rest % 1000 else f"{text}.{rest // 1000:03d}Z"


@lru_cache(maxsize=1024)
def _day(days: int) -> str:
    return (_EPOCH + timedelta(days=days)).strftime("%Y-%m-%d")


def read_duration(text: str) -> int:
    """A protobuf duration (`60s`, `1.5s`) in microseconds.

    Raises:
        ValueError: It is none.

    >>> read_duration("90s")
    90000000
    """
    if not text.endswith("s"):
        raise ValueError(f"{text!r} is not a duration such as '60s'")
    return round(float(text[:-1]) * SECOND)
