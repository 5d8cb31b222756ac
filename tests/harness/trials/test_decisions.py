from collections.abc import Sequence

import pytest
from typing_extensions import override

from harness.model import CaseDecision, CheckResult, Cluster, TrialDecision, find_trial
from harness.trials.decisions import StoredSequence


def test_a_decision_survives_the_way_through_json() -> None:
    check = CheckResult(
        kind="evidence", status="fail", reason="no 402", numbers={"missing": ["402"]}
    )
    trial = TrialDecision(case="C-1", number=1, status="fail", checks=(check,), reason="no 402")
    decision = CaseDecision(case="C-1", verdict="failed", trials=(trial,), valid=1, passed=0)
    assert CaseDecision.model_validate_json(decision.model_dump_json()) == decision


def test_a_cluster_survives_the_way_through_json() -> None:
    made = Cluster(kind="evidence", what="402", cases=("A", "B"), trials=3)
    assert Cluster.model_validate_json(made.model_dump_json()) == made


def test_a_trial_is_found_by_its_number() -> None:
    trials = [TrialDecision(case="C-1", number=number, status="pass") for number in (1, 3)]
    assert find_trial(trials, 3) is trials[1]
    assert find_trial(trials, 2) is None


class Squares(StoredSequence[int]):
    def __init__(self, length: int) -> None:
        self._length = length

    @override
    def item_at(self, place: int) -> int:
        return place * place

    @override
    def __len__(self) -> int:
        return self._length


@pytest.mark.parametrize("place", [0, 4, -1, -5, slice(1, 3), slice(None, None, -2), slice(7, 9)])
def test_items_are_found_as_those_of_a_tuple_are(place: int | slice) -> None:
    assert Squares(5)[place] == (0, 1, 4, 9, 16)[place]


@pytest.mark.parametrize("place", [5, -6])
def test_there_is_nothing_beyond_the_ends(place: int) -> None:
    with pytest.raises(IndexError):
        Squares(5)[place]


@pytest.mark.parametrize(
    ("other", "equal"),
    [
        ([0, 1, 4], True), (Squares(3), True), ([0, 1], False), ([0, 1, 5], False), (None, False),
    ],
)  # fmt: skip
def test_it_is_equal_to_sequences_of_equal_items(
    other: Sequence[int] | None, *, equal: bool
) -> None:
    assert (Squares(3) == other) is equal


def test_it_says_what_it_is_and_has_no_hash() -> None:
    assert repr(Squares(3)) == "Squares(3)"
    with pytest.raises(TypeError):
        hash(Squares(3))
