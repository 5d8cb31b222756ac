"""What happened in a mailbox since a moment: the changes of a session, in Gmail's words."""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Set
from contextlib import suppress
from datetime import datetime, timedelta

import orjson

from mockserver.apis.gmail import MAIL, SENT, SETTINGS
from mockserver.apis.gmail.state import (
    brief_message,
    first_history_id,
    history_id,
    invalid_argument,
    own_address,
)
from mockserver.googleapi import ApiError, Call, Handler, PageRule, list_page, not_found
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


# notifications

_WEEK = timedelta(days=7)
_FOR_LABELS = frozenset({"labelIds", "labelFilterBehavior", "labelFilterAction", "topicName"})


def _watch(call: Call) -> JsonObject:
    """Answers `users.watch`: a notification is published at once, and after each change.

    Raises:
        ApiError: 400 without a topic, or for one that nothing can be published to.
    """
    owner, world = own_address(call), call.world
    topic = str(call.body.get("topicName") or "")
    if not topic.startswith("projects/"):
        raise invalid_argument(f"Invalid topicName does not match projects/*/topics/*: {topic}")
    expiration = str(int((world.clock.now() + _WEEK).timestamp() * 1000))
    kept = {name: call.body[name] for name in _FOR_LABELS if name in call.body}
    try:
        _publish(call, owner, topic)
    except ApiError as error:
        text = f"Error sending test message to Cloud PubSub {topic} : {error.message}"
        raise invalid_argument(text) from error
    world.put(SETTINGS, f"{owner}/Watch", {**kept, "expiration": expiration})
    return {"historyId": history_id(world), "expiration": expiration}


def _stop(call: Call) -> None:
    """Answers `users.stop`."""
    call.world.delete(SETTINGS, f"{own_address(call)}/Watch")


def _publish(call: Call, owner: str, topic: str) -> None:
    told = {"emailAddress": owner, "historyId": int(history_id(call.world))}
    data = b64encode(orjson.dumps(told)).decode()
    body: JsonObject = {"messages": [{"data": data}]}
    call.ask("pubsub.projects.topics.publish", {"topic": topic}, body)


def with_notifications(handler: Handler) -> Handler:
    """A handler after which those who watch changed mailboxes are told by Pub/Sub."""

    def answer(call: Call) -> JsonObject | None:
        world, start = call.world, call.world.history.latest
        answered = handler(call)
        changed: dict[str, set[str]] = {}
        for each in world.history.since(start) or () if world.history.latest > start else ():
            row = each.after or each.before or {}
            if each.collection in {SENT, MAIL} and row.get("user"):
                found = changed.setdefault(str(row["user"]), set())
                found.update((each.before or {}).get("labelIds", ()), row.get("labelIds", ()))
        for owner, labels in changed.items():
            watch = world.table(SETTINGS).get(f"{owner}/Watch")
            if watch is not None and _is_told(watch, labels, world.clock.now()):
                with suppress(ApiError):  # the topic is gone
                    _publish(call, owner, str(watch["topicName"]))
        return answered

    return answer


def _is_told(watch: JsonObject, labels: Set[str], now: datetime) -> bool:
    """Whether a change of messages with some labels is one that a watch is for."""
    if int(watch["expiration"]) < now.timestamp() * 1000:
        return False
    asked = set(watch.get("labelIds") or ())
    how = watch.get("labelFilterBehavior") or watch.get("labelFilterAction") or "include"
    return not asked or asked.isdisjoint(labels) is (str(how).casefold() == "exclude")


HANDLERS: Mapping[str, Handler] = {
    "gmail.users.history.list": _list_history,
    "gmail.users.watch": _watch,
    "gmail.users.stop": _stop,
}
