from dataclasses import replace
from typing import Any

import pytest

from mockserver.apis import APIS
from mockserver.errors import Problem
from mockserver.googleapi import Api, Collection, SnapshotImport
from mockserver.model import FEW, Fault
from mockserver.snapshots.importer import Importer


def import_users(into: SnapshotImport) -> None:
    rows = into.raw.get("users") or []
    into.tables["users"] = {row["id"]: {**row, "customerId": into.customer} for row in rows}
    into.changes.append(("/users", "customer added"))


USERS = Api(
    name="directory",
    documents=(),
    handlers={},
    collections=(Collection("users", "people", times=(("created",),)), Collection("customer", "")),
    import_snapshot=import_users,
    error_names={"users": "directory.users.list"},
)


def problems(raw: dict[str, Any]) -> list[tuple[str, str]]:
    _, notes = Importer([USERS]).import_snapshot(raw)
    return [(item.where, f"{item.message} {item.hint}") for item in notes.problems]


def test_an_api_s_collections_become_tables() -> None:
    base, notes = Importer([USERS]).import_snapshot(
        {"capturedAt": "2026-11-01T00:00:00Z", "customer": {"id": "C0123"}, "users": [{"id": "1"}]}
    )
    assert base.tables["users"].get("1") == {"id": "1", "customerId": "C0123"}
    assert base.times == {"users": (("created",),)}
    assert base.captured_at.isoformat() == "2026-11-01T00:00:00+00:00"
    assert notes.changes == [("/users", "customer added")]
    assert notes.problems == []


def test_what_the_imports_of_several_apis_note_is_kept_together() -> None:
    def import_events(into: SnapshotImport) -> None:
        assert len(into.raw) == len(list(into.raw)) == 2
        into.tables["events"] = {}
        into.changes.append(("/events", "none"))
        into.problems.append(Problem("/events", "are odd", level="warning"))
        into.silent.add("events")
        into.times["events"] = (("at",),)
        into.faults.append(Fault(method="m", status=500))

    events = Api(name="events", documents=(), handlers={}, collections=(Collection("events", ""),),
                 import_snapshot=import_events)  # fmt: skip
    raw = {"capturedAt": "2026-11-01T00:00:00Z", "events": []}
    base, notes = Importer([USERS, events, replace(USERS, name="x")]).import_snapshot(raw)
    added = ("/users", "customer added")
    assert notes.changes == [added, ("/events", "none"), added]
    assert notes.problems == [Problem("/events", "are odd", level="warning")]
    assert base.faults == (Fault(method="m", status=500),)
    assert base.silent == {"events"}
    assert base.keys == {"capturedAt", "events"}
    assert base.times == {"users": (("created",),), "events": (("at",),)}


HINT = "did you mean 'users'?"


def test_the_first_few_unknown_collections_are_given_the_nearest_name() -> None:
    found = problems({f"users{number}": [] for number in range(FEW + 2)})
    told = [text.partition(" ")[2] for _, text in found]
    assert told == [
        f"collection 'users{number}' {HINT if number < FEW else ''}" for number in range(FEW + 2)
    ]


def test_snapshots_that_share_values_share_tables() -> None:
    importer = Importer([USERS])
    users = [{"id": "1"}]
    one, _ = importer.import_snapshot({"users": users})
    other, _ = importer.import_snapshot({"users": users, "faults": []})
    changed, _ = importer.import_snapshot({"users": [{"id": "1"}]})
    renamed, _ = importer.import_snapshot({"users": users, "customer": {"id": "C9"}})
    assert other.tables["users"] is one.tables["users"]
    assert changed.tables["users"] is not one.tables["users"]
    assert renamed.tables["users"].get("1") == {"id": "1", "customerId": "C9"}


@pytest.mark.parametrize(
    ("raw", "where", "says"),
    [
        ({"user": []}, "/user", "did you mean 'users'?"),
        ({"capturedAt": "yesterday"}, "/capturedAt", "RFC 3339"),
        ({"capturedAt": 3}, "/capturedAt", "RFC 3339"),
        ({"errors": {"user": "X"}}, "/errors/user", "did you mean 'users'?"),
        ({"errors": {"users": {}}}, "/errors/users", "found an object"),
        ({"errors": []}, None, ""),
        ({"errors": [1]}, "/errors", "expected an object, found an array"),
        ({"faults": {"a": 1}}, "/faults", "expected an array, found an object"),
        ({"faults": [{"method": "x", "status": 200}]}, "/faults/0/status", "greater than"),
        ({"faults": ["x"]}, "/faults/0", "expected an object"),
        ({"faults": [{"method": "x", "stats": 429}]}, "/faults/0/stats", "unknown field"),
        ({"http": [{"status": 200}]}, "/http/0/url", "is missing"),
        ({"http": [{"url": "/x", "socket": [{"send": "a"}]}]}, None, ""),
        ({"http": [{"url": "/x", "method": "*", "socket": [{"send": "a"}]}]}, None, ""),
        (
            {"http": [{"url": "/x", "method": "POST", "socket": [{"send": "a"}]}]},
            "/http/0",
            "has no method POST",
        ),
        (
            {"http": [{"url": "/x", "status": 200, "body": 1, "socket": [{"send": "a"}]}]},
            "/http/0",
            "has no body",
        ),
        ({"tools": 4}, "/tools", "expected an object, found a number"),
    ],
    ids=str,
)
def test_what_cannot_be_served_is_a_problem_with_its_pointer(
    raw: dict[str, Any], where: str | None, says: str
) -> None:
    found = problems(raw)
    assert [place for place, _ in found] == ([where] if where else [])
    assert all(says in text for _, text in found)


@pytest.mark.parametrize(
    ("text", "status", "message"),
    [
        ("UNAUTHENTICATED: token expired", 401, "token expired"),
        ("PERMISSION_DENIED: no", 403, "no"),
        ("it broke: badly", 500, "it broke: badly"),
        ("RESOURCE_EXHAUSTED", 429, ""),
    ],
    ids=str,
)
def test_an_entry_of_the_errors_map_becomes_a_fault(text: str, status: int, message: str) -> None:
    """CEPR-26: `errors.<tool>` in fixtures fail the call with that error."""
    base, notes = Importer([USERS]).import_snapshot({"errors": {"users": text}})
    assert notes.problems == []
    (fault,) = base.faults
    assert (fault.method, fault.status, fault.message) == ("directory.users.list", status, message)
    assert fault.origin == "errors.users"


def test_fault_scripts_and_stubs_are_read() -> None:
    base, _ = Importer([USERS]).import_snapshot(
        {
            "faults": [{"method": "directory.*", "status": 429, "times": 2}],
            "http": [{"url": "/health", "body": {"ok": True}}],
            "tools": {"ping": {"description": "Answers."}},
        }
    )
    assert base.faults[0].times == 2
    assert base.faults[0].origin == "faults[0]"
    assert base.stubs[0]["body"] == {"ok": True}
    assert base.tools["ping"] == {"description": "Answers."}


@pytest.mark.parametrize(
    ("users", "captured"),
    [
        ([{"id": "1", "created": "2026-01-20T04:02:22.802Z"}], "2026-01-20T04:02:22.802000+00:00"),
        (
            [
                {"id": "1", "created": "2026-01-20T04:02:22Z"},
                {"id": "2", "created": "2026-01-21T04:02:22Z"},
                {"id": "3", "created": "9999-01-01T00:00:00Z"},
                {"id": "4", "created": "some day"},
            ],
            "2026-01-21T04:02:22+00:00",
        ),
    ],
    ids=["one", "newest"],
)
def test_without_captured_at_the_newest_timestamp_stands_for_it(
    users: list[dict[str, Any]], captured: str
) -> None:
    """Else what happened would lie in the future of every clock, and not be served."""
    base, notes = Importer([USERS]).import_snapshot({"users": users})
    assert base.captured_at.isoformat() == captured
    assert [(item.where, item.level) for item in notes.problems] == [("/capturedAt", "warning")]


def test_when_something_expires_is_no_sign_of_when_a_snapshot_was_taken() -> None:
    times = (("created",), ("expires",))
    api = replace(USERS, collections=(Collection("users", "people", times=times),))
    row = {"id": "1", "created": "2026-01-20T00:00:00Z", "expires": "2027-01-20T00:00:00Z"}
    base, _ = Importer([api]).import_snapshot({"users": [row]})
    assert base.captured_at.year == 2026


def test_rows_that_conventions_took_are_completed_where_a_server_imports_them() -> None:
    reader = {"type": "user", "role": "reader", "emailAddress": "bo@example.com"}
    files = [
        {"id": "f", "name": "F", "mimeType": "application/vnd.google-apps.folder",
         "permissions": [reader]},
        {"id": "d", "name": "D", "parents": ["f"]},
    ]  # fmt: skip
    old = [{"id": "o", "title": "O"}]
    resources = {"drive:v3": {"files": files}, "drive:v2": {"files": old}}
    base, _ = Importer(APIS).import_snapshot({"resources": resources})
    found = base.tables["drive:v3/files"].rows()
    assert found["files/d"]["permissions"] == [{"id": f"{1:020d}", **reader}]
    assert found["files/o"]["name"] == "O"
