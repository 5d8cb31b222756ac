"""Every route, asked over a real connection."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.cli.run import execute
from harness.cli.run_options import RunOptions
from tests.harness.server.conftest import Api
from tests.runfolders import stored_run

TASKS = [{"id": "T1", "category": "bug_fix", "prompt": "Fix it.", "expectedPatterns": ["done"]}]
TEN = {f"C-{number}": [True] * 3 for number in range(10)}


def test_suites_are_listed(api: Api) -> None:
    """CTX-29"""
    found = api.get("/api/eval/suites").json()
    assert [(suite["id"], suite["name"]) for suite in found] == [("office", "office")]
    assert found[0]["tasks"][0]["id"] == "T-001"
    assert found[0]["categories"] == {"policy": 1, "devices": 1}
    assert found[0]["registered"] is False


@pytest.mark.slow
def test_a_suite_is_created_listed_and_run(api: Api) -> None:
    """CTX-30, CTX-31, CTX-24: registered by name, retrievable, executable; CTXR-04"""
    made = api.post("/api/eval/suites", json={"name": "mine", "tasks": TASKS})
    assert made.status_code == 201
    assert made.json()["cases"] == 1
    assert made.json()["registered"] is True
    listed = {suite["name"] for suite in api.get("/api/eval/suites").json()}
    assert listed == {"mine", "office"}
    said = api.make("mine", agent="echo", note="first")
    assert said["state"] == "finished"
    assert said["cases"][0]["case"] == "T1"
    assert said["summary"]["note"] == "first"


@pytest.mark.slow
def test_a_run_is_made_in_the_background(finished: tuple[Api, dict[str, Any]]) -> None:
    """CTX-31, CTX-32, CTX-33, CTXR-02: what was run is there."""
    api, told = finished
    assert (told["cases"], told["trials"], told["suite"]) == (2, 4, "office")
    said = api.get(told["url"]).json()
    assert (said["state"], said["done"], said["summary"]["rate"]) == ("finished", 4, 1.0)
    assert [case["verdict"] for case in said["cases"]] == ["passed", "passed"]
    report = api.get(f"{told['url']}/report").json()
    assert report["runId"] == told["runId"]
    listed = api.get("/api/eval/runs", params={"suite": "office"}).json()
    assert [run["run"] for run in listed] == [told["runId"]]


@pytest.mark.slow
def test_the_command_and_the_api_run_alike(api: Api, tmp_path: Path) -> None:
    """CTXR-12: one runner stands behind both."""
    suite = api.settings.suites / "office"
    made = api.make("office", agent="echo")
    execute(RunOptions(suite=suite, agent="echo", trials=1, run_dir=tmp_path / "cli"))
    (path,) = (tmp_path / "cli").glob("*/report.json")
    ours = api.get(f"/api/eval/runs/{made['runId']}/report").json()
    facts = ("caseId", "verdict", "hash", "responseText", "failureClasses", "error")
    told = [
        [{fact: case[fact] for fact in facts} for case in report["cases"]]
        for report in (ours, json.loads(path.read_text(encoding="utf-8")))
    ]
    assert told[0] == told[1] != []


@pytest.mark.slow
def test_a_run_is_asked_for_in_few_words(api: Api) -> None:
    """CTXR-03: POST /api/eval/run {suiteId, provider, baselineId, timeout}"""
    stored_run(api.settings.runs, "1", {"T-001": [True], "T-002": [True]})
    assert api.post("/api/eval/runs/1/baseline").status_code == 201
    order = {"suiteId": "office", "provider": "null", "baselineId": "current", "timeout": 5}
    said = api.wait(api.post("/api/eval/run", json=order).json()["runId"])
    assert said["comparison"]["baseline"] == "1"
    assert 1 in [reason["code"] for reason in said["exitReasons"]]


def test_runs_come_in_pages(api: Api) -> None:
    """CTX-32"""
    for name in "123":
        stored_run(api.settings.runs, name, {"A": [True]})
    page = api.get("/api/eval/runs", params={"limit": 2})
    assert [run["id"] for run in page.json()] == ["3", "2"]
    assert page.headers["x-next"] == "2"
    rest = api.get(page.links["next"]["url"])
    assert ([run["run"] for run in rest.json()], "x-next" in rest.headers) == (["1"], False)
    (api.settings.runs / "2" / "manifest.json").write_text("{", encoding="utf-8")
    assert "run 2" in api.get("/api/eval/runs").headers["x-warnings"]


def test_what_a_page_of_runs_shows_is_there_by_its_names(api: Api) -> None:
    """CTX-32: rows and details count tasks; what ours adds stands beside."""
    stored_run(api.settings.runs, "1", {"A": [True, True], "B": [True, False], "C": [None]})
    (row,) = api.get("/api/eval/runs").json()
    shown = ("id", "suiteName", "totalTasks", "passed", "failed")
    assert [row[name] for name in shown] == ["1", "office", 3, 1, 1]
    assert row["timestamp"] == row["startedAt"] != ""
    facts = ("id", "verdict", "passed", "valid")
    assert [tuple(task[name] for name in facts) for task in row["tasks"]] == [
        ("A", "passed", 2, 2), ("B", "flaky", 1, 2), ("C", "inconclusive", 0, 0),
    ]  # fmt: skip
    told = api.get("/api/eval/runs/1").json()
    assert {name: told[name] for name in (*shown, "timestamp")}.items() <= row.items()
    assert [(each["taskId"], each["passed"], each["score"]) for each in told["results"]] == [
        ("A", True, 1.0), ("B", False, 0.5), ("C", None, None),
    ]  # fmt: skip
    assert told["results"][1]["error"]


def test_a_baseline_is_set_listed_and_removed(api: Api) -> None:
    """CTX-34, CTX-35, CTXR-03"""
    stored_run(api.settings.runs, "1", {"A": [True]})
    stored_run(api.settings.runs, "2", {"A": [True]})
    for run in "12":
        made = api.post(f"/api/eval/runs/{run}/baseline", json={"note": f"n{run}"})
        assert made.status_code == 201
        assert made.json()["setAt"] == "2026-11-20T10:15:00.000Z"
    listed = api.get("/api/eval/baselines").json()
    told = [(each["id"], each["note"], each["current"]) for each in listed]
    assert told == [("1", "n1", False), ("2", "n2", True)]
    assert api.get("/api/eval/runs/2").json()["summary"]["baseline"] is True
    assert api.delete("/api/eval/baselines/2").json()["id"] == "2"
    assert api.get("/api/eval/baselines").json()[0]["current"] is True
    assert api.delete("/api/eval/baselines/2").status_code == 404


def test_a_run_without_a_valid_trial_is_no_baseline(api: Api) -> None:
    """Pitfall 5"""
    stored_run(api.settings.runs, "1", {"A": [None]})
    refused = api.post("/api/eval/runs/1/baseline")
    assert refused.status_code == 409
    assert "no valid trial" in refused.json()["error"]["message"]


def test_regressions_are_told_task_by_task(api: Api) -> None:
    """CTX-36, CTX-22, CTX-18: delta positive is worse; statistics beside it."""
    stored_run(api.settings.runs, "1", TEN)
    api.post("/api/eval/runs/1/baseline")
    worse: dict[str, list[bool]] = TEN | {"C-0": [False] * 3, "C-1": [True, True, False]}
    stored_run(api.settings.runs, "2", {k: v for k, v in worse.items() if k != "C-9"})
    said = api.get("/api/eval/regressions/office", params={"threshold": 0.5}).json()
    assert (said["baseline"], said["run"], said["degraded"]) == ("1", "2", 1)
    assert said["regressions"][0] == {
        "taskId": "C-0",
        "previousScore": 1.0,
        "currentScore": 0.0,
        "degraded": True,
        "delta": 1.0,
        "previousRate": 1.0,
        "currentRate": 0.0,
        "rateDelta": 1.0,
    }
    assert said["missing"] == ["C-9"]
    assert said["comparison"]["cases"][0]["flag"] == "broken"


@pytest.mark.parametrize(
    ("runs", "why"), [([], "has no baseline"), (["1"], "no run after its baseline")], ids=str
)
def test_without_two_runs_nothing_is_compared(api: Api, runs: list[str], why: str) -> None:
    for run in runs:
        stored_run(api.settings.runs, run, {"A": [True]})
        api.post(f"/api/eval/runs/{run}/baseline")
    refused = api.get("/api/eval/regressions/office")
    assert refused.status_code == 409
    assert why in refused.json()["error"]["message"]


def test_a_retriever_is_judged(idle: Api) -> None:
    """CTXR-03: hit@1, recall, MRR"""
    queries = [
        {"query": "a", "relevant": ["x"], "retrieved": ["x", "y"]},
        {"query": "b", "relevant": ["x", "z"], "retrieved": ["y", "x"]},
    ]
    said = idle.post("/api/eval/rag", json={"queries": queries}).json()
    assert {name: said[name] for name in ("queries", "hitAt1", "recall", "mrr")} == {
        "queries": 2,
        "hitAt1": 0.5,
        "recall": 0.75,
        "mrr": 0.75,
    }
    nothing = [{"relevant": [], "retrieved": ["x"]}]
    refused = idle.post("/api/eval/rag", json={"queries": nothing})
    assert refused.status_code == 422
    assert refused.json()["error"]["problems"][0]["where"] == "/queries/0/relevant"


@pytest.mark.parametrize(
    ("expected", "figures"),
    [("x", (True, 1, 1)), ("y", (False, 1, 0.5)), ("z", (False, 0, 0)), (None, (None, None, 0))],
)
def test_one_query_is_judged(idle: Api, expected: str | None, figures: tuple[Any, ...]) -> None:
    """CTXR-03: {query, retrievedDocs, expectedDoc}"""
    order = {"query": "a", "retrievedDocs": ["x", "y"]}
    order |= {"expectedDoc": expected} if expected else {}
    said = idle.post("/api/eval/rag", json=order).json()
    assert (said["query"], said["retrievedCount"]) == ("a", 2)
    assert (said["hitAt1"], said["recall"], said["mrr"]) == figures
    assert idle.post("/api/eval/rag", json={"k": 1}).status_code == 422


@pytest.mark.slow
def test_an_order_may_name_no_agent_where_the_server_has_one(
    api: Api, served: Callable[..., Api]
) -> None:
    """CTXR-03: provider and model are optional."""
    order = {"suiteId": "office", "model": "small"}
    refused = api.post("/api/eval/run", json=order)
    assert (refused.status_code, "no agent" in refused.text) == (422, True)
    other = served(agent="oracle")
    accepted = other.post("/api/eval/run", json=order).json()
    assert accepted["id"] == accepted["runId"]
    assert other.wait(accepted["id"])["summary"]["note"] == "model small"


def test_harnesses_are_the_suites_that_are_there(api: Api) -> None:
    """CTX-24, CTXR-03"""
    api.post("/api/eval/suites", json={"name": "mine", "tasks": TASKS})
    found = api.get("/api/eval/harnesses").json()["harnesses"]
    assert [(each["name"], each["cases"]) for each in found] == [("office", 2)]
    assert found[0]["agents"]["oracle"] == "must pass"


def test_benchmarks_are_suites_over_time(api: Api) -> None:
    """CTXR-03"""
    stored_run(api.settings.runs, "1", {"A": [True]})
    stored_run(api.settings.runs, "2", {"A": [True, False]})
    stored_run(api.settings.runs, "3", {"A": [None]}, suite="fixtures/never")
    found = api.get("/api/benchmarks").json()["benchmarks"]
    assert [(each["suite"], each["latest"], each["best"]) for each in found] == [
        ("office", 0.5, 1.0)
    ]
    assert [run["run"] for run in found[0]["trend"]] == ["1", "2"]


def test_the_server_says_how_it_is(idle: Api) -> None:
    said = idle.get("/api/health").json()
    assert (said["status"], said["running"], said["queued"]) == ("ok", 0, 0)


@pytest.mark.slow
def test_without_its_database_it_still_runs_and_says_so(
    served: Callable[..., Api], tmp_path: Path
) -> None:
    """A database that is down: the run goes on, and the index catches up."""
    api = served(db="postgresql://u:s3cret@127.0.0.1:9/d")
    assert api.get("/api/health").json()["status"] == "degraded"
    said = api.make(ids=["T-001"])
    assert said["state"] == "finished"
    events = api.get(f"/api/eval/runs/{said['runId']}/events").text
    assert "the run is not indexed yet" in events
    assert api.post(f"/api/eval/runs/{said['runId']}/baseline").status_code == 201
    refused = api.get("/api/eval/runs")
    assert refused.status_code == 503
    assert "s3cret" not in refused.text + events
    later = served(db=str(tmp_path / "later.db"))
    assert [run["run"] for run in later.get("/api/eval/runs").json()] == [said["runId"]]


def test_events_tell_a_run_and_go_on_where_a_client_was(
    finished: tuple[Api, dict[str, Any]],
) -> None:
    api, told = finished
    events = _events(api.get(told["events"]).text)
    assert [name for _, name, _ in events] == ["queued", "started", *["trial"] * 4, "finished"]
    assert events[-1][2] == {
        "runId": told["runId"],
        "state": "finished",
        "error": "",
        "exitCode": 0,
    }
    assert {data["status"] for _, name, data in events if name == "trial"} == {"pass"}
    again = _events(api.get(told["events"], headers={"last-event-id": "3"}).text)
    assert again == events[3:]


def test_a_run_of_earlier_tells_its_end(api: Api) -> None:
    stored_run(api.settings.runs, "1", {"A": [True]})
    assert _events(api.get("/api/eval/runs/1/events").text)[0][2]["state"] == "finished"


def _events(text: str) -> list[tuple[int, str, dict[str, Any]]]:
    found = []
    for block in text.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines())
        found.append((int(fields["id"]), fields["event"], json.loads(fields["data"])))
    return found


@pytest.mark.parametrize(
    ("verb", "path", "status"),
    [
        ("GET", "/api/eval/runs/none", 404),
        ("GET", "/api/eval/runs/none/report", 404),
        ("GET", "/api/eval/runs/none/events", 404),
        ("POST", "/api/eval/runs/none/cancel", 404),
        ("POST", "/api/eval/runs/none/baseline", 404),
        ("GET", "/api/eval/runs/..%2Fsuites/report", 404),
        ("GET", "/api/eval/runs?limit=0", 422),
        ("GET", "/api/eval/runs?limits=1", 422),
        ("GET", "/api/eval/regressions/office?threshold=2", 422),
        ("GET", "/nothing", 404),
        ("PUT", "/api/eval/runs", 405),
    ],
)
def test_what_is_not_there_is_refused_in_json(idle: Api, verb: str, path: str, status: int) -> None:
    refused = idle.request(verb, path)
    assert refused.status_code == status
    assert refused.json()["error"]["status"] == status
    assert refused.json()["error"]["message"]


def test_an_unfinished_run_has_no_report(api: Api) -> None:
    stored_run(api.settings.runs, "1", {"A": [True]}, decided=False)
    assert "no report yet" in api.get("/api/eval/runs/1/report").text
    assert api.post("/api/eval/runs/1/cancel").status_code == 409
