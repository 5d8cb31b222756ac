import json
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from mockserver.apis import APIS
from mockserver.drift.case_reads import find_case_reads, find_cases
from mockserver.drift.changes import Change, Tier, sort_changes
from mockserver.drift.comparison import compare, read_age, staleness
from mockserver.drift.documents import Documents
from mockserver.drift.shapes import Subject, shape_of
from mockserver.drift.surveys import Survey
from mockserver.errors import FormatError, MockServerError
from mockserver.state import parse_rfc3339


def survey(**subjects: Subject) -> Survey:
    return Survey("cassette", "x.yaml", "", subjects)


def answers(*values: Any, status: int = 200, pages: int = 0) -> Subject:
    statuses = Counter({status: max(1, len(values))})
    return Subject(shape_of(values), len(values), statuses, pages)


def changes(old: Any, new: Any) -> list[tuple[Tier, str, str]]:
    found = compare(survey(m=answers(old)), survey(m=answers(new)))
    return [(each.tier, each.path, each.message) for each in found]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"a": 1}, {"a": 2}, []),
        ({"a": 1}, {"a": 1, "b": {"c": ""}}, [(Tier.ADDED, "/b", "was not there; is object")]),
        ({"a": 1, "b": ""}, {"a": 1}, [(Tier.REMOVED, "/b", "is gone; was string")]),
        ({"a": 1}, {"a": "1"}, [(Tier.TYPE, "/a", "is string; was integer")]),
        ({"a": 1}, {"a": 1.5}, [(Tier.TYPE, "/a", "is number; was integer")]),
        ({"a": [1, 1.5]}, {"a": [2]}, []),
        ({"a": [1, None]}, {"a": [2]}, []),
        ({"a": "ON"}, {"a": "OFF"}, [(Tier.VALUES, "/a", "new: OFF; not seen: ON")]),
        ({"a": ["ON", "OFF"]}, {"a": ["ON"]}, [(Tier.VALUES, "/a/*", "not seen: OFF")]),
        ({"a": "ON"}, {"a": "it"}, [(Tier.VALUES, "/a", "has values of any kind; was one of ON")]),
        ({"a": "on it"}, {"a": "ON"}, []),
        ({"a": []}, {"a": [{"b": 1}]}, []),
        ({"a": [{"b": 1}]}, {"a": []}, []),
        ({"a": {"b": {"c": 1}}}, {}, [(Tier.REMOVED, "/a", "is gone; was object")]),
    ],
    ids=str,
)  # fmt: skip
def test_each_change_has_its_tier(old: Any, new: Any, expected: list[Any]) -> None:
    assert changes(old, new) == expected


def test_a_field_that_is_not_always_there_any_more_is_told() -> None:
    old, new = answers({"a": 1}, {"a": 1}), answers({"a": 1}, {})
    (change,) = compare(survey(m=old), survey(m=new))
    assert (change.tier, change.message) == (Tier.COUNT, "in 1 of 2, was in 2 of 2")


def test_methods_come_and_go() -> None:
    found = compare(survey(a=answers({}), b=answers({})), survey(b=answers({}), c=answers({})))
    assert [(each.tier, each.subject) for each in found] == [(Tier.REMOVED, "a"), (Tier.ADDED, "c")]


def test_a_method_that_only_fails_now_is_as_if_removed() -> None:
    (change,) = compare(survey(m=answers({})), survey(m=answers(status=403)))
    assert (change.tier, change.message) == (Tier.REMOVED, "only fails now: 403, was 200")


def test_figures_and_pages_are_the_least() -> None:
    found = compare(survey(m=answers({}, {}, pages=1)), survey(m=answers({}, {}, {}, pages=2)))
    assert [each.message for each in found] == ["3 answers, were 2", "2 further pages, were 1"]
    assert {each.tier for each in found} == {Tier.COUNT}


def test_another_status_is_a_change_of_values() -> None:
    (change,) = compare(survey(m=answers({})), survey(m=answers({}, status=202)))
    assert (change.tier, change.message) == (Tier.VALUES, "answers with 202, was 200")


def test_nothing_is_said_of_what_was_never_answered() -> None:
    assert compare(survey(m=answers(status=404)), survey(m=answers(status=404))) == ()


def test_resources_are_counted_as_such() -> None:
    old, new = (
        Survey("snapshot", "x", "", {"users": Subject(shape_of([{}] * n), n)}) for n in (1, 2)
    )
    assert [each.message for each in compare(old, new)] == ["2 resources, were 1"]


def test_a_recording_is_not_compared_with_a_snapshot() -> None:
    with pytest.raises(MockServerError, match=r"x is a snapshot and x\.yaml a cassette"):
        compare(Survey("snapshot", "x", "", {}), survey())


def test_many_words_are_told_in_short() -> None:
    old, new = ({"a": [f"WORD_{chr(65 + n)}" for n in range(m)]} for m in (1, 10))
    assert changes(old, new)[0][2] == (
        "new: WORD_B, WORD_C, WORD_D, WORD_E, WORD_F, WORD_G and 3 more"
    )


def test_changes_are_ordered_and_told_once() -> None:
    added, removed = (Change(tier, "a", "/x", "") for tier in (Tier.ADDED, Tier.REMOVED))
    assert sort_changes([added, removed, added]) == (removed, added)


NOW = parse_rfc3339("2026-11-20T00:00:00Z")


@pytest.mark.parametrize(
    ("text", "age"),
    [("36h", timedelta(hours=36)), ("90d", timedelta(days=90)), (" 2 w ", timedelta(weeks=2))],
    ids=str,
)
def test_ages_are_read(text: str, age: timedelta) -> None:
    assert read_age(text) == age


@pytest.mark.parametrize("text", ["", "90", "d", "1y", "-3d", "9999999999d"], ids=str)
def test_what_is_no_age_is_an_error(text: str) -> None:
    with pytest.raises(MockServerError, match="is no age"):
        read_age(text)


@pytest.mark.parametrize(
    ("taken_at", "limit", "reason"),
    [
        ("2026-11-19T00:00:00Z", timedelta(days=1), ""),
        ("2026-11-18T00:00:00Z", timedelta(days=1), "is 2 days old"),
        ("2026-11-19T00:00:00Z", timedelta(hours=3), "more than 3 hours"),
        ("2027-01-01T00:00:00Z", timedelta(days=1), ""),
        ("", timedelta(days=1), "does not say when"),
        ("yesterday", timedelta(days=1), "is no RFC 3339 timestamp"),
    ],
    ids=str,
)
def test_only_what_a_recording_says_of_itself_counts(
    taken_at: str, limit: timedelta, reason: str
) -> None:
    told = staleness(Survey("cassette", "a.yaml", taken_at, {}), limit, NOW)
    assert told.startswith("a.yaml") is bool(reason)
    assert reason in told


USERS = {"users": [{"id": "1", "name": {"fullName": "Ann"}}]}


def trial(run: Path, case: str, answers: dict[str, Any], *, status: int = 200) -> None:
    entries = [
        {"method_id": method, "status": status, "response_ref": f"{case}{method}"}
        for method in answers
    ]
    bodies = {
        f"{case}{method}": answer if isinstance(answer, str) else json.dumps(answer)
        for method, answer in answers.items()
    }
    path = run / "trials" / case / "1.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"journal": {"entries": entries, "bodies": bodies}}), "utf-8")


def read_by(run: Path, subject: str, path: str) -> tuple[str, ...]:
    change = Change(Tier.REMOVED, subject, path, "")
    return find_cases([change], find_case_reads(run), Documents(APIS))[change]


def test_the_cases_that_read_a_field_are_told(tmp_path: Path) -> None:
    trial(tmp_path, "EC-002", {"directory.users.list": USERS})
    trial(tmp_path, "EC-001", {"directory.users.list": USERS, "": USERS, "x": "base64:AA"})
    trial(tmp_path, "EC-003", {"directory.users.list": {"users": []}})
    trial(tmp_path, "EC-004", {"directory.users.list": USERS}, status=403)
    (tmp_path / "trials" / "EC-001" / "1.infra-1.json").write_text("{", encoding="utf-8")
    assert read_by(tmp_path, "directory.users.list", "/users/*/id") == ("EC-001", "EC-002")
    assert read_by(tmp_path, "directory.users.list", "/users/*/age") == ()
    assert read_by(tmp_path, "directory.users.list", "") == ("EC-001", "EC-002", "EC-003")


def test_a_field_of_a_collection_is_read_where_answers_hold_its_resources(tmp_path: Path) -> None:
    trial(tmp_path, "EC-001", {"directory.users.get": USERS["users"][0]})
    trial(tmp_path, "EC-002", {"directory.users.list": USERS})
    trial(tmp_path, "EC-003", {"directory.groups.list": {"groups": [{"id": "1"}]}})
    assert read_by(tmp_path, "users", "/name/fullName") == ("EC-001", "EC-002")
    assert read_by(tmp_path, "dlpRules", "/name") == ()


def test_a_folder_that_is_no_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="is no run directory"):
        find_case_reads(tmp_path)


@pytest.mark.parametrize("content", ["{", "{}", '{"journal": {"entries": [{}]}}', "[]"], ids=str)
def test_a_trial_that_cannot_be_read_is_an_error(tmp_path: Path, content: str) -> None:
    trial(tmp_path, "EC-001", {})
    (tmp_path / "trials" / "EC-001" / "1.json").write_text(content, encoding="utf-8")
    with pytest.raises(FormatError, match="is no record of a trial"):
        find_case_reads(tmp_path)
