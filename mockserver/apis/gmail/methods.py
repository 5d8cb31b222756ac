"""Methods of the Gmail API: messages, drafts, threads, and what happened since a moment."""

from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

import orjson

from mockserver.apis.gmail import MAIL, SENT, SETTINGS
from mockserver.apis.gmail.delivery import (
    add_message,
    completed_content,
    date_of,
    raw_of_request,
    read_raw,
    send_content,
)
from mockserver.apis.gmail.labels import HANDLERS as LABEL_HANDLERS
from mockserver.apis.gmail.labels import check_labels
from mockserver.apis.gmail.mime import encode_base64url, mime_of
from mockserver.apis.gmail.search import sent_at
from mockserver.apis.gmail.settings import HANDLERS as SETTING_HANDLERS
from mockserver.apis.gmail.state import (
    BY_DRAFT,
    BY_ID,
    BY_THREAD,
    attachment_id,
    attachment_parts,
    brief_message,
    find_messages,
    first_history_id,
    history_id,
    invalid_argument,
    message_in_format,
    messages_of,
    messages_with,
    own_address,
    put_message,
    table_of,
)
from mockserver.googleapi import ApiError, Call, Handler, PageRule, list_page, not_found
from mockserver.model import JsonObject
from mockserver.state import Change

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
    call.world.delete(SETTINGS, f"{own_address(call)}/Watch")


def _publish(call: Call, owner: str, topic: str) -> None:
    told = {"emailAddress": owner, "historyId": int(history_id(call.world))}
    data = b64encode(orjson.dumps(told)).decode()
    body: JsonObject = {"messages": [{"data": data}]}
    call.ask("pubsub.projects.topics.publish", {"topic": topic}, body)


def _with_notifications(handler: Handler) -> Handler:
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


_HISTORY_HANDLERS: Mapping[str, Handler] = {
    "gmail.users.history.list": _list_history,
    "gmail.users.watch": _watch,
    "gmail.users.stop": _stop,
}


_PAGES = PageRule(default=100, maximum=500, size="maxResults")
_TRASH: frozenset[str] = frozenset({"TRASH"})
_NONE: frozenset[str] = frozenset()
_NO_MESSAGE = "'raw' RFC822 payload message string or uploading message via /upload/* URL required"


def _send_message(call: Call) -> JsonObject:
    """Answers `users.messages.send`: the message is among the sent ones, and arrives.

    Raises:
        ApiError: 400 without a readable `raw` or a recipient, 403 for another user. The texts are
            not verified against the live API.
    """
    own_address(call)
    raw = raw_of_request(call, call.body, _NO_MESSAGE)
    return brief_message(send_content(call, read_raw(raw), str(call.body.get("threadId") or "")))


def _insert_message(call: Call) -> JsonObject:
    """Answers `users.messages.insert` and `import`: a message is put into the mailbox and not sent.

    Raises:
        ApiError: 400 without a readable `raw`, or for a label that is not there.
    """
    owner = own_address(call)
    content = read_raw(raw_of_request(call, call.body, _NO_MESSAGE), addressed=False)
    labels = list(call.body.get("labelIds") or ())
    check_labels(call, *labels)
    usual = "dateHeader" if call.id.endswith("import") else "receivedTime"
    dated = call.params.get("internalDateSource", usual) == "dateHeader"
    row = add_message(
        call.world, owner, MAIL, content, labels, call.world.ids.hex("message", 16),
        threadId=str(call.body.get("threadId") or ""), sentTime=date_of(content) if dated else "",
    )  # fmt: skip
    return brief_message(row)


def _list_messages(call: Call) -> JsonObject:
    """Answers `users.messages.list`, the latest first."""
    own_address(call)
    found = find_messages(call)
    head = {"resultSizeEstimate": len(found)}
    return list_page(call, "messages", found, _PAGES, _short_message, head)


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
        raise invalid_argument("No label add or removes specified")
    check_labels(call, *sorted(add | remove))
    if "DRAFT" in add:
        raise invalid_argument("Invalid label: DRAFT")
    return add, remove


def _change_labels(call: Call, row: JsonObject, add: Set[str], remove: Set[str]) -> JsonObject:
    labels = sorted((set(row.get("labelIds", ())) | add) - remove)
    after = {**row, "labelIds": labels}
    return brief_message(put_message(call.world, table_of(call.world, row["id"]), after))


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
            "historyId": row.get("historyId") or str(first_history_id(call.world)),
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
    rows = _find_thread(call)
    return {
        "id": rows[0]["threadId"],
        "historyId": str(rows[-1].get("historyId") or first_history_id(call.world)),
        "messages": [_formatted(call, row) for row in rows],
    }


def _change_thread_labels(call: Call, add: Set[str], remove: Set[str]) -> JsonObject:
    done = [_change_labels(call, row, add, remove) for row in _find_thread(call)]
    return {"id": done[0]["threadId"], "messages": done}


def _delete_thread(call: Call) -> None:
    for row in _find_thread(call):
        _remove_message(call, row)


def _get_profile(call: Call) -> JsonObject:
    owner = own_address(call)
    mine = list(messages_of(call.world, owner))
    return {
        "emailAddress": owner,
        "messagesTotal": len(mine),
        "threadsTotal": len({row["threadId"] for row in mine}),
        "historyId": history_id(call.world),
    }


# drafts: messages that have the id of a draft


def _find_draft(call: Call, ident: str) -> JsonObject:
    for row in messages_with(call.world, own_address(call), BY_DRAFT, ident):
        return row
    raise not_found(name=ident)


def _brief_draft(row: JsonObject) -> JsonObject:
    return {"id": row["draftId"], "message": brief_message(row)}


def _put_draft(call: Call, before: JsonObject | None) -> JsonObject:
    """Keep the message of a request as a draft, or in place of what a draft was."""
    message = call.body.get("message") or {}
    content = read_raw(raw_of_request(call, message, _NO_MESSAGE), addressed=False)
    known = before or {}
    if before is not None:
        _remove_message(call, before)
    return add_message(
        call.world, own_address(call), MAIL, completed_content(call, content), ["DRAFT"],
        call.world.ids.hex("draft message", 16), draftId=str(known.get("draftId", "")),
        threadId=str(message.get("threadId") or known.get("threadId", "")),
    )  # fmt: skip


def _update_draft(call: Call) -> JsonObject:
    """Answers `users.drafts.update`: the message of a draft is another one, of another id."""
    return _brief_draft(_put_draft(call, _find_draft(call, str(call.params["id"]))))


def _send_draft(call: Call) -> JsonObject:
    """Answers `users.drafts.send`: the draft is gone, and a message of another id is sent.

    Raises:
        ApiError: 404 for a draft that is not there, 400 for one to nobody.
    """
    draft = _find_draft(call, str(call.body.get("id") or ""))
    if call.body.get("message"):
        draft = _put_draft(call, draft)
    raw = draft.get("raw") or encode_base64url(mime_of(draft.get("payload") or {}))
    content = read_raw(str(raw))
    _remove_message(call, draft)
    return brief_message(send_content(call, content, str(draft["threadId"])))


def _get_draft(call: Call) -> JsonObject:
    row = _find_draft(call, str(call.params["id"]))
    return {"id": row["draftId"], "message": _formatted(call, row)}


def _list_drafts(call: Call) -> JsonObject:
    found = find_messages(replace(call, params={**call.params, "labelIds": ["DRAFT"]}))
    head = {"resultSizeEstimate": len(found)}
    return list_page(call, "drafts", found, _PAGES, _short_draft, head)


def _short_draft(row: JsonObject) -> JsonObject:
    return {"id": row["draftId"], "message": _short_message(row)}


def _short_message(row: JsonObject) -> JsonObject:
    return {"id": row["id"], "threadId": row["threadId"]}


_LABEL_CHANGES: Mapping[str, Callable[[Call], tuple[Set[str], Set[str]]]] = {
    "trash": lambda _: (_TRASH, _NONE),
    "untrash": lambda _: (_NONE, _TRASH),
    "modify": _label_changes,
}
_OF_MESSAGES: Mapping[str, Handler] = {
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
    "gmail.users.drafts.create": lambda call: _brief_draft(_put_draft(call, None)),
    "gmail.users.drafts.update": _update_draft,
    "gmail.users.drafts.get": _get_draft,
    "gmail.users.drafts.list": _list_drafts,
    "gmail.users.drafts.delete": lambda call: _remove_message(
        call, _find_draft(call, str(call.params["id"]))
    ),
    "gmail.users.drafts.send": _send_draft,
    **LABEL_HANDLERS,
}
HANDLERS: Mapping[str, Handler] = {
    **{
        name: each if name.endswith((".get", ".list")) else _with_notifications(each)
        for name, each in _OF_MESSAGES.items()
    },
    **_HISTORY_HANDLERS,
    **SETTING_HANDLERS,
}
