"""Jobs of Cloud Scheduler as a client meets them, by the session's clock."""

from base64 import b64decode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mockserver.apis.cloudscheduler.methods import read_schedule
from mockserver.googleapi import ApiError
from mockserver.model import SessionSpec
from mockserver.state import NOTIFICATIONS
from mockserver.testing import EmulatorTransport
from tests.mockserver.apis.asking import Asker

PLACE = "https://cloudscheduler.googleapis.com/v1/projects/p/locations/us-central1"
PUBSUB = "https://pubsub.googleapis.com/v1/projects/p"
JOB = "projects/p/locations/us-central1/jobs/j"
AWAY = {"httpTarget": {"uri": "https://worker.example.com/", "body": "aGk="}}
NEWS = {"pubsubTarget": {"topicName": "projects/p/topics/news", "data": "aGk="}}
MONDAY = datetime(2026, 3, 2, 9, 0, 30, tzinfo=UTC)


@pytest.fixture
def transport() -> EmulatorTransport:
    return EmulatorTransport(spec=SessionSpec(clock="frozen:2026-03-02T09:00:30Z"))


@pytest.fixture
def ask(transport: EmulatorTransport) -> Iterator[Asker]:
    with Asker(transport=transport) as made:
        yield made


def add(ask: Asker, target: Any, status: int = 200, **job: Any) -> Any:
    given = {"name": JOB, "schedule": "*/5 * * * *", **job, **target}
    return ask("POST", f"{PLACE}/jobs", given, status)


@pytest.mark.parametrize(
    ("text", "zone", "due"),
    [
        ("* * * * *", "UTC", "2026-03-02T09:01"),
        ("*/5 * * * *", "UTC", "2026-03-02T09:05"),
        ("0 9 * * *", "Europe/Berlin", "2026-03-03T08:00"),
        ("30 10,18 * * *", "UTC", "2026-03-02T10:30"),
        ("0 8 * * MON-FRI", "UTC", "2026-03-03T08:00"),
        ("0 0 * * 7", "UTC", "2026-03-08T00:00"),
        ("0 0 29 2 *", "UTC", "2028-02-29T00:00"),
        ("0 0 13 * fri", "UTC", "2026-03-06T00:00"),
        ("0 12 1 jan *", "UTC", "2027-01-01T12:00"),
        ("10/20 9 * * *", "UTC", "2026-03-02T09:10"),
        ("30 2 29 3 *", "Europe/Berlin", "2026-03-29T01:00"),
        ("every 15 minutes", "UTC", "2026-03-02T09:15"),
        ("every hour", "UTC", "2026-03-02T10:00"),
    ],
)
def test_schedules_are_next_due(text: str, zone: str, due: str) -> None:
    assert read_schedule(text, zone).after(MONDAY).isoformat().startswith(due)


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("", "UTC"), ("* * * *", "UTC"), ("60 * * * *", "UTC"), ("5-1 * * * *", "UTC"),
        ("*/0 * * * *", "UTC"), ("a * * * *", "UTC"), ("* * * * */x", "UTC"),
        ("0 0 30 2 *", "UTC"), ("* * * * * *", "UTC"),
        ("* * * * *", "Mars/Base"), ("* * * * *", "../etc"), ("every 0 minutes", "UTC"),
    ],
)  # fmt: skip
def test_schedules_that_cannot_be_are_refused(text: str, zone: str) -> None:
    with pytest.raises(ApiError):
        read_schedule(text, zone)


def test_a_job_publishes_when_it_is_due(ask: Asker, transport: EmulatorTransport) -> None:
    ask("PUT", f"{PUBSUB}/topics/news", {})
    ask("PUT", f"{PUBSUB}/subscriptions/desk", {"topic": "projects/p/topics/news"})
    made = add(ask, NEWS, timeZone="America/New_York")
    assert (made["state"], made["scheduleTime"]) == ("ENABLED", "2026-03-02T09:05:00.000Z")
    assert made["retryConfig"]["maxDoublings"] == 5
    transport.session.world.clock.advance(timedelta(minutes=12))
    (job,) = ask("GET", f"{PLACE}/jobs")["jobs"]
    assert job["lastAttemptTime"] == "2026-03-02T09:12:30.000Z"
    assert job["scheduleTime"] == "2026-03-02T09:15:00.000Z"
    pulled = ask("POST", f"{PUBSUB}/subscriptions/desk:pull", {"maxMessages": 5})
    assert [b64decode(each["message"]["data"]) for each in pulled["receivedMessages"]] == [b"hi"]


def test_a_job_without_its_topic_says_so(ask: Asker) -> None:
    add(ask, NEWS)
    ask("POST", f"{PLACE}/jobs/j:run", {})
    assert ask("GET", f"{PLACE}/jobs/j")["status"]["code"] == 5


def test_a_job_is_paused_resumed_and_run(ask: Asker, transport: EmulatorTransport) -> None:
    world = transport.session.world
    add(ask, AWAY)
    ask("POST", f"{PLACE}/jobs/j:resume", {}, 400)
    assert ask("POST", f"{PLACE}/jobs/j:pause", {})["state"] == "PAUSED"
    ask("POST", f"{PLACE}/jobs/j:pause", {}, 400)
    world.clock.advance(timedelta(hours=1))
    assert "lastAttemptTime" not in ask("GET", f"{PLACE}/jobs/j")
    assert ask("POST", f"{PLACE}/jobs/j:resume", {})["scheduleTime"] == "2026-03-02T10:05:00.000Z"
    assert "lastAttemptTime" in ask("POST", f"{PLACE}/jobs/j:run", {})
    (row,) = world.table(NOTIFICATIONS).rows().values()
    assert (row["body"], row["headers"]["x-cloudscheduler-jobname"]) == ("hi", "j")
    assert ask("GET", f"{PLACE}/jobs/j")["status"]["code"] == 14
    changed = ask("PATCH", f"{PLACE}/jobs/j?updateMask=schedule", {"schedule": "0 12 * * *"})
    assert changed["scheduleTime"] == "2026-03-02T12:00:00.000Z"
    ask("PATCH", f"{PLACE}/jobs/j?updateMask=schedule", {"schedule": "bad"}, 400)


def test_what_a_target_here_answers_is_the_status_of_its_job(
    ask: Asker, transport: EmulatorTransport
) -> None:
    from mockserver.apis.cloudscheduler.methods import _note_outcome

    world = transport.session.world
    add(ask, {"appEngineHttpTarget": {"relativeUri": "/do"}})
    ask("POST", f"{PLACE}/jobs/j:run", {})
    assert world.table(NOTIFICATIONS).rows()["1"]["url"] == "https://p.appspot.com/do"
    for outcome, code in (("503", 14), ("200", None)):
        _note_outcome(JOB, world, outcome)
        assert ask("GET", f"{PLACE}/jobs/j").get("status", {}).get("code") == code


@pytest.mark.parametrize(
    ("target", "job", "status"),
    [
        ({}, {}, 400),
        ({**AWAY, **NEWS}, {}, 400),
        ({"httpTarget": {"uri": "x"}}, {}, 400),
        ({"pubsubTarget": {"topicName": "projects/p/topics/t"}}, {}, 400),
        (AWAY, {"schedule": "0 0 30 2 *"}, 400),
        (AWAY, {"timeZone": "Mars/Base"}, 400),
        (AWAY, {"name": "projects/o/locations/x/jobs/j"}, 400),
    ],
)
def test_jobs_that_cannot_be_are_refused(ask: Asker, target: Any, job: Any, status: int) -> None:
    add(ask, target, status, **job)


def test_a_job_without_a_name_gets_one_and_a_name_is_taken_once(ask: Asker) -> None:
    add(ask, AWAY)
    add(ask, AWAY, 409)
    made = ask("POST", f"{PLACE}/jobs", {"schedule": "* * * * *", **AWAY})
    assert made["name"].rpartition("/")[2].isdecimal()
