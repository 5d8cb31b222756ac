"""Free and busy times, of the calendars of users and of the members of groups."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from mockserver.apis.calendar.calendars import (
    EVENTS,
    address_of,
    calendar_key,
    find_calendar,
    key_of_user,
)
from mockserver.apis.calendar.lists import (
    Window,
    arrange_events,
    is_within,
    moment_of,
    refuse_unreadable,
    select_events,
)
from mockserver.collections import LAST
from mockserver.collections.selections import AllOf, ByIndex
from mockserver.googleapi import Call, Handler, by_parent, invalid
from mockserver.googleapi.list_rules import ListCall
from mockserver.model import JsonObject
from mockserver.state import all_member_ids, find_group, parse_rfc3339, rfc3339


def _query_free_busy(call: Call) -> JsonObject:
    """Answers `freebusy.query`; a group stands for its members."""
    body = call.body
    try:
        first, last = (parse_rfc3339(str(body.get(name) or "")) for name in ("timeMin", "timeMax"))
    except ValueError as error:
        raise invalid("Missing or invalid timeMin or timeMax.", reason="required") from error
    if first >= last:
        raise invalid("The specified time range is empty.", reason="timeRangeEmpty")
    calendars: JsonObject = {}
    groups: JsonObject = {}
    for item in body.get("items") or ():
        ident = str(item.get("id", ""))
        group = find_group(call.world, ident)
        if group is None:
            calendars[ident] = _busy(call, ident, first, last)
            continue
        keys = [key_of_user(call, each) for each in all_member_ids(call.world, str(group["id"]))]
        members = sorted(address_of(call, key) for key in keys if key)
        groups[ident] = {"calendars": members}
        calendars |= {each: _busy(call, each, first, last) for each in members}
    answer = {"kind": "calendar#freeBusy", "timeMin": rfc3339(first), "timeMax": rfc3339(last)}
    return {**answer, **({"groups": groups} if groups else {}), "calendars": calendars}


def _busy(call: Call, ident: str, first: datetime, last: datetime) -> JsonObject:
    """When a calendar is busy: times that touch each other are one."""
    key = calendar_key(call, ident)
    if find_calendar(call, key) is None:
        return {"errors": [{"domain": "global", "reason": "notFound"}], "busy": ()}
    merged: list[list[float]] = []
    for begins, ends in sorted(busy_spans(call, key, first, last)):
        if merged and begins <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], ends)
        else:
            merged.append([begins, ends])
    low, high = first.timestamp(), last.timestamp()
    told = [
        {"start": _time_text(max(begins, low)), "end": _time_text(min(ends, high))}
        for begins, ends in merged
    ]
    return {"busy": told or ()}


def busy_spans(
    call: Call, key: str, first: datetime, last: datetime, but: str = ""
) -> Iterator[tuple[float, float]]:
    """The times of events that make a calendar busy, in seconds since 1970.

    Args:
        call: Who asks.
        key: The calendar.
        first: The beginning of the time that is looked at.
        last: Its end.
        but: The id of an event that does not count.

    Yields:
        Beginning and end, in no order.
    """
    params = {"timeMin": rfc3339(first), "timeMax": rfc3339(last), "singleEvents": True}
    asked = replace(call, params=params)
    table = call.world.table(EVENTS)
    bounds = [((f"calendars/{each}/events",), (f"calendars/{each}/events", LAST))
              for each in (key, "-")]  # fmt: skip
    within = ByIndex(table, by_parent(1), bounds, words="calendar")
    parts = [within, *select_events(ListCall(asked, table, {"updated"}))]
    rows = table.rows_of(AllOf(parts).places())
    owner = address_of(call, key).casefold()
    for row in arrange_events(asked, rows):
        mine = [each for each in row.get("attendees") or ()
                if str(each.get("email")).casefold() == owner]  # fmt: skip
        is_declined = any(each.get("responseStatus") == "declined" for each in mine)
        if (
            row.get("transparency") != "transparent"
            and not is_declined
            and but not in {row.get("id"), row.get("recurringEventId")}
            and is_within(row, Window(first.timestamp(), last.timestamp()))
        ):
            yield moment_of(row["start"]), moment_of(row["end"])


def _time_text(moment: float) -> str:
    return f"{datetime.fromtimestamp(0, UTC) + timedelta(seconds=moment):%Y-%m-%dT%H:%M:%SZ}"


HANDLERS: Mapping[str, Handler] = {"calendar.freebusy.query": refuse_unreadable(_query_free_busy)}
