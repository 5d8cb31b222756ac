"""Which fields of a world an answer held."""

import json
from typing import Any

import pytest

from mockserver.messages.mcp_calls import McpCall, mcp_interaction
from mockserver.messages.read_fields import ReadFields, WorldFields, pairs_in, recorded_results
from mockserver.model import Json, JsonObject
from tests.recordings import interaction

ANN: JsonObject = {
    "primaryEmail": "ann@example.com", "id": 7, "size": 1234, "isAdmin": True, "rate": 12.75,
    "code": "abc", "unit": "abcd", "creationTime": "2026-01-01T00:00:00Z", "phone": None,
    "names": [{"given": "Ann Lee"}, {"given": "Anna"}],
    "note": '{"inner": {"key": "deep value"}}', "odd": "{no JSON",
}  # fmt: skip
WORLD: JsonObject = {
    "capturedAt": "2026-11-20T10:00:00Z",
    "errors": [{"status": 404}],
    "faults": [{"status": 503}],
    "users": [ANN],
    "members": {"ops@example.com": [{"role": "OWNER"}]},
    "tools": {
        "look": {"description": "Looks.", "inputSchema": {"type": "object"}, "answer": "looked"},
        "ask": {"call": "directory.users.get"},
        "plain": "plain text",
    },
    "tools.heard": [{"sound": "thunder"}],
}


def known(world: JsonObject = WORLD) -> WorldFields:
    found = WorldFields()
    found.add_world(world)
    return found


def read(body: Any, world: JsonObject = WORLD) -> set[str]:
    found = ReadFields(known(world))
    found.note_answer(body if isinstance(body, str) else json.dumps(body))
    return {f"{collection} {path}" for collection, path in found.places}


def test_the_fields_of_a_world_are_its_paths() -> None:
    found = known()
    assert {name: list(paths) for name, paths in found.paths.items()} == {
        "users": ["primaryEmail", "id", "size", "isAdmin", "rate", "code", "unit", "creationTime",
                  "names.given", "note.inner.key", "odd"],
        "members": ["role"],
        "tools": ["look.answer", "plain"],
        "tools.heard": ["sound"],
    }  # fmt: skip
    assert list(found.tools) == ["look", "ask", "plain", "heard"]


def test_what_two_worlds_share_is_looked_at_once() -> None:
    found = known()
    other: JsonObject = {**WORLD, "users": [{"alias": "x"}], "members": {}}
    found.add_world(other)
    assert list(found.paths["users"])[-2:] == ["odd", "alias"]
    assert list(found.paths["members"]) == ["role"]


@pytest.mark.parametrize(("keys", "paths"), [(40, 40), (41, 1)])
def test_an_object_with_more_than_40_keys_is_a_table(keys: int, paths: int) -> None:
    world: JsonObject = {"rows": {f"k{number}": {"size": number} for number in range(keys)}}
    found = list(known(world).paths["rows"])
    assert len(found) == paths
    assert found[0] == ("k0.size" if paths == keys else "*.size")


@pytest.mark.parametrize(
    ("body", "places"),
    [
        ({"primaryEmail": "ann@example.com"}, {"users primaryEmail"}),
        ({"mail": "ann@example.com"}, {"users primaryEmail"}),
        ({"mail": "(ann@example.com)"}, {"users primaryEmail"}),
        ({"mail": "bob@example.com"}, set()),
        ([{"a": [{"id": 7}]}], {"users id"}),
        ({"other": 7}, set()),
        ({"other": 1234}, {"users size"}),
        ({"isAdmin": True, "rate": 12.75}, {"users isAdmin", "users rate"}),
        ({"other": True, "others": 12.75}, set()),
        ({"other": "abc"}, set()),
        ({"code": "abc"}, {"users code"}),
        ({"other": "abcd"}, {"users unit"}),
        ({"creationTime": "2031-05-05T00:00:00Z"}, {"users creationTime"}),
        ({"key": "deep value"}, {"users note.inner.key"}),
        ({"content": '{"key": "deep value"}'}, {"users note.inner.key"}),
        ({"content": '[{"given": "Anna"}]'}, {"users names.given"}),
        ({"odd": "{no JSON"}, {"users odd"}),
        ({"answer": "looked", "sound": "thunder"}, {"tools look.answer", "tools.heard sound"}),
        ("Mail to ann@example.com, or Ann Lee.", {"users primaryEmail", "users names.given"}),
        ("xabcdx thunder", {"tools.heard sound"}),
        ("null", set()),
        ("", set()),
    ],
)  # fmt: skip
def test_a_field_is_read_where_an_answer_holds_its_value(body: Any, places: set[str]) -> None:
    assert read(body) == places


@pytest.mark.parametrize(("words", "found"), [(16, {"a t"}), (17, set())])
def test_a_text_of_up_to_16_words_is_found_inside_another(words: int, found: set[str]) -> None:
    said = " ".join(f"w{number}" for number in range(words))
    assert read(f"before {said} after", {"a": {"t": said}}) == found


@pytest.mark.parametrize(("before", "found"), [(99_993, {"a t"}), (99_994, set())])
def test_so_much_of_an_answer_that_is_no_json_is_looked_at(before: int, found: set[str]) -> None:
    assert read(" " * before + "thunder", {"a": {"t": "thunder"}}) == found


def test_what_answers_hold_one_after_another_adds_up() -> None:
    world = known()
    found = ReadFields(world)
    for body in ('{"id": 7}', '{"id": 7}', '{"code": "abc"}'):
        found.note_answer(body)
    assert found.places == {("users", "id"), ("users", "code")}
    assert ReadFields(world).places == set()


def test_the_pairs_of_a_value_are_its_last_keys_and_leaves() -> None:
    value: Json = {"a": [1, {"b": None, "c": "[2]"}], "d": "{"}
    assert sorted(pairs_in(value), key=str) == [("a", 1), ("c", 2), ("d", "{")]


def test_what_tools_returned_is_a_world() -> None:
    def called(name: str, result: Any, method: str = "tools/call") -> Any:
        call = McpCall(method, {"name": name, "arguments": {}}, result)
        return mcp_interaction("words", call, reads=True, recorded_at="", duration_ms=1.0)

    structured = {"content": [], "structuredContent": {"sum": 3}}
    calls = [
        called("add", structured),
        called("add", {"content": [], "structuredContent": {"sum": 4}}),
        called("other", structured, "prompts/get"),
        interaction("https://x.example.com/a", {"sum": 5}),
    ]
    assert recorded_results(calls) == {"tools.add": [{"sum": 3}, {"sum": 4}]}
