"""Answers `events.list`, `groupStats.list` and `groups.get`. Source: Discovery document."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from mockserver.apis.errorreporting.periods import begin, service_test, since
from mockserver.apis.errorreporting.state import (
    events_of,
    group_ids,
    group_of,
    project_of,
)
from mockserver.apis.errorreporting.stats import ORDERS, alignment, group_stats, timed_counts
from mockserver.googleapi import (
    Call,
    PageRule,
    forgives,
    invalid,
    nearest,
    not_found,
    page,
)
from mockserver.googleapi.profiles import NO_GROUP
from mockserver.model import JsonObject
from mockserver.state import parse_rfc3339, rfc3339

_PAGES = PageRule(default=20, maximum=1000)
_ORDER_NUMBERS = {str(number): name for number, name in enumerate(ORDERS, start=1)}


def list_events(call: Call) -> JsonObject:
    """Events of one group in a period up to now, newest first.

    The group is required, as documented; the lenient profile lists the events of all groups without
    it.

    Raises:
        ApiError: 400; no group, no such period, or a token of another query.
    """
    group = str(call.params.get("groupId") or "")
    if not group and not forgives(call, NO_GROUP):
        raise invalid("The group id is required.", location="groupId")
    project, here = project_of(call.world, call.params["projectName"])
    start, fits = begin(call), service_test(call)
    rows = since(events_of(call.world, project), start) if here else []
    found = [row for row in rows if group in ("", row["groupId"]) and fits(row)]
    shown, token = page(call, found, _PAGES)
    answer: JsonObject = {"timeRangeBegin": rfc3339(start)}
    if shown:
        answer["errorEvents"] = [row["event"] for row in shown]
    if token:
        answer["nextPageToken"] = token
    return answer


def list_group_stats(call: Call) -> JsonObject:
    """Figures of the groups that have events in a period up to now.

    Raises:
        ApiError: 400; no such period or order, steps that cannot be, or a token of another query.
    """
    project, here = project_of(call.world, call.params["projectName"])
    start, fits, order = begin(call), service_test(call), _order(call)
    wanted = set(call.params.get("groupId") or ())
    ever: dict[str, list[JsonObject]] = {}
    for row in events_of(call.world, project) if here else ():
        if fits(row) and (not wanted or row["groupId"] in wanted):
            ever.setdefault(row["groupId"], []).append(row)
    found = []
    for group, rows in sorted(ever.items()):
        shown = since(rows, start)
        if shown:
            stats = group_stats(group_of(call.world, project, group), rows, shown)
            found.append({**stats, **_timed(call, shown, start)})
    found.sort(key=ORDERS[order], reverse=True)
    several, token = page(call, found, _PAGES)
    answer: JsonObject = {"timeRangeBegin": rfc3339(start)}
    if several:
        answer["errorGroupStats"] = list(several)
    if token:
        answer["nextPageToken"] = token
    return answer


def _order(call: Call) -> str:
    name = str(call.params.get("order") or "")
    name = _ORDER_NUMBERS.get(name, name)
    if name in {"", "0", "GROUP_ORDER_UNSPECIFIED"}:
        return "COUNT_DESC"
    if name not in ORDERS:
        text = f"Invalid order '{name}': it must be one of {', '.join(ORDERS)}."
        raise invalid(text, location="order")
    return name


def _timed(call: Call, rows: Sequence[JsonObject], start: datetime) -> JsonObject:
    duration = str(call.params.get("timedCountDuration") or "")
    if not duration:
        return {}
    try:
        step = timedelta(seconds=float(duration.removesuffix("s")))
        given = call.params.get("alignmentTime")
        moment = parse_rfc3339(given) if given else None
    except (ValueError, OverflowError) as error:
        raise invalid(
            f"Invalid duration or time: {error}", location="timedCountDuration"
        ) from error
    end = call.world.clock.now()
    align = alignment(str(call.params.get("alignment") or ""), moment, end)
    return {"timedCounts": timed_counts(rows, (start, end), step, align=align)}


def find_group(call: Call, name: str) -> tuple[str, str]:
    """Project and id of the group that a call names.

    Raises:
        ApiError: 404; the project has no such group.
    """
    parent, _, group = name.partition("/groups/")
    project, here = project_of(call.world, parent)
    known = group_ids(call.world, project) if here else set()
    if group not in known:
        raise not_found(asked=name, nearest=nearest(group, known))
    return project, group


def get_group(call: Call) -> JsonObject:
    """A group of errors.

    Raises:
        ApiError: 404; the project has no such group.
    """
    return group_of(call.world, *find_group(call, call.params["groupName"]))
