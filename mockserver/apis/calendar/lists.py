"""What lists of Calendar select: windows, words, series and their instances, access, syncs.

From the reference pages of the methods; the texts of errors, and how far a series without an end is
followed when there is no `timeMax`, are not verified against the live API.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from heapq import merge
from itertools import islice, takewhile
from operator import itemgetter
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from mockserver.collections import AS_PUT, LAST, Index, Store, WordIndex, text_of_lines
from mockserver.collections.query import RowKeys, WalkedKeys
from mockserver.collections.query import Rows as StoredRows
from mockserver.collections.selections import AllOf, AnyOf, ByIndex, ByWords, Selection, Without
from mockserver.googleapi import ApiError, Call, Handler, invalid, not_honoured, values_at
from mockserver.googleapi.list_rules import (
    ListCall,
    ListRules,
    Rank,
    Rows,
    UnservedError,
    epoch_seconds,
    later_times,
    marked,
)
from mockserver.googleapi.lists import each_of
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
_LOOKED_UP = 3
"""Words of a search that are looked up, the longest; of more each event that has those is asked."""
_FEW = 2000
"""Events that are read and put in order at once."""
_READABLE = (
    '{"resources":{"calendar:v3":{"calendars":[{"id":"primary","timeZone":"Europe/Zurich"}],'
    '"calendars/primary/events":[{"id":"example","recurrence":["RRULE:FREQ=DAILY"],'
    '"start":{"dateTime":"2026-03-02T09:00:00Z","timeZone":"Europe/Zurich"},'
    '"end":{"dateTime":"2026-03-02T10:00:00Z","timeZone":"Europe/Zurich"}}]}}}'
)
"""A snapshot whose time zones and recurrences can be read."""
Place = tuple[Any, int, JsonObject]
"""What an event is put in order by, its number among all, and the event."""


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
        longest = sorted(words, key=len)[-_LOOKED_UP:]
        texts: list[Selection] = [ByWords(table, _TEXTS, each) for each in longest]
        found.append(AnyOf([AllOf(texts), always]))
    if asked.call.params.get("updatedMin"):
        since = asked.field("updated").bounded(table, ">=", _updated_min(asked.call))
        found.append(AnyOf([since, always]))
    if not (asked.call.params.get("showDeleted") is True or asked.call.params.get("updatedMin")):
        gone = marked(table, _is_gone, "cancelled")
        found += [Without(table, gone)] if len(gone) else []
    if window != Window(None, None):
        bounds = _begin_bounds(table, window)
        within = ByIndex(table, _BEGINNINGS, [bounds], words="beginnings")
        found.append(AnyOf([within, always]))
    return found


def _begin_bounds(table: Store, window: Window) -> tuple[Rank, Rank]:
    """Between which beginnings the events are that may be within a window."""
    low: Rank = ()
    if window.first is not None:
        lengths = table.ordered(_LENGTHS)
        longest = lengths.entries(len(lengths) - 1)[0][0][0] if lengths else 0.0
        low = (window.first - longest,)
    return low, (LAST,) if window.last is None else (window.last,)


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
_SERIES = Index(lambda _, row: (str(row.get("id")),) if row.get("recurrence") else ())
_BEGINNINGS = Index(
    lambda _, row: (_beginnings(row),),
    timed=True,
    later=lambda value, seconds: value if value == _ANY_TIME else later_times(value, seconds),
)
_LENGTHS = Index(lambda _, row: (_length(row),))
_UPDATES = Index(lambda _, row: ((_updated_at(row),),), timed=True, later=later_times)


def arrange_events(call: Call, rows: Rows) -> Iterable[JsonObject]:
    """The events that a call asks for, found as they are taken; what is found may raise, too.

    Raises:
        ApiError: 400 for what cannot be, 410 for a sync token: no session gives them out.
        UnservedError: A series whose recurrence cannot be read, or what rows do not tell.
    """
    params = call.params
    if params.get("syncToken"):
        raise expired_sync_token()
    if params.get("showHiddenInvitations") is True:
        raise UnservedError("events do not tell which invitations are hidden")
    window, order = time_window(call), params.get("orderBy")
    single = params.get("singleEvents") is True
    _check_parameters(call, order, single=single)
    shift = call.world.clock.shift
    if not shift and all(params.get(name) in (None, False, "") for name in _EVENT_PARAMETERS):
        return rows
    places = _Places(call, rows)
    asked = _Asked(call, window, _changed_starts(places.always()), single=single)
    if order == "startTime":
        return _rows_by_start(asked, places)
    ordered = places.by_update() if order == "updated" else each_of(rows)
    return (row for each in ordered for row in asked.events_of(each))


class _Places:
    """The events that may be meant, in the orders of lists.

    A few are read and put in order; of many only those are read that are taken.

    Args:
        call: The call.
        rows: The events, as they were put.
    """

    def __init__(self, call: Call, rows: Rows) -> None:
        self._rows = rows
        self._table = call.world.table(f"calendar:{call.version or 'v3'}/events")
        self._window = time_window(call)
        keys = rows.keys if isinstance(rows, StoredRows) else ()
        self._many = keys if isinstance(keys, WalkedKeys) else None
        if isinstance(keys, RowKeys) and len(keys) > _FEW:
            every = ByIndex(self._table, AS_PUT, [((), (LAST,))])
            self._many = WalkedKeys(keys, every, lambda: keys)
        self._parents = tuple(
            f"calendars/{each}/events/" for each in (call.params.get("calendarId"), "-")
        )

    def _each(self, index: Index, low: Rank = (), high: Rank = (LAST,)) -> Iterator[Place]:
        """The events in an order, by an index.

        Yields:
            Value, number and row.
        """
        if self._many is None:
            found = (
                (value, number, row)
                for number, row in enumerate(self._rows)
                for value in index.values("", row)
                if low <= value < high
            )
            yield from sorted(found, key=itemgetter(0))
            return
        get = self._table.get
        for value, number, key, *_ in self._many.each_of(self._table.between(index, low, high)):
            if key.startswith(self._parents):
                yield value, number, get(key) or {}

    def always(self) -> Iterator[Place]:
        """Series, their exceptions, and what has no time: those that may be in any window."""
        return self._each(_BEGINNINGS, *_ALWAYS[0])

    def by_start(self) -> Iterator[Place]:
        """All others, by the beginnings of them."""
        low, high = _begin_bounds(self._table, self._window)
        return self._each(_BEGINNINGS, low or _ALWAYS[0][1], high)

    def by_update(self) -> Iterator[JsonObject]:
        """All events, the latest change last."""
        return (row for _, _, row in self._each(_UPDATES))


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a call asks of each event.

    Attributes:
        call: The call.
        window: The window.
        changed: Series and moments of instances that are told by exceptions.
        single: Whether series are told by their instances.
    """

    call: Call
    window: Window
    changed: Set[tuple[str, float]]
    single: bool

    def events_of(self, row: JsonObject) -> Iterator[JsonObject]:
        """What is told of an event: itself, or the instances of a series.

        Yields:
            Events, from the first on.
        """
        if not _meets_parameters(self.call, row):
            return
        if not row.get("recurrence"):
            if is_within(row, self.window):
                yield row
            return
        several = (
            each
            for each in instances_of(_moved_series(self.call, row), self.window)
            if is_within(each, self.window)
            and (str(row.get("id")), moment_of(each["originalStartTime"])) not in self.changed
        )
        if self.single:
            yield from islice(several, _LONGEST_SERIES)
        elif next(several, None) is not None:
            yield _moved_series(self.call, row)


def _changed_starts(always: Iterable[Place]) -> Set[tuple[str, float]]:
    """The series and the moments of the instances that have exceptions."""
    return {
        (str(row["recurringEventId"]), moment_of(row["originalStartTime"]))
        for _, _, row in always
        if row.get("recurringEventId") and isinstance(row.get("originalStartTime"), dict)
    }


def _rows_by_start(asked: _Asked, places: _Places) -> Iterator[JsonObject]:
    """Events by their beginnings; series are followed together, as far as they are taken.

    Yields:
        Events.
    """

    def starts(number: int, row: JsonObject) -> Iterator[Place]:
        for each in asked.events_of(row):
            yield moment_of(each.get("start") or each["originalStartTime"]), number, each

    always = [starts(number, row) for _, number, row in places.always()]
    others = (each for _, number, row in places.by_start() for each in starts(number, row))
    for _, _, row in merge(others, *always, key=itemgetter(0, 1)):
        yield row


def _moved_series(call: Call, row: JsonObject) -> JsonObject:
    """A series with its recurrence moved as its times are, where the snapshot's are moved.

    Days of the week stay, and so do whole days, which are no timestamps.
    """
    shift = call.world.clock.shift
    table = call.world.base.tables.get(f"calendar:{call.version or 'v3'}/events")
    if not shift or table is None or "dateTime" not in (row.get("start") or {}):
        return row
    if not any(
        each["recurrence"] == row["recurrence"] for each in table.find(_SERIES, str(row.get("id")))
    ):
        return row
    return {**row, "recurrence": [_shift_line(str(line), shift) for line in row["recurrence"]]}


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
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UnservedError(f"{name!r} is no time zone") from error


def refuse_unreadable(handler: Handler) -> Handler:
    """A handler that answers 501 where a fixture has a zone or a recurrence that cannot be read."""

    def answer(call: Call) -> JsonObject | None:
        try:
            return handler(call)
        except UnservedError as error:
            raise not_honoured(call.id, str(error), _READABLE) from error

    return answer


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
    if since and _updated_at(row) < _updated_min(call):
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
            name, _, value = str(pair).partition("=")
            if not any(isinstance(each, dict) and each.get(name) == value for each in own):
                return False
    return True


def _words_of(text: str) -> Sequence[str]:
    """The words and phrases of a search; `"` alone is none."""
    found = (each.strip('"').strip() for each in re.findall(r'"[^"]*"|\S+', text.casefold()))
    return list(dict.fromkeys(found))


def _text_of(row: JsonObject) -> str:
    texts = [str(each) for path in _SEARCH_FIELDS for each in values_at(row, path)]
    return text_of_lines([" ".join(texts).casefold()])


_TEXTS = WordIndex(_text_of)


def _has_words(text: str, row: JsonObject) -> bool:
    words = _words_of(text)
    if len(words) <= _LOOKED_UP and _beginnings(row) is not _ANY_TIME:
        return True  # the words of events with a time of their own were looked up
    found = _text_of(row)
    return all(word in found for word in words)


def _updated_at(row: JsonObject) -> float:
    return epoch_seconds(row.get("updated") or "1970-01-01")


def _check_parameters(call: Call, order: Json, *, single: bool) -> None:
    """Refuse what cannot be.

    Raises:
        ApiError: 400.
    """
    if order == "startTime" and not single:
        text = "The requested ordering is not available for the particular query."
        raise invalid(text, location="orderBy", reason="badRequest")
    if order not in {None, "", "startTime", "updated"}:
        raise invalid("Bad Request", location="orderBy")
    for kind in ("private", "shared"):
        if any("=" not in str(pair) for pair in call.params.get(f"{kind}ExtendedProperty", ())):
            raise invalid("Bad Request", location=f"{kind}ExtendedProperty")
    if call.params.get("updatedMin"):
        _updated_min(call)


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
