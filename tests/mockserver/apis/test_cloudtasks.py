"""Queues and tasks of Cloud Tasks as a client meets them, by the session's clock."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from mockserver.apis.cloudtasks.methods import TaskQueue, request_of
from mockserver.googleapi.signing import read_jwt
from mockserver.model import JsonObject, SessionSpec
from mockserver.state import NOTIFICATIONS, Message, note_delivery, rfc3339
from mockserver.testing import EmulatorTransport
from tests.mockserver.apis.asking import Asker
from tests.mockserver.apis.scenarios import Scenario, check, over_http

PLACE = "projects/p/locations/us-central1"
QUEUE = f"{PLACE}/queues/q"
TASK = f"{QUEUE}/tasks/t1"
HERE = "http://127.0.0.1:9/work"
AWAY = {"httpRequest": {"url": "https://worker.example.com/", "body": "YQ=="}}


class Client:
    """One session, and what is asked of it."""

    def __init__(self, transport: EmulatorTransport) -> None:
        self.world = transport.session.world
        self.ask = Asker("https://cloudtasks.googleapis.com/v2/", transport)

    def add(self, status: int = 200, **task: Any) -> Any:
        return self.ask("POST", f"{QUEUE}/tasks", {"task": {**AWAY, **task}}, status)

    def names(self) -> list[str]:
        found = self.ask("GET", f"{QUEUE}/tasks").get("tasks", [])
        return [each["name"].rpartition("/")[2] for each in found]

    def later(self, by_s: float) -> str:
        return rfc3339(self.world.clock.now() + timedelta(seconds=by_s))

    def settle(self, after_s: float = 0) -> list[Message]:
        """What the queue sends after a while."""
        self.world.clock.advance(timedelta(seconds=after_s))
        self.world.outbox = ()
        row = self.world.table("cloudtasks:v2/queues").rows()[QUEUE]
        TaskQueue(self.world, "v2", row).settle()
        return list(self.world.outbox)


@pytest.fixture
def client() -> Iterator[Client]:
    made = Client(EmulatorTransport(spec=SessionSpec(clock="frozen:2026-03-02T09:00:00Z")))
    with made.ask:
        made.ask("POST", f"{PLACE}/queues", {"name": QUEUE})
        yield made


def test_a_task_shows_its_body_when_all_of_it_is_asked_for(client: Client) -> None:
    made = client.add(name=TASK)
    assert made["httpRequest"] == {"url": "https://worker.example.com/", "httpMethod": "POST"}
    assert (made["view"], made["dispatchDeadline"]) == ("BASIC", "600s")
    full = client.ask("GET", f"{TASK}?responseView=FULL")
    assert (full["view"], full["httpRequest"]["body"]) == ("FULL", "YQ==")
    listed = client.ask("GET", f"{QUEUE}/tasks?responseView=FULL")["tasks"]
    assert [each["httpRequest"]["body"] for each in listed] == ["YQ=="]
    assert "body" not in client.ask("GET", f"{QUEUE}/tasks")["tasks"][0]["httpRequest"]


def test_a_target_elsewhere_is_noted_and_its_task_stays(client: Client) -> None:
    client.add(name=TASK)
    (noted,) = client.world.table(NOTIFICATIONS).rows().values()
    assert noted["delivery"].endswith("is not on this machine")
    assert noted["headers"]["x-cloudtasks-taskname"] == "t1"
    task = client.ask("GET", TASK)
    assert (task["dispatchCount"], task["lastAttempt"]["responseStatus"]["code"]) == (1, 14)
    assert client.settle(after_s=7200) == []
    assert client.ask("POST", f"{TASK}:run", {})["name"] == TASK
    assert client.ask("GET", TASK)["dispatchCount"] == 2


def test_a_task_is_sent_when_its_time_comes_and_again_until_it_is_done(client: Client) -> None:
    client.ask("PATCH", f"{QUEUE}?updateMask=retryConfig", {"retryConfig": {"minBackoff": "4s"}})
    request = {"url": HERE, "httpMethod": "PUT", "body": "YQ==", "headers": {"X-A": "1"}}
    client.add(name=TASK, httpRequest=request, scheduleTime=client.later(60))
    assert client.settle(after_s=59) == []
    (sent,) = client.settle(after_s=2)
    assert (sent.url, sent.verb, sent.content, sent.headers["x-a"]) == (HERE, "PUT", b"a", "1")
    assert client.settle(after_s=3) == []
    note_delivery(client.world, sent, "503")
    task = client.ask("GET", TASK)
    assert (task["dispatchCount"], task["responseCount"]) == (1, 1)
    assert task["lastAttempt"]["responseStatus"]["message"] == "HTTP status code 503"
    assert client.settle(after_s=3) == []
    (sent,) = client.settle(after_s=2)
    assert sent.headers["x-cloudtasks-taskretrycount"] == "1"
    note_delivery(client.world, sent, "204")
    assert client.names() == []
    client.ask("GET", TASK, status=404)


def test_a_task_is_given_up_after_its_attempts_and_its_name_stays_taken(client: Client) -> None:
    client.ask("PATCH", f"{QUEUE}?updateMask=retryConfig", {"retryConfig": {"maxAttempts": 1}})
    client.ask("POST", f"{QUEUE}:pause", {})
    client.add(name=TASK, httpRequest={"url": HERE})
    assert client.settle() == []
    client.ask("POST", f"{QUEUE}:resume", {})
    row = client.world.table("cloudtasks:v2/tasks").rows()[TASK]
    queue = TaskQueue(client.world, "v2", client.ask("GET", QUEUE))
    queue.send(row)
    sent = client.world.outbox[-1]
    note_delivery(client.world, sent, "failed: no route")
    assert client.names() == []
    error = client.add(name=TASK, status=409)["error"]
    assert (error["status"], "too recently" in error["message"]) == ("ALREADY_EXISTS", True)
    client.world.clock.advance(timedelta(hours=2))
    client.add(name=TASK)
    assert "already exists" in client.add(name=TASK, status=409)["error"]["message"]


def test_a_queue_is_purged_and_deleted_with_its_tasks(client: Client) -> None:
    client.add(name=TASK)
    client.add()
    assert "purgeTime" in client.ask("POST", f"{QUEUE}:purge", {})
    assert client.names() == []
    client.add()
    client.ask("DELETE", QUEUE)
    assert len(client.world.table("cloudtasks:v2/tasks")) == 0
    assert "too recently" in str(client.ask("POST", f"{PLACE}/queues", {"name": QUEUE}, 400))
    client.ask("POST", f"{QUEUE}/tasks", {"task": AWAY}, 404)


def test_a_queue_with_a_target_has_tasks_buffered(client: Client) -> None:
    name = f"{PLACE}/queues/http"
    place = {"scheme": "HTTP", "host": "localhost", "port": "9"}
    override = {
        **place, "pathOverride": {"path": "/do"}, "queryOverride": {"queryParams": "a=1"},
    }  # fmt: skip
    own = {"headerOverrides": [{"header": {"key": "X-Q", "value": "h"}}], "httpMethod": "PUT"}
    target = {"uriOverride": override, **own}
    client.ask("POST", f"{PLACE}/queues", {"name": name, "httpTarget": target})
    body = {"body": {"contentType": "text/plain", "data": "aGk="}}
    made = client.ask("POST", f"{name}/tasks/t9:buffer", body)["task"]
    assert made["name"] == f"{name}/tasks/t9"
    row = client.world.table(NOTIFICATIONS).rows()["1"]
    assert (row["url"], row["verb"]) == ("http://localhost:9/do?a=1", "PUT")
    assert (row["body"], row["headers"]["content-type"]) == ("hi", "text/plain")
    assert row["headers"]["x-q"] == "h"
    client.ask("POST", f"{QUEUE}/tasks/t9:buffer", body, 400)


@pytest.mark.parametrize(
    ("task", "queue", "url"),
    [
        ({"appEngineHttpRequest": {"relativeUri": "/a", "appEngineRouting": {"service": "s"}}}, {},
         "https://s-dot-p.appspot.com/a"),
        ({"appEngineHttpRequest": {}}, {"appEngineRoutingOverride": {"version": "v"}},
         "https://v-dot-p.appspot.com/"),
        ({"httpRequest": {"url": "http://a.example.com/x?y=1"}},
         {"httpTarget": {"uriOverride": {"uriOverrideEnforceMode": "IF_NOT_EXISTS"}}},
         "http://a.example.com/x?y=1"),
        ({"httpRequest": {"url": "http://a.example.com/x"}},
         {"httpTarget": {"uriOverride": {"host": "b.example.com"}}}, "http://b.example.com/x"),
    ],
)  # fmt: skip
def test_a_queue_says_where_its_tasks_go(task: JsonObject, queue: JsonObject, url: str) -> None:
    assert request_of({"name": TASK, **task}, queue)["url"] == url


def test_requests_bring_tokens_of_the_account_that_a_task_names(client: Client) -> None:
    account = {"serviceAccountEmail": "robot@p.iam.gserviceaccount.com"}
    client.ask("POST", f"{QUEUE}:pause", {})
    for kind in ("oidcToken", "oauthToken"):
        client.add(httpRequest={"url": HERE, kind: account})
    row = client.world.table("cloudtasks:v2/queues").rows()[QUEUE]
    client.world.put("cloudtasks:v2/queues", QUEUE, {**row, "state": "RUNNING"})
    by_oidc, by_oauth = client.settle()
    token = read_jwt(by_oidc.headers["authorization"].removeprefix("Bearer "))
    assert token is not None
    assert (token.is_ours, token.claims["aud"]) == (True, HERE)
    assert by_oauth.headers["authorization"].startswith("Bearer ya29")
    assert "authorization" not in str(client.world.table(NOTIFICATIONS).rows()["1"])


@pytest.mark.parametrize(
    ("task", "text"),
    [
        ({"httpRequest": None}, "either an httpRequest"),
        ({"httpRequest": {"url": "ftp://x"}}, "must start with"),
        ({"httpRequest": {"url": HERE, "httpMethod": "GET", "body": "YQ=="}}, "only be set for"),
        ({"httpRequest": None, "appEngineHttpRequest": {"relativeUri": "x"}}, "begin with"),
        ({"dispatchDeadline": "1s"}, "dispatchDeadline"),
        ({"scheduleTime": "2026-06-02T09:00:00Z"}, "far in the future"),
        ({"name": f"{PLACE}/queues/other/tasks/t"}, "must be formatted"),
        ({"name": f"{QUEUE}/tasks/a.b"}, "must be formatted"),
    ],
)
def test_tasks_that_cannot_be_are_refused(client: Client, task: JsonObject, text: str) -> None:
    given = {name: each for name, each in {**AWAY, **task}.items() if each is not None}
    assert text in str(client.ask("POST", f"{QUEUE}/tasks", {"task": given}, 400))


@pytest.mark.parametrize("name", ["", "projects/o/locations/x/queues/q", f"{PLACE}/queues/a_b"])
def test_queues_that_cannot_be_are_refused(client: Client, name: str) -> None:
    client.ask("POST", f"{PLACE}/queues", {"name": name}, 400)


def scenario() -> Scenario:
    return over_http("https://cloudtasks.googleapis.com/v2/", _ask_all)


def _ask_all(call: Scenario) -> None:
    target = {"uriOverride": {"host": "b.example.com"}}
    for name, more in ((QUEUE, {}), (QUEUE, {}), (f"{QUEUE}_", {}), ("x", {}),
                       (f"{PLACE}/queues/http", {"httpTarget": target})):  # fmt: skip
        call(f"POST {PLACE}/queues", {"name": name, **more})
    call(f"GET {PLACE}/queues")
    limits = {"retryConfig": {"maxAttempts": 2}, "rateLimits": {"maxConcurrentDispatches": 3}}
    call(f"PATCH {QUEUE}?updateMask=retryConfig,rateLimits", limits)
    engine = {"appEngineHttpRequest": {"relativeUri": "/a", "body": "YQ=="}}
    tasks: list[Any] = [
        {**AWAY, "name": TASK}, {**AWAY, "name": TASK}, {**engine, "dispatchDeadline": "86400s"},
        {},
        {**AWAY, **engine}, {**AWAY, "dispatchDeadline": "1800s"},
        {**AWAY, "dispatchDeadline": "1801s"},
        {**AWAY, "scheduleTime": "2026-03-02T10:00:00Z"}, {**AWAY, "dispatchDeadline": "15s"},
        {**AWAY, "scheduleTime": "2026-04-02T10:00:00Z"}, {**AWAY, "name": f"{QUEUE}/tasks/a.b"},
        {"httpRequest": {"url": "ftp://x"}}, {"appEngineHttpRequest": {"relativeUri": "x"}},
        {"httpRequest": {"url": HERE, "httpMethod": "GET", "body": "YQ=="}},
    ]  # fmt: skip
    for each in tasks:
        call(f"POST {QUEUE}/tasks", {"task": each})
    call(f"POST {QUEUE}/tasks", {"task": AWAY, "responseView": "FULL"})
    call(f"POST {QUEUE}x/tasks", {"task": AWAY})
    for query in ("", "?responseView=FULL", "?pageSize=2"):
        call(f"GET {QUEUE}/tasks{query}")
    for path in ("", "?responseView=FULL", "x"):
        call(f"GET {TASK}{path}")
    for name in (TASK, f"{TASK}x"):
        call(f"POST {name}:run", {"responseView": "FULL"})
        call(f"DELETE {name}")
        call(f"GET {name}")
    call(f"POST {QUEUE}/tasks", {"task": {**AWAY, "name": TASK}})
    call(f"POST {QUEUE}/tasks", {"task": {**AWAY, "name": TASK}}, wait=3600)
    for verb in ("pause", "resume", "purge"):
        call(f"POST {QUEUE}:{verb}", {})
        call(f"GET {QUEUE}")
    buffered = {"body": {"contentType": "text/plain", "data": "aGk="}}
    for queue, path in (("http", "t9:buffer"), ("http", "t9:buffer"), ("q", "t9:buffer")):
        call(f"POST {PLACE}/queues/{queue}/tasks/{path}", buffered)
    call(f"GET {PLACE}/queues/http/tasks?responseView=FULL")
    call(f"DELETE {QUEUE}")
    call(f"DELETE {QUEUE}")
    call(f"POST {PLACE}/queues", {"name": QUEUE})
    call(f"POST {PLACE}/queues", {"name": QUEUE}, wait=3 * 86_400)


def test_tasks_go_as_it_was_written_down() -> None:
    check(__file__, scenario())
