from datetime import timedelta

import pytest

from mockserver.apis.errorreporting.state import (
    REPORTED,
    add_event,
    delete_events,
    error_events,
    events_of,
    group_id,
    group_ids,
    group_name,
    group_of,
    group_signature,
    has_stack_trace,
    headline,
    project_of,
)
from mockserver.collections import Store
from mockserver.model import JsonObject
from mockserver.state import (
    World,
)
from tests.mockserver.apis.errorreporting.conftest import (
    LOGS,
    NODE,
    PYTHON,
    event,
    logged,
    with_logs,
)


def times(world: World, project: str = "shop") -> list[str]:
    return [row["event"]["eventTime"][11:16] for row in events_of(world, project)]


def test_events_of_the_logs_are_there_newest_first(shop: World) -> None:
    assert times(shop) == ["08:30", "08:20", "08:10"]
    assert times(shop, "other") == []


def test_a_snapshot_with_events_of_its_own_has_just_those_and_what_comes_later() -> None:
    made = with_logs(LOGS, errorEvents=[event(45, projectId="shop")])
    assert times(made) == ["08:45"]
    made.put("logEntries", "later", logged(55, textPayload=LOGS[0]["textPayload"]))
    assert times(made) == ["08:55", "08:45"]


def test_events_of_the_logs_are_in_session_time() -> None:
    made = with_logs(LOGS)
    made.base.times["logEntries"] = (("timestamp",),)  # type: ignore[index]
    made.clock.shift = timedelta(hours=1)
    assert times(made) == ["09:30", "09:20", "09:10"]


def test_deleted_events_are_gone_and_later_ones_are_not(shop: World) -> None:
    add_event(shop, "shop", "g", event(59))
    delete_events(shop, "shop")
    assert times(shop) == []
    shop.clock.advance(timedelta(minutes=1))
    add_event(shop, "shop", "g", {**event(0), "eventTime": "2026-03-02T09:01:00Z"})
    assert times(shop) == ["09:01"]


def test_a_group_is_open_until_something_else_was_said(shop: World) -> None:
    name = group_name("shop", "g")
    assert group_of(shop, "shop", "g")["resolutionStatus"] == "OPEN"
    shop.put("errorGroups", name, {"name": name, "resolutionStatus": "RESOLVED"})
    assert group_of(shop, "shop", "g")["resolutionStatus"] == "RESOLVED"
    assert "g" in group_ids(shop, "shop")
    add_event(shop, "shop", "g", event(59))
    assert group_of(shop, "shop", "g")["resolutionStatus"] == "OPEN"


def test_projects_are_named_by_id_number_and_location(shop: World) -> None:
    shop.put("projects", "projects/111", {"name": "projects/111", "projectId": "shop"})
    assert project_of(shop, "projects/111") == ("shop", True)
    assert project_of(shop, "projects/x/locations/-") == ("x", True)
    assert project_of(shop, "projects/x/locations/global") == ("x", True)
    assert project_of(shop, "projects/x/locations/eu") == ("x", False)


JAVA = (
    'Exception in thread "main" java.lang.IllegalStateException: 7 left\n'
    "\tat com.example.Cart.add(Cart.java:17)\n\tat com.example.Main.main(Main.java:3)"
)
GO = "panic: boom\n\ngoroutine 1 [running]:\nmain.pay(0x1)\n\t/app/main.go:5"
RUBY = "a.rb:3:in `pay': no card (RuntimeError)\n\tfrom b.rb:1:in `main'"
CSHARP = "System.Exception: x\n   at Shop.Cart.Add(Int32 n) in C.cs:line 3"
PHP = "PHP Fatal error: Uncaught Exception: x in /a.php:3\nStack trace:\n#0 /a.php(5): pay()"
RUST = "thread 'main' panicked at src/main.rs:3:5:\nno card"


@pytest.mark.parametrize(
    "text", [PYTHON, NODE, JAVA, GO, RUBY, CSHARP, PHP, RUST], ids=lambda text: text[:12]
)
def test_stack_traces_of_the_supported_languages_are_found(text: str) -> None:
    assert has_stack_trace(text)


@pytest.mark.parametrize("text", ["", "failed at noon", "look at this: x", "#1 a"], ids=repr)
def test_other_texts_have_no_stack(text: str) -> None:
    assert not has_stack_trace(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PYTHON.format(line=3), ("ValueError", "/app/pay.py charge")),
        (NODE, ("TypeError", "render", "next")),
        (
            JAVA,
            ("java.lang.IllegalStateException", "com.example.Cart.add", "com.example.Main.main"),
        ),
        (GO, ("panic", "main.pay")),
        (RUBY, ("a.rb:N", "pay", "main")),
        ("took 5 ms at 0xff", ("took N ms at N",)),
        ("", ("",)),
    ],
    ids=lambda value: str(value)[:15],
)
def test_what_errors_have_in_common_is_type_and_functions(
    text: str, expected: tuple[str, ...]
) -> None:
    assert group_signature(text) == expected


def test_groups_are_of_a_project_and_independent_of_lines() -> None:
    one = group_id("p", PYTHON.format(line=3))
    assert one == group_id("p", PYTHON.format(line=99))
    assert one != group_id("q", PYTHON.format(line=3))
    assert one != group_id("p", NODE)


def test_the_header_of_a_python_trace_is_its_last_line() -> None:
    assert headline(PYTHON.format(line=3)) == "ValueError: no card 3"
    assert headline("\n\n") == ""


def test_long_blank_texts_are_read_quickly() -> None:
    assert not has_stack_trace("\n \t" * 100_000)


def found(*entries: JsonObject) -> list[JsonObject]:
    table = Store({row["insertId"]: row for row in entries})
    return [row["event"] for _, row in error_events(table)]


def test_severe_entries_with_a_stack_trace_are_errors() -> None:
    keys = [key for key, _ in error_events(Store({row["insertId"]: row for row in LOGS}))]
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
