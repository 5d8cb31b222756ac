from collections import Counter
from typing import Any

import pytest

from mockserver.drift.comparison import Change, Tier, compare, sort_changes
from mockserver.drift.shapes import shape_of
from mockserver.drift.surveys import Subject, Survey
from mockserver.errors import MockServerError


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
