"""What Pub/Sub holds: messages of topics, and where each stands in the subscriptions."""

from mockserver.collections import Index
from mockserver.errors import Problem
from mockserver.googleapi import Collection, SnapshotImport
from mockserver.googleapi.raw_snapshot import each_object
from mockserver.googleapi.resource_documents import document_head
from mockserver.model import JsonObject
from mockserver.state import parse_rfc3339, rfc3339

TOPICS, SUBSCRIPTIONS = "pubsub:v1/topics", "pubsub:v1/subscriptions"
SNAPSHOTS = "pubsub:v1/snapshots"
MESSAGES, DELIVERIES, BACKLOGS = "pubsubMessages", "pubsubDeliveries", "pubsubBacklogs"
"""Messages by id; where each stands in a subscription; what snapshots have not acknowledged."""

COLLECTIONS = (
    Collection(MESSAGES, "messages of Pub/Sub that wait in all subscriptions", (("publishTime",),)),
)
BY_TOPIC = Index(lambda _, row: (str(row.get("topic", "")),))
"""Messages, subscriptions or snapshots by their topic."""

BY_PUBLISHED = Index(lambda _, row: ((row["topic"], row["publishTime"]),), timed=True)
BY_DEAD_LETTER_TOPIC = Index(
    lambda _, row: (str((row.get("deadLetterPolicy") or {}).get("deadLetterTopic", "")),)
)
BY_SUBSCRIPTION = Index(lambda _, row: (row["subscription"],))
BY_DUE = Index(lambda _, row: ((row["subscription"], row["due"]),) if "due" in row else ())
"""Deliveries by when they may be made: at 0 those that are to be pulled next."""

BY_ORDER = Index(
    lambda _, row: (
        ((row["subscription"], row["orderingKey"]),)
        if "orderingKey" in row and not row.get("acked")
        else ()
    )
)
"""Deliveries that wait for one another, in their order."""

_FIRST_ID = 10**15
_LONG_AGO = "1970-01-01T00:00:00Z"


def delivery_key(subscription: str, message: str) -> str:
    """The key of where a message stands in a subscription."""
    return f"{subscription}/{message}"


def new_message_id(number: int) -> str:
    """The id of a message, given how many there are before it."""
    return str(_FIRST_ID + number)


def import_snapshot(found: SnapshotImport) -> None:
    """Put the messages of a snapshot into every subscription of their topics."""
    messages: dict[str, JsonObject] = {}
    deliveries: dict[str, JsonObject] = {}
    several: dict[str, list[JsonObject]] = {}
    for row in found.tables.get(SUBSCRIPTIONS, {}).values():
        several.setdefault(str(row.get("topic", "")), []).append(row)
    for pointer, given in each_object(found, MESSAGES):
        topic = str(given.get("topic", ""))
        if not topic:
            text = "a message names its topic, projects/p/topics/t"
            found.problems.append(Problem(f"{pointer}/topic", text))
        name = str(given.get("messageId") or new_message_id(len(messages)))
        moment = rfc3339(parse_rfc3339(str(given.get("publishTime") or _LONG_AGO)))
        messages[name] = {**given, "messageId": name, "publishTime": moment}
        for subscription in several.get(topic, ()):
            at = str(subscription["name"])
            row = {"subscription": at, "messageId": name, "due": 0, "attempts": 0}
            deliveries[delivery_key(at, name)] = row
    found.tables |= {MESSAGES: messages, DELIVERIES: deliveries}


_PULL = "google.pubsub.v1.Subscriber/{+subscription}:streamingPull"
_TEXT, _NUMBER = {"type": "string"}, {"type": "integer", "format": "int32"}
_TEXTS = {"type": "array", "items": _TEXT}
_LONG = {"type": "string", "format": "int64"}
_OBJECT: JsonObject = {"type": "object", "additionalProperties": {"type": "any"}}
STREAMING_PULL: JsonObject = {
    **document_head("pubsub", "v1", "Cloud Pub/Sub API", "pubsub.googleapis.com"),
    "resources": {"projects": {"resources": {"subscriptions": {"methods": {"streamingPull": {
        "id": "pubsub.projects.subscriptions.streamingPull",
        "description": "Streams messages as they come; over gRPC alone.",
        "httpMethod": "POST",
        "path": _PULL,
        "parameters": {"subscription": {
            "type": "string", "location": "path", "required": True,
            "pattern": "^projects/[^/]+/subscriptions/[^/]+$",
        }},
        "request": {"$ref": "StreamingPullRequest"},
        "response": {"$ref": "StreamingPullResponse"},
        "scopes": [
            "https://www.googleapis.com/auth/cloud-platform",
            "https://www.googleapis.com/auth/pubsub",
        ],
    }}}}}},
    "schemas": {
        "StreamingPullRequest": {"id": "StreamingPullRequest", "type": "object", "properties": {
            "ackIds": _TEXTS, "modifyDeadlineAckIds": _TEXTS, "clientId": _TEXT,
            "modifyDeadlineSeconds": {"type": "array", "items": _NUMBER},
            "streamAckDeadlineSeconds": _NUMBER, "protocolVersion": _LONG,
            "maxOutstandingMessages": _LONG, "maxOutstandingBytes": _LONG,
        }},
        "StreamingPullResponse": {"id": "StreamingPullResponse", "type": "object", "properties": {
            "receivedMessages": {"type": "array", "items": _OBJECT},
            "acknowledgeConfirmation": _OBJECT, "modifyAckDeadlineConfirmation": _OBJECT,
            "subscriptionProperties": _OBJECT,
        }},
    },
}  # fmt: skip
"""The call that no Discovery document has. Source: reference of google.pubsub.v1."""
