from typing import Any

import pytest

from harness.cases import case_hash, input_hash
from harness.model import Case, Evidence, Fixtures, Policy, ReferenceTurn, Turn

CASE = Case(id="EC-001", turns=(Turn(user="Why?"),), expect=(Evidence(markers=("handshake",)),))


@pytest.mark.parametrize(
    "change",
    [
        {"turns": (Turn(user="Why not?"),)},
        {"expect": (Evidence(markers=("handshakes",)),)},
        {"fixtures": Fixtures(overrides=("EC-002",))},
        {"fixtures": Fixtures(seed=1)},
        {"fixtures": Fixtures(cassettes=("calls",))},
        {"fixtures": Fixtures(repeats="last")},
        {"reference": (ReferenceTurn(answer="x"),)},
        {"timeout_s": 3.0},
        {"id": "EC-002"},
    ],
    ids=str,
)
def test_what_is_asked_given_or_expected_makes_another_case(change: dict[str, Any]) -> None:
    assert case_hash(CASE.model_copy(update=change)) != case_hash(CASE)


@pytest.mark.parametrize(
    "change",
    [
        {"title": "x"},
        {"tags": ("x",)},
        {"notes": {"a": "b"}},
        {"repeat": 5},
        {"policy": Policy(rate=0.5)},
        {"source": "elsewhere:9"},
    ],
    ids=str,
)
def test_what_only_describes_or_decides_does_not(change: dict[str, Any]) -> None:
    assert case_hash(CASE.model_copy(update=change)) == case_hash(CASE)


def test_the_hash_does_not_change_between_versions() -> None:
    assert case_hash(CASE) == case_hash(Case.model_validate(CASE.model_dump()))
    assert len(case_hash(CASE)) == 12


def test_the_input_hash_does_not_know_what_a_case_is_held_against() -> None:
    """Stored trials may be decided anew under other expectations, never under other inputs."""
    first = Case(id="C-1", turns=(Turn(user="Why?"),))
    held = first.model_copy(update={"reference": (ReferenceTurn(answer="So."),)})
    asked = first.model_copy(update={"turns": (Turn(user="How?"),)})
    assert input_hash(held) == input_hash(first) != input_hash(asked)
    assert case_hash(held) != case_hash(first)
