"""Figures of an error group: how many events, users and services, first and last, over time."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from mockserver.apis.errorreporting.state import when
from mockserver.googleapi import invalid
from mockserver.model import JsonObject
from mockserver.state import rfc3339

_MOST_COUNTS = 10_000
_MIDNIGHT = datetime(1970, 1, 1, tzinfo=UTC)

ORDERS: dict[str, Callable[[JsonObject], Any]] = {
    "COUNT_DESC": lambda stats: int(stats["count"]),
    "LAST_SEEN_DESC": lambda stats: stats["lastSeenTime"],
    "CREATED_DESC": lambda stats: stats["firstSeenTime"],
    "AFFECTED_USERS_DESC": lambda stats: int(stats["affectedUsersCount"]),
}


def group_stats(
    group: JsonObject, ever: Sequence[JsonObject], shown: Sequence[JsonObject]
) -> JsonObject:
    """Figures of one group.

    Args:
        group: The group.
        ever: All its events of the asked service, newest first; not empty.
        shown: Those of the asked period; not empty.
    """
    services: list[JsonObject] = []
    for row in shown:
        context = row["event"].get("serviceContext") or {}
        if context not in services:
            services.append(context)
    return {
        "group": group,
        "count": str(len(shown)),
        "affectedUsersCount": str(len(_users(shown))),
        "firstSeenTime": ever[-1]["event"]["eventTime"],
        "lastSeenTime": ever[0]["event"]["eventTime"],
        "affectedServices": services,
        "numAffectedServices": len(services),
        "representative": shown[0]["event"],
    }


def _users(rows: Sequence[JsonObject]) -> set[str]:
    contexts = [row["event"].get("context") or {} for row in rows]
    named = (
        str(context.get("user") or (context.get("httpRequest") or {}).get("remoteIp") or "")
        for context in contexts
    )
    return {user for user in named if user}


def timed_counts(
    rows: Sequence[JsonObject], span: tuple[datetime, datetime], step: timedelta, *, align: datetime
) -> list[JsonObject]:
    """Counts of events by even steps inside a span, oldest first; steps without events too.

    Args:
        rows: The events.
        span: From when to when.
        step: How long a step is.
        align: A moment at which a step begins or ends.

    Raises:
        ApiError: 400; no positive step, or far too many of them.
    """
    start, end = span
    if step <= timedelta(0) or (end - start) / step > _MOST_COUNTS:
        text = "The timed count duration is not positive, or too short for the time range."
        raise invalid(text, location="timedCountDuration")
    found = Counter((when(row) - align) // step for row in rows)
    first = -((align - start) // step)
    last = (end - align) // step
    return [
        {
            "count": str(found.get(number, 0)),
            "startTime": rfc3339(align + number * step),
            "endTime": rfc3339(align + (number + 1) * step),
        }
        for number in range(first, last)
    ]


def alignment(rule: str, moment: datetime | None, end: datetime) -> datetime:
    """The moment that steps are aligned with.

    Args:
        rule: `ALIGNMENT_EQUAL_ROUNDED`, or anything else for steps that end with the time range.
        moment: The moment asked for with the former; midnight UTC when None.
        end: The end of the time range.
    """
    return (moment or _MIDNIGHT) if rule in {"ALIGNMENT_EQUAL_ROUNDED", "1"} else end
