"""What lists of Calendar select: windows, words, series and their instances, access, syncs.

From the reference pages of the methods; the texts of errors, and how far a series without an end is
followed when there is no `timeMax`, are not verified against the live API.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from mockserver.collections import LAST, Index, text_range
from mockserver.collections.selections import AnyOf, ByIndex, Selection, Without
from mockserver.googleapi import ApiError, Call, invalid, values_at
from mockserver.googleapi.list_rules import (
    ListCall,
    ListRules,
    Rank,
    Rows,
    UnservedError,
    epoch_seconds,
    marked,
)
from mockserver.model import Json, JsonObject
from mockserver.state import parse_rfc3339

_EVENT_PARAMETERS = frozenset({
    "eventTypes", "iCalUID", "orderBy", "privateExtendedProperty", "q", "sharedExtendedProperty",
    "showDeleted", "showHiddenInvitations", "singleEvents", "syncToken", "timeMax", "timeMin",
    "updatedMin",
})  # fmt: skip
"""Those of events that select; `timeZone` and others do not."""

_LONGEST_SERIES = 730
_MOST_STEPS = 20_000
_NEAR, _SHORTEST_MONTH = 60, 28
_SEARCH_FIELDS = (
    "summary", "description", "location", "attendees.displayName", "attendees.email",
    "organizer.displayName", "organizer.email",
    "workingLocationProperties.officeLocation.buildingId",
    "workingLocationProperties.officeLocation.deskId",
    "workingLocationProperties.officeLocation.label",
    "workingLocationProperties.customLocation.label",
)  # fmt: skip
_RULE = re.compile(r"^(RRULE|EXRULE|RDATE|EXDATE)((?:;[^:]*)?):(.*)$", re.IGNORECASE | re.DOTALL)
_UNTIL = re.compile(r"UNTIL=(\d{8})(?:T(\d{6})(Z?))?", re.IGNORECASE)
_MOMENT = re.compile(r"\b(\d{8})(T\d{6})?(Z?)\b")
_CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Window:
    """A span of time in seconds since 1970, both ends exclusive; None for an end without limit."""

    first: float | None
    last: float | None


def select_events(asked: ListCall) -> Sequence[Selection]:
    """The events that may be within the window that a call asks for."""
    table, window = asked.table, time_window(asked.call)
    found: list[Selection] = []
    always = ByIndex(table, _BEGINNINGS, _ALWAYS, words="series and their exceptions")
    if uid := asked.call.params.get("iCalUID"):
        found.append(AnyOf([asked.field("iCalUID").equal(table, [str(uid)]), always]))
    if words := _words_of(str(asked.call.params.get("q") or "")):
        texts = ByIndex(
            table, _TEXTS, [text_range("")], lambda text: all(each in text for each in words), "q"
        )
        found.append(AnyOf([texts, always]))
    if asked.call.params.get("updatedMin"):
        since = asked.field("updated").bounded(table, ">=", _updated_min(asked.call))
        found.append(AnyOf([since, always]))
    if not (asked.call.params.get("showDeleted") is True or asked.call.params.get("updatedMin")):
        gone = marked(table, _is_gone, "cancelled")
        found += [Without(table, gone)] if len(gone) else []
    if window != Window(None, None):
        lengths = table.ordered(_LENGTHS)
        longest = lengths.entries(len(lengths) - 1)[0][0][0] if lengths else 0.0
        low = () if window.first is None else (window.first - longest,)
        high = (LAST,) if window.last is None else (window.last,)
        within = ByIndex(table, _BEGINNINGS, [(low, high)], words="beginnings")
        found.append(AnyOf([within, always]))
    return found


def _beginnings(row: JsonObject) -> Rank:
    """When an event begins, and that it may be in any window where it is not alone."""
    start = row.get("start")
    if row.get("recurrence") or row.get("recurringEventId") or not isinstance(start, dict):
        return _ANY_TIME
    try:
        return (moment_of(start),)
    except (ValueError, UnservedError):
        return _ANY_TIME


def _length(row: JsonObject) -> Rank:
    """How long an event is, in seconds."""
    begins, end = _beginnings(row), row.get("end")
    if begins is _ANY_TIME or not isinstance(end, dict) or not end:
        return (0.0,)
    try:
        return (moment_of(end) - begins[0],)
    except (ValueError, UnservedError):
        return (0.0,)


def _is_gone(row: JsonObject) -> bool:
    """Whether an event was cancelled as a whole; the exceptions of a series are told."""
    return row.get("status") == _CANCELLED and not row.get("recurringEventId")


_ANY_TIME = (float("-inf"), "")
_ALWAYS = ((_ANY_TIME, (*_ANY_TIME, LAST)),)
_SERIES = Index(lambda _, row: ((),) if row.get("recurrence") else ())
_BEGINNINGS = Index(lambda _, row: (_beginnings(row),), timed=True)
_LENGTHS = Index(lambda _, row: (_length(row),), timed=True)


def arrange_events(call: Call, rows: Rows) -> Rows:
    """The events that a call asks for.

    Raises:
        ApiError: 400 for what cannot be, 410 for a sync token: no session gives them out.
        UnservedError: A series whose recurrence cannot be read, or what rows do not tell.
    """
    params = call.params
    if params.get("syncToken"):
        raise expired_sync_token()
    if params.get("showHiddenInvitations") is True:
        raise UnservedError("events do not tell which invitations are hidden")
    window = time_window(call)
    single = params.get("singleEvents") is True
    shift = call.world.clock.shift
    if not shift and all(params.get(name) in (None, False, "") for name in _EVENT_PARAMETERS):
        return rows
    rows = _rows_in_window(_move_recurrences(call, rows), window, single=single)
    rows = [row for row in rows if _meets_parameters(call, row)]
    return _order_events(call, rows, single=single)


def _move_recurrences(call: Call, rows: Rows) -> Rows:
    """The rows with their recurrences moved as their times are, where the snapshot's are moved.

    Days of the week stay, and so do whole days, which are no timestamps.
    """
    shift = call.world.clock.shift
    table = call.world.base.tables.get(f"calendar:{call.version or 'v3'}/events")
    if not shift or table is None:
        return rows
    given = {str(row.get("id")): row["recurrence"] for row in table.ordered(_SERIES)}
    return [
        {**row, "recurrence": [_shift_line(str(line), shift) for line in row["recurrence"]]}
        if row.get("recurrence")
        and row["recurrence"] == given.get(str(row.get("id")))
        and "dateTime" in (row.get("start") or {})
        else row
        for row in rows
    ]


def _shift_line(line: str, shift: timedelta) -> str:
    def move(hit: re.Match[str]) -> str:
        form = "%Y%m%dT%H%M%S" if hit[2] else "%Y%m%d"
        at = datetime.strptime(hit[1] + (hit[2] or ""), form)  # noqa: DTZ007  (moved as it stands)
        return (at + shift).strftime(form) + hit[3]

    return _MOMENT.sub(move, line)


def time_window(call: Call) -> Window:
    """The window of `timeMin` and `timeMax`.

    Raises:
        ApiError: 400 for what is no time, or for a window with nothing in it.
    """
    first, last = _time_bound(call, "timeMin"), _time_bound(call, "timeMax")
    if first is not None and last is not None and first >= last:
        raise invalid("The specified time range is empty.", reason="timeRangeEmpty")
    return Window(first, last)


def _time_bound(call: Call, name: str) -> float | None:
    value = call.params.get(name)
    if not value:
        return None
    try:
        return parse_rfc3339(str(value)).timestamp()
    except ValueError as error:
        raise ApiError(400, "Bad Request", reason="badRequest", location=name) from error


def _rows_in_window(rows: Rows, window: Window, *, single: bool) -> Rows:
    """The events within a window: series as a whole, or each of their instances."""
    changed: dict[tuple[str, float], JsonObject] = {}
    for row in rows:
        series = str(row.get("recurringEventId") or "")
        if series and isinstance(row.get("originalStartTime"), dict):
            changed[series, moment_of(row["originalStartTime"])] = row
    found: list[JsonObject] = []
    for row in rows:
        if not row.get("recurrence"):
            found += [row] if is_within(row, window) else []
            continue
        made = (each for each in instances_of(row, window) if is_within(each, window))
        left = (
            each
            for each in made
            if (str(row.get("id")), moment_of(each["originalStartTime"])) not in changed
        )
        if single:
            found += islice(left, _LONGEST_SERIES)
        elif next(left, None) is not None:
            found.append(row)
    return found


def is_within(row: JsonObject, window: Window) -> bool:
    """Whether an event is, in part, within a window."""
    first, last = window.first, window.last
    start = row.get("start")
    if not isinstance(start, dict) or not start:
        # a cancelled exception has no times of its own
        start = row.get("originalStartTime")
        if not isinstance(start, dict):
            return first is None and last is None
    begins = moment_of(start)
    end = row.get("end")
    ends = moment_of(end) if isinstance(end, dict) and end else begins
    return (first is None or ends > first) and (last is None or begins < last)


def moment_of(place: JsonObject) -> float:
    """The moment of a `start` or `end`; a day begins in the event's zone, or in UTC."""
    text = place.get("dateTime")
    if not text:
        day = datetime.fromisoformat(str(place.get("date")))
        return day.replace(tzinfo=zone_info(place)).timestamp()
    try:
        return parse_rfc3339(str(text)).timestamp()
    except ValueError:
        return datetime.fromisoformat(str(text)).replace(tzinfo=zone_info(place)).timestamp()


def zone_info(place: Mapping[str, Json]) -> ZoneInfo:
    """The time zone of a `start` or `end`, UTC for none; UnservedError for what is no zone."""
    name = str(place.get("timeZone") or "UTC")
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise UnservedError(f"{name!r} is no time zone") from error


def instances_of(row: JsonObject, window: Window) -> Iterator[JsonObject]:
    """The instances of a series up to the end of a window.

    Yields:
        Events, from the first on.

    Raises:
        UnservedError: Its recurrence cannot be read.
    """
    start, end = row.get("start"), row.get("end")
    if not isinstance(start, dict) or not isinstance(end, dict):
        raise UnservedError(f"the series {row.get('id')!r} has no start and end")
    zone = zone_info(start)
    whole_day = not start.get("dateTime")
    length = timedelta(seconds=moment_of(end) - moment_of(start))
    first = datetime.fromtimestamp(moment_of(start), zone).replace(tzinfo=None)
    if whole_day:
        first = datetime.fromisoformat(str(start["date"]))
    last, low = window.last, first
    if window.first is not None:
        low = datetime.fromtimestamp(window.first, zone).replace(tzinfo=None) - length
    try:
        every = _series_times(row, first, zone, low)
        moments = islice(iter(every), _MOST_STEPS)
        for local in takewhile(
            lambda at: last is None or at.replace(tzinfo=zone).timestamp() < last, moments
        ):
            yield _instance(row, local, zone, length, whole_day=whole_day)
    except (ValueError, TypeError, OverflowError) as error:
        raise UnservedError(
            f"the recurrence of {row.get('id')!r} cannot be read: {error}"
        ) from error


def _series_times(
    row: JsonObject, first: datetime, zone: ZoneInfo, low: datetime
) -> Iterable[datetime]:
    """The local times of a series; of those before `low` as few as can be.

    Raises:
        ValueError: A line of the recurrence is none.
    """
    from dateutil.rrule import rruleset, rrulestr

    found = rruleset()
    found.rdate(first)
    for line in row["recurrence"]:
        match = _RULE.match(str(line))
        if match is None:
            raise ValueError(f"{line!r} is no rule")
        name, _, text = match.groups()
        if name.upper() in {"RRULE", "EXRULE"}:
            add = found.rrule if name.upper() == "RRULE" else found.exrule
            begin = _near_beginning(text, first, low)
            add(rrulestr(_UNTIL.sub(lambda hit: _local_until(hit, zone), text), dtstart=begin))
            continue
        put = found.rdate if name.upper() == "RDATE" else found.exdate
        for each in text.split(","):
            put(_parse_local(each.strip(), zone, first))
    every: Iterable[datetime] = found
    return every


def _near_beginning(rule: str, first: datetime, low: datetime) -> datetime:
    """A time of a rule that is not long before `low`, from which it goes on as from its first.

    Whole periods are left out, of rules that do not count their times.
    """
    parts = dict(each.upper().split("=", 1) for each in rule.split(";") if "=" in each)
    step, days = int(parts.get("INTERVAL") or 1), (low - first).days
    if "COUNT" in parts or step < 1 or days < _NEAR or first.day > _SHORTEST_MONTH:
        return first
    match parts.get("FREQ"):
        case "DAILY":
            return first + timedelta(days=step * (days // step - 1))
        case "WEEKLY":
            return first + timedelta(weeks=step * (days // (7 * step) - 1))
        case "MONTHLY" | "YEARLY" as unit:
            size = step * (12 if unit == "YEARLY" else 1)
            months = (low.year - first.year) * 12 + low.month - first.month
            year, month = divmod(first.month - 1 + size * max(0, months // size - 1), 12)
            return first.replace(year=first.year + year, month=month + 1)
        case _:
            return first


def _local_until(hit: re.Match[str], zone: ZoneInfo) -> str:
    """An end in local time: rules are followed by the clock on the wall, in summer and winter."""
    day, time, utc = hit.groups()
    if not time:
        return f"UNTIL={day}T235959"
    moment_ = datetime.strptime(day + time, "%Y%m%d%H%M%S")  # noqa: DTZ007  (a zone follows)
    if utc:
        moment_ = moment_.replace(tzinfo=UTC).astimezone(zone)
    return f"UNTIL={moment_:%Y%m%dT%H%M%S}"


def _parse_local(text: str, zone: ZoneInfo, first: datetime) -> datetime:
    if "T" not in text:
        day = datetime.strptime(text, "%Y%m%d")  # noqa: DTZ007  (a day on the wall)
        return day.replace(hour=first.hour, minute=first.minute, second=first.second)
    local = datetime.strptime(text.removesuffix("Z"), "%Y%m%dT%H%M%S")  # noqa: DTZ007
    if text.endswith("Z"):
        return local.replace(tzinfo=UTC).astimezone(zone).replace(tzinfo=None)
    return local


def _instance(
    row: JsonObject, local: datetime, zone: ZoneInfo, length: timedelta, *, whole_day: bool
) -> JsonObject:
    kept = {name: value for name, value in row.items() if name != "recurrence"}
    if whole_day:
        start = {"date": f"{local:%Y-%m-%d}"}
        end = {"date": f"{local + length:%Y-%m-%d}"}
        suffix = f"{local:%Y%m%d}"
    else:
        begins = local.replace(tzinfo=zone)
        ends = (begins.astimezone(UTC) + length).astimezone(zone)
        start = {"dateTime": _write_time(begins), **_zone_field(row["start"])}
        end = {"dateTime": _write_time(ends), **_zone_field(row["end"])}
        suffix = f"{begins.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    return {
        **kept,
        "id": f"{row.get('id')}_{suffix}",
        "recurringEventId": row.get("id"),
        "originalStartTime": start,
        "start": start,
        "end": end,
    }


def _write_time(at: datetime) -> str:
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")


def _zone_field(place: JsonObject) -> JsonObject:
    return {"timeZone": place["timeZone"]} if "timeZone" in place else {}


def _meets_parameters(call: Call, row: JsonObject) -> bool:
    params = call.params
    cancelled = row.get("status") == _CANCELLED
    since = params.get("updatedMin")
    if since and epoch_seconds(row.get("updated") or "1970-01-01") < _updated_min(call):
        return False
    # what was deleted since a moment is always told, and so is an exception of a whole series
    shown = params.get("showDeleted") is True or since
    if cancelled and not shown:
        single = params.get("singleEvents") is True
        if single or not row.get("recurringEventId"):
            return False
    wanted = params.get("iCalUID")
    if wanted and row.get("iCalUID") != wanted:
        return False
    kinds = params.get("eventTypes")
    if kinds and row.get("eventType", "default") not in kinds:
        return False
    return _has_properties(call, row) and _has_words(str(params.get("q") or ""), row)


def _updated_min(call: Call) -> float:
    found = _time_bound(call, "updatedMin")
    return found if found is not None else 0.0


def _has_properties(call: Call, row: JsonObject) -> bool:
    for kind in ("private", "shared"):
        own = values_at(row, f"extendedProperties.{kind}")
        for pair in call.params.get(f"{kind}ExtendedProperty", ()):
            name, sign, value = str(pair).partition("=")
            if not sign:
                raise invalid("Bad Request", location=f"{kind}ExtendedProperty")
            if not any(isinstance(each, dict) and each.get(name) == value for each in own):
                return False
    return True


def _words_of(text: str) -> Sequence[str]:
    """The words and phrases of a search."""
    return [each.strip('"') for each in re.findall(r'"[^"]*"|\S+', text.casefold())]


def _text_of(row: JsonObject) -> str:
    return " ".join(
        str(each) for path in _SEARCH_FIELDS for each in values_at(row, path)
    ).casefold()


_TEXTS = Index(lambda _, row: (_text_of(row),))


def _has_words(text: str, row: JsonObject) -> bool:
    words = _words_of(text)
    if not words:
        return True
    found = _text_of(row)
    return all(word in found for word in words)


def _order_events(call: Call, rows: Rows, *, single: bool) -> Rows:
    order = call.params.get("orderBy")
    if order == "startTime":
        if not single:
            text = "The requested ordering is not available for the particular query."
            raise invalid(text, location="orderBy", reason="badRequest")
        return sorted(rows, key=lambda row: moment_of(row.get("start") or row["originalStartTime"]))
    if order == "updated":
        return sorted(rows, key=lambda row: epoch_seconds(row.get("updated") or "1970-01-01"))
    if order:
        raise invalid("Bad Request", location="orderBy")
    return rows


def expired_sync_token() -> ApiError:
    """What refuses every sync token: sessions issue none, so clients start a full sync."""
    text = "Sync token is no longer valid, a full sync is required."
    return ApiError(410, text, reason="fullSyncRequired", domain="calendar", location="syncToken")


LISTS: Mapping[str, ListRules] = {
    "calendar.events.list": ListRules(
        select=select_events, arrange=arrange_events, together=_EVENT_PARAMETERS
    ),
}
"""Method id to the rules of its parameters."""
