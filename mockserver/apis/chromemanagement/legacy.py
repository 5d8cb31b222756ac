"""Browsers and enrollment tokens in the older API, over the same state."""

from collections.abc import Mapping, Sequence
from functools import partial

from mockserver.apis.chromemanagement import BROWSERS, TOKENS
from mockserver.apis.chromemanagement.methods import (
    make_token,
    move_to_unit,
    revoke_active_token,
    select_browsers,
)
from mockserver.apis.chromemanagement.state import (
    ANNOTATIONS,
    legacy_browser_view,
    legacy_token_view,
    unit_of,
)
from mockserver.collections import BY_KEY
from mockserver.googleapi import (
    Call,
    Handler,
    PageRule,
    invalid,
    list_page,
    not_honoured,
    require_row,
)
from mockserver.model import JsonObject, shortened
from mockserver.state import is_customer, org_tree, parse_rfc3339

_BROWSER_PAGES = PageRule(default=100, maximum=100, size="maxResults")
_TOKEN_PAGES = PageRule(default=100, maximum=100)


def _check_customer(call: Call) -> None:
    if not is_customer(call.world, call.params["customer"]):
        raise invalid("Invalid Customer Id", location="customer")


def _find_browser(call: Call) -> JsonObject:
    _check_customer(call)
    return require_row(call.world, BROWSERS, call.params["deviceId"])


def _find_unit(call: Call, path: str) -> str:
    unit = org_tree(call.world).find(path)
    if unit is None:
        raise invalid("Invalid Org Unit", location="orgUnitPath")
    return unit


def _list_browsers(call: Call) -> JsonObject:
    _check_customer(call)
    order = call.params.get("orderBy", "")
    if order and call.params.get("sortOrder", "").upper().startswith("DESC"):
        order += " desc"
    rows = select_browsers(call.world, call.params.get("query", ""), order, "query")
    if "orgUnitPath" in call.params:
        tree, unit = org_tree(call.world), _find_unit(call, call.params["orgUnitPath"])
        inside = {unit, *tree.below(unit)}
        rows = [row for row in rows if unit_of(tree, row) in inside]
    view, head = partial(legacy_browser_view, call.world), "admin#directory#browserdevices"
    return list_page(call, "browsers", rows, _BROWSER_PAGES, view, {"kind": head})


def _get_browser(call: Call) -> JsonObject:
    return legacy_browser_view(call.world, _find_browser(call))


def _update_browser(call: Call) -> JsonObject:
    row = _find_browser(call)
    given = {name: call.body[name] for name in ANNOTATIONS if name in call.body}
    call.ignored += [name for name in call.body if name not in {*ANNOTATIONS, "deviceId"}]
    changed = {**row, **given}
    call.world.put(BROWSERS, row["deviceId"], changed)
    return legacy_browser_view(call.world, changed)


def _delete_browser(call: Call) -> None:
    call.world.delete(BROWSERS, _find_browser(call)["deviceId"])


def _move_browsers(call: Call) -> None:
    _check_customer(call)
    unit = _find_unit(call, call.body.get("orgUnitPath", ""))
    move_to_unit(call.world, call.body.get("resourceIds", ()), unit)


_LITERAL_FIXTURE = (
    '{"http":[{"method":"GET","url":"admin.googleapis.com/admin/directory/v1.1beta1/customer/'
    'my_customer/chrome/enrollmentTokens","body":{"chromeEnrollmentTokens":[]}}]}'
)


def _list_tokens(call: Call) -> JsonObject:
    """Answers `enrollmentTokens.list` of the older API.

    Raises:
        ApiError: 501 for a `query`.
    """
    _check_customer(call)
    rows: Sequence[JsonObject] = call.world.table(TOKENS).ordered(BY_KEY)
    tree = org_tree(call.world)
    if "orgUnitPath" in call.params:
        unit = _find_unit(call, call.params["orgUnitPath"])
        rows = tuple(row for row in rows if unit_of(tree, row) == unit)
    if call.params.get("query"):
        raise not_honoured(call.id, "the language of 'query' is not documented", _LITERAL_FIXTURE)
    view, head = (
        partial(legacy_token_view, call.world),
        {"kind": "admin#directory#chromeEnrollmentTokens"},
    )
    return list_page(call, "chromeEnrollmentTokens", rows, _TOKEN_PAGES, view, head)


def _create_token(call: Call) -> JsonObject:
    _check_customer(call)
    unit = _find_unit(call, call.body.get("orgUnitPath") or "/")
    expires = call.body.get("expireTime")
    if expires:
        try:
            parse_rfc3339(str(expires))
        except ValueError as error:
            raise invalid(f"Invalid value for expireTime: {shortened(str(expires))}") from error
    row = make_token(call, unit)
    if expires:
        row = {**row, "expireTime": expires}
        call.world.put(TOKENS, row["tokenId"], row)
    return legacy_token_view(call.world, row)


def _revoke_token(call: Call) -> None:
    _check_customer(call)
    revoke_active_token(call, require_row(call.world, TOKENS, call.params["tokenPermanentId"]))


LEGACY_HANDLERS: Mapping[str, Handler] = {
    "directory.chromebrowsers.list": _list_browsers,
    "directory.chromebrowsers.get": _get_browser,
    "directory.chromebrowsers.update": _update_browser,
    "directory.chromebrowsers.delete": _delete_browser,
    "directory.chromebrowsers.moveChromeBrowsersToOu": _move_browsers,
    "directory.enrollmentTokens.list": _list_tokens,
    "directory.enrollmentTokens.create": _create_token,
    "directory.enrollmentTokens.revoke": _revoke_token,
}
