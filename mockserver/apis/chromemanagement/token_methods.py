"""Enrollment tokens in the Chrome Management API."""

import re
from collections.abc import Mapping

from mockserver.apis.chromemanagement.browsers import in_order, path_of, unit_of
from mockserver.apis.chromemanagement.tokens import (
    TOKENS,
    active_token,
    new_token,
    revoked,
    token_state,
    token_view,
)
from mockserver.googleapi import (
    ApiError,
    Call,
    Comparison,
    FilterError,
    Leaf,
    PageRule,
    bad_fields,
    bare_org_unit,
    duplicate,
    holds,
    leaves,
    nearest,
    not_found,
    own_customer,
    page,
    parse_filter,
)
from mockserver.model import JsonObject
from mockserver.state import World, org_tree

_PAGES = PageRule(default=100, maximum=100)
_ID = re.compile(r"^[a-zA-Z0-9._-]{1,63}$")
_FILTERED = frozenset({"device_type", "token_state", "org_unit_path", "org_unit_id"})


def find_enrollment_token(world: World, token_id: str) -> JsonObject:
    """The token with an id.

    Raises:
        ApiError: 404; the session has no such token.
    """
    rows = world.table(TOKENS)
    row = rows.get(token_id)
    if row is None:
        raise not_found(asked=token_id, nearest=nearest(token_id, rows.rows()))
    return row


def _named(call: Call) -> JsonObject:
    customer, _, token_id = call.params["name"].partition("/enrollmentTokens/")
    own_customer(call.world, customer)
    return find_enrollment_token(call.world, token_id)


def create_token(call: Call) -> JsonObject:
    """Answers `enrollmentTokens.create`. Source: Discovery document.

    Raises:
        ApiError: 400 for an id of the wrong form or an unknown org unit; 409 when the id is taken
            or the org unit has an active token.
    """
    world = call.world
    own_customer(world, call.params["parent"])
    token_id = call.params.get("enrollmentTokenId", "")
    if token_id and not _ID.match(token_id):
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
    return token_view(call.world, _named(call))


def list_tokens(call: Call) -> JsonObject:
    """Answers `enrollmentTokens.list`."""
    own_customer(call.world, call.params["parent"])
    rows = call.world.table(TOKENS).derived(in_order)
    text = call.params.get("filter", "")
    found, token = page(call, _filtered(call.world, rows, text), _PAGES)
    shown = [token_view(call.world, row) for row in found]
    answer: JsonObject = {"enrollmentTokens": shown} if shown else {}
    if token:
        answer["nextPageToken"] = token
    return answer


def _filtered(world: World, rows: tuple[JsonObject, ...], text: str) -> list[JsonObject]:
    try:
        tree = parse_filter(text)
    except FilterError as error:
        raise bad_fields([("filter", f"Invalid filter: {error}.")]) from error
    for leaf in leaves(tree):
        if not isinstance(leaf, Comparison) or leaf.field not in _FILTERED:
            raise bad_fields([("filter", f"Invalid filter '{text}'.")])
    return [row for row in rows if holds(tree, lambda leaf: _holds(leaf, _values(world, row)))]  # noqa: B023


def _values(world: World, row: JsonObject) -> Mapping[str, str]:
    tree = org_tree(world)
    unit = unit_of(tree, row)
    return {
        "device_type": "CHROME_BROWSER",
        "token_state": token_state(world, row),
        "org_unit_path": path_of(tree, unit),
        "org_unit_id": unit,
    }


def _holds(leaf: Leaf, values: Mapping[str, str]) -> bool:
    if not isinstance(leaf, Comparison):
        return False
    same = values[leaf.field].casefold() == bare_org_unit(leaf.text).casefold()
    return not same if leaf.operator == "!=" else same


def revoke_token(call: Call) -> JsonObject:
    """Answers `enrollmentTokens.revoke`.

    Raises:
        ApiError: 404; 400 for a token that was revoked before. Not verified against the live API.
    """
    row = _named(call)
    return token_view(call.world, take_back(call, row))


def take_back(call: Call, row: JsonObject) -> JsonObject:
    """Revoke a token that was not revoked before.

    Raises:
        ApiError: 400.
    """
    if token_state(call.world, row) == "REVOKED":
        text = "The enrollment token was revoked before."
        raise ApiError(400, text, reason="failedPrecondition", code_name="FAILED_PRECONDITION")
    return revoked(call.world, row, email=call.caller.email)
