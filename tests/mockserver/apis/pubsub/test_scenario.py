"""A topic, its subscriptions and what becomes of its messages, with every answer in whole."""

from datetime import timedelta
from typing import Any

import pytest

from mockserver.apis.pubsub import API
from mockserver.apis.pubsub.collections import DELIVERIES, MESSAGES, SUBSCRIPTIONS
from mockserver.googleapi import ApiError, SnapshotImport
from tests.mockserver.apis.scenarios import Scenario, check
from tests.mockserver.apis.workspace import Workspace

TOPIC, DEAD = "projects/p/topics/news", "projects/p/topics/dead"
DESK, SLOW, LATE, EXACT = (
    f"projects/p/subscriptions/{each}" for each in ("desk", "slow", "late", "exact")
)


def scenario() -> Scenario:
    space = Workspace("pubsub")

    def ask(method: str, body: Any, who: str, /, **params: Any) -> Any:
        if method == "wait":
            space.world.clock.advance(timedelta(seconds=params["s"]))
            return {}
        return space.ask("pubsub:v1", f"pubsub.projects.{method}", body, who, **params)

    call = Scenario(ask)
    _make(call)
    _deliver(call)
    _give_up(call)
    _go_back(call)
    _remove(call)
    return call


def pull(call: Scenario, name: str, most: int = 10) -> list[str]:
    found = call("subscriptions.pull", {"maxMessages": most}, subscription=name)
    return [each["ackId"] for each in found.get("receivedMessages", ())]


def publish(call: Scenario, *messages: Any, topic: str = TOPIC) -> None:
    call("topics.publish", {"messages": list(messages)}, topic=topic)


def _make(call: Scenario) -> None:
    for name in (
        TOPIC,
        TOPIC,
        DEAD,
        "projects/p/topics/goog",
        "projects/p/topics/ab",
        "projects/p/topics/1ab",
    ):
        call("topics.create", {"labels": {"a": "b"}}, name=name)
    for name, settings in (
        (DESK, {"ackDeadlineSeconds": 10, "enableMessageOrdering": True}), (DESK, {}),
        (SLOW, {"ackDeadlineSeconds": 600, "retainAckedMessages": True,
                "filter": "attributes:kind"}),
        (LATE, {"deadLetterPolicy": {"deadLetterTopic": DEAD, "maxDeliveryAttempts": 5},
                "retryPolicy": {"minimumBackoff": "10s", "maximumBackoff": "30s"}}),
        (EXACT, {"enableExactlyOnceDelivery": True, "ackDeadlineSeconds": 0}),
        ("projects/p/subscriptions/x", {}),
        ("projects/p/subscriptions/bad", {"ackDeadlineSeconds": 9}),
        ("projects/p/subscriptions/bad", {"ackDeadlineSeconds": 601}),
        ("projects/p/subscriptions/bad", {"filter": "color = red"}),
        ("projects/p/subscriptions/bad", {"deadLetterPolicy": {"maxDeliveryAttempts": 4}}),
        ("projects/p/subscriptions/bad", {"deadLetterPolicy": {"maxDeliveryAttempts": 101}}),
        ("projects/p/subscriptions/bad", {"topic": "projects/p/topics/none"}),
        ("projects/p/subscriptions/most", {"deadLetterPolicy": {"maxDeliveryAttempts": 100}}),
    ):  # fmt: skip
        call("subscriptions.create", {"topic": TOPIC, **settings}, name=name)
    for body in (
        {"subscription": {"ackDeadlineSeconds": 20}, "updateMask": "ackDeadlineSeconds"},
        {"subscription": {"filter": "attributes:x"}, "updateMask": "filter"},
        {"subscription": {"enableMessageOrdering": True}, "updateMask": "enableMessageOrdering"},
        {"subscription": {"ackDeadlineSeconds": 5}, "updateMask": "ackDeadlineSeconds"}, {},
    ):  # fmt: skip
        call("subscriptions.patch", body, name=DESK)
    call("subscriptions.patch", {}, name="projects/p/subscriptions/none")
    for params in ({}, {"pageSize": 2}):
        call("topics.subscriptions.list", topic=TOPIC, **params)
    call("topics.subscriptions.list", topic="projects/p/topics/none")
    call("subscriptions.list", project="projects/p")
    call("topics.list", project="projects/p")


def _deliver(call: Scenario) -> None:
    several = [{"data": "YQ==", "orderingKey": "k"}, {"data": "Yg==", "orderingKey": "k"},
               {"data": "Yw==", "attributes": {"kind": "x"}}]  # fmt: skip
    publish(call, *several)
    publish(call)
    publish(call, {"data": ""}, several[0])
    publish(call, *several, topic="projects/p/topics/none")
    for most in (0, 1, 10):
        pull(call, DESK, most)
    for name in (SLOW, EXACT, "projects/p/subscriptions/none"):
        pull(call, name)
    call("wait", s=20)
    first, *rest = pull(call, DESK)
    call("subscriptions.acknowledge", {"ackIds": [first]}, subscription=DESK)
    call("subscriptions.acknowledge", {"ackIds": ["x", first]}, subscription=DESK)
    call("subscriptions.acknowledge", {}, subscription=DESK)
    second = pull(call, DESK)
    for seconds in (600, 601, -1, 0):
        body = {"ackIds": second, "ackDeadlineSeconds": seconds}
        call("subscriptions.modifyAckDeadline", body, subscription=DESK)
    call("subscriptions.modifyAckDeadline", {"ackDeadlineSeconds": 10}, subscription=DESK)
    again = pull(call, DESK)
    call("subscriptions.acknowledge", {"ackIds": [*rest, *again]}, subscription=DESK)
    pull(call, DESK)
    old = pull(call, EXACT)
    call("wait", s=700)
    new = pull(call, EXACT)
    for stale in (["x"], old, new):
        call("subscriptions.acknowledge", {"ackIds": stale}, subscription=EXACT)
        body = {"ackIds": stale, "ackDeadlineSeconds": 10}
        call("subscriptions.modifyAckDeadline", body, subscription=EXACT)


def _give_up(call: Scenario) -> None:
    call("subscriptions.create", {"topic": DEAD}, name="projects/p/subscriptions/grave")
    for attempt in range(5):
        taken = pull(call, LATE)
        if attempt % 2:
            body = {"ackIds": taken, "ackDeadlineSeconds": 0}
            call("subscriptions.modifyAckDeadline", body, subscription=LATE)
            pull(call, LATE)
        call("wait", s=41)
    pull(call, LATE)
    pull(call, "projects/p/subscriptions/grave")
    back = "projects/p/subscriptions/back"
    call("subscriptions.create", {"topic": DEAD, "retryPolicy": {}}, name=back)
    publish(call, {"data": "YQ=="}, topic=DEAD)
    for wait_s in (10, 20, 40, 80):
        body = {"ackIds": pull(call, back), "ackDeadlineSeconds": 0}
        call("subscriptions.modifyAckDeadline", body, subscription=back)
        call("wait", s=wait_s - 1)
        pull(call, back)
        call("wait", s=1)
    pull(call, back)
    for name, kept_s in ((back, 7 * 86_400), ("projects/p/subscriptions/brief", 600)):
        settings = {"topic": DEAD, "messageRetentionDuration": "600s"}
        call("subscriptions.create", settings, name="projects/p/subscriptions/brief")
        publish(call, {"data": "Yg=="}, topic=DEAD)
        call("wait", s=kept_s)
        pull(call, name)
        call("wait", s=11)
        pull(call, name)


def _go_back(call: Scenario) -> None:
    pull(call, SLOW)
    kept = "projects/p/snapshots/kept"
    call("snapshots.create", {"subscription": SLOW}, name=kept)
    call("snapshots.create", {"subscription": SLOW}, name=kept)
    call("snapshots.create", {"subscription": "projects/p/subscriptions/none"}, name=f"{kept}2")
    call("topics.snapshots.list", topic=TOPIC)
    publish(call, {"attributes": {"kind": "y"}}, {"data": "eg=="})
    call("wait", s=601)
    call("subscriptions.acknowledge", {"ackIds": pull(call, SLOW)}, subscription=SLOW)
    for body in ({"time": "2026-03-02T09:10:00Z"}, {"time": "2026-03-02T08:00:00Z"}, {},
                 {"snapshot": kept}, {"snapshot": "projects/p/snapshots/none"},
                 {"time": "x", "snapshot": kept}):  # fmt: skip
        call("subscriptions.seek", body, subscription=SLOW)
        pull(call, SLOW)
    call("subscriptions.seek", {"snapshot": kept}, subscription="projects/p/subscriptions/grave")
    call("snapshots.create", {"subscription": "projects/p/subscriptions/most"}, name=f"{kept}3")
    call("snapshots.list", project="projects/p")
    call("snapshots.delete", snapshot=kept)
    call("snapshots.delete", snapshot=kept)


def _remove(call: Scenario) -> None:
    call("subscriptions.modifyPushConfig", {}, subscription=DESK)
    push = {"pushConfig": {"pushEndpoint": "https://example.com/x"}}
    call("subscriptions.modifyPushConfig", push, subscription=DESK)
    call("subscriptions.get", subscription=DESK)
    call("subscriptions.detach", subscription=DESK)
    pull(call, DESK)
    call("subscriptions.delete", subscription=SLOW)
    call("subscriptions.delete", subscription=SLOW)
    call("topics.delete", topic=TOPIC)
    call("topics.delete", topic=TOPIC)
    call("subscriptions.get", subscription=EXACT)


def test_messages_go_as_it_was_written_down() -> None:
    check(__file__, scenario())


def test_a_thousand_messages_are_published_at_once() -> None:
    space = Workspace("pubsub")
    space.ask("pubsub:v1", "pubsub.projects.topics.create", {}, name=TOPIC)
    messages = [{"data": "YQ=="}] * 1000
    for count in (1000, 1001):
        body = {"messages": [*messages, {"data": "Yg=="}][:count]}
        if count == 1000:
            made = space.ask("pubsub:v1", "pubsub.projects.topics.publish", body, topic=TOPIC)
            assert len(set(made["messageIds"])) == 1000
        else:
            with pytest.raises(ApiError, match="too large"):
                space.ask("pubsub:v1", "pubsub.projects.topics.publish", body, topic=TOPIC)


def test_messages_of_a_snapshot_wait_in_the_subscriptions_of_their_topics() -> None:
    told = {"topic": TOPIC, "data": "YQ=="}
    several = [
        {**told, "publishTime": "2026-03-01T00:00:00Z"},
        {**told, "messageId": "7"},
        {"data": ""},
    ]
    found = SnapshotImport(raw={MESSAGES: several})
    found.tables[SUBSCRIPTIONS] = {DESK: {"name": DESK, "topic": TOPIC}, SLOW: {"name": SLOW}}
    assert API.import_snapshot is not None
    API.import_snapshot(found)
    assert [each.where for each in found.problems] == [f"/{MESSAGES}/2/topic"]
    first, second = "1000000000000000", "7"
    assert found.tables[MESSAGES] == {
        first: {**told, "messageId": first, "publishTime": "2026-03-01T00:00:00.000Z"},
        second: {**told, "messageId": second, "publishTime": "1970-01-01T00:00:00.000Z"},
        "1000000000000002": {
            "data": "", "messageId": "1000000000000002", "publishTime": "1970-01-01T00:00:00.000Z",
        },
    }  # fmt: skip
    assert found.tables[DELIVERIES] == {
        f"{DESK}/{name}": {"subscription": DESK, "messageId": name, "due": 0, "attempts": 0}
        for name in (first, second)
    } | {
        f"{SLOW}/1000000000000002": {
            "subscription": SLOW, "messageId": "1000000000000002", "due": 0, "attempts": 0,
        }
    }  # fmt: skip
