"""`users.labels.*`: the labels that every mailbox has, and those of a user's own."""

from collections.abc import Mapping

from mockserver.apis.gmail.search import LABELS
from mockserver.apis.gmail.state import messages, own_address, table_of
from mockserver.googleapi import ApiError, Call, Handler, duplicate, not_found
from mockserver.model import JsonObject

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


def _list(call: Call) -> JsonObject:
    return {"labels": list(labels_of(call).values())}


def _get(call: Call) -> JsonObject:
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


def _delete(call: Call) -> None:
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
    "gmail.users.labels.list": _list,
    "gmail.users.labels.get": _get,
    "gmail.users.labels.create": _create,
    "gmail.users.labels.patch": _change,
    "gmail.users.labels.update": _change,
    "gmail.users.labels.delete": _delete,
}
