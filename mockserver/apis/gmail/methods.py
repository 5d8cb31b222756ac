"""Methods of the Gmail API: messages, threads and labels, and messages in MIME."""

import binascii
from base64 import b64decode, urlsafe_b64encode
from bisect import bisect_left
from collections.abc import Callable, Mapping, Set
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import partial
from typing import cast

from mockserver.apis.gmail import LABELS, MAIL, SENT
from mockserver.apis.gmail.search import sent_at
from mockserver.apis.gmail.state import (
    BY_ID,
    BY_LABEL,
    BY_THREAD,
    attachment_id,
    attachment_parts,
    find_messages,
    message_in_format,
    messages_of,
    messages_with,
    own_address,
    table_of,
)
from mockserver.collections import Index
from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    PageRule,
    duplicate,
    list_page,
    not_found,
)
from mockserver.model import JsonObject
from mockserver.state import rfc3339

_SNIPPET_LENGTH = 200
_ADDRESSED = ("To", "Cc", "Bcc")


def parse_message(text: str) -> tuple[bytes, EmailMessage]:
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
        content, message = parse_message(text)
    except binascii.Error as error:
        raise _invalid("Invalid value for ByteString: raw", "INVALID_ARGUMENT") from error
    if addressed and not any(message[name] for name in _ADDRESSED):
        raise _invalid("Recipient address required", "INVALID_ARGUMENT")
    return content, message


def _invalid(text: str, code: str = "") -> ApiError:
    return ApiError(400, text, reason="invalidArgument", code_name=code)


def encode_base64url(content: bytes) -> str:
    """Bytes as Gmail writes them: base64 with the URL alphabet."""
    return urlsafe_b64encode(content).decode()


def message_part(message: EmailMessage, number: str = "") -> JsonObject:
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
        made["parts"] = [message_part(part, f"{prefix}{index}") for index, part in enumerate(parts)]
    else:
        content = cast(bytes, message.get_payload(decode=True)) or b""
        made["body"] = {"size": len(content), "data": encode_base64url(content)}
    return made


def snippet(message: EmailMessage) -> str:
    """The first words of the text of a message."""
    part = message.get_body(preferencelist=("plain", "html"))
    text = str(part.get_content()) if part is not None else ""
    return " ".join(text.split())[:_SNIPPET_LENGTH]


_SYSTEM = (
    "CHAT", "SENT", "INBOX", "IMPORTANT", "TRASH", "DRAFT", "SPAM", "CATEGORY_FORUMS",
    "CATEGORY_UPDATES", "CATEGORY_PERSONAL", "CATEGORY_PROMOTIONS", "CATEGORY_SOCIAL", "STARRED",
    "UNREAD",
)  # fmt: skip
_SYSTEM_WORDS = frozenset(name.casefold() for name in _SYSTEM)
_VISIBILITY = {"labelListVisibility": "labelShow", "messageListVisibility": "show"}
_CHANGEABLE = ("name", "color", *_VISIBILITY)


def labels_of(call: Call) -> dict[str, JsonObject]:
    """The labels of the caller's mailbox, by id."""
    names = (*_SYSTEM, *call.world.table(LABELS).rows())
    return {name: label for name in names if (label := _label(call, name)) is not None}


def _label(call: Call, ident: str) -> JsonObject | None:
    """A label of the caller's mailbox, or None."""
    row = call.world.table(LABELS).get(ident)
    if row is None:
        return {"id": ident, "name": ident, "type": "system"} if ident in _SYSTEM else None
    mine = own_address(call)
    is_mine = row.get("user", mine) == mine
    return {name: row[name] for name in row if name != "user"} if is_mine else None


def check_labels(call: Call, *wanted: object) -> None:
    """Hold label ids of a request against those of the mailbox.

    Raises:
        ApiError: 400: there is none of that id; 403 for the mailbox of somebody else.
    """
    own_address(call)
    for each in wanted:
        if _label(call, str(each)) is None:
            raise _invalid(f"Invalid label: {each}")


def _get_label(call: Call) -> JsonObject:
    label = _find_label(call)
    rows = messages_with(call.world, own_address(call), BY_LABEL, label["id"])
    unread = [row for row in rows if "UNREAD" in row.get("labelIds", ())]
    return {
        **label,
        "messagesTotal": len(rows),
        "messagesUnread": len(unread),
        "threadsTotal": len({row["threadId"] for row in rows}),
        "threadsUnread": len({row["threadId"] for row in unread}),
    }


def _find_label(call: Call) -> JsonObject:
    ident = str(call.params["id"])
    label = _label(call, ident)
    if label is None:
        raise not_found(name=ident)
    return label


def _create_label(call: Call) -> JsonObject:
    name = str(call.body.get("name") or "")
    if not name:
        raise _invalid("Invalid label name")
    _check_free(call, name)
    given = {key: call.body[key] for key in _CHANGEABLE if key in call.body}
    row = {
        "id": f"Label_{_free_number(call)}", **_VISIBILITY, **given, "type": "user",
        "user": own_address(call),
    }  # fmt: skip
    call.world.put(LABELS, row["id"], row)
    return {key: value for key, value in row.items() if key != "user"}


def _check_free(call: Call, name: str, own: str = "") -> None:
    mine, word = own_address(call), name.casefold()
    others = (row for row in call.world.table(LABELS).find(_BY_NAME, word) if row["id"] != own)
    if word in _SYSTEM_WORDS or any(row.get("user", mine) == mine for row in others):
        raise duplicate("Label name exists or conflicts")


def _free_number(call: Call) -> int:
    """The least number that no label of the mailbox has in its id."""
    table, owners = call.world.table(LABELS), ("", own_address(call))

    def is_after(number: int) -> bool:
        """Whether some number up to this one is free."""
        return number > sum(
            len(table.between(_BY_NUMBER, (owner, 1), (owner, number + 1))) for owner in owners
        )

    return 1 + bisect_left(range(1, len(table) + 2), x=True, key=is_after)


def _number(key: str, row: JsonObject) -> tuple[tuple[str, int], ...]:
    _, sign, number = key.partition("Label_")
    return ((str(row.get("user", "")), int(number)),) if sign and number.isdecimal() else ()


_BY_NUMBER = Index(_number)
_BY_NAME = Index(lambda _, row: (str(row["name"]).casefold(),))


def _change_label(call: Call) -> JsonObject:
    label = _own_label(call)
    given = {key: call.body[key] for key in _CHANGEABLE if key in call.body}
    _check_free(call, str(given.get("name", label["name"])), label["id"])
    row = call.world.table(LABELS).get(label["id"]) or {}
    call.world.put(LABELS, label["id"], {**row, **given})
    return {**label, **given}


def _delete_label(call: Call) -> None:
    label = _own_label(call)
    for row in messages_with(call.world, own_address(call), BY_LABEL, label["id"]):
        left = [name for name in row["labelIds"] if name != label["id"]]
        call.world.put(table_of(call.world, row["id"]), row["id"], {**row, "labelIds": left})
    call.world.delete(LABELS, label["id"])


def _own_label(call: Call) -> JsonObject:
    """A label that may be changed: one of the user's own."""
    label = _find_label(call)
    if label.get("type") == "system":
        raise _invalid("Invalid update request")
    return label


_PAGES = PageRule(default=100, maximum=500, size="maxResults")
_TRASH: frozenset[str] = frozenset({"TRASH"})
_NONE: frozenset[str] = frozenset()


def _send_message(call: Call) -> JsonObject:
    """Answers `users.messages.send`: the message is in the Sent store.

    Raises:
        ApiError: 400 without a readable `raw` or a recipient, 403 for another user. The texts are
            not verified against the live API.
    """
    owner = own_address(call)
    raw = _raw_of_request(call)
    if not raw:
        text = "'raw' RFC822 payload message string or uploading message via /upload/* URL required"
        raise _invalid(text)
    content, message = read_raw(raw)
    ids, now = call.world.ids, call.world.clock.now()
    ident = ids.hex("message", 16)
    if message["From"] is None:
        message["From"] = owner
    if message["Message-ID"] is None:
        message["Message-ID"] = f"<{ids.base36('mail', 20)}@mail.example.com>"
    if message["Date"] is None:
        message["Date"] = now.strftime("%a, %d %b %Y %H:%M:%S +0000")
    return _put_message(call, SENT, ident, ["SENT"], (raw, content, message))


def _put_message(
    call: Call, table: str, ident: str, labels: list[str], read: tuple[str, bytes, EmailMessage]
) -> JsonObject:
    """Put a message into a table, given as text, as bytes and read."""
    raw, content, message = read
    row: JsonObject = {
        "id": ident,
        "threadId": str(call.body.get("threadId") or ident),
        "labelIds": labels,
        "snippet": snippet(message),
        "historyId": str(1000 + len(call.world.table(table))),
        "sizeEstimate": len(content),
        "payload": message_part(message),
        "raw": raw,
        "user": own_address(call),
        "sentTime": rfc3339(call.world.clock.now()),
    }
    call.world.put(table, ident, row)
    return _brief_message(row)


def _raw_of_request(call: Call) -> str:
    """The message of a request: in its body, or uploaded."""
    return str(call.body.get("raw") or (encode_base64url(call.media.content) if call.media else ""))


def _brief_message(row: JsonObject) -> JsonObject:
    return {name: row[name] for name in ("id", "threadId", "labelIds") if name in row}


def _insert_message(call: Call) -> JsonObject:
    """Answers `users.messages.insert` and `import`: a message is put into the mailbox and not sent.

    Raises:
        ApiError: 400 without a readable `raw`, or for a label that is not there.
    """
    own_address(call)
    raw = _raw_of_request(call)
    if not raw:
        raise _invalid("'raw' RFC822 payload message string required")
    read = read_raw(raw, addressed=False)
    labels = list(call.body.get("labelIds") or ())
    check_labels(call, *labels)
    return _put_message(call, MAIL, call.world.ids.hex("message", 16), labels, (raw, *read))


def _list_messages(call: Call) -> JsonObject:
    """Answers `users.messages.list`, the latest first."""
    own_address(call)
    found = find_messages(call)
    head = {"resultSizeEstimate": len(found)}
    return list_page(
        call,
        "messages",
        found,
        _PAGES,
        lambda row: {"id": row["id"], "threadId": row["threadId"]},
        head,
    )


def _formatted(call: Call, row: JsonObject) -> JsonObject:
    """A message in the format that is asked for."""
    form = str(call.params.get("format", "full")).lower()
    return message_in_format(row, form, call.params.get("metadataHeaders", ()))


def _find_message(call: Call, ident: str = "") -> JsonObject:
    owner = own_address(call)
    ident = ident or str(call.params["id"])
    name = table_of(call.world, ident)
    found = call.world.table(name).get(ident) if name else None
    if found is None or found.get("user", owner) != owner:
        raise not_found(name=ident)
    return found


def _get_attachment(call: Call) -> JsonObject:
    """Answers `users.messages.attachments.get`."""
    row = _find_message(call, str(call.params["messageId"]))
    for part in attachment_parts(row.get("payload", {})):
        if attachment_id(part, str(row["id"])) == call.params["id"]:
            data = str(part["body"].get("data", ""))
            return {"size": part["body"].get("size", len(data) * 3 // 4), "data": data}
    raise not_found(name=str(call.params["id"]))


def _remove_message(call: Call, row: JsonObject) -> None:
    call.world.delete(table_of(call.world, row["id"]), row["id"])


def _label_changes(call: Call) -> tuple[Set[str], Set[str]]:
    """The labels that a request adds and removes; ApiError 400 when there are none."""
    add = set(call.body.get("addLabelIds") or ())
    remove = set(call.body.get("removeLabelIds") or ())
    if not add and not remove:
        raise _invalid("No label add or removes specified")
    check_labels(call, *sorted(add | remove))
    return add, remove


def _change_labels(call: Call, row: JsonObject, add: Set[str], remove: Set[str]) -> JsonObject:
    labels = sorted((set(row.get("labelIds", ())) | add) - remove)
    after = {**row, "labelIds": labels}
    call.world.put(table_of(call.world, row["id"]), row["id"], after)
    return _brief_message(after)


def _modify_messages(call: Call) -> None:
    """Answers `users.messages.batchModify`: all of them, or none.

    Raises:
        ApiError: 400 when no label is added or removed, 404 for a message that is not there.
    """
    add, remove = _label_changes(call)
    for row in [_find_message(call, str(ident)) for ident in call.body.get("ids") or ()]:
        _change_labels(call, row, add, remove)


def _delete_messages(call: Call) -> None:
    """Answers `users.messages.batchDelete`, which does not tell what was not there."""
    owner = own_address(call)
    for ident in dict.fromkeys(map(str, call.body.get("ids") or ())):
        for row in messages_with(call.world, owner, BY_ID, ident):
            _remove_message(call, row)


def _list_threads(call: Call) -> JsonObject:
    """Answers `users.threads.list`: those with a message that is found, the latest first."""
    own_address(call)
    latest: dict[str, JsonObject] = {}
    for row in find_messages(call):
        latest.setdefault(str(row["threadId"]), row)
    return list_page(
        call, "threads", list(latest.values()), _PAGES,
        lambda row: {
            "id": row["threadId"], "snippet": row.get("snippet", ""),
            "historyId": row.get("historyId", "1000"),
        },
        {"resultSizeEstimate": len(latest)},
    )  # fmt: skip


def _find_thread(call: Call) -> list[JsonObject]:
    """The messages of the thread that a call names, the oldest first."""
    ident, owner = str(call.params["id"]), own_address(call)
    rows = messages_with(call.world, owner, BY_THREAD, ident)
    if not rows:
        raise not_found(name=ident)
    return sorted(rows, key=sent_at)


def _get_thread(call: Call) -> JsonObject:
    """Answers `users.threads.get`."""
    rows = _find_thread(call)
    return {
        "id": rows[0]["threadId"],
        "historyId": str(rows[-1].get("historyId", "1000")),
        "messages": [_formatted(call, row) for row in rows],
    }


def _change_thread_labels(call: Call, add: Set[str], remove: Set[str]) -> JsonObject:
    done = [_change_labels(call, row, add, remove) for row in _find_thread(call)]
    return {"id": done[0]["threadId"], "messages": done}


def _delete_thread(call: Call) -> None:
    """Answers `users.threads.delete`."""
    for row in _find_thread(call):
        _remove_message(call, row)


def _get_profile(call: Call) -> JsonObject:
    """Answers `users.getProfile`."""
    owner = own_address(call)
    mine = list(messages_of(call.world, owner))
    return {
        "emailAddress": owner,
        "messagesTotal": len(mine),
        "threadsTotal": len({row["threadId"] for row in mine}),
        "historyId": str(1000 + len(mine)),
    }


_LABEL_CHANGES: Mapping[str, Callable[[Call], tuple[Set[str], Set[str]]]] = {
    "trash": lambda _: (_TRASH, _NONE),
    "untrash": lambda _: (_NONE, _TRASH),
    "modify": _label_changes,
}
HANDLERS: Mapping[str, Handler] = {
    **{
        f"gmail.users.messages.{verb}": partial(
            lambda change, call: _change_labels(call, _find_message(call), *change(call)), change
        )
        for verb, change in _LABEL_CHANGES.items()
    },
    **{
        f"gmail.users.threads.{verb}": partial(
            lambda change, call: _change_thread_labels(call, *change(call)), change
        )
        for verb, change in _LABEL_CHANGES.items()
    },
    "gmail.users.messages.send": _send_message,
    "gmail.users.messages.list": _list_messages,
    "gmail.users.messages.get": lambda call: _formatted(call, _find_message(call)),
    "gmail.users.messages.delete": lambda call: _remove_message(call, _find_message(call)),
    "gmail.users.messages.insert": _insert_message,
    "gmail.users.messages.import": _insert_message,
    "gmail.users.messages.batchModify": _modify_messages,
    "gmail.users.messages.batchDelete": _delete_messages,
    "gmail.users.messages.attachments.get": _get_attachment,
    "gmail.users.threads.list": _list_threads,
    "gmail.users.threads.get": _get_thread,
    "gmail.users.threads.delete": _delete_thread,
    "gmail.users.getProfile": _get_profile,
    "gmail.users.labels.list": lambda call: {"labels": list(labels_of(call).values())},
    "gmail.users.labels.get": _get_label,
    "gmail.users.labels.create": _create_label,
    "gmail.users.labels.patch": _change_label,
    "gmail.users.labels.update": _change_label,
    "gmail.users.labels.delete": _delete_label,
}
