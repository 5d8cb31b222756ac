"""The labels of a mailbox: those of every mailbox, and its own."""

from bisect import bisect_left
from collections.abc import Mapping

from mockserver.apis.gmail import LABELS
from mockserver.apis.gmail.search import BY_LABEL
from mockserver.apis.gmail.state import (
    invalid_argument,
    messages_with,
    own_address,
    table_of,
)
from mockserver.collections import Index
from mockserver.googleapi import Call, Handler, duplicate, not_found
from mockserver.model import JsonObject

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
            raise invalid_argument(f"Invalid label: {each}")


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
        raise invalid_argument("Invalid label name")
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
        raise invalid_argument("Invalid update request")
    return label


HANDLERS: Mapping[str, Handler] = {
    "gmail.users.labels.list": lambda call: {"labels": list(labels_of(call).values())},
    "gmail.users.labels.get": _get_label,
    "gmail.users.labels.create": _create_label,
    "gmail.users.labels.patch": _change_label,
    "gmail.users.labels.update": _change_label,
    "gmail.users.labels.delete": _delete_label,
}
