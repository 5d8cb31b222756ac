"""Methods of the Gmail API: Discovery id to handler. Source: Discovery document."""

from collections.abc import Mapping

from mockserver.apis.gmail.labels import LABEL_HANDLERS, known_labels
from mockserver.apis.gmail.mime import encoded, payload, read_raw, snippet
from mockserver.apis.gmail.search import sent_at
from mockserver.apis.gmail.state import (
    MAIL,
    SENT,
    attachment_id,
    attachments,
    found_by,
    messages,
    own_address,
    shown,
    table_of,
)
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
    raw = _raw(call)
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
    return _brief(row)


def _raw(call: Call) -> str:
    """The message of a request: in its body, or uploaded."""
    return str(call.body.get("raw") or (encoded(call.media.content) if call.media else ""))


def _brief(row: JsonObject) -> JsonObject:
    return {name: row[name] for name in ("id", "threadId", "labelIds") if name in row}


def _insert(call: Call) -> JsonObject:
    """Answers `users.messages.insert` and `import`: a message is in the mailbox, sent to nobody.

    Raises:
        ApiError: 400 without a readable `raw`, or for a label that is not there.
    """
    owner = own_address(call)
    raw = _raw(call)
    if not raw:
        raise invalid("'raw' RFC822 payload message string required", reason="invalidArgument")
    content, message = read_raw(raw, addressed=False)
    labels = list(call.body.get("labelIds") or ())
    known_labels(call, *labels)
    ident = call.world.ids.hex("message", 16)
    row: JsonObject = {
        "id": ident,
        "threadId": str(call.body.get("threadId") or ident),
        "labelIds": labels,
        "snippet": snippet(message),
        "historyId": str(1000 + len(call.world.table(MAIL))),
        "sizeEstimate": len(content),
        "payload": payload(message),
        "raw": raw,
        "user": owner,
        "sentTime": rfc3339(call.world.clock.now()),
    }
    call.world.put(MAIL, ident, row)
    return _brief(row)


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


def _message(call: Call, ident: str = "") -> JsonObject:
    owner = own_address(call)
    ident = ident or str(call.params["id"])
    name = table_of(call.world, ident)
    found = call.world.table(name).get(ident) if name else None
    if found is None or found.get("user", owner) != owner:
        raise not_found(asked=ident)
    return found


def _attachment(call: Call) -> JsonObject:
    """Answers `users.messages.attachments.get`."""
    row = _message(call, str(call.params["messageId"]))
    for part in attachments(row.get("payload", {})):
        if attachment_id(part, str(row["id"])) == call.params["id"]:
            data = str(part["body"].get("data", ""))
            return {"size": part["body"].get("size", len(data) * 3 // 4), "data": data}
    raise not_found(asked=str(call.params["id"]))


def _delete(call: Call) -> None:
    """Answers `users.messages.delete`."""
    _remove(call, _message(call))


def _remove(call: Call, row: JsonObject) -> None:
    call.world.delete(table_of(call.world, row["id"]), row["id"])


def _trash(call: Call) -> JsonObject:
    """Answers `users.messages.trash`."""
    return _labelled(call, _message(call), {_TRASH}, set())


def _untrash(call: Call) -> JsonObject:
    """Answers `users.messages.untrash`."""
    return _labelled(call, _message(call), set(), {_TRASH})


def _modify(call: Call) -> JsonObject:
    """Answers `users.messages.modify`.

    Raises:
        ApiError: 400 when no label is added or removed.
    """
    return _labelled(call, _message(call), *_asked_labels(call))


def _asked_labels(call: Call) -> tuple[set[str], set[str]]:
    add = set(call.body.get("addLabelIds") or ())
    remove = set(call.body.get("removeLabelIds") or ())
    if not add and not remove:
        raise ApiError(400, "No label add or removes specified", reason="invalidArgument")
    known_labels(call, *sorted(add | remove))
    return add, remove


def _labelled(call: Call, row: JsonObject, add: set[str], remove: set[str]) -> JsonObject:
    labels = sorted((set(row.get("labelIds", ())) | add) - remove)
    after = {**row, "labelIds": labels}
    call.world.put(table_of(call.world, row["id"]), row["id"], after)
    return _brief(after)


def _modify_many(call: Call) -> None:
    """Answers `users.messages.batchModify`: all of them, or none.

    Raises:
        ApiError: 400 when no label is added or removed, 404 for a message that is not there.
    """
    add, remove = _asked_labels(call)
    for row in [_message(call, str(ident)) for ident in call.body.get("ids") or ()]:
        _labelled(call, row, add, remove)


def _delete_many(call: Call) -> None:
    """Answers `users.messages.batchDelete`, which does not tell what was not there."""
    owner = own_address(call)
    wanted = set(call.body.get("ids") or ())
    for row in [each for each in messages(call.world, owner) if each["id"] in wanted]:
        _remove(call, row)


def _list_threads(call: Call) -> JsonObject:
    """Answers `users.threads.list`: those with a message that is found, the latest first."""
    own_address(call)
    latest: dict[str, JsonObject] = {}
    for row in found_by(call):
        latest.setdefault(str(row["threadId"]), row)
    rows, token = page(call, list(latest.values()), _PAGES)
    answer: JsonObject = {"resultSizeEstimate": len(latest)}
    if rows:
        answer["threads"] = [
            {
                "id": row["threadId"],
                "snippet": row.get("snippet", ""),
                "historyId": row.get("historyId", "1000"),
            }
            for row in rows
        ]
    return {**answer, **({"nextPageToken": token} if token else {})}


def _thread(call: Call) -> list[JsonObject]:
    """The messages of the thread that a call names, the oldest first."""
    ident, owner = str(call.params["id"]), own_address(call)
    rows = [row for row in messages(call.world, owner) if row["threadId"] == ident]
    if not rows:
        raise not_found(asked=ident)
    return sorted(rows, key=sent_at)


def _get_thread(call: Call) -> JsonObject:
    """Answers `users.threads.get`."""
    names = call.params.get("metadataHeaders", ())
    form = str(call.params.get("format", "full")).lower()
    rows = _thread(call)
    return {
        "id": rows[0]["threadId"],
        "historyId": str(rows[-1].get("historyId", "1000")),
        "messages": [shown(row, form, names) for row in rows],
    }


def _modify_thread(call: Call) -> JsonObject:
    """Answers `users.threads.modify`.

    Raises:
        ApiError: 400 when no label is added or removed.
    """
    return _labelled_thread(call, *_asked_labels(call))


def _trash_thread(call: Call) -> JsonObject:
    """Answers `users.threads.trash`."""
    return _labelled_thread(call, {_TRASH}, set())


def _untrash_thread(call: Call) -> JsonObject:
    """Answers `users.threads.untrash`."""
    return _labelled_thread(call, set(), {_TRASH})


def _labelled_thread(call: Call, add: set[str], remove: set[str]) -> JsonObject:
    done = [_labelled(call, row, add, remove) for row in _thread(call)]
    return {"id": done[0]["threadId"], "messages": done}


def _delete_thread(call: Call) -> None:
    """Answers `users.threads.delete`."""
    for row in _thread(call):
        _remove(call, row)


def _profile(call: Call) -> JsonObject:
    """Answers `users.getProfile`."""
    owner = own_address(call)
    mine = list(messages(call.world, owner))
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
    "gmail.users.messages.insert": _insert,
    "gmail.users.messages.import": _insert,
    "gmail.users.messages.batchModify": _modify_many,
    "gmail.users.messages.batchDelete": _delete_many,
    "gmail.users.messages.attachments.get": _attachment,
    "gmail.users.threads.list": _list_threads,
    "gmail.users.threads.get": _get_thread,
    "gmail.users.threads.modify": _modify_thread,
    "gmail.users.threads.trash": _trash_thread,
    "gmail.users.threads.untrash": _untrash_thread,
    "gmail.users.threads.delete": _delete_thread,
    "gmail.users.getProfile": _profile,
    **LABEL_HANDLERS,
}
