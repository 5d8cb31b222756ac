import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.model import (
    CaseDecision,
    CheckResult,
    StoredTrials,
    TrialDecision,
    select_trials,
    shape_of,
    trial_numbers,
    trial_scores,
    trial_shapes,
)
from harness.storage.decision_file import DecisionWriter, read_decisions
from tests.harness.records import case_decision, trial

HASHES = {"A": "1", "B": "2"}
CHECK = CheckResult(kind="evidence", status="fail", reason="no 402\n", numbers={"missing": ["402"]})


def write(path: Path, *decisions: CaseDecision) -> list[StoredTrials]:
    with DecisionWriter(path, {"pass": "all"}, HASHES) as writer:
        kept = []
        for each in decisions:
            kept.append(writer.keep(each.case, each.trials))
            writer.finish(each)
        writer.commit()
    return kept


def trials() -> st.SearchStrategy[tuple[TrialDecision, ...]]:
    one = st.builds(
        TrialDecision,
        case=st.just("A"),
        number=st.integers(1, 1 << 70),
        status=st.sampled_from(["pass", "fail", "skipped"]),
        checks=st.sampled_from([(), (CHECK,), (CHECK, CHECK)]),
        reason=st.sampled_from(["", "why", "],\n", '"],\u2028', "x" * 300_000]),
        score=st.sampled_from([None, 0.0, 0.3, 1.0]),
        attribution=st.sampled_from([None, "agent"]),
    )
    return st.lists(one, max_size=6).map(tuple)


@given(trials())
def test_stored_trials_are_those_in_memory(
    tmp_path_factory: pytest.TempPathFactory, held: tuple[TrialDecision, ...]
) -> None:
    path = tmp_path_factory.mktemp("d") / "d.json"
    decision = CaseDecision(case="A", verdict="failed", trials=held, valid=0, passed=0)
    (kept,) = write(path, decision)
    (found,) = read_decisions(path)
    assert found == decision
    for stored in (kept, found.trials):
        assert isinstance(stored, StoredTrials)
        assert tuple(stored) == held
        assert [stored[place] for place in range(len(held))] == [*held]
        assert stored[1:3] == held[1:3]
        assert [*trial_shapes(stored)] == [shape_of(each) for each in held]
        assert [*trial_numbers(stored)] == [each.number for each in held]
        assert [*trial_scores(stored)] == [each.score for each in held]
        passed = [*select_trials(stored, lambda shape: shape.status == "pass")]
        assert passed == [each for each in held if each.status == "pass"]


def test_the_lines_are_one_json_object(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    both = case_decision("A", ["pass", "fail"]), case_decision("B", [])
    write(path, *both)
    held = json.loads(path.read_bytes())
    assert (held["version"], held["policy"], held["cases"]) == (2, {"pass": "all"}, HASHES)
    assert [CaseDecision.model_validate(each) for each in held["decisions"]] == [*both]
    assert [each.name for each in tmp_path.iterdir()] == ["d.json"]


def test_the_object_in_other_lines_is_read_as_well(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    decision = case_decision("A", ["pass", "fail"])
    write(path, decision)
    path.write_text(json.dumps(json.loads(path.read_bytes()), indent=1), encoding="utf-8")
    (found,) = read_decisions(path)
    assert found == decision
    assert isinstance(found.trials, tuple)


def test_trials_stay_readable_when_their_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    write(path, case_decision("A", ["pass", "fail"]))
    (before,) = read_decisions(path)
    write(path, case_decision("A", ["fail"]))
    (after,) = read_decisions(path)
    assert [each.status for each in before.trials] == ["pass", "fail"]
    assert [each.status for each in after.trials] == ["fail"]
    assert before != after
    assert before.trials != after.trials[:0]
    assert repr(before.trials) == "TrialLines(2)"


def test_what_is_not_committed_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    write(path, case_decision("A", ["pass"]))
    before = path.read_bytes()
    with DecisionWriter(path, {}, {}) as writer:
        writer.keep("A", [trial("fail")])
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["d.json"]


def test_what_a_killed_process_left_is_removed_and_that_of_a_living_one_is_not(
    tmp_path: Path,
) -> None:
    path = tmp_path / "d.json"
    (tmp_path / ".d.json-0.tmp").write_bytes(b"left")
    with DecisionWriter(path, {}, {}) as one, DecisionWriter(path, {}, {}) as other:
        assert len([*tmp_path.iterdir()]) == 2
        one.commit()
        other.commit()
    assert [each.name for each in tmp_path.iterdir()] == ["d.json"]


@pytest.mark.parametrize("cut", range(1, 6))
def test_a_file_that_ends_too_early_is_refused(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "d.json"
    write(path, case_decision("A", ["pass", "fail"]))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-cut]))
    with pytest.raises(ValueError, match=r"too early|unexpected end"):
        read_decisions(path)
