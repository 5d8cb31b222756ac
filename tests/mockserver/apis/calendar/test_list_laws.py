"""Lists of events tell what a plain scan tells, page by page, also where rows are read late."""

from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any
from unittest.mock import patch
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.apis.calendar.lists import Window, instances_of, is_within, moment_of
from mockserver.model import JsonObject
from tests.mockserver.apis.workspace import Workspace

DAY = timedelta(days=1)
START = datetime(2026, 3, 1, 9, tzinfo=UTC)
EVENTS = "calendars/primary/events"
TEXTS = ("standup", "stand up", "lunch with ann", "")
RULES = ("RRULE:FREQ=DAILY", "RRULE:FREQ=DAILY;COUNT=3", "RRULE:FREQ=WEEKLY;INTERVAL=2",
         "RRULE:FREQ=DAILY;UNTIL=20260306T090000Z")  # fmt: skip


def at(days: int) -> JsonObject:
    return {"dateTime": f"{START + days * DAY:%Y-%m-%dT%H:%M:%SZ}", "timeZone": "UTC"}


def time(days: float) -> str:
    return f"{START + days * DAY:%Y-%m-%dT%H:%M:%SZ}"


@st.composite
def calendars(draw: st.DrawFn) -> list[JsonObject]:
    """Events, series and exceptions of series, in any order."""
    rows: list[JsonObject] = []
    for number in range(draw(st.integers(1, 6))):
        begins = draw(st.integers(0, 6))
        row: JsonObject = {
            "id": f"event{number}",
            "summary": draw(st.sampled_from(TEXTS)),
            "start": at(begins),
            "end": at(begins + draw(st.integers(0, 2))),
            "updated": time(draw(st.integers(0, 3))),
            "status": draw(st.sampled_from(["confirmed", "confirmed", "cancelled"])),
        }
        series = [each for each in rows if each.get("recurrence")]
        kind = draw(st.sampled_from(["one", "series", "exception", "day"]))
        if kind == "series":
            row |= {"recurrence": [draw(st.sampled_from(RULES))], "status": "confirmed"}
        elif kind == "exception" and series:
            of = draw(st.sampled_from(series))
            several = list(islice(instances_of(of, Window(None, None)), 3))
            place = draw(st.sampled_from(several))["start"]
            row |= {"recurringEventId": of["id"], "originalStartTime": place}
        elif kind == "day":
            row |= {"start": {"date": "2026-03-03"}, "end": {"date": "2026-03-04"}}
        rows.append(row)
    return draw(st.permutations(rows))


ORDERS = [{}, {"orderBy": "updated"}, {"orderBy": "startTime", "singleEvents": True}]
PARAMS = st.builds(
    lambda params, order: {**params, **order},
    st.fixed_dictionaries(
        {},
        optional={
            "q": st.sampled_from(["stand", "standup", "up", '"stand up"', "ann lunch", "x", "n"]),
            "timeMin": st.integers(0, 9).map(time),
            "timeMax": st.integers(10, 20).map(time),
            "singleEvents": st.booleans(),
            "showDeleted": st.booleans(),
            "updatedMin": st.integers(0, 3).map(time),
        },
    ),
    st.sampled_from(ORDERS),
)


def scan(rows: list[JsonObject], params: JsonObject) -> list[str]:
    """The ids of what a list tells, by going through all rows."""
    window = Window(*(
        datetime.fromisoformat(params[name]).timestamp() if name in params else None
        for name in ("timeMin", "timeMax")
    ))  # fmt: skip
    single = params.get("singleEvents") is True
    words = {'"stand up"': ["stand up"]}.get(params.get("q", ""), params.get("q", "").split())
    changed = {
        (each["recurringEventId"], moment_of(each["originalStartTime"]))
        for each in rows
        if "recurringEventId" in each
    }
    found: list[JsonObject] = []
    for row in rows:
        shown = params.get("showDeleted") or "updatedMin" in params
        hidden = single or "recurringEventId" not in row
        if row["status"] == "cancelled" and not shown and hidden:
            continue
        if row["updated"] < params.get("updatedMin", "") or any(
            word not in row["summary"] for word in words
        ):
            continue
        if "recurrence" not in row:
            found += [row] if is_within(row, window) else []
            continue
        left = [
            each
            for each in islice(instances_of(row, window), 800)
            if is_within(each, window)
            and (row["id"], moment_of(each["originalStartTime"])) not in changed
        ][:730]
        found += left if single else [row] if left else []
    order = params.get("orderBy")
    if order == "startTime":
        found.sort(key=lambda row: moment_of(row["start"]))
    elif order:
        found.sort(key=lambda row: str(row["updated"]))
    return [row["id"] for row in found]


def pages(space: Workspace, params: JsonObject, size: int) -> list[str]:
    found: list[str] = []
    token: dict[str, Any] = {}
    while len(found) < 60:  # a series without an end goes on
        answer = space.ask("calendar:v3", "calendar.events.list", calendarId="primary",
                           maxResults=size, **params, **token)  # fmt: skip
        found += [each["id"] for each in answer["items"]]
        if "nextPageToken" not in answer:
            return found
        token = {"pageToken": answer["nextPageToken"]}
    return found[:60]


@pytest.mark.slow
@settings(max_examples=60)
@given(calendars(), PARAMS, st.integers(7, 40), st.booleans())
def test_pages_tell_what_a_scan_tells(
    rows: list[JsonObject], params: JsonObject, size: int, many: bool
) -> None:
    other = {"id": "elsewhere", "summary": "standup", "start": at(1), "end": at(2)}
    space = Workspace(
        "calendar", **{"calendar:v3": {EVENTS: rows, "calendars/bo@example.com/events": [other]}}
    )
    few = 0 if many else 2000
    with (
        patch("mockserver.apis.calendar.lists._FEW", few),
        patch("mockserver.collections.query._FEW", 0 if many else 200),
    ):
        assert pages(space, params, size) == scan(rows, params)[:60]


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
@pytest.mark.parametrize("days", [0, 59, 60, 61, 365, 1500])
@pytest.mark.parametrize(
    "rule",
    ["DAILY", "DAILY;INTERVAL=9", "WEEKLY;INTERVAL=3;BYDAY=SU,WE", "MONTHLY", "MONTHLY;INTERVAL=5",
     "MONTHLY;BYDAY=2TU", "YEARLY", "YEARLY;INTERVAL=2", "DAILY;COUNT=200", "HOURLY;INTERVAL=7"],
)  # fmt: skip
def test_a_series_near_a_window_is_the_series_from_its_beginning(
    rule: str, days: int, zone: str
) -> None:
    first = datetime(2026, 3, 1, 9, tzinfo=ZoneInfo(zone))
    local = first.replace(tzinfo=None)
    low, high = (local + timedelta(days=days + more) for more in (0, 100))
    row: JsonObject = {
        "id": "s",
        "start": {"dateTime": first.isoformat(), "timeZone": zone},
        "end": {"dateTime": (first + timedelta(hours=1)).isoformat(), "timeZone": zone},
        "recurrence": [f"RRULE:FREQ={rule}"],
    }
    window = Window(*(each.replace(tzinfo=ZoneInfo(zone)).timestamp() for each in (low, high)))
    found = [each for each in instances_of(row, window) if is_within(each, window)]
    known = rrulestr(f"FREQ={rule}", dtstart=local)
    wanted = [at for at in known.between(low - timedelta(hours=2), high, inc=True)
              if low - timedelta(hours=1) < at < high]  # fmt: skip
    if not days:
        wanted = list(dict.fromkeys([local, *wanted]))  # the first is one, whatever the rule
    assert [datetime.fromisoformat(each["start"]["dateTime"]).replace(tzinfo=None)
            for each in found] == wanted  # fmt: skip
