"""What happened in a mailbox since a moment: the changes of a session, in Gmail's words."""

from collections.abc import Iterator, Mapping

from mockserver.apis.gmail import MAIL, SENT
from mockserver.apis.gmail.state import (
    brief_message,
    first_history_id,
    history_id,
    invalid_argument,
    own_address,
)
from mockserver.googleapi import Call, Handler, PageRule, list_page, not_found
from mockserver.model import JsonObject
from mockserver.state import Change

_PAGES = PageRule(default=100, maximum=500, size="maxResults")
_TYPES = {"messageAdded": "messagesAdded", "messageDeleted": "messagesDeleted",
          "labelAdded": "labelsAdded", "labelRemoved": "labelsRemoved"}  # fmt: skip


def _list_history(call: Call) -> JsonObject:
    """Answers `users.history.list`.

    Raises:
        ApiError: 400 without a history id, 404 for one whose changes are forgotten.
    """
    owner, world = own_address(call), call.world
    start = str(call.params.get("startHistoryId") or "")
    if not start.isdecimal() or not int(start):
        raise invalid_argument("Missing or invalid parameter: startHistoryId")
    first = first_history_id(world)
    changes = world.history.since(min(max(0, int(start) - first), world.history.latest))
    if changes is None:
        raise not_found(name=start)
    records = [
        {"id": str(first + each.number), **told}
        for each in changes
        if each.collection in {SENT, MAIL}
        for told in _records(call, owner, each)
    ]
    answer = list_page(call, "history", records, _PAGES)
    return {**answer, "historyId": history_id(world)}


def _records(call: Call, owner: str, change: Change) -> Iterator[JsonObject]:
    """What a change of a message tells, as far as a call asks for it.

    Yields:
        Records without their ids.
    """
    row = change.after or change.before or {}
    if row.get("user", owner) != owner:
        return
    wanted = call.params.get("historyTypes") or _TYPES
    label = call.params.get("labelId")
    before = (change.before or {}).get("labelIds", [])
    after = (change.after or {}).get("labelIds", [])
    if label and label not in {*before, *after}:
        return
    told = brief_message(row)
    found: dict[str, JsonObject] = {}
    if change.before is None or change.after is None:
        found["messageAdded" if change.before is None else "messageDeleted"] = {"message": told}
    else:
        moved = {
            "labelAdded": [each for each in after if each not in before],
            "labelRemoved": [each for each in before if each not in after],
        }
        found = {kind: {"message": told, "labelIds": ids} for kind, ids in moved.items() if ids}
    short = {name: told[name] for name in ("id", "threadId")}
    for kind, each in found.items():
        if kind in wanted:
            yield {"messages": [short], _TYPES[kind]: [each]}


HANDLERS: Mapping[str, Handler] = {"gmail.users.history.list": _list_history}
