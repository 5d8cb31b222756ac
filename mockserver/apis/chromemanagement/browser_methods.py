"""Browsers in the Chrome Management API."""

from collections.abc import Sequence

from mockserver.apis.chromemanagement.browser_filters import browser_test, ordered
from mockserver.apis.chromemanagement.browsers import (
    ANNOTATIONS,
    BROWSERS,
    browser_view,
    in_order,
)
from mockserver.googleapi import (
    Call,
    PageRule,
    bad_fields,
    nearest,
    not_found,
    own_customer,
    page,
)
from mockserver.model import JsonObject
from mockserver.state import World, org_tree

_PAGES = PageRule(default=100, maximum=100)
_MOST_MOVED = 600


def chosen(world: World, text: str, order: str, field: str = "filter") -> Sequence[JsonObject]:
    """The browsers that a filter means, in an order.

    Raises:
        ApiError: 400; not a filter, or not an order.
    """
    rows: Sequence[JsonObject] = world.table(BROWSERS).derived(in_order)
    tree = org_tree(world)
    if text:
        test = browser_test(text, tree, field)
        rows = [row for row in rows if test(row)]
    return ordered(rows, order, tree) if order else rows


def find_browser(world: World, device: str) -> JsonObject:
    """The browser with an id.

    Raises:
        ApiError: 404; the session has no such browser.
    """
    rows = world.table(BROWSERS)
    row = rows.get(device)
    if row is None:
        raise not_found(asked=device, nearest=nearest(device, rows.rows()))
    return row


def _named(call: Call) -> JsonObject:
    customer, _, device = call.params["name"].partition("/chromeBrowsers/")
    own_customer(call.world, customer)
    return find_browser(call.world, device)


def list_browsers(call: Call) -> JsonObject:
    """Answers `chromeBrowsers.list`."""
    own_customer(call.world, call.params["parent"])
    rows = chosen(call.world, call.params.get("filter", ""), call.params.get("orderBy", ""))
    found, token = page(call, rows, _PAGES)
    shown = [browser_view(call.world, row) for row in found]
    answer: JsonObject = {"chromeBrowsers": shown} if shown else {}
    if token:
        answer["nextPageToken"] = token
    return answer


def get_browser(call: Call) -> JsonObject:
    """Answers `chromeBrowsers.get`."""
    return browser_view(call.world, _named(call))


def patch_browser(call: Call) -> JsonObject:
    """Answers `chromeBrowsers.patch`: annotations only.

    Raises:
        ApiError: 404; 400 for a mask with other fields.
    """
    row = _named(call)
    mask = call.params.get("updateMask", "*")
    names = [name.strip() for name in mask.split(",")] if mask != "*" else list(ANNOTATIONS)
    camel = [_camel(name) for name in names]
    if set(camel) - set(ANNOTATIONS):
        text = f"Only annotations can be updated: {', '.join(ANNOTATIONS)}."
        raise bad_fields([("update_mask", text)])
    given = {name: call.body[name] for name in camel if name in call.body}
    cleared = set(camel) - set(call.body) if mask != "*" else set()
    changed = {name: value for name, value in {**row, **given}.items() if name not in cleared}
    call.world.put(BROWSERS, row["deviceId"], changed)
    return browser_view(call.world, changed)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def delete_browser(call: Call) -> JsonObject:
    """Answers `chromeBrowsers.delete`."""
    call.world.delete(BROWSERS, _named(call)["deviceId"])
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
    move(call.world, call.body.get("resourceIds", ()), unit)
    return {}


def move(world: World, devices: Sequence[str], unit: str) -> None:
    """Put browsers into an org unit; all of them, or none.

    Raises:
        ApiError: 400 for no or too many browsers, 404 for an unknown one.
    """
    if not 1 <= len(devices) <= _MOST_MOVED:
        text = f"From 1 to {_MOST_MOVED} browsers can be moved at once."
        raise bad_fields([("resource_ids", text)])
    rows = [find_browser(world, device) for device in devices]
    for row in rows:
        kept = {name: value for name, value in row.items() if name != "orgUnitPath"}
        world.put(BROWSERS, row["deviceId"], {**kept, "orgUnitId": unit})
