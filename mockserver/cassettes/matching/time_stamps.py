"""Dates and times in texts: what they are masked by, and whether the clock explains two of them."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from mockserver.model import Json

Kind = Literal["date", "time", "moment"]

_DAY = 86_400
_TOLERANCES: dict[Kind, int] = {"date": _DAY, "time": 3600, "moment": 3600}
"""Seconds that may lie between a stamp and what the clock says: a date has no zone, and a prompt
that begins with the time is sent again with every turn."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+)?"
_CLOCK = r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?"
_STAMP = re.compile(
    r"(?P<iso>\b\d{4}-\d\d-\d\d)"
    r"(?:[T ](?P<at>\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)(?P<zone>\ ?(?:Z|UTC|GMT)\b|[+-]\d\d:?\d\d)?)?"
    rf"|\b{_WEEKDAY}(?P<month>{_MONTH})\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?"
    rf"(?:\s+(?P<ctime>{_CLOCK})(?:\s+[A-Z]{{3,4}})?)?,?\s+(?P<year>\d{{4}})\b"
    rf"|\b{_WEEKDAY}(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?P<month2>{_MONTH}),?\s+(?P<year2>\d{{4}})\b"
    r"|\b(?P<first>\d{1,2})/(?P<second>\d{1,2})/(?P<year3>\d{4})\b"
    rf"|(?<![\d:])(?P<clock>{_CLOCK})(?:\s?(?P<half>[ap]m\b|[ap]\.m\.))?(?![\d:])"
    r"|\b(?P<epoch>1\d{9}(?:\d{3})?)\b",
    re.IGNORECASE,
)


class TimeStamp(NamedTuple):
    """A date or a time in a text.

    Attributes:
        text: As it stands there.
        kind: A `date`, a `time` of day, or a `moment`: both.
        seconds: Since 1970, of a `time` since midnight; taken for UTC where no zone is said.
    """

    text: str
    kind: Kind
    seconds: float


def find_stamps(text: str) -> list[TimeStamp]:
    """The dates and times of a text, in order.

    >>> [
    ...     (each.text, each.kind)
    ...     for each in find_stamps("It is Monday, November 23, 2026, 9:15 am.")
    ... ]
    [('Monday, November 23, 2026', 'date'), ('9:15 am', 'time')]
    """
    return [stamp for _, stamp in _matches(text)]


def mask_stamps(text: str) -> str:
    """A text whose dates and times are replaced by their kinds.

    >>> mask_stamps("From 2026-11-23 to 2026-11-23T10:00:00Z, version 1.2")
    'From <date> to <moment>, version 1.2'
    """
    parts, end = [], 0
    for match, stamp in _matches(text):
        parts += [text[end : match.start()], f"<{stamp.kind}>"]
        end = match.end()
    return "".join([*parts, text[end:]]) if parts else text


def map_texts(value: Json, change: Callable[[str], str]) -> Json:
    """A value with every text in it changed; names of members stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [map_texts(each, change) for each in value]
    if isinstance(value, dict):
        return {name: map_texts(each, change) for name, each in value.items()}
    return value


def texts_in(value: Json) -> Iterator[str]:
    """The texts of a value, without names of members.

    Yields:
        Each; members in the order of their names.
    """
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each)
    elif isinstance(value, dict):
        for name in sorted(value):
            yield from texts_in(value[name])


def stamps_in(value: Json) -> tuple[TimeStamp, ...]:
    """The dates and times in the texts of a value; members in the order of their names."""
    return tuple(stamp for text in texts_in(value) for stamp in find_stamps(text))


def are_explained(
    recorded: Sequence[TimeStamp], given: Sequence[TimeStamp], elapsed: Sequence[float]
) -> bool:
    """Whether two texts differ only in stamps that moved on with the clock.

    Args:
        recorded: The stamps of the one.
        given: Those of the other, where they are masked alike.
        elapsed: Seconds from the one to the other by each clock that counts; where there is none,
            all stamps that differ must have moved alike.

    >>> monday, tuesday = find_stamps("2026-11-23"), find_stamps("2026-11-24")
    >>> are_explained(monday, tuesday, [86400]), are_explained(monday, tuesday, [0])
    (True, False)
    """
    if len(recorded) != len(given):
        return False
    moved: list[tuple[Kind, float]] = []
    for old, new in zip(recorded, given, strict=True):
        if old.kind != new.kind:
            return False
        if old.text != new.text:
            moved.append((old.kind, new.seconds - old.seconds))
    if not moved:
        return True
    shifts = elapsed or [moved[0][1]]
    return any(all(_is_within(kind, by - shift) for kind, by in moved) for shift in shifts)


def _is_within(kind: Kind, apart: float) -> bool:
    if kind == "time":
        apart = (apart + _DAY / 2) % _DAY - _DAY / 2
    return abs(apart) < _TOLERANCES[kind]


def _matches(text: str) -> Iterator[tuple[re.Match[str], TimeStamp]]:
    for match in _STAMP.finditer(text):
        try:
            kind, seconds = _read(match.groupdict(""))
        except ValueError:
            continue
        yield match, TimeStamp(match[0], kind, seconds)


def _read(part: dict[str, str]) -> tuple[Kind, float]:
    """The kind and the seconds of a match.

    Raises:
        ValueError: It is no date or time, 2026-13-01 for instance.
    """
    if epoch := part["epoch"]:
        return "moment", int(epoch) / (1000 if len(epoch) > len("1000000000") else 1)
    if clock := part["clock"]:
        return "time", _seconds_of_day(clock, part["half"])
    if iso := part["iso"]:
        day = _seconds_of(*map(int, iso.split("-")))
        clock, zone = part["at"], part["zone"]
    elif month := part["month"]:
        day = _seconds_of(int(part["year"]), _month(month), int(part["day"]))
        clock, zone = part["ctime"], ""
    elif month := part["month2"]:
        day = _seconds_of(int(part["year2"]), _month(month), int(part["day2"]))
        clock, zone = "", ""
    else:
        first, second = int(part["first"]), int(part["second"])
        months = (first, second) if first <= len(_MONTHS) else (second, first)
        day, clock, zone = _seconds_of(int(part["year3"]), *months), "", ""
    if not clock:
        return "date", day
    return "moment", day + _seconds_of_day(clock, "") - _offset(zone)


def _seconds_of(year: int, month: int, day: int) -> float:
    return datetime(year, month, day, tzinfo=UTC).timestamp()


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


def _seconds_of_day(clock: str, half: str) -> float:
    hours, minutes, *rest = clock.replace(",", ".").split(":")
    hour, second = int(hours), float(rest[0]) if rest else 0.0
    if half:
        hour = hour % 12 + (12 if half[0] in "pP" else 0)
    if hour > 24 or int(minutes) >= 60 or second > 60:
        raise ValueError(clock)
    return hour * 3600 + int(minutes) * 60 + second


def _offset(zone: str) -> float:
    digits = zone.replace(":", "")
    if digits[:1] not in {"+", "-"}:
        return 0.0
    seconds = int(digits[1:3]) * 3600 + int(digits[3:5]) * 60
    return -seconds if digits[0] == "-" else seconds
