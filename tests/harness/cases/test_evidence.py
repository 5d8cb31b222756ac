from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.cases.evidence import (
    contains_phrase,
    differs_by_slip,
    duplicate_cases,
    fold_text,
    idle_overrides,
    similar_cases,
    ungrounded_markers,
)
from harness.model import Case, Evidence, Fixtures, TextContains, Turn
from mockserver.model import Fault
from tests.harness.records import case

WORLD = {
    "orgUnits": [{"orgUnitPath": "/Sales/Field", "orgUnitId": "id:03ph8a2zx3qh4wr"}],
    "users": [{"primaryEmail": "ann@example.com", "note": "Host-17 is hers (see HD-99)."}],
}


def asked(*markers: str, id: str = "A", prompt: str = "Why?", **facts: Any) -> Case:
    facts.setdefault("expect", (Evidence(markers=markers or ("x1",)),))
    return Case(id=id, turns=(Turn(user=prompt),), **facts)


@pytest.mark.parametrize(
    ("one", "other", "is_slip"),
    [
        ("ticket", "Ticket", False),
        ("user", "users", True),
        ("users", "user", True),
        ("usr", "user", False),  # of three letters: they tell nothing
        ("list", "listed", False),
        ("ticket", "tickte", True),
        ("ticket", "tiket", True),
        ("ticket", "tackat", False),
        ("ticket", "tecket", True),
        ("abcd", "bacd", True),
        ("abcd", "badc", False),
    ],
)
def test_a_slip_is_one_letter_or_two_swapped(one: str, other: str, *, is_slip: bool) -> None:
    assert differs_by_slip(one, other) is is_slip


@pytest.mark.parametrize(
    ("marker", "nearest"),
    [
        ("/Sales/Feild", "/Sales/Field"),
        ("/S\u0430les/Field", "/Sales/Field"),
        ("ann@exampl.com", "ann@example.com"),
        ("id:03ph8a2zx3qh4rw", ""),
        ("03ph8a2zx3qh4rw", "03ph8a2zx3qh4wr"),
        ("HOST-71", "Host-17"),
        ("/sales/field", ""),
        ("host-17", ""),
        ("/Warehouse", ""),
        ("Feild", ""),
        ("see HD-98", ""),
    ],
)
def test_an_identifier_that_is_nearly_in_the_world_is_told(marker: str, nearest: str) -> None:
    found = [remark for _, remark in ungrounded_markers([asked(marker)], {"A": WORLD})]
    assert [remark.hint for remark in found] == [f"did you mean {nearest!r}?"] * bool(nearest)


@pytest.mark.parametrize(
    "facts",
    [
        {"prompt": "Make /Sales/Fields."},
        {"fixtures": Fixtures(workspace={"a.txt": "/Sales/Fields"})},
        {"expect": (Evidence(markers=("/Sales/Fields",)),), "request": {"path": "/Sales/Fields"}},
    ],
)
def test_what_the_case_itself_says_is_no_slip(facts: dict[str, Any]) -> None:
    facts.setdefault("expect", (TextContains(needles=("/Sales/Fields",)),))
    assert list(ungrounded_markers([asked(**facts)], {"A": WORLD})) == []


def test_a_case_whose_world_cannot_be_read_is_left_alone() -> None:
    assert list(ungrounded_markers([asked("/Sales/Feild")], {})) == []


def test_an_override_that_leaves_the_base_as_it_is_is_told() -> None:
    cases = [
        asked(id="A", fixtures=Fixtures(overrides=("A",))),
        asked(id="B", fixtures=Fixtures(overrides=("B",))),
        asked(id="C"),
    ]
    worlds = {"A": WORLD, "B": {**WORLD, "users": []}, "C": WORLD}
    bases = dict.fromkeys("ABC", WORLD)
    ((told, remark),) = idle_overrides(cases, worlds, bases)
    assert told.id == "A"
    assert remark.message == "the override 'A' changes nothing of the base"


FAULT = Fault(method="directory.*", status=503, origin="case A")


@pytest.mark.parametrize(
    ("facts", "found"),
    [
        ({}, [("A", "B", False)]),
        ({"prompt": "why"}, [("A", "B", True)]),
        ({"expect": (Evidence(markers=("x1",)), Evidence(markers=("z", "y"), required=False))},
         [("A", "B", False)]),
        ({"expect": (Evidence(markers=("x2",)),)}, []),
        ({"expect": ()}, []),
        ({"fixtures": Fixtures(clock="frozen")}, []),
        ({"fixtures": Fixtures(files=("a.txt",))}, []),
        ({"fixtures": Fixtures(faults=(FAULT,))}, []),
        ({"fixtures": Fixtures(overrides=("B",))}, [("A", "B", False)]),
        ({"request": {"text": "a"}}, []),
    ],
)  # fmt: skip
def test_cases_are_alike_that_expect_the_same_in_the_same_world(
    facts: dict[str, Any], found: list[tuple[str, str, bool]]
) -> None:
    other = asked(id="B", **{"prompt": "How?", **facts})
    pairs = similar_cases([asked(), other], {"A": WORLD, "B": dict(WORLD)})
    assert [(one.id, two.id, same) for one, two, same in pairs] == found


def test_other_worlds_are_other_tests() -> None:
    assert list(similar_cases([asked(), asked(id="B")], {"A": WORLD, "B": {}})) == []


def test_who_a_fault_is_put_down_to_does_not_matter() -> None:
    one = Fixtures(faults=(FAULT,))
    other = Fixtures(faults=(FAULT.model_copy(update={"origin": "case B"}),))
    pair = [asked(fixtures=one), asked(id="B", fixtures=other)]
    assert len(list(similar_cases(pair, {}))) == 1


def test_a_case_that_is_there_twice_is_told_once() -> None:
    cases = [asked(id=name) for name in "ABC"]
    found = [(told.id, remark.message) for told, remark in duplicate_cases(cases, {})]
    assert found == [
        ("B", "asks and expects the same as 'A', in the same world"),
        ("C", "asks and expects the same as 'A', in the same world"),
    ]
    assert list(duplicate_cases([case(id="A")], {})) == []


@pytest.mark.parametrize(
    ("text", "phrase", "said"),
    [
        ("The rollout failed", "OU", False),
        ("You should", "OU", False),
        ("in the OU", "ou", True),
        ("error 24020", "402", False),
        ("POLICY LIMIT reached", "policy_limit", True),
        ("anything", "--", False),
    ],
)
def test_a_phrase_is_said_as_whole_words(text: str, phrase: str, *, said: bool) -> None:
    assert contains_phrase(text, phrase) is said


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold_text(fold_text(text)) == fold_text(text)
