"""Messages of Pub/Sub as subscribers meet them, by the session's clock."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from mockserver.apis.pubsub import API
from mockserver.apis.pubsub.backlogs import Backlog, publish
from mockserver.apis.pubsub.collections import SUBSCRIPTIONS
from mockserver.googleapi import ApiError, Call
from mockserver.model import JsonObject, SessionSpec
from mockserver.state import NOTIFICATIONS, note_delivery
from mockserver.testing import EmulatorTransport
from tests.mockserver.apis.asking import Asker

TOPIC, SUB = "projects/p/topics/news", "projects/p/subscriptions/desk"
Messages = list[JsonObject]


class Client:
    """One session, and what is asked of it."""

    def __init__(self, transport: EmulatorTransport) -> None:
        self.session = transport.session
        self.ask = Asker("https://pubsub.googleapis.com/v1/", transport)

    def subscribe(self, name: str = SUB, **settings: Any) -> Any:
        return self.ask("PUT", name, {"topic": TOPIC, **settings})

    def publish(self, *several: str, key: str = "", **attributes: str) -> list[str]:
        messages = [
            {"data": each, "attributes": attributes, **({"orderingKey": key} if key else {})}
            for each in several
        ]
        found: list[str] = self.ask("POST", f"{TOPIC}:publish", {"messages": messages})[
            "messageIds"
        ]
        return found

    def pull(self, name: str = SUB, most: int = 10) -> Messages:
        found: Messages = self.ask("POST", f"{name}:pull", {"maxMessages": most}).get(
            "receivedMessages", []
        )
        return found

    def data(self, name: str = SUB, most: int = 10) -> list[str]:
        return [each["message"].get("data") for each in self.pull(name, most)]

    def acknowledge(self, *several: JsonObject, name: str = SUB, status: int = 200) -> Any:
        ids = {"ackIds": [each["ackId"] for each in several]}
        return self.ask("POST", f"{name}:acknowledge", ids, status)

    def postpone(self, by_s: int, *several: JsonObject) -> None:
        ids = [each["ackId"] for each in several]
        self.ask("POST", f"{SUB}:modifyAckDeadline", {"ackIds": ids, "ackDeadlineSeconds": by_s})

    def advance(self, by_s: float) -> None:
        self.session.world.clock.advance(timedelta(seconds=by_s))


@pytest.fixture
def client() -> Iterator[Client]:
    made = Client(EmulatorTransport(spec=SessionSpec(clock="frozen:2026-03-02T09:00:00Z")))
    with made.ask:
        made.ask("PUT", TOPIC, {})
        yield made


def test_what_is_not_acknowledged_in_time_comes_again(client: Client) -> None:
    client.subscribe()
    ids = client.publish("YQ==", "Yg==", kind="x")
    first, second = client.pull()
    assert [each["message"]["messageId"] for each in (first, second)] == ids
    assert first["message"]["attributes"] == {"kind": "x"}
    assert first["message"]["publishTime"] == "2026-03-02T09:00:00.000Z"
    assert client.pull() == []
    client.acknowledge(first)
    client.postpone(30, second)
    client.advance(29)
    assert client.pull() == []
    client.advance(1)
    (again,) = client.pull()
    assert again["message"] == second["message"]
    client.acknowledge(second)  # the earlier delivery, which is over
    client.postpone(0, again)
    (last,) = client.pull()
    client.acknowledge(last)
    client.advance(3600)
    assert client.pull() == []


def test_every_subscription_has_its_own_copy_of_what_comes_after_it(client: Client) -> None:
    client.publish("b2xk")
    client.subscribe()
    client.subscribe("projects/p/subscriptions/other")
    client.publish("YQ==")
    assert client.data() == client.data("projects/p/subscriptions/other") == ["YQ=="]
    client.ask("POST", f"{SUB}:detach")
    client.publish("Yg==")
    client.ask("POST", f"{SUB}:pull", {"maxMessages": 1}, 400)
    client.ask("DELETE", "projects/p/subscriptions/other")
    names = client.ask("GET", f"{TOPIC}/subscriptions")
    assert names == {"subscriptions": [SUB]}
    client.ask("DELETE", TOPIC)
    assert client.ask("GET", SUB)["topic"] == "_deleted-topic_"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('attributes.kind = "a"', ["MQ=="]),
        ('attributes.kind != "a"', ["Mg=="]),
        ("attributes:kind", ["MQ==", "Mg=="]),
        ('hasPrefix(attributes.kind, "ab")', ["Mg=="]),
        ('attributes."kind" = "a" AND NOT attributes.x = "attributes.kind"', ["MQ=="]),
        ('attributes.kind = "a" OR NOT attributes:kind', ["MQ=="]),
    ],
    ids=["equal", "other", "there", "prefix", "quoted", "or"],
)
def test_filters_leave_messages_out(client: Client, text: str, found: list[str]) -> None:
    client.subscribe(filter=text)
    client.publish("MQ==", kind="a")
    client.publish("Mg==", kind="ab")
    assert client.data() == found


def test_messages_of_an_ordering_key_come_in_order(client: Client) -> None:
    client.subscribe(enableMessageOrdering=True)
    client.publish("MQ==", "Mg==", "Mw==", key="k")
    client.publish("eA==")
    first, other = client.pull(most=2)
    assert [first["message"]["data"], other["message"]["data"]] == ["MQ==", "Mg=="]
    assert client.data() == ["eA=="]  # the third waits for both
    client.postpone(0, first)
    assert client.data() == ["MQ==", "Mg==", "Mw=="]
    client.advance(5)
    client.publish("NA==", key="k")
    assert client.data() == []
    client.advance(5)
    several = client.pull()
    wanted = ["MQ==", "Mg==", "Mw==", "NA=="]
    in_order = [each for each in several if each["message"].get("orderingKey")]
    assert [each["message"]["data"] for each in in_order] == wanted
    client.acknowledge(*several)
    client.publish("NQ==", key="k")
    assert client.data() == ["NQ=="]


def test_what_is_delivered_too_often_goes_to_the_dead_letters(client: Client) -> None:
    dead, grave = "projects/p/topics/dead", "projects/p/subscriptions/grave"
    client.ask("PUT", dead, {})
    client.ask("PUT", grave, {"topic": dead})
    policy = {"deadLetterTopic": dead, "maxDeliveryAttempts": 5}
    client.subscribe(deadLetterPolicy=policy)
    client.publish("YQ==", k="v")
    for attempt in range(1, 6):
        (found,) = client.pull()
        assert found["deliveryAttempt"] == attempt
        client.advance(10)
    (letter,) = client.pull(grave)
    told = letter["message"]["attributes"]
    assert (letter["message"]["data"], told["k"]) == ("YQ==", "v")
    assert told["CloudPubSubDeadLetterSourceDeliveryCount"] == "5"
    assert told["CloudPubSubDeadLetterSourceSubscription"] == "desk"
    assert client.pull() == []


def test_retries_wait_longer_each_time(client: Client) -> None:
    client.subscribe(retryPolicy={"minimumBackoff": "10s", "maximumBackoff": "15s"})
    client.publish("YQ==")
    for wait_s in (10, 15, 15):
        client.postpone(0, *client.pull())
        client.advance(wait_s - 1)
        assert client.pull() == []
        client.advance(1)
    client.pull()
    client.advance(24)  # the deadline, and what is waited after it
    assert client.pull() == []
    client.advance(1)
    assert client.data() == ["YQ=="]


def test_seek_to_a_time_and_to_a_snapshot(client: Client) -> None:
    client.subscribe(retainAckedMessages=True)
    client.publish("MQ==")
    client.advance(60)
    client.publish("Mg==")
    snapshot = "projects/p/snapshots/before"
    made = client.ask("PUT", snapshot, {"subscription": SUB})
    assert (made["topic"], made["expireTime"]) == (TOPIC, "2026-03-09T09:00:00.000Z")
    assert client.ask("GET", f"{TOPIC}/snapshots") == {"snapshots": [snapshot]}
    client.acknowledge(*client.pull())
    client.publish("Mw==")
    for to, found in (
        ({"time": "2026-03-02T09:00:30Z"}, ["Mg==", "Mw=="]),
        ({"snapshot": snapshot}, ["MQ==", "Mg==", "Mw=="]),
        ({"time": "2026-03-03T00:00:00Z"}, []),
        ({"time": "2026-03-02T00:00:00Z"}, ["MQ==", "Mg==", "Mw=="]),
    ):
        client.ask("POST", f"{SUB}:seek", to)
        assert client.data() == found
    client.ask("POST", f"{SUB}:seek", {}, 400)
    client.ask("DELETE", snapshot)
    client.ask("POST", f"{SUB}:seek", {"snapshot": snapshot}, 404)


def test_topics_retain_what_subscriptions_have_acknowledged(client: Client) -> None:
    client.ask("PUT", "projects/p/topics/kept", {"messageRetentionDuration": "600s"})
    other = "projects/p/subscriptions/late"
    messages = {"messages": [{"data": "YQ=="}]}
    client.ask("POST", "projects/p/topics/kept:publish", messages)
    client.ask("PUT", other, {"topic": "projects/p/topics/kept"})
    for wait_s, found in ((0, ["YQ=="]), (601, [])):
        client.advance(wait_s)
        client.ask("POST", f"{other}:seek", {"time": "2026-03-02T00:00:00Z"})
        several = client.pull(other)
        assert [each["message"]["data"] for each in several] == found
        if several:
            client.acknowledge(*several, name=other)


def test_messages_are_retained_for_a_week_unless_told_otherwise(client: Client) -> None:
    client.subscribe(messageRetentionDuration="600s")
    client.publish("YQ==")
    client.advance(601)
    client.publish("Yg==")
    assert client.data() == ["Yg=="]


def test_pushes_are_sent_until_they_are_taken(client: Client) -> None:
    url = "http://127.0.0.1:9/hook"
    client.subscribe(pushConfig={"pushEndpoint": url}, retryPolicy={"minimumBackoff": "1s"})
    world = client.session.world
    publish(world, TOPIC, [{"data": "YQ=="}])
    sent = world.outbox[0]
    assert (sent.url, sent.body["subscription"]) == (url, SUB)
    note_delivery(world, sent, "500")
    client.advance(2)
    backlog = Backlog(world, world.table(SUBSCRIPTIONS).rows()[SUB])
    backlog.push()
    note_delivery(world, world.outbox[1], "204")
    assert backlog.unacknowledged() == []
    assert [row["delivery"] for row in world.table(NOTIFICATIONS).rows().values()] == ["500", "204"]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        (f"{TOPIC}:publish", {"messages": []}, 400),
        (f"{TOPIC}:publish", {"messages": [{"data": ""}]}, 400),
        ("projects/p/topics/none:publish", {"messages": [{"data": "YQ=="}]}, 404),
        ("projects/p/subscriptions/none:pull", {"maxMessages": 1}, 404),
        (f"{SUB}:pull", {"maxMessages": 0}, 400),
        (f"{SUB}:acknowledge", {"ackIds": ["nonsense"]}, 400),
        (f"{SUB}:acknowledge", {"ackIds": []}, 400),
        (f"{SUB}:modifyAckDeadline", {"ackIds": ["YX4x"], "ackDeadlineSeconds": 601}, 400),
        (f"{SUB}:modifyAckDeadline", {"ackIds": []}, 400),
    ],
)
def test_refusals(client: Client, path: str, body: JsonObject, status: int) -> None:
    client.subscribe()
    client.ask("POST", path, body, status)


@pytest.mark.parametrize(
    ("name", "body", "status"),
    [
        ("projects/p/subscriptions/a", {"topic": TOPIC}, 400),
        ("projects/p/subscriptions/googled", {"topic": TOPIC}, 400),
        (SUB, {"topic": TOPIC}, 409),
        ("projects/p/subscriptions/new", {"topic": "projects/p/topics/none"}, 404),
        ("projects/p/subscriptions/new", {"topic": TOPIC, "ackDeadlineSeconds": 5}, 400),
        ("projects/p/subscriptions/new", {"topic": TOPIC, "filter": "x = 1"}, 400),
        ("projects/p/subscriptions/new", {"topic": TOPIC, "filter": "(("}, 400),
        ("projects/p/subscriptions/new",
         {"topic": TOPIC, "deadLetterPolicy": {"deadLetterTopic": TOPIC, "maxDeliveryAttempts": 4}},
         400),
    ],
)  # fmt: skip
def test_subscriptions_that_cannot_be(
    client: Client, name: str, body: JsonObject, status: int
) -> None:
    client.subscribe()
    client.ask("PUT", name, body, status)
    given = {"subscription": {"filter": "attributes:x"}, "updateMask": "filter"}
    client.ask("PATCH", SUB, given, 400)
    changed = {"subscription": {"ackDeadlineSeconds": 60}, "updateMask": "ackDeadlineSeconds"}
    assert client.ask("PATCH", SUB, changed)["ackDeadlineSeconds"] == 60


def test_exactly_once_names_what_is_over(client: Client) -> None:
    client.subscribe(enableExactlyOnceDelivery=True)
    client.publish("YQ==")
    found = client.pull()
    client.acknowledge(*found)
    error = client.acknowledge(*found, status=400)["error"]
    metadata = error["details"][0]["metadata"]
    assert metadata == {found[0]["ackId"]: "PERMANENT_FAILURE_INVALID_ACK_ID"}


def test_later_requests_of_a_stream_need_not_repeat_its_deadline(client: Client) -> None:
    client.subscribe()
    client.publish("aGk=")
    pull, talk = "pubsub.projects.subscriptions.streamingPull", dict[str, Any]()

    def ask(body: JsonObject, conversation: dict[str, Any]) -> Any:
        call = Call(pull, {"subscription": SUB}, body, client.session.world)
        call.conversation = conversation
        return API.handlers[pull](call)

    (message,) = next(ask({"streamAckDeadlineSeconds": 10}, talk))["receivedMessages"]
    ask({"ackIds": [message["ackId"]]}, talk)
    client.advance(20)
    assert client.pull() == []
    with pytest.raises(ApiError, match="Invalid stream ack deadline"):
        ask({}, {})
