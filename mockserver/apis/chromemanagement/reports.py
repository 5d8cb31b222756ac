"""Counts of installed Chrome versions."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from mockserver.apis.chromemanagement.browsers import (
    BROWSERS,
    in_order,
    system_of,
    unit_of,
)
from mockserver.googleapi import (
    Call,
    Comparison,
    FilterError,
    Leaf,
    PageRule,
    bad_fields,
    bare_org_unit,
    holds,
    leaves,
    not_honoured,
    own_customer,
    page,
    parse_filter,
)
from mockserver.googleapi.filters import Filter
from mockserver.model import Json, JsonObject
from mockserver.state import World, org_tree, parse_rfc3339

REPORTS = "chromeReports"
_PAGES = PageRule(default=100, maximum=100)
_ACTIVE = "last_active_date"
_WITH_DATES = (
    '{"browsers": [{"deviceId": "b-1", "osPlatform": "Windows", '
    '"lastActivityTime": "2026-11-20T09:00:00Z", '
    '"browsers": [{"browserVersion": "142.0.7444.60", "channel": "STABLE"}]}]}'
)


def count_versions(call: Call) -> JsonObject:
    """Answers `reports.countChromeVersions`.

    The snapshot's report answers for the whole customer; for one org unit, for a filter, and
    without a report, the browsers are counted, those of org units below included.

    Raises:
        ApiError: 400; not a filter, or a field other than `last_active_date`. 501 for a filter
            where the snapshot has a report, which tells no dates, and no browsers.
    """
    own_customer(call.world, call.params["customer"])
    text = call.params.get("filter", "")
    tree = _parsed(text)
    report = call.world.table(REPORTS).get(REPORTS) or {}
    counted = report.get("browserVersions")
    if counted is not None and text and not len(call.world.table(BROWSERS)):
        raise not_honoured(call.id, "its report tells no dates to filter by", _WITH_DATES)
    if counted is None or text or "orgUnitId" in call.params:
        counted = _count(call.world, tree, call.params.get("orgUnitId", ""))
    found, token = page(call, counted, _PAGES)
    answer: JsonObject = {"browserVersions": list(found)} if found else {}
    if token:
        answer["nextPageToken"] = token
    if counted:
        answer["totalSize"] = len(counted)
    return answer


def _parsed(text: str) -> Filter:
    try:
        tree = parse_filter(text)
    except FilterError as error:
        raise bad_fields([("filter", f"Invalid filter: {error}.")]) from error
    for leaf in leaves(tree):
        if not isinstance(leaf, Comparison) or leaf.field != _ACTIVE:
            raise bad_fields([("filter", f"Only {_ACTIVE} can be filtered by.")])
    return tree


def _count(world: World, tree: Filter, unit: str) -> Sequence[JsonObject]:
    units = org_tree(world)
    bare = bare_org_unit(unit) if unit else units.root
    inside = {bare, *units.below(bare)}
    counts: Counter[tuple[str, str, str]] = Counter()
    for row in world.table(BROWSERS).derived(in_order):
        if unit_of(units, row) in inside and holds(tree, lambda leaf: _active(leaf, row)):  # noqa: B023
            system = system_of(str(row.get("osPlatform", "")))
            counts.update(
                (str(item.get("browserVersion", "")), str(item.get("channel", "")), system)
                for item in row.get("browsers", ())
            )
    return [
        {"version": version, "channel": channel, "system": system, "count": str(count)}
        for (version, channel, system), count in sorted(counts.items(), reverse=True)
    ]


def _active(leaf: Leaf, row: JsonObject) -> bool:
    """Whether a browser was last active as a filter says; what is no date does not narrow."""
    limit = _day(leaf.text) if isinstance(leaf, Comparison) else None
    when = _day(row.get("lastActivityTime"))
    if limit is None or when is None or not isinstance(leaf, Comparison):
        return True
    sign = (when.date() > limit.date()) - (when.date() < limit.date())
    wanted = {"<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (0, 1), "!=": (-1, 1)}
    return sign in wanted.get(leaf.operator, (0,))


def _day(text: Json) -> datetime | None:
    if not isinstance(text, str):
        return None
    try:
        return parse_rfc3339(text if "T" in text else f"{text}T00:00:00Z")
    except ValueError:
        return None
