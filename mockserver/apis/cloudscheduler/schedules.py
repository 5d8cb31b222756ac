"""Schedules: five fields as cron has them, or `every 5 minutes`, and when they are next due."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from mockserver.googleapi import invalid

_EVERY = re.compile(r"every (?:(\d{1,5}) )?(minute|min|hour)s?", re.IGNORECASE)
_FIELDS = re.compile(r"[\w*,/-]+( [\w*,/-]+){4}")
_WRONG = "Schedule or time zone is invalid."


@dataclass(frozen=True)
class Schedule:
    """When a job is due.

    Attributes:
        cron: The five fields.
        every: The time between two runs of a schedule without a calendar.
        zone: The time zone.
    """

    cron: str
    every: timedelta | None
    zone: ZoneInfo

    def after(self, moment: datetime) -> datetime:
        """The first time after a moment.

        A run at a local time that a change of the clock leaves out comes right after the change.
        """
        if self.every is not None:
            return moment + self.every
        from cronsim import CronSim

        return next(CronSim(self.cron, moment.astimezone(self.zone))).astimezone(moment.tzinfo)


def read_schedule(text: str, zone: str) -> Schedule:
    """Read a schedule.

    Raises:
        ApiError: 400: it cannot be read, no date fits it, or its time zone is unknown.
    """
    from cronsim import CronSim, CronSimError

    try:
        place = ZoneInfo(zone or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise invalid(_WRONG, location="timeZone") from error
    every = _EVERY.fullmatch(text.strip())
    if every is not None and int(every[1] or 1):
        unit = timedelta(hours=1) if every[2].lower() == "hour" else timedelta(minutes=1)
        return Schedule("", int(every[1] or 1) * unit, place)
    cron = " ".join(text.split())
    try:
        if not _FIELDS.fullmatch(cron):
            raise invalid(_WRONG, location="schedule")
        CronSim(cron, datetime(2026, 1, 1, tzinfo=place))
    except CronSimError as error:
        raise invalid(_WRONG, location="schedule") from error
    return Schedule(cron, None, place)
