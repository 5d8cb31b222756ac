"""The store of sent messages: whose it is, what a search finds, what a format shows."""

from collections.abc import Sequence

from mockserver.apis.gmail.search import read_search, sent_at
from mockserver.googleapi import ApiError, Call
from mockserver.model import JsonObject
from mockserver.state import admin_email

SENT = "sentMessages"
_ME = "me"
_HIDDEN = ("user", "sentTime")


def own_address(call: Call) -> str:
    """The mailbox that a call is about.

    Raises:
        ApiError: 403 when it is not the caller's.
    """
    mine = call.caller.email or admin_email(call.world)
    asked = str(call.params.get("userId", _ME))
    if asked not in {_ME, mine}:
        raise ApiError(403, f"Delegation denied for {mine}", reason="forbidden")
    return mine


def found_by(call: Call) -> list[JsonObject]:
    """The messages that a list asks for, the latest first.

    Raises:
        ApiError: 501 for a search that cannot be honoured.
    """
    mine = own_address(call)
    wanted = set(call.params.get("labelIds", ()))
    search = read_search(call, str(call.params.get("q") or ""))
    hidden = set() if call.params.get("includeSpamTrash") else {"TRASH", "SPAM"}
    hidden -= {*search.hidden, *wanted}
    rows = [
        row
        for row in call.world.table(SENT).rows().values()
        if row.get("user", mine) == mine
        and wanted <= set(row.get("labelIds", ()))
        and hidden.isdisjoint(row.get("labelIds", ()))
        and search.test(row)
    ]
    return sorted(rows, key=sent_at, reverse=True)


def shown(row: JsonObject, form: str, headers: Sequence[str]) -> JsonObject:
    """A message in a format: `full`, `metadata`, `minimal` or `raw`."""
    seen = {name: value for name, value in row.items() if name not in _HIDDEN}
    seen["internalDate"] = str(sent_at(row))
    if form == "raw":
        seen.pop("payload", None)
        return seen
    seen.pop("raw", None)
    if form == "minimal":
        seen.pop("payload", None)
    if form == "metadata" and "payload" in seen:
        wanted = {name.casefold() for name in headers}
        told = [
            each
            for each in seen["payload"].get("headers", ())
            if not wanted or each["name"].casefold() in wanted
        ]
        seen["payload"] = {"mimeType": seen["payload"].get("mimeType"), "headers": told}
    return seen
