import json

from harness.doctor.fixture_use import (
    FixtureUse,
    answers,
    count_sets,
    sent_texts,
    tools_and_methods,
)
from harness.model import JsonObject
from mockserver.model import Journal
from tests.harness.records import entry, record, reply

WORLD: JsonObject = {
    "capturedAt": "2026-11-20T10:00:00Z",
    "users": [{"id": "12", "name": "Ada", "since": "2020-01-01T00:00:00Z", "note": None}],
    "members": {"team@example.com": [{"role": "OWNER"}]},
    "groups": [],
}


def seen(*bodies: object) -> Journal:
    texts = [body if isinstance(body, str) else json.dumps(body) for body in bodies]
    entries = (
        entry("tools.lookUp", response_ref="h0"),
        entry("directory.users.list", seq=2, response_ref="h1"),
        entry("", seq=3, response_ref="h2", after_close=True),
    )
    return Journal(
        entries=entries, bodies={f"h{number}": text for number, text in enumerate(texts)}
    )


def test_fields_that_no_answer_holds_are_never_read() -> None:
    reading = FixtureUse()
    reading.add(WORLD, [record(journal=seen({"id": "12", "since": "2026-11-01T00:00:00Z"}))])
    found = {each.collection: each for each in reading.coverage()}
    assert set(found) == {"users", "members"}
    assert (found["users"].fields, found["users"].never_read) == (3, ("name",))
    assert found["members"].never_read == ("role",)


def test_a_text_counts_under_another_key_and_a_short_one_does_not() -> None:
    reading = FixtureUse()
    reading.add(WORLD, [record(journal=seen({"kind": "OWNER", "x": "12"}, "no JSON"))])
    reading.add(WORLD, [record(journal=seen({"name": "Ada"}))])
    found = {each.collection: each.never_read for each in reading.coverage()}
    assert found == {"users": ("id", "since"), "members": ()}


def test_fields_whose_values_no_expectation_names_are_not_asserted() -> None:
    reading = FixtureUse()
    reading.add(WORLD, [], [{"needles": ["It is OWNER of it"]}, {"args": {"id": 12}}])
    found = {each.collection: each.never_asserted for each in reading.coverage()}
    assert found == {"users": ("name", "since"), "members": ()}


def test_what_was_asked_and_sent_is_told_by_tool_and_route() -> None:
    trial = record(reply("x", "ownTool"), journal=seen({"a": 1}))
    assert [set(each) for each in tools_and_methods([trial])] == [
        {"ownTool", "lookUp"},
        {"directory.users.list"},
    ]
    assert answers(trial) == ("h0", "h1")
    assert '{"a": 1}' in sent_texts(trial)
    assert "directory.users.list" in sent_texts(trial)
    assert count_sets([{"b", "a"}, {"b"}]) == {"b": 2, "a": 1}
