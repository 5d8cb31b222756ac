import pytest

from mockserver.apis.errorreporting.state import REPORTED, events_in
from mockserver.model import JsonObject
from mockserver.state import Table
from tests.mockserver.apis.errorreporting.conftest import LOGS, NODE, PYTHON, logged


def found(*entries: JsonObject) -> list[JsonObject]:
    table = Table({row["insertId"]: row for row in entries})
    return [row["event"] for _, row in events_in(table)]


def test_severe_entries_with_a_stack_trace_are_errors() -> None:
    keys = [key for key, _ in events_in(Table({row["insertId"]: row for row in LOGS}))]
    assert keys == ["i10", "i20", "i30"]


def test_an_event_says_when_where_and_what() -> None:
    (event,) = found(LOGS[1])
    assert event == {
        "eventTime": "2026-03-02T08:20:00Z",
        "serviceContext": {"service": "payments", "resourceType": "k8s_container"},
        "message": PYTHON.format(line=4),
        "context": {"httpRequest": {"remoteIp": "192.0.2.1"}},
    }


@pytest.mark.parametrize(
    ("more", "service"),
    [
        (
            {"resource": {"type": "gae_app", "labels": {"module_id": "m", "version_id": "7"}}},
            {"service": "m", "version": "7", "resourceType": "gae_app"},
        ),
        (
            {"resource": {"type": "gce_instance", "labels": {}}},
            {"service": "stderr", "resourceType": "gce_instance"},
        ),
        (
            {"jsonPayload": {"message": NODE, "serviceContext": {"service": "web"}}},
            {"service": "web", "resourceType": "k8s_container"},
        ),
    ],
    ids=["labels", "log", "payload"],
)
def test_the_service_is_what_payload_labels_or_log_say(
    more: JsonObject, service: JsonObject
) -> None:
    payload = {} if "jsonPayload" in more else {"textPayload": NODE}
    assert found(logged(1, **payload, **more))[0]["serviceContext"] == service


def test_a_reported_event_needs_no_stack_trace_and_no_severity() -> None:
    payload = {
        "@type": REPORTED,
        "message": "failed",
        "context": {"user": "ann", "reportLocation": {"filePath": "a.go"}},
    }
    (event,) = found(logged(1, severity="DEFAULT", jsonPayload=payload))
    assert (event["message"], event["context"]) == ("failed", payload["context"])


def test_a_location_stands_for_a_stack_trace() -> None:
    located = {"message": "failed", "context": {"reportLocation": {"filePath": "a.go"}}}
    assert len(found(logged(1, jsonPayload=located), logged(2, jsonPayload={"message": "x"}))) == 1
    assert found(logged(3, jsonPayload={"n": 1})) == []


def test_the_place_of_the_source_is_kept() -> None:
    source = {"file": "a.py", "line": "7", "function": "pay"}
    (event,) = found(logged(1, textPayload=NODE, sourceLocation=source))
    location = event["context"]["reportLocation"]
    assert location == {"filePath": "a.py", "lineNumber": 7, "functionName": "pay"}
