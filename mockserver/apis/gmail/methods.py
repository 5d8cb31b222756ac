"""Methods of the Gmail API: Discovery id to handler. Source: Discovery document."""

from collections.abc import Mapping

from mockserver.apis.gmail.mime import payload, read_raw, snippet
from mockserver.apis.gmail.state import SENT, found_by, own_address, shown
from mockserver.googleapi import ApiError, Call, Handler, PageRule, invalid, not_found, page
from mockserver.model import JsonObject
from mockserver.state import rfc3339

_PAGES = PageRule(default=100, maximum=500, size="maxResults")
_TRASH = "TRASH"


def _send(call: Call) -> JsonObject:
    """Answers `users.messages.send`: the message is in the Sent store.

    Raises:
        ApiError: 400 without a readable `raw` or a recipient, 403 for another user. The texts are
            not verified against the live API.
    """
    owner = own_address(call)
    raw = str(call.body.get("raw", ""))
    if not raw:
        text = "'raw' RFC822 payload message string or uploading message via /upload/* URL required"
        raise invalid(text, reason="invalidArgument")
    content, message = read_raw(raw)
    ids = call.world.ids
    ident = ids.hex("message", 16)
    now = call.world.clock.now()
    if message["From"] is None:
        message["From"] = owner
    if message["Message-ID"] is None:
        message["Message-ID"] = f"<{ids.base36('mail', 20)}@mail.example.com>"
    if message["Date"] is None:
        message["Date"] = now.strftime("%a, %d %b %Y %H:%M:%S +0000")
    row: JsonObject = {
        "id": ident,
        "threadId": str(call.body.get("threadId") or ident),
        "labelIds": ["SENT"],
        "snippet": snippet(message),
        "historyId": str(1000 + len(call.world.table(SENT))),
        "sizeEstimate": len(content),
        "payload": payload(message),
        "raw": raw,
        "user": owner,
        "sentTime": rfc3339(now),
    }
    call.world.put(SENT, ident, row)
    return {name: row[name] for name in ("id", "threadId", "labelIds")}


def _list(call: Call) -> JsonObject:
    """Answers `users.messages.list`, the latest first."""
    own_address(call)
    found = found_by(call)
    rows, token = page(call, found, _PAGES)
    answer: JsonObject = {"resultSizeEstimate": len(found)}
    if rows:
        answer["messages"] = [{"id": row["id"], "threadId": row["threadId"]} for row in rows]
    return {**answer, **({"nextPageToken": token} if token else {})}


def _get(call: Call) -> JsonObject:
    """Answers `users.messages.get` in the format that is asked for."""
    names = call.params.get("metadataHeaders", ())
    return shown(_message(call), str(call.params.get("format", "full")).lower(), names)


def _message(call: Call) -> JsonObject:
    owner = own_address(call)
    found = call.world.table(SENT).get(str(call.params["id"]))
    if found is None or found.get("user", owner) != owner:
        raise not_found(asked=str(call.params["id"]))
    return found


def _delete(call: Call) -> None:
    """Answers `users.messages.delete`."""
    call.world.delete(SENT, _message(call)["id"])


def _trash(call: Call) -> JsonObject:
    """Answers `users.messages.trash`."""
    return _labelled(call, {_TRASH}, set())


def _untrash(call: Call) -> JsonObject:
    """Answers `users.messages.untrash`."""
    return _labelled(call, set(), {_TRASH})


def _modify(call: Call) -> JsonObject:
    """Answers `users.messages.modify`.

    Raises:
        ApiError: 400 when no label is added or removed.
    """
    add = set(call.body.get("addLabelIds") or ())
    remove = set(call.body.get("removeLabelIds") or ())
    if not add and not remove:
        raise ApiError(400, "No label add or removes specified", reason="invalidArgument")
    return _labelled(call, add, remove)


def _labelled(call: Call, add: set[str], remove: set[str]) -> JsonObject:
    row = _message(call)
    labels = sorted((set(row.get("labelIds", ())) | add) - remove)
    after = {**row, "labelIds": labels}
    call.world.put(SENT, row["id"], after)
    return {name: after[name] for name in ("id", "threadId", "labelIds")}


def _profile(call: Call) -> JsonObject:
    """Answers `users.getProfile`."""
    owner = own_address(call)
    mine = [row for row in call.world.table(SENT).rows().values() if row.get("user") == owner]
    return {
        "emailAddress": owner,
        "messagesTotal": len(mine),
        "threadsTotal": len({row["threadId"] for row in mine}),
        "historyId": str(1000 + len(mine)),
    }


HANDLERS: Mapping[str, Handler] = {
    "gmail.users.messages.send": _send,
    "gmail.users.messages.list": _list,
    "gmail.users.messages.get": _get,
    "gmail.users.messages.delete": _delete,
    "gmail.users.messages.trash": _trash,
    "gmail.users.messages.untrash": _untrash,
    "gmail.users.messages.modify": _modify,
    "gmail.users.getProfile": _profile,
}
