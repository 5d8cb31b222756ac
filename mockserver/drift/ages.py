"""How old a recording may be; what it says of itself counts, never the time of its file."""

import re
from datetime import datetime, timedelta

from mockserver.drift.surveys import Survey
from mockserver.errors import MockServerError
from mockserver.state import parse_rfc3339

_AGE = re.compile(r"(\d{1,6})\s*([hdw])")
_HOURS = {"h": 1, "d": 24, "w": 168}


def read_age(text: str) -> timedelta:
    """Read an age such as `90d`, `12w` or `36h`.

    Raises:
        MockServerError: It is none.

    >>> read_age("90d").days
    90
    """
    found = _AGE.fullmatch(text.strip())
    if found is None:
        raise MockServerError(f"{text!r} is no age", hint="write hours, days or weeks: 36h, 90d")
    return timedelta(hours=int(found[1]) * _HOURS[found[2]])


def staleness(survey: Survey, limit: timedelta, now: datetime) -> str:
    """Why a recording is too old, one sentence; empty where it is not.

    One that does not say when it was taken is too old: nobody could ever tell.
    """
    if not survey.taken_at:
        return f"{survey.name} does not say when it was taken"
    try:
        age = now - parse_rfc3339(survey.taken_at)
    except ValueError:
        return f"{survey.name} was taken at {survey.taken_at!r}, which is no RFC 3339 timestamp"
    if age <= limit:
        return ""
    return f"{survey.name} is {age.days} days old ({survey.taken_at}), more than {_told(limit)}"


def _told(limit: timedelta) -> str:
    return f"{limit.days} days" if limit.days else f"{limit.seconds // 3600} hours"
