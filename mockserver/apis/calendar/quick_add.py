"""Reads the text of `quickAdd`: `Lunch with Bo tomorrow 12:30-2pm`; what is left is the summary."""

import re
from datetime import datetime, timedelta

from mockserver.model import JsonObject

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september",
           "october", "november", "december")  # fmt: skip
_CLOCK = r"(\d{1,2})(?::(\d\d))?\s*(am|pm)?"
_TIMES = re.compile(
    rf"\b(?:(?:from|at)\s+)?{_CLOCK}\s*(?:-|\u2013|to|until)\s*{_CLOCK}\b(?!\s*[/-]\d)",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b(?:at\s+(\d{1,2})(?::(\d\d))?\s*(am|pm)?|(\d{1,2})(?::(\d\d))\s*(am|pm)?"
    r"|(\d{1,2})\s*(am|pm))\b",
    re.IGNORECASE,
)
_LENGTH = re.compile(r"\bfor\s+(\d+)\s*(minutes?|mins?|hours?|hrs?|h|m)\b", re.IGNORECASE)
_NEAR = re.compile(r"\b(?:on\s+)?(today|tonight|tomorrow)\b", re.IGNORECASE)
_WEEKDAY = re.compile(rf"\b(?:on\s+)?(?:next\s+|this\s+)?({'|'.join(_DAYS)})\b", re.IGNORECASE)
_ISO = re.compile(r"\b(?:on\s+)?(\d{4})-(\d\d)-(\d\d)\b")
_DATE = re.compile(
    rf"\b(?:on\s+)?(?:({'|'.join(_MONTHS)})\s+(\d{{1,2}})|(\d{{1,2}})\.?\s+({'|'.join(_MONTHS)}))"
    r"(?:st|nd|rd|th)?(?:,?\s+(\d{4}))?\b",
    re.IGNORECASE,
)


def read_quick_text(text: str, now: datetime, zone: str) -> JsonObject:
    """The event that a text means.

    Args:
        text: The text.
        now: The time, in the calendar's time zone.
        zone: Name of that zone.
    """
    length, text = _take_length(text)
    day, text = _take_day(text, now)
    times, text = _take_times(text)
    summary = " ".join(text.split()).strip(" ,") or "(No title)"
    if times is None and day is not None:
        after = day + timedelta(days=1)
        return {"summary": summary, "start": {"date": f"{day:%Y-%m-%d}"},
                "end": {"date": f"{after:%Y-%m-%d}"}}  # fmt: skip
    begin = now.replace(second=0, microsecond=0)
    end = None
    if times is not None:
        first, last = times
        begin = (day or now).replace(hour=first[0], minute=first[1], second=0, microsecond=0)
        if day is None and begin < now:
            begin += timedelta(days=1)
        if last is not None:
            end = begin.replace(hour=last[0], minute=last[1])
            end += timedelta(days=1) if end <= begin else timedelta(0)
    end = end or begin + (length or timedelta(hours=1))
    return {
        "summary": summary,
        **{
            name: {"dateTime": at.isoformat(timespec="seconds"), "timeZone": zone}
            for name, at in (("start", begin), ("end", end))
        },
    }


def _take_length(text: str) -> tuple[timedelta | None, str]:
    found = _LENGTH.search(text)
    if found is None:
        return None, text
    unit = "hours" if found[2].lower().startswith("h") else "minutes"
    return timedelta(**{unit: int(found[1])}), _without(text, found)


def _without(text: str, found: re.Match[str]) -> str:
    return f"{text[: found.start()]} {text[found.end() :]}"


def _take_day(text: str, now: datetime) -> tuple[datetime | None, str]:
    if found := _NEAR.search(text):
        return now + timedelta(days=found[1].lower() == "tomorrow"), _without(text, found)
    try:
        if found := _ISO.search(text):
            year, month, day = map(int, found.groups())
            return now.replace(year=year, month=month, day=day), _without(text, found)
        if found := _DATE.search(text):
            month = _MONTHS.index((found[1] or found[4]).lower()) + 1
            date = now.replace(month=month, day=int(found[2] or found[3]))
            year = int(found[5]) if found[5] else now.year + (date.date() < now.date())
            return date.replace(year=year), _without(text, found)
    except ValueError:
        return None, text
    if found := _WEEKDAY.search(text):
        ahead = (_DAYS.index(found[1].lower()) - now.weekday() - 1) % 7 + 1
        return now + timedelta(days=ahead), _without(text, found)
    return None, text


_Clock = tuple[int, int]


def _take_times(text: str) -> tuple[tuple[_Clock, _Clock | None] | None, str]:
    if (found := _TIMES.search(text)) and (found[2] or found[3] or found[5] or found[6]):
        last = _clock(found[4], found[5], found[6])
        first = _clock(found[1], found[2], found[3] or found[6])
        if first and last and first >= last and not found[3]:
            first = _clock(found[1], found[2], None)  # `9-5pm` begins in the morning
        if first and last:
            return (first, last), _without(text, found)
    if found := _TIME.search(text):
        hour = found[1] or found[4] or found[7]
        first = _clock(hour, found[2] or found[5], found[3] or found[6] or found[8])
        if first:
            return (first, None), _without(text, found)
    return None, text


def _clock(hour: str, minute: str | None, half: str | None) -> _Clock | None:
    """The hour and minute of a day, or None for those that no day has."""
    number = int(hour)
    if half:
        number = number % 12 + 12 * (half.lower() == "pm")
    return (number, int(minute or 0)) if number < 24 and int(minute or 0) < 60 else None
