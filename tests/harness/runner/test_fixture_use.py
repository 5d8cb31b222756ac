import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from harness.errors import HarnessError
from harness.model import (
    Case,
    ExpectedRow,
    Fixtures,
    JsonObject,
    RunCoverage,
    ServerState,
    TextContains,
)
from harness.runner import merge_runs
from harness.runner.fixture_use import FixtureUse, _recorded, note_coverage, tools_and_methods
from harness.storage import RunFolder
from mockserver.model import Journal
from tests.harness.conftest import write_suite
from tests.harness.records import case, entry, record, reply
from tests.runfolders import stored_run

NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)
WORLD: JsonObject = {
    "capturedAt": "2026-11-20T10:00:00Z",
    "users": [{"id": "12", "name": "Ada", "since": "2020-01-01T00:00:00Z", "note": None}],
    "members": {"team@example.com": [{"role": "OWNER", "on": True}]},
    "groups": [],
}


def told(
    world: JsonObject, bodies: Iterable[object] = (), cases: Iterable[Case] = ()
) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """By collection: what was never read, and what was never asserted."""
    use = FixtureUse()
    use.add_world(world)
    texts = [body if isinstance(body, str) else json.dumps(body) for body in bodies]
    use.note_sent(record(journal=Journal(bodies=dict(enumerate_texts(texts)))))
    for each in cases:
        use.note_expected(each)
    return {each.collection: (each.never_read, each.never_asserted) for each in use.fixtures()}


def enumerate_texts(texts: Iterable[str]) -> Iterable[tuple[str, str]]:
    return ((f"h{number}", text) for number, text in enumerate(texts))


READ: list[tuple[str, list[object], set[str]]] = [
    ("nothing was sent", [], {"id", "name", "since", "role", "on"}),
    ("a time is moved with the clock", [{"since": "2026-11-01T00:00:00Z"}],
     {"id", "name", "role", "on"}),
    ("a short value under its key", [{"id": 12}], {"name", "since", "role", "on"}),
    ("a short value under another key", [{"x": "12"}], {"id", "name", "since", "role", "on"}),
    ("a long one under another key", [{"kind": "OWNER"}], {"id", "name", "since", "on"}),
    ("a truth under another key", [{"x": True}], {"id", "name", "since", "role", "on"}),
    ("JSON inside a text, as MCP has it", [{"text": '{"name": "Ada"}'}],
     {"id", "since", "role", "on"}),
    ("a text that only looks like it", [{"name": "[Ada"}], {"id", "name", "since", "role", "on"}),
    ("an answer that is no JSON", ["<p>the OWNER.</p>"], {"id", "name", "since", "on"}),
    ("a part of a word", ["COOWNERS"], {"id", "name", "since", "role", "on"}),
]  # fmt: skip


@pytest.mark.parametrize(("bodies", "unread"), [row[1:] for row in READ], ids=[r[0] for r in READ])
def test_a_field_is_read_where_an_answer_held_a_value_of_it(
    bodies: list[object], unread: set[str]
) -> None:
    found = told(WORLD, bodies)
    assert set(found) == {"users", "members"}
    assert {*found["users"][0], *found["members"][0]} == unread


def state(**row: Any) -> ServerState:
    return ServerState(rows=(ExpectedRow(**row),))


NAMED: list[tuple[str, Case, set[str]]] = [
    ("a text that holds the value", case(TextContains(needles=("It is OWNER of it",))),
     {"id", "name", "since", "on"}),
    ("a row of the state, with its value", case(state(collection="users", where={"id": "12"})),
     {"name", "since", "role", "on"}),
    ("a row of the state, whatever the value",
     case(state(collection="users", has={"name": {"regex": ".*"}})), {"id", "since", "role", "on"}),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "loose"), [row[1:] for row in NAMED], ids=[r[0] for r in NAMED])
def test_a_field_is_asserted_where_a_case_names_it_or_a_value_of_it(
    asked: Case, loose: set[str]
) -> None:
    found = told(WORLD, cases=[asked])
    assert {*found["users"][1], *found["members"][1]} == loose


def test_the_keys_of_a_table_are_no_names_of_fields() -> None:
    rows: JsonObject = {f"row{number}": {"size": number} for number in range(50)}
    assert told({"rows": rows}) == {"rows": (("*.size",), ("*.size",))}


def test_tools_that_no_trial_called_are_told_and_their_descriptions_are_no_data() -> None:
    use = FixtureUse()
    use.add_world({"tools": {
        "lookUp": {"description": "Looks up.", "inputSchema": {"type": "object"},
                   "response": {"city": "Bern"}},
        "book": {"call": "a.b", "result": {"flights": "{{ answer }}"}},
        "plain": ["text"],
    }})  # fmt: skip
    use.add_world({"tools.recorded": [{"city": "Lugano"}]})
    use.note_sent(record(journal=Journal(entries=(entry("tools.lookUp"),))))
    use.note_sent(record(journal=Journal(entries=(entry("tools.plain"),))))
    found = use.coverage()
    assert found.tools == ("lookUp", "book", "plain", "recorded")
    assert found.never_called == ("book", "recorded")
    assert {each.collection: each.never_read for each in found.fixtures} == {
        "tools": ("lookUp.response.city", "plain"),
        "tools.recorded": ("city",),
    }


def test_what_was_asked_is_told_by_tool_and_route() -> None:
    entries = (entry("tools.lookUp"), entry("directory.users.list", seq=2), entry("", seq=3))
    trial = record(reply("x", "ownTool"), journal=Journal(entries=entries))
    assert [set(each) for each in tools_and_methods([trial])] == [
        {"ownTool", "lookUp"},
        {"directory.users.list"},
    ]


def test_what_a_run_touched_is_kept_beside_it(tmp_path: Path) -> None:
    suite = tmp_path / "office"
    write_suite(suite)
    folder = stored_run(tmp_path / "runs", "1", {"T-001": [True]})
    assert folder.coverage() is None
    note_coverage(folder, suite)
    kept = RunFolder(folder.path).coverage()
    assert isinstance(kept, RunCoverage)
    assert kept.fixtures
    other = stored_run(tmp_path / "runs", "2", {"T-002": [True]})
    apart = merge_runs([folder.path, other.path], tmp_path / "runs", lambda: NOW)
    assert apart.coverage() == RunCoverage(unknown_in=(other.manifest().run,))
    note_coverage(other, suite)
    merged = merge_runs([folder.path, other.path], tmp_path / "runs", lambda: NOW).coverage()
    assert merged is not None
    assert {each.collection for each in merged.fixtures} == {
        each.collection for each in kept.fixtures
    }


def test_a_recording_that_is_gone_holds_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "office"
    write_suite(folder)
    assert _recorded(folder, case(fixtures=Fixtures(cassettes=("gone",)))) == {}
    assert _recorded(folder, case()) == {}


def test_a_suite_that_is_gone_is_told(tmp_path: Path) -> None:
    folder = stored_run(tmp_path / "runs", "1", {"T-001": [True]})
    with pytest.raises(HarnessError, match="gone"):
        note_coverage(folder, tmp_path / "gone")
    assert folder.coverage() is None
