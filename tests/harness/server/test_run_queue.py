"""Runs in the background: a few at a time, cancelled, failed, ended with the server."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.server import Settings
from harness.server.run_queue import MOST_REMEMBERED, EventLog, LiveRun, RunQueue
from tests.harness.server.conftest import Api, now, serving

SLOW = {"agent": "command:sleep 30", "concurrency": 1}


@pytest.fixture
def slow(served: Callable[..., Api]) -> Api:
    return served(allow_subprocess=True, max_runs=1, max_waiting=1)


def started(api: Api, **order: object) -> str:
    accepted = api.post("/api/eval/suites/office/run", json=SLOW | order)
    assert accepted.status_code == 202
    run: str = accepted.json()["runId"]
    return run


def wait_for(api: Api, run: str, event: str) -> None:
    with api.stream("GET", f"/api/eval/runs/{run}/events") as stream:
        for line in stream.iter_lines():
            if line == f"event: {event}":
                return


@pytest.mark.slow
def test_more_runs_than_may_go_on_wait_and_more_than_may_wait_are_refused(slow: Api) -> None:
    first, second = started(slow), started(slow)
    wait_for(slow, first, "started")
    assert slow.get(f"/api/eval/runs/{second}").json()["state"] == "queued"
    refused = slow.post("/api/eval/suites/office/run", json=SLOW)
    assert refused.status_code == 429
    assert refused.headers["retry-after"] == "30"
    assert "is going on" in slow.post(f"/api/eval/runs/{first}/baseline").text
    health = slow.get("/api/health").json()
    assert (health["running"], health["queued"]) == (1, 1)
    for run in (second, first):
        assert slow.post(f"/api/eval/runs/{run}/cancel").status_code == 202
    assert slow.wait(first)["state"] == "cancelled"
    assert slow.wait(second)["state"] == "cancelled"
    assert "is unfinished" in slow.post(f"/api/eval/runs/{first}/baseline").text


@pytest.mark.slow
def test_a_run_that_cannot_start_fails_and_says_why(served: Callable[..., Api]) -> None:
    api = served(allow_subprocess=True)
    said = api.make(agent="http:http://127.0.0.1:9/chat", serve="false")
    assert said["state"] == "failed"
    assert "the agent's server ended with 1" in said["error"]
    events = api.get(f"/api/eval/runs/{said['runId']}/events").text
    assert json.loads(events.rsplit("data: ", 1)[1])["state"] == "failed"


@pytest.mark.slow
def test_a_server_that_is_stopped_ends_its_runs_and_keeps_their_trials(
    suites: Path, tmp_path: Path
) -> None:
    settings = Settings(runs=tmp_path / "runs", suites=suites, allow_subprocess=True)
    with serving(settings) as api:
        run = started(api)
        wait_for(api, run, "started")
    manifest = json.loads((tmp_path / "runs" / run / "manifest.json").read_bytes())
    assert manifest["run"] == run


async def test_an_error_of_ours_fails_the_run_and_is_logged(
    tmp_path: Path,
) -> None:
    runs = RunQueue(Settings(runs=tmp_path), now, lambda _folder: None)
    made = LiveRun("1", None, None)  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        await runs._make(made)
    assert (made.state, made.error) == ("failed", "AttributeError in the server")
    assert made.events.over


async def test_runs_that_are_long_over_are_forgotten(tmp_path: Path) -> None:
    runs = RunQueue(Settings(runs=tmp_path), now, lambda _folder: None)
    for number in range(MOST_REMEMBERED + 5):
        made = LiveRun(str(number), None, None, state="finished")  # type: ignore[arg-type]
        runs._runs[made.id] = made
    runs._forget()
    assert runs.get("4") is None
    assert runs.get("5") is not None


async def test_who_comes_late_gets_what_is_kept_and_then_what_comes() -> None:
    log, got = EventLog(), []
    log.add("queued", {})

    async def follow() -> None:
        async for event in log.follow():
            got.append(event)

    following = asyncio.create_task(follow())
    for number in range(3):
        await asyncio.sleep(0)
        log.add("trial", {"number": number})
    log.close()
    await following
    assert [event.split(b"\n")[0] for event in got] == [b"id: 1", b"id: 2", b"id: 3", b"id: 4"]
    assert got[3] == b'id: 4\nevent: trial\ndata: {"number":2}\n\n'


async def test_only_the_newest_events_are_kept() -> None:
    log = EventLog(most=2)
    for number in range(5):
        log.add("trial", {"number": number})
    log.close()
    assert [event.id for event in log.after(0)] == [4, 5]
    assert [event async for event in log.follow(4)] == [log.after(4)[0].to_bytes()]
    assert [event async for event in log.follow(99)] == []


async def test_a_silence_is_filled_so_that_nobody_hangs_up() -> None:
    log = EventLog()
    following = log.follow(heartbeat_s=0.01)
    assert await anext(following) == b": still here\n\n"
    log.add("queued", {})
    assert (await anext(following)).startswith(b"id: 1\n")
    log.close()
    assert [event async for event in following] == []
