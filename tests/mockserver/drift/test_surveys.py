import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mockserver.apis import APIS
from mockserver.cassettes.files import write_cassette
from mockserver.drift.changes import Tier
from mockserver.drift.comparison import compare, compare_definitions
from mockserver.drift.documents import Documents
from mockserver.drift.shapes import pointer
from mockserver.drift.surveys import (
    Source,
    Survey,
    is_json_answer,
    path_name,
    read_source,
    survey,
    survey_interactions,
    survey_snapshot,
    taken_at,
)
from mockserver.errors import FormatError
from mockserver.messages.mcp_calls import McpCall, mcp_interaction
from mockserver.model import Cassette, CassetteInfo, Interaction, RecordedRequest, RecordedResponse
from tests.recordings import DIRECTORY, interaction


def test_calls_are_put_together_by_method() -> None:
    calls = [
        interaction("https://a.example.com/x", {"items": [{"id": 1}]}),
        interaction("https://a.example.com/x?pageToken=2", {"items": []}),
        interaction("https://a.example.com/x", {"error": {}}, status=503),
        interaction("https://b.example.com/y"),
    ]
    subjects = survey_interactions(calls, lambda each: each.request.url[8])
    found = subjects["a"]
    assert (found.count, found.pages, dict(found.statuses)) == (3, 1, {200: 2, 503: 1})
    assert {pointer(path) for path in found.shape} == {"", "/items", "/items/*", "/items/*/id"}
    assert (found.succeeded, subjects["b"].shape) == (True, {})


@pytest.mark.parametrize(
    ("media", "body", "paths"),
    [
        ("application/x-ndjson", b'{"a": 1}\n\n{"b": 1}\n', {"", "/a", "/b"}),
        ("text/html", b"<p>", {""}),
        ("application/json", b"{", {""}),
    ],
    ids=["lines", "text", "broken"],
)
def test_answers_of_every_kind_have_a_shape(media: str, body: bytes, paths: set[str]) -> None:
    response = RecordedResponse(200, "", (("content-type", media),), body)
    call = Interaction(RecordedRequest("GET", "https://a.example.com/"), response)
    shape = survey_interactions([call], lambda _: "a")["a"].shape
    assert {pointer(path) for path in shape} == paths


@pytest.mark.parametrize(
    ("value", "count"),
    [([1, 2], 2), ({"items": [1]}, 1), ({"a": [1], "b": [2]}, 2), ({"id": 1}, 1), (None, 0)],
    ids=str,
)
def test_collections_of_every_form_are_counted(value: Any, count: int) -> None:
    assert survey_snapshot({"x": value, "capturedAt": "", "faults": [1]})["x"].count == count
    assert set(survey_snapshot({"x": value, "capturedAt": ""})) == {"x"}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/v1/users/12345/tags", "/v1/users/*/tags"),
        ("/u/ann@example.com", "/u/*"),
        ("/x/7", "/x/*"),
        ("/things/deadbeef01/a", "/things/*/a"),
    ],
    ids=str,
)
def test_ids_in_paths_stand_as_stars(path: str, name: str) -> None:
    assert path_name(interaction(f"https://a.example.com{path}?x=1")) == f"GET a.example.com{name}"


def test_an_answer_without_content_is_no_json() -> None:
    assert not is_json_answer(interaction("https://a.example.com/"))


USERS = interaction(
    f"{DIRECTORY}/users?customer=my_customer", {"users": []}, at="2026-11-02T00:00:00Z"
)
SNAPSHOT = {"capturedAt": "2026-11-01T00:00:00Z", "users": [{"id": "1"}]}


@pytest.mark.parametrize("name", ["a.yaml", "a.json"])
def test_cassettes_are_read_in_both_forms(tmp_path: Path, name: str) -> None:
    write_cassette(Cassette("a", (USERS,), CassetteInfo()), tmp_path / name)
    found = survey(read_source(tmp_path / name), Documents(APIS).name)
    assert (found.kind, found.taken_at) == ("cassette", "2026-11-02T00:00:00Z")
    assert list(found.subjects) == ["directory.users.list"]


@pytest.mark.parametrize("form", ["file", "folder", "suite", "nested"])
def test_snapshots_are_read_in_every_form(tmp_path: Path, form: str) -> None:
    folder = {"suite": tmp_path / "base", "nested": tmp_path / "fixtures" / "base"}.get(
        form, tmp_path
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a.json").write_text(json.dumps(SNAPSHOT), encoding="utf-8")
    found = survey(
        read_source(folder / "a.json" if form == "file" else tmp_path), Documents(APIS).name
    )
    assert (found.kind, found.taken_at) == ("snapshot", "2026-11-01T00:00:00Z")
    assert found.subjects["users"].count == 1


def test_a_folder_without_a_snapshot_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="holds no snapshot"):
        read_source(tmp_path)


def test_a_recording_is_as_old_as_its_oldest_interaction() -> None:
    """A refreshed interaction makes the others no younger."""
    info = CassetteInfo(recorded_at="2026-11-09T00:00:00Z")
    old = interaction(f"{DIRECTORY}/users", at="2026-10-01T00:00:00Z")
    unknown = interaction(f"{DIRECTORY}/users")
    assert taken_at(Cassette("a", (USERS, old, unknown), info)) == "2026-10-01T00:00:00Z"
    assert taken_at(Cassette("a", (unknown,), info)) == "2026-11-09T00:00:00Z"


def test_a_time_that_is_no_text_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"capturedAt": 3}', encoding="utf-8")
    assert not survey(read_source(tmp_path), Documents(APIS).name).taken_at


SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "unit": {"enum": ["C", "F"]}},
    "required": ["city"],
}


ARGUMENTS = "/inputSchema/properties"


def surveyed(*calls: McpCall) -> Survey:
    made = tuple(
        mcp_interaction("s", call, reads=True, recorded_at="", duration_ms=1.0) for call in calls
    )
    return survey(Source("a.yaml", cassette=Cassette("a.yaml", made)), lambda _: "never")


def listed(*tools: Any, **more: Any) -> McpCall:
    return McpCall("tools/list", {}, {"tools": list(tools), **more})


def tool(name: str = "get", **more: Any) -> dict[str, Any]:
    return {"name": name, "description": "Gets.", "inputSchema": SCHEMA, **more}


def answered(result: Any = None, error: Any = None, name: str = "get") -> McpCall:
    return McpCall("tools/call", {"name": name}, result, error)


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}], **more}


def changed(**schema: Any) -> dict[str, Any]:
    return tool(inputSchema={**SCHEMA, **schema})


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ([tool()], []),
        ([], [(Tier.REMOVED, "tools.get", "", "is not listed any more")]),
        ([tool(), tool("put")], [(Tier.ADDED, "tools.put", "", "was not listed")]),
        (
            [tool(description="Asks.")],
            [(Tier.VALUES, "tools.get", "/description", "is Asks.; was Gets.")],
        ),
        (
            [tool(description="Asks " * 20)],
            [(Tier.VALUES, "tools.get", "/description", "says something else")],
        ),
        (
            [changed(required=["city", "unit"])],
            [(Tier.REMOVED, "tools.get", "/inputSchema/required", "new: unit")],
        ),
        (
            [changed(required=[])],
            [(Tier.VALUES, "tools.get", "/inputSchema/required", "gone: city")],
        ),
        (
            [changed(properties={"city": {"type": "integer"}, "unit": {"enum": ["F", "C"]}})],
            [
                (Tier.TYPE, "tools.get", f"{ARGUMENTS}/city/type", "is integer; was string"),
                (Tier.VALUES, "tools.get", f"{ARGUMENTS}/unit/enum", "is in another order"),
            ],
        ),
        (
            [changed(properties={"city": {"type": "string"}, "when": {}})],
            [
                (Tier.REMOVED, "tools.get", f"{ARGUMENTS}/unit", "is gone"),
                (Tier.ADDED, "tools.get", f"{ARGUMENTS}/when", "was not there"),
            ],
        ),
        (
            [tool(annotations={"readOnlyHint": True}, description=7)],
            [
                (Tier.TYPE, "tools.get", "/description", "is 7; was Gets."),
                (Tier.ADDED, "tools.get", "/annotations", "was not there"),
            ],
        ),
    ],
)  # fmt: skip
def test_tools_that_are_listed_otherwise_are_told(new: list[Any], expected: list[Any]) -> None:
    found = compare(surveyed(listed(tool())), surveyed(listed(*new)))
    assert [(each.tier, each.subject, each.path, each.message) for each in found] == expected


def test_pages_are_one_list_and_what_is_no_tool_is_none() -> None:
    pages = surveyed(listed(tool("a"), 3, {"name": 7}, nextCursor="n"), listed(tool("b")))
    assert list(pages.definitions["tools"]) == ["a", "b"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (answered(text("a")), answered(text("b")), []),
        (
            answered(text('{"temp": 1}')),
            answered(text('{"temp": "1"}')),
            [(Tier.TYPE, "/content/*/text/temp", "is string; was integer")],
        ),
        (
            answered(text("a", structuredContent={"a": 1})),
            answered(text("a", structuredContent={})),
            [(Tier.REMOVED, "/structuredContent/a", "is gone; was integer")],
        ),
        (
            answered(text("a")),
            answered(text("a", resultType="complete", ttlMs=1, _meta={})),
            [],
        ),
        (
            answered(text("a")),
            answered(text("no", isError=True)),
            [(Tier.REMOVED, "", "only fails now: 500, was 200")],
        ),
        (
            answered(text("a")),
            answered(error={"code": -32602, "message": "no"}),
            [(Tier.REMOVED, "", "only fails now: 400, was 200")],
        ),
    ],
)
def test_answers_are_compared_by_their_shapes(old: McpCall, new: McpCall, expected: Any) -> None:
    found = compare(surveyed(old), surveyed(new))
    assert [(each.tier, each.path, each.message) for each in found] == expected
    assert {each.subject for each in found} <= {"tools.get"}


def test_a_server_that_is_another_one_is_told_in_any_version_of_the_protocol() -> None:
    old = McpCall("initialize", {}, {"serverInfo": {"name": "w", "version": "1"}})
    meta = {"io.modelcontextprotocol/serverInfo": {"name": "w", "version": "2"}}
    new = McpCall("server/discover", {}, {"_meta": meta, "instructions": "Ask."})
    found = compare(surveyed(old), surveyed(new))
    assert [(each.subject, each.path, each.message) for each in found] == [
        ("mcp.server", "/serverInfo/version", "is 2; was 1"),
        ("mcp.server", "/instructions", "was not there"),
    ]


def test_resources_and_prompts_are_told_by_their_names() -> None:
    resource = McpCall("resources/list", {}, {"resources": [{"uri": "doc://a"}]})
    prompt = McpCall("prompts/list", {}, {"prompts": [{"name": "plan"}]})
    nothing = McpCall("resources/list", {}, {"resources": []})
    bare = McpCall("prompts/list", {}, {"prompts": []})
    found = compare(surveyed(resource, prompt), surveyed(nothing, bare))
    assert [each.subject for each in found] == ["prompts.plan", "resources doc://a"]


def test_lists_that_one_side_never_recorded_are_no_change_of_each_thing() -> None:
    old, new = surveyed(listed(tool())), surveyed(answered(text("a")))
    assert list(compare_definitions(old.definitions, new.definitions)) == []
    assert [each.message for each in compare(old, new)] == [
        "is not there any more",
        "was not there",
    ]


def test_other_recordings_of_a_cassette_are_compared_beside_them() -> None:
    mixed = (
        interaction(f"{DIRECTORY}/users", {"users": []}),
        mcp_interaction("s", listed(tool()), reads=True, recorded_at="", duration_ms=1.0),
    )
    found = survey(Source("a", cassette=Cassette("a", mixed)), lambda _: "directory.users.list")
    assert set(found.subjects) == {"directory.users.list", "mcp.tools.list"}


def test_what_is_no_recording_of_mcp_is_left_out() -> None:
    made = mcp_interaction("s", listed(tool()), reads=True, recorded_at="", duration_ms=1.0)
    spoiled = replace(made, response=replace(made.response, body=b"{"))
    found = survey(Source("a", cassette=Cassette("a", (spoiled,))), lambda _: "never")
    assert (found.subjects, found.definitions) == ({}, {})
