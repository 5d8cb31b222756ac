"""What a request may not start, read or reach."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.agents import Destinations
from harness.errors import HarnessError
from harness.server import Settings
from harness.server.messages import RefusedError
from harness.server.order_preparation import prepare_run, run_folder
from harness.server.schemas import RunOrder
from tests.harness.server.conftest import Api
from tests.runfolders import stored_run


@pytest.fixture
def settings(suites: Path, tmp_path: Path) -> Settings:
    (suites / "lines.yaml").write_text("T-001: hello\n", encoding="utf-8")
    (tmp_path / "outside.yaml").write_text("T-001: hello\n", encoding="utf-8")
    return Settings(runs=tmp_path / "runs", suites=suites)


def prepared(settings: Settings, **order: Any) -> Any:
    asked = RunOrder(**({"agent": "oracle"} | order))
    place = settings.suites / "office"
    return prepare_run(asked, "office", place, settings=settings, destinations=Destinations())


@pytest.mark.parametrize(
    "order",
    [
        {"agent": "command:true"},
        {"agent": "python:os:system"},
        {"agent": "http:http://127.0.0.1:9/", "serve": "python -m http.server"},
    ],
    ids=lambda order: order["agent"],
)
def test_no_program_is_started_unless_allowed(settings: Settings, order: dict[str, str]) -> None:
    with pytest.raises(RefusedError, match="--allow-subprocess") as refused:
        prepared(settings, **order)
    assert refused.value.status == 403


@pytest.mark.slow
def test_programs_are_started_where_allowed(served: Callable[..., Api]) -> None:
    api = served(allow_subprocess=True)
    said = api.make(agent="command:echo Laboratory", ids=["T-001"])
    assert (said["summary"]["cases"], said["summary"]["infra"]) == (1, 0)


@pytest.mark.parametrize(
    "agent",
    [
        "http:http://192.0.2.1/api/chat",
        "http:http://169.254.169.254/latest/meta-data",
        "https://[2001:db8::1]/",
        "http://0.0.0.0:1/",
        "service:http://192.0.2.1:9020",
        "http://3221225985/",
        "http://nowhere.invalid/",
    ],
)
def test_agents_are_on_this_machine_unless_others_are_allowed(api: Api, agent: str) -> None:
    for path, order in {
        "/api/eval/suites/office/run": {"agent": agent},
        "/api/eval/run": {"suiteId": "office", "provider": agent},
    }.items():
        answer = api.post(path, json=order)
        assert answer.status_code == 403, answer.text
    assert api.get("/api/eval/runs").json() == []


@pytest.mark.slow
def test_agents_elsewhere_are_reached_where_that_is_allowed(served: Callable[..., Api]) -> None:
    api = served(allowed_agents=("192.0.2.0/24",))
    order = {"agent": "http://192.0.2.1/api/chat", "ids": ["T-001"], "retries": 0, "timeout": 0.1}
    assert api.post("/api/eval/suites/office/run", json=order).status_code == 202


@pytest.mark.parametrize("rest", ["../outside.yaml", "/etc/passwd", "office/../../outside.yaml"])
def test_no_file_outside_the_suites_is_read(settings: Settings, rest: str) -> None:
    with pytest.raises(RefusedError, match="outside the directory of suites"):
        prepared(settings, agent=f"scripted:{rest}")


def test_a_script_among_the_suites_is_played(settings: Settings) -> None:
    assert prepared(settings, agent="scripted:lines.yaml").order.agent == "scripted:lines.yaml"


@pytest.mark.parametrize(
    ("order", "why"),
    [
        ({"agent": "orakel"}, "unknown agent"),
        ({"ids": ["T-009"]}, "unknown case 'T-009'"),
        ({"policy": "most"}, "unknown policy"),
        ({"baseline": "current"}, "the suite has no baseline"),
        ({"baseline": "none"}, "no run 'none'"),
        ({"headers": {"A": "b\nc"}}, "header"),
        ({"agent": "http:https://admin.googleapis.com/"}, "live Google hosts"),
    ],
    ids=str,
)
def test_an_order_that_makes_no_sense_is_refused(
    settings: Settings, order: dict[str, Any], why: str
) -> None:
    with pytest.raises(HarnessError, match=why):
        prepared(settings, **order)


def test_a_server_of_no_agent_is_refused(settings: Settings) -> None:
    allowed = Settings(runs=settings.runs, suites=settings.suites, allow_subprocess=True)
    with pytest.raises(HarnessError, match="serve goes with an http: agent"):
        prepared(allowed, serve="true")


def test_an_invalid_snapshot_is_refused_with_its_places(settings: Settings) -> None:
    (settings.suites / "office" / "base" / "b.json").write_text("{", encoding="utf-8")
    with pytest.raises(HarnessError, match=r"b\.json"):
        prepared(settings)


@pytest.mark.parametrize("run", ["", ".", "..", "../runs/1", "1/trials", "/etc", "2"])
def test_a_run_is_one_of_those_there_are(settings: Settings, run: str) -> None:
    stored_run(settings.runs, "1", {"A": [True]})
    assert run_folder(settings, "1") == settings.runs / "1"
    with pytest.raises(RefusedError, match="no run") as refused:
        run_folder(settings, run)
    assert refused.value.status == 404
