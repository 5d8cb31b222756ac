"""Methods of Pub/Sub with a meaning of their own; the others are answered by conventions.

Source: the reference of Pub/Sub, and what its emulator answers. Not verified against the live API:
texts of refusals, but for those of what is not there.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import cast

from mockserver.apis.pubsub.backlogs import Backlog, message_test, publish, published_at
from mockserver.apis.pubsub.collections import (
    BACKLOGS,
    BY_DEAD_LETTER_TOPIC,
    BY_TOPIC,
    MESSAGES,
    SNAPSHOTS,
    SUBSCRIPTIONS,
    TOPICS,
)
from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    PageRule,
    failed_precondition,
    invalid,
    list_answer,
    not_found,
    page,
)
from mockserver.model import JsonObject
from mockserver.state import World, parse_rfc3339, project_names, rfc3339

_DELETED = "_deleted-topic_"
_NAME = re.compile(r"(?!goog)[A-Za-z][A-Za-z0-9._~%+-]{2,254}")
_MOST_MESSAGES, _MOST_ACK_S, _LEAST_ACK_S = 1000, 600, 10
_PAGES = PageRule(default=100, maximum=1000)
_SNAPSHOT_DAYS = 7
_RETENTION = "604800s"
_ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo"


def _row(world: World, table: str, name: str) -> JsonObject:
    """A row by its name.

    Raises:
        ApiError: 404.
    """
    for each in project_names(world, name):
        found = world.table(table).get(each)
        if found is not None:
            return found
    raise not_found(f"Resource not found (resource={name.rpartition('/')[2]}).", name=name)


def _check_new(call: Call, table: str) -> None:
    """Refuse a name that cannot be, or that is taken; raises ApiError."""
    name = str(call.params["name"])
    last = name.rpartition("/")[2]
    if name in call.world.table(table):
        text = f"Resource already exists in the project (resource={last})."
        raise ApiError(409, text, code_name="ALREADY_EXISTS")
    if not _NAME.fullmatch(last):
        more = "Refer to https://cloud.google.com/pubsub/docs/admin#resource_names"
        text = f"Invalid resource name given (name={name}). {more} for more information."
        raise invalid(text, location="name")


def _create_topic(call: Call) -> JsonObject:
    _check_new(call, TOPICS)
    made = call.answer_by_conventions()
    row = {key: each for key, each in made.items() if key != "state"}
    call.world.put(TOPICS, row["name"], row)
    return row


def _delete_topic(call: Call) -> JsonObject:
    name = str(_row(call.world, TOPICS, str(call.params["topic"]))["name"])
    for row in list(call.world.table(SUBSCRIPTIONS).find(BY_TOPIC, name)):
        call.world.put(SUBSCRIPTIONS, row["name"], {**row, "topic": _DELETED})
    return call.answer_by_conventions()


def _publish(call: Call) -> JsonObject:
    name = str(_row(call.world, TOPICS, str(call.params["topic"]))["name"])
    messages = call.body.get("messages") or []
    if not 0 < len(messages) <= _MOST_MESSAGES:
        size = "small" if not messages else "large"
        bound = "minimum value is 1" if not messages else "maximum value is 1000"
        text = f"The value for message_count is too {size}. You passed {len(messages)} in the"
        raise invalid(f"{text} request, but the {bound}.", location="messages")
    if not all(each.get("data") or each.get("attributes") for each in messages):
        text = "One or more messages in the publish request is empty. Each message must contain"
        raise invalid(f"{text} either non-empty data, or at least one attribute.")
    return {"messageIds": publish(call.world, name, messages)}


def _names_of_topic(call: Call, table: str, key: str) -> JsonObject:
    topic = str(_row(call.world, TOPICS, str(call.params["topic"]))["name"])
    several, token = page(call, call.world.table(table).find(BY_TOPIC, topic), _PAGES)
    return list_answer(key, [row["name"] for row in several], token)


def _create_subscription(call: Call) -> JsonObject:
    _check_new(call, SUBSCRIPTIONS)
    body = call.body
    _row(call.world, TOPICS, str(body.get("topic", "")))
    _check_subscription(body)
    message_test(str(body.get("filter") or ""))
    body.setdefault("messageRetentionDuration", _RETENTION)
    if not body.get("ackDeadlineSeconds"):
        body["ackDeadlineSeconds"] = _LEAST_ACK_S
    return call.answer_by_conventions()


def _check_subscription(row: JsonObject) -> None:
    found = int(row.get("ackDeadlineSeconds") or _LEAST_ACK_S)
    if not _LEAST_ACK_S <= found <= _MOST_ACK_S:
        text = f"Invalid ack deadline given (ack_deadline_seconds={found}). It must be between"
        raise invalid(f"{text} {_LEAST_ACK_S} and {_MOST_ACK_S} seconds.")
    attempts = (row.get("deadLetterPolicy") or {}).get("maxDeliveryAttempts")
    if attempts and not 5 <= int(attempts) <= 100:
        text = f"Invalid max delivery attempts given (max_delivery_attempts={attempts}). It must be"
        raise invalid(f"{text} between 5 and 100.")


def _change_subscription(call: Call) -> JsonObject:
    given = call.body.get("subscription") or {}
    _check_subscription(given)
    before = _row(call.world, SUBSCRIPTIONS, str(call.params["name"]))
    for field in ("filter", "topic", "enableMessageOrdering"):
        named = field in str(call.body.get("updateMask", "")).split(",")
        if named and given.get(field) != before.get(field):
            raise invalid(f"Invalid update_mask provided: {field} cannot be changed.")
    return call.answer_by_conventions()


def _delete_subscription(call: Call) -> JsonObject:
    _backlog(call).clear()
    return call.answer_by_conventions()


def _backlog(call: Call) -> Backlog:
    """The backlog of the subscription that a call names; raises ApiError."""
    return Backlog(call.world, _row(call.world, SUBSCRIPTIONS, str(call.params["subscription"])))


def _attached(call: Call) -> Backlog:
    """The same, of a subscription that still gets messages.

    Raises:
        ApiError: 404; 400: it was detached.
    """
    backlog = _backlog(call)
    if backlog.row.get("detached"):
        raise failed_precondition("The subscription is detached from its topic.")
    # messages that others have given up come first: this may be their dead letters
    givers = call.world.table(SUBSCRIPTIONS).find(
        BY_DEAD_LETTER_TOPIC, str(backlog.row.get("topic", ""))
    )
    for row in list(givers):
        Backlog(call.world, row).settle()
    return backlog


def _pull(call: Call) -> JsonObject:
    backlog, most = _attached(call), int(call.body.get("maxMessages") or 0)
    if most <= 0:
        raise invalid("Invalid max_messages given: it must be positive.", location="maxMessages")
    found = backlog.take(min(most, _MOST_MESSAGES))
    return {"receivedMessages": found} if found else {}


def _refuse_stale(backlog: Backlog, stale: Sequence[str]) -> None:
    """Name the deliveries that are over, where they are to be exactly once; raises ApiError."""
    if not stale or not backlog.row.get("enableExactlyOnceDelivery"):
        return
    text = "Some acknowledgement ids in the request were invalid. This could be because the"
    reason = "PERMANENT_FAILURE_INVALID_ACK_ID"
    info: JsonObject = {
        "@type": _ERROR_INFO, "reason": reason, "domain": "pubsub.googleapis.com",
        "metadata": dict.fromkeys(stale, reason),
    }  # fmt: skip
    text = f"{text} acknowledgement ids have expired or are malformed."
    raise ApiError(400, text, code_name="INVALID_ARGUMENT", details=(info,))


def _acknowledge(call: Call) -> JsonObject:
    backlog = _backlog(call)
    ack_ids = call.body.get("ackIds") or []
    if not ack_ids:
        raise invalid("No ack ids specified.", location="ackIds")
    _refuse_stale(backlog, backlog.acknowledge(ack_ids))
    return {}


def _modify_deadline(call: Call) -> JsonObject:
    backlog = _backlog(call)
    by_s = int(call.body.get("ackDeadlineSeconds") or 0)
    if not 0 <= by_s <= _MOST_ACK_S:
        text = f"Invalid ack deadline given (ack_deadline_seconds={by_s}). It must be between 0 and"
        raise invalid(f"{text} {_MOST_ACK_S} seconds.", location="ackDeadlineSeconds")
    ack_ids = call.body.get("ackIds") or []
    if not ack_ids:
        raise invalid("No ack ids specified.", location="ackIds")
    _refuse_stale(backlog, backlog.postpone(ack_ids, by_s))
    return {}


def _modify_push(call: Call) -> JsonObject:
    row = _backlog(call).row
    changed = {**row, "pushConfig": call.body.get("pushConfig") or {}}
    call.world.put(SUBSCRIPTIONS, row["name"], changed)
    Backlog(call.world, changed).push()
    return {}


def _detach(call: Call) -> JsonObject:
    backlog = _backlog(call)
    backlog.clear()
    call.world.put(SUBSCRIPTIONS, backlog.name, {**backlog.row, "detached": True})
    return {}


def _streaming_pull(call: Call) -> Iterator[JsonObject]:
    """Batches of messages, as they come; each request acknowledges and postpones first."""
    backlog, body = _attached(call), call.body
    # later requests of a stream need not repeat it
    told = body.get("streamAckDeadlineSeconds") or call.conversation.get("deadline")
    deadline_s = int(told or 0)
    if not _LEAST_ACK_S <= deadline_s <= _MOST_ACK_S:
        text = f"Invalid stream ack deadline given (stream_ack_deadline_seconds={deadline_s})."
        raise invalid(f"{text} It must be between {_LEAST_ACK_S} and {_MOST_ACK_S} seconds.")
    call.conversation["deadline"] = deadline_s
    if body.get("ackIds"):
        backlog.acknowledge(body["ackIds"])
    several = zip(
        body.get("modifyDeadlineAckIds") or (),
        body.get("modifyDeadlineSeconds") or (),
        strict=False,
    )
    for ack_id, by_s in several:
        backlog.postpone([ack_id], int(by_s))
    return _batches(call, int(body.get("maxOutstandingMessages") or _MOST_MESSAGES), deadline_s)


def _batches(call: Call, most: int, deadline_s: int) -> Iterator[JsonObject]:
    while True:
        backlog = _attached(call)
        room = min(most - backlog.outstanding, _MOST_MESSAGES)
        found = backlog.take(room, deadline_s) if room > 0 else []
        told = {
            "exactlyOnceDeliveryEnabled": bool(backlog.row.get("enableExactlyOnceDelivery")),
            "messageOrderingEnabled": bool(backlog.row.get("enableMessageOrdering")),
        }
        yield {"receivedMessages": found, "subscriptionProperties": told} if found else {}


def _create_snapshot(call: Call) -> JsonObject:
    world = call.world
    _check_new(call, SNAPSHOTS)
    backlog = Backlog(world, _row(world, SUBSCRIPTIONS, str(call.body.get("subscription", ""))))
    waiting = backlog.unacknowledged()
    oldest = published_at(world.table(MESSAGES).get(waiting[0])) if waiting else world.clock.now()
    made = call.answer_by_conventions()
    row = {
        **made,
        "topic": backlog.row.get("topic", ""),
        "expireTime": rfc3339(oldest + timedelta(days=_SNAPSHOT_DAYS)),
    }
    world.put(SNAPSHOTS, row["name"], row)
    published = world.table(MESSAGES).find(BY_TOPIC, str(row["topic"]))
    kept = {"messages": waiting, "since": len(published)}
    world.put(BACKLOGS, row["name"], kept)
    return row


def _delete_snapshot(call: Call) -> JsonObject:
    name = str(_row(call.world, SNAPSHOTS, str(call.params["snapshot"]))["name"])
    call.world.delete(BACKLOGS, name)
    return call.answer_by_conventions()


def _seek(call: Call) -> JsonObject:
    backlog, world, body = _attached(call), call.world, call.body
    if ("time" in body) == ("snapshot" in body):
        raise invalid("Exactly one of time and snapshot must be given.")
    if "time" in body:
        backlog.replace(backlog.held_since(parse_rfc3339(str(body["time"]))))
        return {}
    row = _row(world, SNAPSHOTS, str(body["snapshot"]))
    if row.get("topic") != backlog.row.get("topic"):
        raise failed_precondition("The snapshot is of another topic than the subscription.")
    kept = world.table(BACKLOGS).get(row["name"]) or {"messages": (), "since": 0}
    table = world.table(MESSAGES)
    waiting = [table.get(name) for name in kept["messages"]]
    later = table.find(BY_TOPIC, str(row.get("topic", "")))[int(kept["since"]) :]
    backlog.replace([each for each in (*waiting, *later) if each is not None])
    return {}


HANDLERS: Mapping[str, Handler] = {
    "pubsub.projects.topics.create": _create_topic,
    "pubsub.projects.topics.delete": _delete_topic,
    "pubsub.projects.topics.publish": _publish,
    "pubsub.projects.topics.subscriptions.list": lambda call: _names_of_topic(
        call, SUBSCRIPTIONS, "subscriptions"
    ),
    "pubsub.projects.topics.snapshots.list": lambda call: _names_of_topic(
        call, SNAPSHOTS, "snapshots"
    ),
    "pubsub.projects.subscriptions.create": _create_subscription,
    "pubsub.projects.subscriptions.patch": _change_subscription,
    "pubsub.projects.subscriptions.delete": _delete_subscription,
    "pubsub.projects.subscriptions.pull": _pull,
    "pubsub.projects.subscriptions.streamingPull": cast("Handler", _streaming_pull),
    "pubsub.projects.subscriptions.acknowledge": _acknowledge,
    "pubsub.projects.subscriptions.modifyAckDeadline": _modify_deadline,
    "pubsub.projects.subscriptions.modifyPushConfig": _modify_push,
    "pubsub.projects.subscriptions.detach": _detach,
    "pubsub.projects.subscriptions.seek": _seek,
    "pubsub.projects.snapshots.create": _create_snapshot,
    "pubsub.projects.snapshots.delete": _delete_snapshot,
}
