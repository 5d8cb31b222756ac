"""Services and jobs of Cloud Run as a client meets them."""

from collections.abc import Iterator
from typing import Any

import pytest

from mockserver.model import SessionSpec
from mockserver.testing import EmulatorTransport
from tests.mockserver.apis.asking import Asker
from tests.mockserver.apis.scenarios import Scenario, check, over_http

PLACE = "projects/p/locations/us-central1"
ROOT = f"https://run.googleapis.com/v2/{PLACE}"
WEB, JOB = f"{ROOT}/services/web", f"{ROOT}/jobs/sweep"


def template(image: str = "gcr.io/p/web", **more: Any) -> dict[str, Any]:
    return {"template": {"containers": [{"image": image}], **more}}


@pytest.fixture
def ask() -> Iterator[Asker]:
    with Asker() as made:
        made("POST", f"{ROOT}/services?serviceId=web", template())
        made("POST", f"{ROOT}/jobs?jobId=sweep", {"template": {"taskCount": 2, **template()}})
        yield made


def revisions(ask: Asker) -> list[str]:
    found = ask("GET", f"{WEB}/revisions")["revisions"]
    return [each["name"].rpartition("/")[2] for each in found]


def test_a_service_has_an_address_and_a_revision(ask: Asker) -> None:
    found = ask("GET", WEB)
    assert found["uri"].startswith("https://web-")
    assert found["uri"].endswith("-uc.a.run.app")
    assert (found["generation"], found["observedGeneration"]) == ("1", "1")
    (name,) = revisions(ask)
    assert name.startswith("web-00001-")
    assert found["latestReadyRevision"] == f"{PLACE}/services/web/revisions/{name}"
    assert found["trafficStatuses"][0] == {
        "type": "TRAFFIC_TARGET_ALLOCATION_TYPE_LATEST", "percent": 100, "revision": name,
    }  # fmt: skip
    one = ask("GET", f"{WEB}/revisions/{name}")
    assert one["containers"][0]["image"] == "gcr.io/p/web"


def test_a_change_of_the_template_makes_a_revision(ask: Asker) -> None:
    done = ask("PATCH", WEB, template("gcr.io/p/web:2"))
    waited = ask("POST", f"https://run.googleapis.com/v2/{done['name']}:wait", {})
    assert waited["done"]
    assert waited["response"]["generation"] == "2"
    assert [each[:9] for each in revisions(ask)] == ["web-00001", "web-00002"]
    ask("PATCH", f"{WEB}?updateMask=labels", {"labels": {"a": "b"}})
    assert len(revisions(ask)) == 2
    assert ask("GET", WEB)["labels"] == {"a": "b"}
    ask("PATCH", f"{WEB}?updateMask=template.timeout", {"template": {"timeout": "60s"}})
    found = ask("GET", WEB)
    assert (len(revisions(ask)), found["template"]["timeout"]) == (3, "60s")
    assert found["template"]["containers"][0]["image"] == "gcr.io/p/web:2"


def test_traffic_is_split_between_revisions(ask: Asker) -> None:
    ask("PATCH", WEB, template("gcr.io/p/web:2"))
    old, new = revisions(ask)
    split = [{"revision": old, "percent": 90}, {"revision": new, "percent": 10, "tag": "next"}]
    ask("PATCH", f"{WEB}?updateMask=traffic", {"traffic": split})
    found = ask("GET", WEB)["trafficStatuses"]
    assert [(each["revision"], each["percent"]) for each in found] == [(old, 90), (new, 10)]
    assert found[1]["uri"].startswith("https://next---web-")
    ask("DELETE", f"{WEB}/revisions/{old}", status=400)
    ask("PATCH", f"{WEB}?updateMask=traffic", {"traffic": [{"revision": new, "percent": 100}]})
    ask("DELETE", f"{WEB}/revisions/{old}")
    assert revisions(ask) == [new]


@pytest.mark.parametrize(
    ("verb", "path", "body", "status"),
    [
        ("POST", "/services?serviceId=web", template(), 409),
        ("POST", "/services?serviceId=Web", template(), 400),
        ("POST", "/services?serviceId=api", {"template": {}}, 400),
        ("PATCH", "/services/none", template(), 404),
        ("PATCH", "/services/web", {"traffic": [{"percent": 50}]}, 400),
        ("PATCH", "/services/web", {"traffic": [{"revision": "none", "percent": 100}]}, 404),
        ("DELETE", "/services/none", None, 404),
        ("POST", "/jobs?jobId=sweep", {"template": template()}, 409),
        ("POST", "/jobs?jobId=x", {}, 400),
        ("POST", "/jobs/none:run", {}, 404),
        ("POST", "/jobs/sweep:run", {"overrides": {"taskCount": 10_001}}, 400),
    ],
)
def test_what_cannot_be_is_refused(
    ask: Asker, verb: str, path: str, body: Any, status: int
) -> None:
    before = ask("GET", WEB)
    ask(verb, f"{ROOT}{path}", body, status)
    assert ask("GET", WEB) == before


def test_a_missing_service_is_made_where_that_is_asked_for(ask: Asker) -> None:
    ask("PATCH", f"{ROOT}/services/api?allowMissing=true", template())
    assert ask("GET", f"{ROOT}/services/api")["generation"] == "1"


def test_a_job_is_run(ask: Asker) -> None:
    overrides = {"containerOverrides": [{"env": [{"name": "A", "value": "1"}]}], "taskCount": 3}
    started = ask("POST", f"{JOB}:run", {"overrides": overrides})
    assert "done" not in started
    done = ask("GET", f"https://run.googleapis.com/v2/{started['name']}")["response"]
    assert (done["succeededCount"], done["job"]) == (3, "sweep")
    assert done["template"]["containers"][0]["env"] == [{"name": "A", "value": "1"}]
    path = f"https://run.googleapis.com/v2/{done['name']}"
    assert len(ask("GET", f"{path}/tasks")["tasks"]) == 3
    job = ask("GET", JOB)
    assert job["executionCount"] == 1
    assert job["latestCreatedExecution"]["completionStatus"] == "EXECUTION_SUCCEEDED"
    ask("POST", f"{path}:cancel", {}, 400)
    ask("DELETE", JOB)
    ask("GET", path, status=404)


def test_an_execution_that_runs_is_cancelled() -> None:
    name = f"{PLACE}/jobs/sweep/executions/e"
    rows = {"run:v2": {"executions": [{"name": name, "taskCount": 3, "succeededCount": 1}]}}
    spec = SessionSpec(overrides=({"resources": rows},))
    with Asker(transport=EmulatorTransport(spec=spec)) as ask:
        ask("POST", f"https://run.googleapis.com/v2/{name}:cancel", {})
        found = ask("GET", f"https://run.googleapis.com/v2/{name}")
        assert found["cancelledCount"] == 2
        assert found["conditions"][0]["executionReason"] == "CANCELLED"


def test_what_is_below_a_service_goes_with_it(ask: Asker) -> None:
    (name,) = revisions(ask)
    ask("DELETE", WEB)
    ask("GET", f"{WEB}/revisions/{name}", status=404)


def scenario() -> Scenario:
    return over_http("https://run.googleapis.com/v2/", _ask_all)


def _ask_all(call: Scenario) -> None:
    web, job = f"{PLACE}/services/web", f"{PLACE}/jobs/sweep"
    named = template("i:2", revision="web-two", timeout="60s")
    call(f"POST {PLACE}/services?serviceId=web&validateOnly=true", template())
    for ident, body in (("web", {**template(), "ingress": "INGRESS_TRAFFIC_INTERNAL_ONLY"}),
                        ("web", template()), ("W", template()), ("api",
                        {"template": {"containers": [{}]}}),
                        ("split", {**template(), "traffic": [{"percent": 99}]})):  # fmt: skip
        call(f"POST {PLACE}/services?serviceId={ident}", body)
    found = call(f"GET {web}")
    first = found["latestReadyRevision"].rpartition("/")[2]
    for query, body in (
        ("", named), ("", named), ("", {**named, "labels": {"b": "c"}}),
        ("?updateMask=labels", {"labels": {"a": "b"}}), ("?updateMask=labels", {}),
        ("?updateMask=template.timeout", {"template": {"timeout": "9s"}}), ("", {"etag": "x"}),
        ("?updateMask=traffic", {"traffic": [{"revision": first, "percent": 90},
        {"percent": 10, "tag": "t"}]}),
        ("", {"traffic": [{"revision": "none", "percent": 100}]}), ("", {"template": {}}),
        ("?validateOnly=true", {"labels": {"no": "no"}}), ("", {"uri": "mine", "description": "d"}),
    ):  # fmt: skip
        call(f"PATCH {web}{query}", body)
        call(f"GET {web}")
    call(f"GET {web}/revisions")
    for name in (first, "web-two", "web-two", "none"):
        call(f"DELETE {web}/revisions/{name}")
    call(f"PATCH {PLACE}/services/new?allowMissing=true", template())
    call(f"PATCH {PLACE}/services/none", template())
    shaped = {"name": "main", "image": "i", "env": [{"name": "A", "value": "0"}], "args": ["x"]}
    sweep = {"template": {"taskCount": 2, "parallelism": 1, "template": {"containers": [shaped]}}}
    for ident, body in (("sweep", sweep), ("sweep", sweep), ("x", {}), ("-", sweep)):
        call(f"POST {PLACE}/jobs?jobId={ident}", body)
    own = [{"name": "main", "env": [{"name": "A", "value": "1"}], "clearArgs": True},
    {"args": ["y"]},
           {"name": "other", "args": ["z"]}]  # fmt: skip
    for body in ({}, {"overrides": {"taskCount": 1, "timeout": "5s", "containerOverrides": own}},
                 {"overrides": {"taskCount": -1}}, {"overrides": {"taskCount": 10001}},
                 {"etag": "x"},
                 {"validateOnly": True}):  # fmt: skip
        started = call(f"POST {job}:run", body)
        if "name" in started:
            call(f"POST {started['name']}:wait", {})
    call(f"GET {job}")
    for each in call(f"GET {job}/executions")["executions"]:
        call(f"GET {each['name']}/tasks")
        call(f"POST {each['name']}:cancel", {})
    call(f"POST {job}/executions/none:cancel", {})
    call(f"DELETE {web}")
    call(f"GET {PLACE}/services")


def test_services_and_jobs_go_as_it_was_written_down() -> None:
    check(__file__, scenario())
