"""Asks the emulated Google APIs on behalf of a tool."""

from mockserver.googleapi import ApiError, Call
from mockserver.model import Json, JsonObject

MY_CUSTOMER = "my_customer"
CUSTOMER = f"customers/{MY_CUSTOMER}"
_MOST_PAGES = 100


def ask(call: Call, method: str, params: JsonObject, body: JsonObject | None = None) -> JsonObject:
    """One call of a method, as the session's other callers make it.

    Raises:
        ApiError: What the method answers.
    """
    if call.invoke is None:
        raise ApiError(500, f"{call.id} needs a transport that can call {method}.")
    return call.invoke(method, params, body)


def ask_all(
    call: Call,
    method: str,
    items: str,
    params: JsonObject,
    body: JsonObject | None = None,
) -> list[JsonObject]:
    """The items of all pages of a method.

    Args:
        call: The tool's call.
        method: Discovery id.
        items: The answer's field that holds the items.
        params: Path and query parameters; the page token is among them when there is no body.
        body: The request body; the page token is in it when there is one.

    Raises:
        ApiError: What the method answers.
    """
    found: list[JsonObject] = []
    token: JsonObject = {}
    for _ in range(_MOST_PAGES):
        if body is None:
            answer = ask(call, method, {**params, **token})
        else:
            answer = ask(call, method, params, {**body, **token})
        found += answer.get(items, ())
        if not answer.get("nextPageToken"):
            break
        token = {"pageToken": answer["nextPageToken"]}
    return found


def find_unit(call: Call, name: str) -> JsonObject:
    """The org unit that a path, an id or `orgunits/<id>` means.

    Raises:
        ApiError: 404; there is no such org unit.
    """
    bare = name.removeprefix("orgunits/").removeprefix("orgUnits/").removeprefix("id:")
    asked = name if name.startswith("/") else f"id:{bare}"
    params = {"customerId": MY_CUSTOMER, "orgUnitPath": asked}
    return ask(call, "directory.orgunits.get", params)


def bare_id(unit: Json) -> str:
    """An org unit's id without its prefix."""
    return str(unit["orgUnitId"]).removeprefix("id:")
