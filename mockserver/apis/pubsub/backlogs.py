"""The messages that a subscription has not acknowledged: what is pulled, when, and how often.

A row of `pubsubDeliveries` tells where a message stands: `due` is 0 where it is to be pulled next,
else the moment (microseconds of the session's clock) at which its deadline passes. Without it the
message waits for an earlier one of its ordering key, or is acknowledged and retained. Nothing goes
through a whole backlog: a pull reads the rows that it gives, and those whose deadlines have passed.

Source: the reference of Pub/Sub. Not verified against the live API: that an acknowledgement after
the deadline counts until the message is delivered again; texts of refusals.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache, partial

from mockserver.apis.pubsub.collections import (
    BY_DUE,
    BY_ORDER,
    BY_PUBLISHED,
    BY_SUBSCRIPTION,
    BY_TOPIC,
    DELIVERIES,
    MESSAGES,
    SUBSCRIPTIONS,
    TOPICS,
    delivery_key,
    new_message_id,
)
from mockserver.collections import LAST
from mockserver.googleapi import Comparison, duration_s, filter_test, invalid
from mockserver.googleapi.filter_trees import Leaf
from mockserver.googleapi.filters import FilterError, unescape
from mockserver.model import JsonMapping, JsonObject
from mockserver.state import (
    NOTIFICATIONS,
    World,
    epoch_micros,
    is_on_this_machine,
    parse_rfc3339,
    record_message,
    rfc3339,
)

_DEADLINE_S, _RETENTION_S = 10, 7 * 24 * 3600
_SHOWN = ("data", "attributes", "messageId", "publishTime", "orderingKey")
_PUSHED, _AT_ONCE = 100, 1000
"""Messages of a subscription that are pushed, and pulled, at once."""
_TAKEN = frozenset({"102", "200", "201", "202", "204"})
"""Statuses of a push endpoint that acknowledge."""
_DEAD_LETTER = "CloudPubSubDeadLetterSource"


_TEXT = r'"(?:[^"\\]|\\.)*"'
_NAME = rf"attributes\.([A-Za-z_][\w-]*|{_TEXT})"
_FIELDS = re.compile(rf"{_TEXT}|hasPrefix\(\s*{_NAME}\s*,\s*({_TEXT})\s*\)|{_NAME}")
"""What filters have beside AIP-160: quoted names, and a function. Texts are passed over."""


@lru_cache(maxsize=1024)
def message_test(text: str) -> Callable[[JsonMapping], bool]:
    """The test that a subscription's filter puts to a message.

    Raises:
        ApiError: 400: the filter cannot be read.
    """
    names: list[str] = []

    def plain(found: re.Match[str]) -> str:
        """The name of a field that AIP-160 can read in place of an attribute's."""
        name = found[1] or found[3]
        if name is None:
            return found[0]
        names.append(unescape(name[1:-1]) if name.startswith('"') else name)
        return f"start.f{len(names) - 1} = {found[2]}" if found[1] else f"f{len(names) - 1}"

    def refuse(error: FilterError) -> Exception:
        return invalid(f"Invalid filter: {error}", location="filter")

    def leaf_test(leaf: Leaf) -> Callable[[JsonMapping], bool]:
        match leaf:
            case Comparison(("attributes",), ":"):
                return lambda row: leaf.text in _attributes(row)
            case Comparison(operator="=" | "!=") if leaf.path[-1].rpartition(".")[2] in fields:
                name, is_equal = fields[leaf.path[-1].rpartition(".")[2]], leaf.operator == "="
                if leaf.field.startswith("start."):
                    return lambda row: str(_attributes(row).get(name, "")).startswith(leaf.text)
                return lambda row: (_attributes(row).get(name) == leaf.text) is is_equal
        raise invalid(f"Invalid filter: {text}", location="filter")

    read = _FIELDS.sub(plain, text)
    fields = {f"f{number}": name for number, name in enumerate(names)}
    return filter_test(read, leaf_test, refuse)


def _attributes(row: JsonMapping) -> JsonObject:
    found: JsonObject = row.get("attributes") or {}
    return found


@dataclass(frozen=True)
class AckId:
    """What an acknowledgement names: a message, and the attempt to deliver it."""

    message: str
    attempt: int

    @property
    def text(self) -> str:
        """As clients get it."""
        return urlsafe_b64encode(f"{self.message}~{self.attempt}".encode()).decode().rstrip("=")


def read_ack_id(text: str) -> AckId:
    """What an id of an acknowledgement names.

    Raises:
        ApiError: 400: there can be no such id.
    """
    try:
        content = urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()
        message, _, attempt = content.rpartition("~")
        return AckId(message, int(attempt))
    except (ValueError, Base64Error) as error:
        text = f"You have passed an invalid ack ID to the service (ack_id={text})."
        raise invalid(text, location="ackIds") from error


class Backlog:
    """What one subscription has not acknowledged.

    Args:
        world: The session's state.
        row: The subscription.
    """

    def __init__(self, world: World, row: JsonObject) -> None:
        self._world = world
        self.row = row
        self.name = str(row["name"])
        policy = row.get("deadLetterPolicy") or {}
        self._dead_letters = str(policy.get("deadLetterTopic", ""))
        self._most = int(policy.get("maxDeliveryAttempts") or 5) if self._dead_letters else 0

    @property
    def _now(self) -> int:
        return epoch_micros(self._world.clock.now())

    def _put(self, row: JsonObject) -> None:
        self._world.put(DELIVERIES, delivery_key(self.name, row["messageId"]), row)

    def add(self, message: JsonObject) -> None:
        """Let a published message wait, unless the filter leaves it out."""
        text = str(self.row.get("filter") or "")
        if text and not message_test(text)(message):
            return
        row: JsonObject = {
            "subscription": self.name, "messageId": message["messageId"], "due": 0, "attempts": 0,
        }  # fmt: skip
        key = message.get("orderingKey")
        if key and self.row.get("enableMessageOrdering"):
            row["orderingKey"] = key
            if self._world.table(DELIVERIES).first(BY_ORDER, (self.name, key)) is not None:
                del row["due"]
        self._put(row)

    def take(self, most: int, deadline_s: float = 0) -> list[JsonObject]:
        """The messages that are to be delivered, which are so with it.

        Args:
            most: How many at the most.
            deadline_s: Seconds until they must be acknowledged; the subscription's own when 0.
        """
        self.settle()
        table = self._world.table(DELIVERIES)
        taken: list[JsonObject] = []
        for row in table.find(BY_DUE, (self.name, 0))[:most]:
            if len(taken) >= most:
                break
            taken.append(row)
            if "orderingKey" in row:
                behind = table.find(BY_ORDER, (self.name, row["orderingKey"]))
                taken += behind[1 : 1 + most - len(taken)]
        due = self._now + round((deadline_s or self._deadline_s) * 1_000_000)
        return [self._deliver(row, due) for row in taken]

    @property
    def _deadline_s(self) -> float:
        return float(self.row.get("ackDeadlineSeconds") or _DEADLINE_S)

    def _deliver(self, row: JsonObject, due: int) -> JsonObject:
        row = {**row, "due": due, "attempts": row["attempts"] + 1}
        self._put(row)
        message = self._world.table(MESSAGES).get(row["messageId"]) or {}
        return {
            "ackId": AckId(row["messageId"], row["attempts"]).text,
            "message": {name: message[name] for name in _SHOWN if name in message},
            **({"deliveryAttempt": row["attempts"]} if self._most else {}),
        }

    @property
    def outstanding(self) -> int:
        """How many messages are delivered and not acknowledged."""
        table = self._world.table(DELIVERIES)
        return len(table.between(BY_DUE, (self.name, 1), (self.name, LAST)))

    def acknowledge(self, ack_ids: Sequence[str]) -> list[str]:
        """Take what is acknowledged out; the ids that name no delivery that can be."""
        stale = []
        for text, row in self._each_delivery(ack_ids):
            if row is None:
                stale.append(text)
            else:
                self._remove(row)
        return stale

    def postpone(self, ack_ids: Sequence[str], by_s: float) -> list[str]:
        """Move deadlines to so many seconds from now; 0 has messages delivered again."""
        stale = []
        for text, row in self._each_delivery(ack_ids):
            if row is None:
                stale.append(text)
            elif by_s:
                self._put({**row, "due": self._now + round(by_s * 1_000_000)})
            else:
                self._return(row)
        return stale

    def _each_delivery(self, ack_ids: Sequence[str]) -> Iterator[tuple[str, JsonObject | None]]:
        for text in ack_ids:
            named = read_ack_id(text)
            row = self._world.table(DELIVERIES).get(delivery_key(self.name, named.message))
            is_its = row is not None and row["attempts"] == named.attempt and not row.get("acked")
            yield text, row if is_its else None

    def _remove(self, row: JsonObject) -> None:
        """Acknowledge a message; the next of its ordering key is to be delivered."""
        if self.row.get("retainAckedMessages"):
            kept = {key: each for key, each in row.items() if key != "due"}
            self._put({**kept, "acked": True})
        else:
            self._world.delete(DELIVERIES, delivery_key(self.name, row["messageId"]))
        if "orderingKey" in row:
            table = self._world.table(DELIVERIES)
            head = table.first(BY_ORDER, (self.name, row["orderingKey"]))
            found = None if head is None else table.get(head)
            if found is not None and "due" not in found:
                self._put({**found, "due": 0})

    def settle(self) -> None:
        """Have what was not acknowledged in time delivered again; drop what is too old."""
        self._drop_old()
        table = self._world.table(DELIVERIES)
        late = table.between(BY_DUE, (self.name, 1), (self.name, self._now + 1))
        for key in late.row_keys():
            row = self._world.table(DELIVERIES).get(key)
            if row is not None and row.get("due"):
                self._return(row, was_late=True)

    def _drop_old(self) -> None:
        keep = timedelta(seconds=duration_s(self.row.get("messageRetentionDuration"), _RETENTION_S))
        oldest = self._world.clock.now() - keep
        while True:
            table = self._world.table(DELIVERIES)
            row = table.get(table.first(BY_SUBSCRIPTION, self.name) or "")
            message = self._world.table(MESSAGES).get(row["messageId"]) if row else None
            if row is None or published_at(message) >= oldest:
                return
            self._remove(row)
            self._world.delete(DELIVERIES, delivery_key(self.name, row["messageId"]))

    def _return(self, row: JsonObject, *, was_late: bool = False) -> None:
        """Have a message delivered again, or give it to the dead letters."""
        if self._most and row["attempts"] >= self._most:
            self._forward(row)
            return
        retry = self.row.get("retryPolicy")
        if retry is not None and not row.get("waited"):
            least = duration_s(retry.get("minimumBackoff"), 10)
            most = duration_s(retry.get("maximumBackoff"), 600)
            wait = min(most, least * 2 ** min(row["attempts"] - 1, 30))
            start = row["due"] if was_late else self._now
            row = {**row, "due": start + round(wait * 1_000_000), "waited": True}
            self._put(row)
            if row["due"] > self._now:
                return
        row = {key: each for key, each in row.items() if key not in {"due", "waited"}}
        if "orderingKey" not in row:
            self._put({**row, "due": 0})
            return
        self._return_in_order(row)

    def _return_in_order(self, row: JsonObject) -> None:
        """Have a message delivered again, and after it those of its key that came later."""
        table = self._world.table(DELIVERIES)
        own = delivery_key(self.name, row["messageId"])
        found = table.find(BY_ORDER, (self.name, row["orderingKey"]))
        several = [entry[2] for entry in found.entries(0, _AT_ONCE)]
        is_head = several[0] == own
        self._put({**row, "due": 0} if is_head else row)
        for key in several[several.index(own) + 1 :]:
            behind = self._world.table(DELIVERIES).get(key)
            if behind is None or "due" not in behind:
                return
            self._put({name: each for name, each in behind.items() if name != "due"})

    def _forward(self, row: JsonObject) -> None:
        """Publish a message to the dead letters."""
        message = self._world.table(MESSAGES).get(row["messageId"]) or {}
        self._remove({key: each for key, each in row.items() if key != "acked"})
        if self._dead_letters not in self._world.table(TOPICS):
            return
        told = {
            f"{_DEAD_LETTER}DeliveryCount": str(row["attempts"]),
            f"{_DEAD_LETTER}Subscription": self.name.rpartition("/")[2],
            f"{_DEAD_LETTER}SubscriptionProject": self.name.split("/")[1],
            f"{_DEAD_LETTER}TopicPublishTime": message.get("publishTime", ""),
        }
        kept: JsonObject = {key: message[key] for key in ("data", "orderingKey") if key in message}
        given: JsonObject = {**kept, "attributes": {**_attributes(message), **told}}
        publish(self._world, self._dead_letters, [given])

    def push(self) -> None:
        """Send what waits to the endpoint; what it does not take is sent again after a while."""
        config = self.row.get("pushConfig") or {}
        url = str(config.get("pushEndpoint") or "")
        if not is_on_this_machine(url):
            return
        for each in self.take(_PUSHED):
            message = each["message"]
            attempt: JsonObject = {k: v for k, v in each.items() if k == "deliveryAttempt"}
            body: JsonObject = {
                "message": {
                    **message,
                    "message_id": message["messageId"],
                    "publish_time": message["publishTime"],
                },
                "subscription": self.name,
                **attempt,
            }
            told: JsonObject = {
                "method": "pubsub.push", "event": "message", "url": url, "body": body,
                "at": rfc3339(self._world.clock.now()),
            }  # fmt: skip
            done = partial(_note_push, self.name, each["ackId"])
            record_message(self._world, NOTIFICATIONS, told, {}, done)

    def clear(self) -> None:
        """Forget all of it."""
        for key in self._world.table(DELIVERIES).find(BY_SUBSCRIPTION, self.name).row_keys():
            self._world.delete(DELIVERIES, key)

    def unacknowledged(self) -> list[str]:
        """The messages that are not acknowledged, in their order."""
        rows = self._world.table(DELIVERIES).find(BY_SUBSCRIPTION, self.name)
        return [row["messageId"] for row in rows if not row.get("acked")]

    def replace(self, messages: Sequence[JsonObject]) -> None:
        """Have just these messages wait; others stay acknowledged where those are retained."""
        wanted = {each["messageId"] for each in messages}
        rows = self._world.table(DELIVERIES).find(BY_SUBSCRIPTION, self.name)
        others = [row for row in rows if row["messageId"] not in wanted]
        self.clear()
        for row in others if self.row.get("retainAckedMessages") else ():
            kept = {key: each for key, each in row.items() if key != "due"}
            self._put({**kept, "acked": True})
        for message in messages:
            self.add(message)

    def held_since(self, moment: datetime) -> list[JsonObject]:
        """The messages of its topic since a moment that are still there to be delivered."""
        table, topic = self._world.table(MESSAGES), str(self.row.get("topic", ""))
        kept = (self._world.table(TOPICS).get(topic) or {}).get("messageRetentionDuration")
        floor = self._world.clock.now() - timedelta(seconds=duration_s(kept))
        deliveries = self._world.table(DELIVERIES)
        return [
            row
            for row in table.between(BY_PUBLISHED, (topic, rfc3339(moment)), (topic, LAST))
            if delivery_key(self.name, row["messageId"]) in deliveries
            or (kept and published_at(row) >= floor)
        ]


def published_at(message: JsonMapping | None) -> datetime:
    """When a message was published; one that nobody knows was so long ago."""
    return parse_rfc3339(str((message or {}).get("publishTime") or "1970-01-01T00:00:00Z"))


def _note_push(name: str, ack_id: str, world: World, outcome: str) -> None:
    row = world.table(SUBSCRIPTIONS).get(name)
    if row is None:
        return
    backlog = Backlog(world, row)
    if outcome in _TAKEN:
        backlog.acknowledge([ack_id])
        backlog.push()
    else:
        backlog.postpone([ack_id], _DEADLINE_S if row.get("retryPolicy") is None else 0)


def publish(world: World, topic: str, given: Sequence[JsonObject]) -> list[str]:
    """Put messages into every subscription of a topic; their ids."""
    now, made = rfc3339(world.clock.now()), []
    found = world.table(SUBSCRIPTIONS).find(BY_TOPIC, topic)
    backlogs = [Backlog(world, row) for row in found if not row.get("detached")]
    for each in given:
        number = len(world.table(MESSAGES))
        while (name := new_message_id(number)) in world.table(MESSAGES):
            number += 1
        message = {"topic": topic, **each, "messageId": name, "publishTime": now}
        world.put(MESSAGES, name, message)
        made.append(name)
        for backlog in backlogs:
            backlog.add(message)
    for backlog in backlogs:
        backlog.push()
    return made
