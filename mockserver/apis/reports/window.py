"""Which span of time a request for activities means, in session time.

From the Discovery document: the end is now unless given, the report reaches back 180 days, the
start must be before the end and before now, Gmail needs both and at most 30 days. Texts are not
verified against the live API, nor that an activity at `endTime` itself is left out.
"""

from datetime import datetime, timedelta

from mockserver.googleapi import invalid
from mockserver.model import JsonMapping
from mockserver.state import parse_rfc3339

LONGEST = timedelta(days=180)
_GMAIL_LONGEST = timedelta(days=30)
_INSTANT = timedelta(microseconds=1)


def window(params: JsonMapping, now: datetime) -> tuple[datetime, datetime]:
    """The first moment of a report, and the first moment after it.

    Raises:
        ApiError: 400 for a time that is none, a start in the future or not before the end, or a
            Gmail request without both or longer than 30 days.
    """
    start, end = _moment(params, "startTime"), _moment(params, "endTime")
    if params.get("applicationName") == "gmail":
        _check_gmail(start, end)
    if start is not None and start >= now:
        raise invalid("startTime must be before the current time.", location="startTime")
    if start is not None and end is not None and start >= end:
        raise invalid("startTime must be before endTime.", location="startTime")
    last = now + _INSTANT if end is None else min(end, now + _INSTANT)
    return max(start or now - LONGEST, now - LONGEST), last


def _moment(params: JsonMapping, name: str) -> datetime | None:
    text = params.get(name)
    if not text:
        return None
    try:
        return parse_rfc3339(text)
    except ValueError as error:
        message = f"Invalid value '{text}' for {name}. It must be an RFC 3339 timestamp."
        raise invalid(message, location=name, reason="invalidParameter") from error


def _check_gmail(start: datetime | None, end: datetime | None) -> None:
    if start is None or end is None:
        raise invalid("startTime and endTime are required for gmail.", location="startTime")
    if end - start > _GMAIL_LONGEST:
        raise invalid("Time range for gmail must not exceed 30 days.", location="startTime")
