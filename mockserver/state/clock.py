"""Session time: real, frozen, or shifted so that the moment of capture is now."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import orjson

from mockserver.errors import SessionError

_RFC3339 = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9})\d*)?(Z|z|[+-]\d{2}:?\d{2})",
    re.ASCII,
)
FIRST_YEAR, LAST_YEAR = 1970, 9000
"""Where clocks may stand: what is before and after them can still be reckoned with."""

_EPOCH, _MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
_NEVER = "1970-01-01T00:00:00"

RealTime = Callable[[], datetime]


def parse_rfc3339(text: str) -> datetime:
    """Read a timestamp; digits past microseconds are cut.

    Raises:
        ValueError: Not an RFC 3339 timestamp.

    >>> parse_rfc3339("2026-11-19T10:16:19.5Z").isoformat()
    '2026-11-19T10:16:19.500000+00:00'
    """
    match = _RFC3339.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not an RFC 3339 timestamp")
    day, time, fraction, zone = match.groups()
    micros = f".{(fraction + '000000')[:6]}" if fraction else ""
    try:
        if zone in "Zz":
            return datetime.fromisoformat(f"{day}T{time}{micros}+00:00")
        return datetime.fromisoformat(f"{day}T{time}{micros}{zone}").astimezone(UTC)
    except ValueError as error:
        raise ValueError(f"{text!r} is not an RFC 3339 timestamp: {error}") from error
    except OverflowError as error:
        raise ValueError(f"{text!r} is before the year 1 or after 9999") from error


def parse_clock_time(text: str) -> datetime:
    """Read a timestamp at which a clock can stand.

    Raises:
        ValueError: Not an RFC 3339 timestamp, or in a year that nothing can be reckoned from.
    """
    moment = parse_rfc3339(text)
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise ValueError(f"{text!r} is not in the years {FIRST_YEAR} to {LAST_YEAR}")
    return moment


def rfc3339(moment: datetime) -> str:
    """Write a timestamp as Google's REST APIs do: UTC, milliseconds, `Z`.

    >>> rfc3339(datetime(2026, 11, 19, 10, 16, 19, 866742, tzinfo=UTC))
    '2026-11-19T10:16:19.866Z'
    """
    # orjson writes it in a third of the time of `isoformat`
    seconds = orjson.dumps(moment.astimezone(UTC), option=orjson.OPT_OMIT_MICROSECONDS)[1:20]
    return f"{seconds.decode()}.{moment.microsecond // 1000:03}Z"


def epoch_micros(moment: datetime) -> int:
    """A moment in microseconds since 1970.

    >>> epoch_micros(datetime(1970, 1, 1, 0, 0, 1, 5, tzinfo=UTC))
    1000005
    """
    return (moment - _EPOCH) // _MICROSECOND


def shift_time(text: str, shift: timedelta) -> str:
    """Move a timestamp by whole seconds, keeping its fraction digits; other text stays.

    The Unix epoch stays too: APIs answer it where something never happened (a last login). So does
    what would leave the years 1 to 9999: it stands for always, or for never.

    >>> shift_time("2026-11-19T10:16:19.123456789Z", timedelta(days=1))
    '2026-11-20T10:16:19.123456789Z'
    """
    match = _RFC3339.fullmatch(text)
    if match is None or text.startswith(_NEVER):
        return text
    end = match.start(4)
    try:
        whole = parse_rfc3339(text[:19] + text[end:]) + shift
    except (OverflowError, ValueError):
        return text
    return f"{whole.isoformat()[:19]}{text[19:end]}Z"


class Clock:
    """The clock of one session.

    Attributes:
        spec: `shift`, `real`, `frozen` or `frozen:<RFC 3339>`.
        shift: What is added to stored timestamps, whole seconds, so order and gaps stay.
    """

    __slots__ = ("_ahead", "_frozen", "_real", "shift", "spec")

    def __init__(self, spec: str, *, captured_at: datetime, real: RealTime) -> None:
        self.spec = spec
        self.shift = timedelta(0)
        self._ahead = timedelta(0)
        self._real = real
        self._frozen: datetime | None = None
        if spec == "shift":
            # rounded down, so that nothing captured lies in the future
            self.shift = timedelta(seconds=(real() - captured_at) // timedelta(seconds=1))
        elif spec == "frozen":
            self._frozen = captured_at
        elif spec.startswith("frozen:"):
            self._frozen = _parse_moment(spec.removeprefix("frozen:"))
        elif spec != "real":
            raise SessionError(
                f"unknown clock {spec!r}", hint="shift, real, frozen or frozen:<RFC 3339>"
            )

    def now(self) -> datetime:
        """The session's time."""
        now, ahead = self._frozen or self._real(), self._ahead
        return now + ahead if ahead else now

    def client_now(self) -> datetime:
        """The time on the clocks of the session's clients, which know nothing of session time."""
        return self._real()

    def advance(self, by: timedelta) -> None:
        """Let time pass in this session alone.

        Raises:
            SessionError: The step is negative.
        """
        if by < timedelta(0):
            raise SessionError("a session's clock goes forward only")
        try:
            reached = self.now() + by
        except OverflowError:
            reached = None
        if reached is None or reached.year > LAST_YEAR:
            raise SessionError(f"a session's clock does not go past the year {LAST_YEAR}")
        self._ahead += by


def _parse_moment(text: str) -> datetime:
    try:
        return parse_clock_time(text)
    except ValueError as error:
        raise SessionError(f"clock: {error}") from error
