"""Schedules: five fields as cron has them, or `every 5 minutes`, and when they are next due."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from mockserver.googleapi import invalid

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
_NAMES: Mapping[str, int] = {
    **{name: number for number, name in enumerate(_MONTHS, 1)},
    **{name: number for number, name in enumerate(_DAYS)},
}
_BOUNDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_LONGEST = {2: 29, 4: 30, 6: 30, 9: 30, 11: 30}
_PART = re.compile(r"(?:(\*)|(\w+)(?:-(\w+))?)(?:/(\d+))?")
_EVERY = re.compile(r"every (?:(\d{1,5}) )?(minute|min|hour)s?", re.IGNORECASE)
_HORIZON = timedelta(days=366 * 8 + 1)
_WRONG = "Schedule or time zone is invalid."


@dataclass(frozen=True)
class Schedule:
    """When a job is due.

    Attributes:
        fields: The minutes, hours, days, months and days of the week (Sunday is 0) that fit.
        any_day: Whether the days of the month, and those of the week, are all.
        every: The time between two runs of a schedule without a calendar.
        zone: The time zone.
    """

    fields: tuple[frozenset[int], ...]
    any_day: tuple[bool, bool]
    every: timedelta | None
    zone: ZoneInfo

    def after(self, moment: datetime) -> datetime | None:
        """The first time after a moment; None where there is none for years.

        A local time that a change of the clock leaves out is passed over.
        """
        if self.every is not None:
            return moment + self.every
        local = moment.astimezone(self.zone).replace(tzinfo=None)
        found = [rule.after(local) for rule in self._rules(local)]
        due = min((each for each in found if each is not None), default=None)
        return None if due is None else due.replace(tzinfo=self.zone).astimezone(moment.tzinfo)

    def _rules(self, start: datetime) -> list[Any]:
        """The rules of which any makes a time fit: days of the month and of the week are either."""
        from dateutil.rrule import DAILY, rrule

        minutes, hours, days, months, weekdays = self.fields
        common = {
            "dtstart": start.replace(second=0, microsecond=0),
            "until": start + _HORIZON,
            "byminute": sorted(minutes),
            "byhour": sorted(hours),
            "bysecond": 0,
            "bymonth": sorted(months),
        }
        by_day = {"bymonthday": sorted(days)}
        by_weekday = {"byweekday": sorted((each - 1) % 7 for each in weekdays)}
        any_date, any_weekday = self.any_day
        # dateutil looks for a date that never comes until the year 9999
        is_date = any_date or min(days) <= max(_LONGEST.get(each, 31) for each in months)
        if not is_date:
            return [] if any_weekday else [rrule(DAILY, **common, **by_weekday)]
        if any_date or any_weekday:
            own = {**({} if any_date else by_day), **({} if any_weekday else by_weekday)}
            return [rrule(DAILY, **common, **own)]
        return [rrule(DAILY, **common, **each) for each in (by_day, by_weekday)]


def read_schedule(text: str, zone: str) -> Schedule:
    """Read a schedule.

    Raises:
        ApiError: 400: it cannot be read, or its time zone is unknown.
    """
    try:
        place = ZoneInfo(zone or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise invalid(_WRONG, location="timeZone") from error
    every = _EVERY.fullmatch(text.strip())
    if every is not None and int(every[1] or 1):
        unit = timedelta(hours=1) if every[2].lower() == "hour" else timedelta(minutes=1)
        return Schedule((), (True, True), int(every[1] or 1) * unit, place)
    parts = text.split()
    if len(parts) != len(_BOUNDS):
        raise invalid(_WRONG, location="schedule")
    fields = [
        _values(part.lower(), low, high) for part, (low, high) in zip(parts, _BOUNDS, strict=True)
    ]
    fields[4] = frozenset(each % 7 for each in fields[4])
    return Schedule(tuple(fields), (parts[2][0] == "*", parts[4][0] == "*"), None, place)


def _values(text: str, low: int, high: int) -> frozenset[int]:
    """The numbers that a field means; raises ApiError."""
    found: set[int] = set()
    for part in text.split(","):
        match = _PART.fullmatch(part)
        if match is None:
            raise invalid(_WRONG, location="schedule")
        every, first, last, step = match.groups()
        start = low if every else _number(first)
        end = high if every or (step and not last) else _number(last or first)
        if not low <= start <= end <= high or (step and not int(step)):
            raise invalid(_WRONG, location="schedule")
        found.update(range(start, end + 1, int(step or 1)))
    return frozenset(found)


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else _NAMES.get(text, -1)
