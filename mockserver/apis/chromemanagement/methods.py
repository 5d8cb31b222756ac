"""Methods of the Chrome Management API: browsers, enrollment tokens, and counts of versions."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial

from mockserver.apis.chromemanagement import BROWSERS, REPORTS, TOKENS
from mockserver.apis.chromemanagement.filters import (
    Test,
    bad_filter,
    browser_selection,
    order_browsers,
)
from mockserver.apis.chromemanagement.reports import OF_REPORTS
from mockserver.apis.chromemanagement.state import (
    ANNOTATIONS,
    active_token,
    browser_view,
    new_token,
    path_of,
    revoke,
    system_of,
    token_state,
    token_view,
    unit_of,
)
from mockserver.collections import BY_KEY
from mockserver.collections.query import Query
from mockserver.collections.selections import FieldIndexes
from mockserver.googleapi import (
    Call,
    Comparison,
    Handler,
    Leaf,
    PageRule,
    bad_fields,
    bare_org_unit,
    duplicate,
    each_of,
    failed_precondition,
    filter_test,
    list_page,
    not_honoured,
    own_customer,
    require_row,
)
from mockserver.googleapi.filter_trees import ORDERS
from mockserver.model import Json, JsonObject
from mockserver.state import World, org_tree, parse_rfc3339

_LAST_ACTIVE = "last_active_date"
_FIXTURE_WITH_DATES = (
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
    test = filter_test(text, _last_active_test, bad_filter)
    report = call.world.table(REPORTS).get(REPORTS) or {}
    counted = report.get("browserVersions")
    if counted is not None and text and not len(call.world.table(BROWSERS)):
        raise not_honoured(call.id, "its report tells no dates to filter by", _FIXTURE_WITH_DATES)
    if counted is None or text or "orgUnitId" in call.params:
        counted = _count_by_version(call.world, test, call.params.get("orgUnitId", ""))
    answer = list_page(call, "browserVersions", counted, _PAGES)
    if counted:
        answer["totalSize"] = len(counted)
    return answer


def _count_by_version(world: World, test: Test, unit: str) -> Sequence[JsonObject]:
    units = org_tree(world)
    bare = bare_org_unit(unit) if unit else units.root
    inside = {bare, *units.below(bare)}
    counts: Counter[tuple[str, str, str]] = Counter()
    for row in world.table(BROWSERS).ordered(BY_KEY):
        if unit_of(units, row) in inside and test(row):
            system = system_of(str(row.get("osPlatform", "")))
            counts.update(
                (str(item.get("browserVersion", "")), str(item.get("channel", "")), system)
                for item in row.get("browsers", ())
            )
    return [
        {"version": version, "channel": channel, "system": system, "count": str(count)}
        for (version, channel, system), count in sorted(counts.items(), reverse=True)
    ]


def _last_active_test(leaf: Leaf) -> Test:
    """Whether a browser's last activity meets a filter; a value that is no date always does."""
    if not isinstance(leaf, Comparison) or leaf.field != _LAST_ACTIVE:
        raise bad_fields([("filter", f"Only {_LAST_ACTIVE} can be filtered by.")])
    limit, compare = _parse_day(leaf.text), ORDERS.get(leaf.operator, ORDERS["="])

    def test(row: JsonObject) -> bool:
        when = _parse_day(row.get("lastActivityTime"))
        return limit is None or when is None or compare(when.date(), limit.date())

    return test


def _parse_day(text: Json) -> datetime | None:
    if not isinstance(text, str):
        return None
    try:
        return parse_rfc3339(text if "T" in text else f"{text}T00:00:00Z")
    except ValueError:
        return None


_SEGMENTS = {BROWSERS: "chromeBrowsers", TOKENS: "enrollmentTokens"}
_TOKEN_ID = re.compile(r"^[a-zA-Z0-9._-]{1,63}$")
_TOKEN_FILTER_FIELDS = frozenset({"device_type", "token_state", "org_unit_path", "org_unit_id"})


def _find_named_row(call: Call, collection: str) -> JsonObject:
    """The row that a call names: `customers/C0/enrollmentTokens/11f0`."""
    customer, _, ident = call.params["name"].partition(f"/{_SEGMENTS[collection]}/")
    own_customer(call.world, customer)
    return require_row(call.world, collection, ident)


def create_token(call: Call) -> JsonObject:
    """Answers `enrollmentTokens.create`. Source: Discovery document.

    Raises:
        ApiError: 400 for an id of the wrong form or an unknown org unit; 409 when the id is taken
            or the org unit has an active token.
    """
    world = call.world
    own_customer(world, call.params["parent"])
    token_id = call.params.get("enrollmentTokenId", "")
    if token_id and not _TOKEN_ID.match(token_id):
        text = "The id must be 1-63 characters long and match [a-zA-Z0-9._-]+."
        raise bad_fields([("enrollment_token_id", text)])
    tree = org_tree(world)
    asked = call.body.get("orgUnitId", "")
    unit = bare_org_unit(asked) if asked else tree.root
    if unit not in tree.by_id:
        raise bad_fields([("enrollment_token.org_unit_id", f"Unknown org unit '{asked}'.")])
    return token_view(world, make_token(call, unit, token_id))


def make_token(call: Call, unit: str, token_id: str = "") -> JsonObject:
    """Make a token for an org unit that has no active one.

    Raises:
        ApiError: 409.
    """
    if token_id in call.world.table(TOKENS) or active_token(call.world, unit) is not None:
        raise duplicate("Requested entity already exists")
    return new_token(call.world, unit, email=call.caller.email, token_id=token_id)


def get_token(call: Call) -> JsonObject:
    """Answers `enrollmentTokens.get`."""
    return token_view(call.world, _find_named_row(call, TOKENS))


def list_tokens(call: Call) -> JsonObject:
    """Answers `enrollmentTokens.list`."""
    own_customer(call.world, call.params["parent"])
    rows = each_of(call.world.table(TOKENS).ordered(BY_KEY))
    found = _filter_tokens(call.world, rows, call.params.get("filter", ""))
    return list_page(call, "enrollmentTokens", found, _PAGES, partial(token_view, call.world))


def _filter_tokens(world: World, rows: Iterable[JsonObject], text: str) -> Iterator[JsonObject]:
    def leaf_test(leaf: Leaf) -> Test:
        if not isinstance(leaf, Comparison) or leaf.field not in _TOKEN_FILTER_FIELDS:
            raise bad_fields([("filter", f"Invalid filter '{text}'.")])
        name, wanted = leaf.field, bare_org_unit(leaf.text).casefold()
        positive = leaf.operator != "!="
        return lambda values: (values[name].casefold() == wanted) is positive

    test = filter_test(text, leaf_test, bad_filter)
    return (row for row in rows if test(_token_filter_values(world, row)))


def _token_filter_values(world: World, row: JsonObject) -> JsonObject:
    tree = org_tree(world)
    unit = unit_of(tree, row)
    return {
        "device_type": "CHROME_BROWSER",
        "token_state": token_state(world, row),
        "org_unit_path": path_of(tree, unit),
        "org_unit_id": unit,
    }


def revoke_token(call: Call) -> JsonObject:
    """Answers `enrollmentTokens.revoke`.

    Raises:
        ApiError: 404; 400 for a token that was revoked before. Not verified against the live API.
    """
    return token_view(call.world, revoke_active_token(call, _find_named_row(call, TOKENS)))


def revoke_active_token(call: Call, row: JsonObject) -> JsonObject:
    """Revoke a token that was not revoked before.

    Raises:
        ApiError: 400.
    """
    if token_state(call.world, row) == "REVOKED":
        raise failed_precondition("The enrollment token was revoked before.")
    return revoke(call.world, row, email=call.caller.email)


_PAGES = PageRule(default=100, maximum=100)
_MOST_MOVED = 600
_BY_DEVICE = FieldIndexes("deviceId")


def select_browsers(
    world: World, text: str, order: str, field: str = "filter"
) -> Sequence[JsonObject]:
    """The browsers that a filter means, in an order.

    Raises:
        ApiError: 400; not a filter, or not an order.
    """
    table, tree = world.table(BROWSERS), org_tree(world)
    where = browser_selection(table, text, tree, field) if text else None
    rows = Query(name=BROWSERS, where=where, order=((_BY_DEVICE, False),)).rows(table)
    return order_browsers(rows, order, tree) if order else rows


def list_browsers(call: Call) -> JsonObject:
    """Answers `chromeBrowsers.list`."""
    own_customer(call.world, call.params["parent"])
    rows = select_browsers(
        call.world, call.params.get("filter", ""), call.params.get("orderBy", "")
    )
    return list_page(call, "chromeBrowsers", rows, _PAGES, partial(browser_view, call.world))


def get_browser(call: Call) -> JsonObject:
    """Answers `chromeBrowsers.get`."""
    return browser_view(call.world, _find_named_row(call, BROWSERS))


def patch_browser(call: Call) -> JsonObject:
    """Answers `chromeBrowsers.patch`: annotations only.

    Raises:
        ApiError: 404; 400 for a mask with other fields.
    """
    row = _find_named_row(call, BROWSERS)
    mask = call.params.get("updateMask", "*")
    names = [name.strip() for name in mask.split(",")] if mask != "*" else list(ANNOTATIONS)
    camel = [_camel_case(name) for name in names]
    if set(camel) - set(ANNOTATIONS):
        text = f"Only annotations can be updated: {', '.join(ANNOTATIONS)}."
        raise bad_fields([("update_mask", text)])
    given = {name: call.body[name] for name in camel if name in call.body}
    cleared = set(camel) - set(call.body) if mask != "*" else set()
    changed = {name: value for name, value in {**row, **given}.items() if name not in cleared}
    call.world.put(BROWSERS, row["deviceId"], changed)
    return browser_view(call.world, changed)


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def delete_browser(call: Call) -> JsonObject:
    """Answers `chromeBrowsers.delete`."""
    call.world.delete(BROWSERS, _find_named_row(call, BROWSERS)["deviceId"])
    return {}


def move_browsers(call: Call) -> JsonObject:
    """Answers `chromeBrowsers.move`: all of them, or none.

    Raises:
        ApiError: 400 for no or too many browsers or an unknown org unit, 404 for an unknown
            browser.
    """
    own_customer(call.world, call.params["parent"])
    asked = call.body.get("destinationOrgUnitId", "")
    unit = asked.removeprefix("id:").removeprefix("orgunits/")
    if unit not in org_tree(call.world).by_id:
        raise bad_fields([("destination_org_unit_id", f"Unknown org unit '{asked}'.")])
    move_to_unit(call.world, call.body.get("resourceIds", ()), unit)
    return {}


def move_to_unit(world: World, devices: Sequence[str], unit: str) -> None:
    """Put browsers into an org unit; all of them, or none.

    Raises:
        ApiError: 400 for no or too many browsers, 404 for an unknown one.
    """
    if not 1 <= len(devices) <= _MOST_MOVED:
        text = f"From 1 to {_MOST_MOVED} browsers can be moved at once."
        raise bad_fields([("resource_ids", text)])
    rows = [require_row(world, BROWSERS, device) for device in devices]
    for row in rows:
        kept = {name: value for name, value in row.items() if name != "orgUnitPath"}
        world.put(BROWSERS, row["deviceId"], {**kept, "orgUnitId": unit})


HANDLERS: Mapping[str, Handler] = {
    **OF_REPORTS,
    "chromemanagement.customers.reports.countChromeVersions": count_versions,
    "chromemanagement.customers.chromeBrowsers.list": list_browsers,
    "chromemanagement.customers.chromeBrowsers.get": get_browser,
    "chromemanagement.customers.chromeBrowsers.patch": patch_browser,
    "chromemanagement.customers.chromeBrowsers.delete": delete_browser,
    "chromemanagement.customers.chromeBrowsers.move": move_browsers,
    "chromemanagement.customers.enrollmentTokens.create": create_token,
    "chromemanagement.customers.enrollmentTokens.get": get_token,
    "chromemanagement.customers.enrollmentTokens.list": list_tokens,
    "chromemanagement.customers.enrollmentTokens.revoke": revoke_token,
}
