"""Recordings that are invented: of declared APIs, of Google's, of stubs."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mockserver.errors import MockServerError
from mockserver.messages.mcp_calls import McpCall, mcp_interaction
from mockserver.model import Interaction
from mockserver.verify import Agreement, Recording, Verifier, find_recordings
from mockserver.verify.seeds import polls_of
from mockserver.verify.worlds import _answered_at
from tests.recordings import DIRECTORY, interaction

SHOP = "https://shop.example.com/v1"
TASKS = "https://tasks.googleapis.com/tasks/v1/users/@me/lists"
NETS = "https://compute.googleapis.com/compute/v1/projects/shop/global/networks"
PROJECTS = "https://cloudresourcemanager.googleapis.com/v1/projects"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "suite/apis").mkdir(parents=True)
    (tmp_path / "suite/base").mkdir()
    (tmp_path / "suite/apis/shop.yaml").write_text(
        "api: shop\nhosts: [shop.example.com]\nbase_path: /v1\n"
        "collections:\n  orders: {key: id, ids: 'o-{{ seq }}'}\n"
        "  lines: {key: id, ids: int, parent: orders}\n"
    )
    stub = {"url": "https://plain.example.com/now", "body": "noon"}
    (tmp_path / "suite/base/http.json").write_text(json.dumps({"http": [stub]}))
    return tmp_path / "suite"


def verify(*interactions: Interaction, suite: Path | None = None, **more: Any) -> Agreement:
    return Verifier(suite, **more).verify([Recording("r", "vcrpy", interactions)])


def differences(agreement: Agreement) -> list[str]:
    return sorted(f"{each.kind} {each.field}" for each in agreement.groups.values())


def test_a_declared_api(suite: Path) -> None:
    found = verify(
        interaction(f"{SHOP}/orders/o-991", {"id": "o-991", "size": 3}),  # was there before
        interaction(f"{SHOP}/orders", {"id": "o-71634", "size": 1}, verb="POST", status=201,
                    body={"size": 1}),
        interaction(f"{SHOP}/orders/o-71634", {"id": "o-71634", "size": 1}),
        interaction(f"{SHOP}/orders/o-71634", verb="DELETE", status=204),
        interaction(f"{SHOP}/orders/o-71634", {"error": "gone"}, status=404),
        suite=suite,
    )  # fmt: skip
    assert (found.total.exchanges, found.total.status, found.total.said) == (5, 5, 4)
    assert set(found.methods) == {"shop.orders.get", "shop.orders.create", "shop.orders.delete"}
    assert found.hosts["shop.example.com"].errors == 1
    assert differences(found) != []


def test_rows_around_what_is_asked_for_were_there(suite: Path) -> None:
    lines = f"{SHOP}/orders/o-7/lines"
    found = verify(
        interaction(lines, []),
        interaction(lines, {"id": 71}, verb="POST", status=201, body={"size": 1}),
        interaction(f"{lines}/71", {"id": 71}),  # a short id, which only its collection tells
        interaction(f"{SHOP}/orders/o-8/lines", {}, status=404),
        suite=suite,
    )
    assert (found.total.exchanges, found.total.status) == (4, 4)


def test_lists_fill_a_world(suite: Path) -> None:
    rows = [{"id": "o-1", "size": 1}, {"id": "o-2", "size": 2}]
    found = verify(
        interaction(f"{SHOP}/orders/o-2", rows[1]),
        interaction(f"{SHOP}/orders/o-1", rows[0]),
        interaction(f"{SHOP}/orders/o-3", status=404),
        interaction(
            f"{SHOP}/orders/o-3", {"id": "o-3"}, verb="PUT", status=201, body={"id": "o-3"}
        ),
        interaction(f"{SHOP}/orders/o-3", {"id": "o-3"}),
        suite=suite,
    )
    assert found.methods["shop.orders.get"].status == 3  # a PUT makes nothing there


@pytest.mark.parametrize(("status", "agrees"), [(404, 1), (503, 1), (500, 1)])
def test_what_was_not_there_is_made_meanwhile_and_what_failed_was_there(
    suite: Path, status: int, agrees: int
) -> None:
    found = verify(
        interaction(f"{SHOP}/orders/o-5", {"error": "no"}, status=status),
        interaction(f"{SHOP}/orders/o-5", {"id": "o-5"}),
        suite=suite,
    )
    assert found.total.status == agrees
    assert found.total.errors_agree == 0
    assert ("status 404 -> 200" in differences(found)) is False
    assert ("status 200 -> 404" in differences(found)) is (status == 404)


@pytest.mark.parametrize(
    ("recorded_at", "date", "at"),
    [
        ("2026-01-01T00:00:00Z", "Thu, 20 Nov 2025 09:00:00 GMT", datetime(2026, 1, 1, tzinfo=UTC)),
        ("", "Thu, 20 Nov 2025 09:00:00 GMT", datetime(2025, 11, 20, 9, tzinfo=UTC)),
        ("soon", "Thu, 20 Nov 2025 10:00:00 +0100", datetime(2025, 11, 20, 9, tzinfo=UTC)),
        ("", "soon", None),
        ("", "", None),
    ],
)
def test_an_exchange_was_answered_when_it_says_so(
    recorded_at: str, date: str, at: datetime | None
) -> None:
    each = interaction(f"{SHOP}/orders", [])
    headers = (*each.response.headers, ("Date", date)) if date else each.response.headers
    response = replace(each.response, headers=headers)
    assert _answered_at(replace(each, recorded_at=recorded_at, response=response)) == at


def test_google_apis() -> None:
    operation = {"kind": "compute#operation", "name": "operation-1711-ab", "status": "RUNNING"}
    project = {"projectId": "shop", "projectNumber": "71634581", "lifecycleState": "ACTIVE",
               "parent": {"type": "folder", "id": "88"}}  # fmt: skip
    user = {"id": "1", "primaryEmail": "ann@example.com"}
    found = verify(
        interaction(f"{PROJECTS}/shop", project),
        interaction(f"{DIRECTORY}/users/ann@example.com", user),
        interaction(f"{NETS}/a", status=404),
        interaction(NETS, operation, verb="POST", body={"name": "a"}),
        interaction(f"{NETS[:-8]}operations/operation-1711-ab", {**operation, "status": "RUNNING"}),
        interaction(f"{NETS[:-8]}operations/operation-1711-ab", {**operation, "status": "DONE"}),
        interaction(f"{NETS}/a", {"name": "a"}),
        interaction(f"{NETS}/default", {"name": "default", "mtu": 1460}),
        interaction(f"{NETS}/default", verb="DELETE", status=200),
        interaction(f"{NETS}/default", status=404),
    )
    assert differences(found) == sorted(
        f"{each.kind} {each.field}" for each in found.groups.values() if each.kind == "extra"
    )
    assert found.total.said == found.total.exchanges == 10


def test_a_query_implies_fields() -> None:
    files = "https://www.googleapis.com/drive/v3/files"
    found = verify(
        interaction(
            f"{files}?q=mimeType%3D%22text/plain%22", {"files": [{"id": "f1x", "name": "n"}]}
        ),
        interaction(f"{TASKS}", {"items": []}),
    )
    assert found.methods["drive.files.list"].said == 1


def test_what_is_apart_is_told(suite: Path) -> None:
    found = Verifier(suite).verify(
        [
            Recording("bad", problem="not JSON"),
            Recording("noted", "vcrpy", (
                interaction("https://elsewhere.example.com/x", {}),
                interaction("https://plain.example.com/now", b"noon"),
                interaction(f"{SHOP}/orders/o-1", b"\xff\xfe"),
            ), ("#/1: a call of gRPC; left out",)),
        ]
    )  # fmt: skip
    assert found.unreadable == {"bad": "not JSON"}
    assert dict(found.unserved) == {"elsewhere.example.com": 1}
    assert dict(found.left_out) == {"a call of gRPC; left out": 1}
    assert found.other_bodies.total() == 2
    assert found.methods["GET plain.example.com/now"].said == 1


def test_globs_narrow_what_counts(suite: Path) -> None:
    calls = [interaction(f"{SHOP}/orders", []), interaction(f"{SHOP}/orders/o-9", status=404)]
    assert verify(*calls, suite=suite, methods="*.list").total.exchanges == 1
    assert verify(*calls, suite=suite, hosts="*.google.com").total.exchanges == 0


def test_a_refused_credential_is_sent_as_it_was(suite: Path) -> None:
    text = (suite / "apis/shop.yaml").read_text()
    (suite / "apis/shop.yaml").write_text(f"{text}auth: {{header: x-api-key}}\n")
    refused = interaction(f"{SHOP}/orders", {"error": "who?"}, status=401)
    assert verify(refused, suite=suite).total.status == 1
    assert verify(interaction(f"{SHOP}/orders", []), suite=suite).total.status == 1
    (suite / "apis/shop.yaml").write_text(f"{text}auth: {{query: api_key}}\n")
    asked = [interaction(f"{SHOP}/orders?{query}", []) for query in ("api_key=old", "size=1", "")]
    found = Verifier(suite).verify(
        [Recording(str(number), "vcrpy", (each,)) for number, each in enumerate(asked)]
    )
    assert (found.total.status, found.recordings) == (3, 3)


def test_an_exchange_that_cannot_be_sent_costs_only_itself(suite: Path) -> None:
    deep = b'{"a":' * 900 + b"1" + b"}" * 900
    found = verify(
        interaction("https://[nowhere", {}),
        interaction(f"{SHOP}/orders/o-1", deep),
        interaction(f"{SHOP}/orders/o-2", {"id": "o-2"}),
        suite=suite,
    )
    assert sum(found.left_out.values()) == 1
    assert found.total.exchanges == 2


def test_an_mcp_server(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    tools = {"tools": {"count_orders": {"responses": [{"result": {"count": 2}}]}}}
    (tmp_path / "base/tools.json").write_text(json.dumps(tools))
    told = {"content": [{"type": "text", "text": '{"count":2}'}]}
    calls = (
        McpCall("tools/call", {"name": "count_orders", "arguments": {}}, told),
        McpCall(
            "tools/call", {"name": "none", "arguments": {}}, None, {"code": -1, "message": "?"}
        ),
    )
    recorded = [
        mcp_interaction("shop", each, reads=True, recorded_at="", duration_ms=1) for each in calls
    ]
    found = verify(*recorded, suite=tmp_path)
    assert found.unreadable == {}
    assert found.methods["mcp tools/call count_orders"].said == 1
    assert found.methods["mcp tools/call none"].said == 0
    broken = replace(recorded[0], request=replace(recorded[0].request, body=b"{}"))
    assert verify(broken, suite=tmp_path).left_out.total() == 1


def test_operations_take_as_long_as_recorded() -> None:
    pending, done = {"name": "operations/1"}, {"name": "operations/1", "done": True}
    calls = [
        interaction("https://x.googleapis.com/v1/a", pending, verb="POST"),
        interaction("https://x.googleapis.com/v1/operations/1", pending),
        interaction("https://x.googleapis.com/v1/operations/1", done),
        interaction("https://x.googleapis.com/v1/a", done, verb="POST"),
        interaction("https://x.googleapis.com/v1/a", {"status": "RUNNING", "operationType": "x"},
                    verb="POST"),
        interaction("https://x.googleapis.com/v1/a", {}, verb="DELETE"),
    ]  # fmt: skip
    assert polls_of(calls) == {0: 2, 3: 0, 4: 1}


def test_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(MockServerError, match="is not there"):
        list(find_recordings([tmp_path / "none"]))
    with pytest.raises(MockServerError, match="has no recordings"):
        list(find_recordings([tmp_path]))
    (tmp_path / "b.json").write_text("{")
    (tmp_path / "a.yaml").write_text("interactions: []\nversion: 1\n")
    (tmp_path / "c.log").write_text("GET https://shop.example.com/\n\n200 OK\n\n{}\n")
    (tmp_path / "d.txt").write_text("no recording")
    (tmp_path / "e.json").symlink_to("/etc/hostname")
    found = list(find_recordings([tmp_path]))
    assert [each.name for each in found] == ["a.yaml", "b.json", "c.log"]
    assert [bool(each.problem) for each in found] == [True, True, False]


def test_lists_over_all_places_policies_and_listed_projects_were_there() -> None:
    compute = "https://compute.googleapis.com/compute/v1/projects/shop"
    link = "https://www.googleapis.com/compute/v1/projects/shop/zones/us-east1-b/disks/d"
    disk = {"name": "d", "selfLink": link, "sizeGb": "10"}
    bindings = [{"role": "roles/viewer", "members": ["user:ann@example.com"]}]
    projects = [
        {"projectId": name, "projectNumber": number, "lifecycleState": "ACTIVE"}
        for name, number in (("shop", "414141414141"), ("outlet", "515151515151"))
    ]
    found = verify(
        interaction(
            f"{compute}/aggregated/disks", {"items": {"zones/us-east1-b": {"disks": [disk]}}}
        ),
        interaction(f"{compute}/zones/us-east1-b/disks/d", disk),
        interaction(f"{compute}/global/images/i/getIamPolicy", {"bindings": bindings}),
        interaction("https://storage.googleapis.com/storage/v1/b/c/iam", {"bindings": bindings}),
        interaction(PROJECTS, {"projects": projects}),
    )
    said = {name: each.said for name, each in found.methods.items()}
    assert list(said.values()) == [1, 1, 1, 1, 1], (said, differences(found))


def test_a_spreadsheet_that_drive_lists_too_has_the_times_that_drive_tells() -> None:
    ident = "1a9CRk5nPaXbrRspPvdFxRxkIMBw1zykKoEhTz4E4"
    times = dict.fromkeys(("createdTime", "modifiedTime"), "2023-08-17T10:52:58.348Z")
    found = verify(
        interaction(
            f"https://www.googleapis.com/drive/v3/files/{ident}?fields=id,name,{','.join(times)}",
            {"id": ident, "name": "T", **times},
        ),
        interaction(
            f"https://sheets.googleapis.com/v4/spreadsheets/{ident}",
            {"spreadsheetId": ident, "properties": {"title": "T"}},
        ),
    )
    assert found.methods["drive.files.get"].said == 1
