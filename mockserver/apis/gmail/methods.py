"""Methods of the Gmail API: messages, threads and labels, and messages in MIME."""

import binascii
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Mapping
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import cast

from mockserver.apis.gmail.search import LABELS, sent_at
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
from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    PageRule,
    duplicate,
    invalid,
    list_answer,
    not_found,
    page,
)
from mockserver.model import JsonObject
from mockserver.state import rfc3339

_SNIPPET = 200
_ADDRESSED = ("To", "Cc", "Bcc")


def parsed(text: str) -> tuple[bytes, EmailMessage]:
    """A message in base64, of either alphabet, with or without padding: its bytes, and read.

    Raises:
        binascii.Error: Not base64.
    """
    padded = text.replace("-", "+").replace("_", "/").rstrip("=")
    content = b64decode(padded + "=" * (-len(padded) % 4), validate=True)
    return content, message_from_bytes(content, policy=policy.default)


def read_raw(text: str, *, addressed: bool = True) -> tuple[bytes, EmailMessage]:
    """A message from the `raw` field of a request.

    Args:
        text: The field.
        addressed: Whether a message to nobody is refused.

    Raises:
        ApiError: 400: not base64, or a message to nobody.
    """
    try:
        content, message = parsed(text)
    except binascii.Error as error:
        raise _invalid("Invalid value for ByteString: raw") from error
    if addressed and not any(message[name] for name in _ADDRESSED):
        raise _invalid("Recipient address required")
    return content, message


def _invalid(text: str) -> ApiError:
    return ApiError(
        400, text, reason="invalidArgument", domain="global", code_name="INVALID_ARGUMENT"
    )


def encoded(content: bytes) -> str:
    """Bytes as Gmail writes them: base64 with the URL alphabet."""
    return urlsafe_b64encode(content).decode()


def payload(message: EmailMessage, number: str = "") -> JsonObject:
    """A message or part as the API's `MessagePart`."""
    made: JsonObject = {
        "partId": number,
        "mimeType": message.get_content_type(),
        "filename": message.get_filename() or "",
        "headers": [{"name": name, "value": str(value)} for name, value in message.items()],
    }
    if message.is_multipart():
        prefix = f"{number}." if number else ""
        parts = cast("list[EmailMessage]", message.get_payload())
        made["body"] = {"size": 0}
        made["parts"] = [payload(part, f"{prefix}{index}") for index, part in enumerate(parts)]
    else:
        content = cast(bytes, message.get_payload(decode=True)) or b""
        made["body"] = {"size": len(content), "data": encoded(content)}
    return made


def snippet(message: EmailMessage) -> str:
    """The first words of the text of a message."""
    part = message.get_body(preferencelist=("plain", "html"))
    text = str(part.get_content()) if part is not None else ""
    return " ".join(text.split())[:_SNIPPET]


_SYSTEM = (
    "CHAT", "SENT", "INBOX", "IMPORTANT", "TRASH", "DRAFT", "SPAM", "CATEGORY_FORUMS",
    "CATEGORY_UPDATES", "CATEGORY_PERSONAL", "CATEGORY_PROMOTIONS", "CATEGORY_SOCIAL", "STARRED",
    "UNREAD",
)  # fmt: skip
_SHOWN = {"labelListVisibility": "labelShow", "messageListVisibility": "show"}
_CHANGEABLE = ("name", "color", *_SHOWN)


def labels_of(call: Call) -> dict[str, JsonObject]:
    """The labels of the caller's mailbox, by id."""
    mine = own_address(call)
    found: dict[str, JsonObject] = {
        name: {"id": name, "name": name, "type": "system"} for name in _SYSTEM
    }
    for key, row in call.world.table(LABELS).rows().items():
        if row.get("user", mine) == mine:
            found[key] = {name: value for name, value in row.items() if name != "user"}
    return found


def known_labels(call: Call, *wanted: object) -> None:
    """Hold label ids of a request against those of the mailbox.

    Raises:
        ApiError: 400: there is none of that id.
    """
    known = labels_of(call)
    for each in wanted:
        if each not in known:
            raise ApiError(400, f"Invalid label: {each}", reason="invalidArgument")


def _list_label(call: Call) -> JsonObject:
    return {"labels": list(labels_of(call).values())}


def _get_label(call: Call) -> JsonObject:
    label = _label(call)
    rows = [
        row
        for row in messages(call.world, own_address(call))
        if label["id"] in row.get("labelIds", ())
    ]
    unread = [row for row in rows if "UNREAD" in row.get("labelIds", ())]
    return {
        **label,
        "messagesTotal": len(rows),
        "messagesUnread": len(unread),
        "threadsTotal": len({row["threadId"] for row in rows}),
        "threadsUnread": len({row["threadId"] for row in unread}),
    }


def _label(call: Call) -> JsonObject:
    ident = str(call.params["id"])
    label = labels_of(call).get(ident)
    if label is None:
        raise not_found(asked=ident)
    return label


def _create(call: Call) -> JsonObject:
    known = labels_of(call)
    name = str(call.body.get("name") or "")
    if not name:
        raise ApiError(400, "Invalid label name", reason="invalidArgument")
    _check_free(known, name)
    number = 1
    while f"Label_{number}" in known:
        number += 1
    given = {key: call.body[key] for key in _CHANGEABLE if key in call.body}
    row = {"id": f"Label_{number}", **_SHOWN, **given, "type": "user", "user": own_address(call)}
    call.world.put(LABELS, row["id"], row)
    return {key: value for key, value in row.items() if key != "user"}


def _check_free(known: Mapping[str, JsonObject], name: str, own: str = "") -> None:
    for ident, label in known.items():
        if ident != own and str(label["name"]).casefold() == name.casefold():
            raise duplicate("Label name exists or conflicts")


def _change(call: Call) -> JsonObject:
    label = _own(call)
    given = {key: call.body[key] for key in _CHANGEABLE if key in call.body}
    _check_free(labels_of(call), str(given.get("name", label["name"])), label["id"])
    row = call.world.table(LABELS).rows()[label["id"]]
    call.world.put(LABELS, label["id"], {**row, **given})
    return {**label, **given}


def _delete_label(call: Call) -> None:
    label = _own(call)
    for row in list(messages(call.world, own_address(call))):
        if label["id"] in row.get("labelIds", ()):
            left = [name for name in row["labelIds"] if name != label["id"]]
            call.world.put(table_of(call.world, row["id"]), row["id"], {**row, "labelIds": left})
    call.world.delete(LABELS, label["id"])


def _own(call: Call) -> JsonObject:
    """A label that may be changed: one of the user's own."""
    label = _label(call)
    if label.get("type") == "system":
        raise ApiError(400, "Invalid update request", reason="invalidArgument")
    return label


LABEL_HANDLERS: Mapping[str, Handler] = {
    "gmail.users.labels.list": _list_label,
    "gmail.users.labels.get": _get_label,
    "gmail.users.labels.create": _create,
    "gmail.users.labels.patch": _change,
    "gmail.users.labels.update": _change,
    "gmail.users.labels.delete": _delete_label,
}


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
    shown = [{"id": row["id"], "threadId": row["threadId"]} for row in rows]
    return list_answer("messages", shown, token, {"resultSizeEstimate": len(found)})


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
    shown = [
        {
            "id": row["threadId"],
            "snippet": row.get("snippet", ""),
            "historyId": row.get("historyId", "1000"),
        }
        for row in rows
    ]
    return list_answer("threads", shown, token, {"resultSizeEstimate": len(latest)})


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
