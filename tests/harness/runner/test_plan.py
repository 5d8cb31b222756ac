from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import HarnessError
from harness.model import Case, Policy, Turn
from harness.runner import plan_trials, run_id, select_shard, timestamp, trial_counts
from harness.runner.plan import check_enough
from tests.harness.records import case as sharding_case


def case(number: int, repeat: int = 1) -> Case:
    return Case(id=f"C-{number}", turns=(Turn(user="Why?"),), repeat=repeat)


def test_trials_are_interleaved() -> None:
    """Pitfall 9: something that changes slowly meets all cases alike."""
    cases = [case(1, 2), case(2, 1), case(3, 3)]
    planned = plan_trials(cases, trial_counts(cases, None))
    shown = [(trial.case.id, trial.number) for trial in planned]
    assert shown == [("C-1", 1), ("C-2", 1), ("C-3", 1), ("C-1", 2), ("C-3", 2), ("C-3", 3)]


def test_a_number_of_trials_goes_before_the_cases_own() -> None:
    assert trial_counts([case(1, 5)], 2) == {"C-1": 2}


@given(
    st.lists(st.integers(1, 4), max_size=5),
    st.sets(st.tuples(st.integers(0, 4), st.integers(1, 4))),
)
def test_done_and_planned_trials_are_all_trials(
    repeats: list[int], taken: set[tuple[int, int]]
) -> None:
    cases = [case(number, repeat) for number, repeat in enumerate(repeats)]
    counts = trial_counts(cases, None)
    every = {(trial.case.id, trial.number) for trial in plan_trials(cases, counts)}
    done = {(f"C-{number}", trial) for number, trial in taken} & every
    left = {(trial.case.id, trial.number) for trial in plan_trials(cases, counts, done)}
    assert left | done == every
    assert not left & done
    assert len(every) == sum(repeats)


def test_a_run_is_named_by_its_moment_and_by_what_was_asked() -> None:
    moment = datetime(2026, 11, 20, 11, 15, tzinfo=timezone(timedelta(hours=1)))
    first, other = run_id(moment, {"a": 1, "b": 2}), run_id(moment, {"a": 2})
    assert first == run_id(moment, {"b": 2, "a": 1})
    assert first.startswith("20261120-101500-")
    assert first != other


def test_timestamps_are_utc() -> None:
    assert timestamp(datetime(2026, 1, 2, 3, 4, 5, 6789, tzinfo=UTC)) == "2026-01-02T03:04:05.006Z"


@pytest.mark.parametrize("own", [True, False], ids=["of-the-case", "of-the-run"])
def test_a_policy_that_needs_more_trials_is_refused(*, own: bool) -> None:
    """Pass^k of fewer than k trials is undefined; that is told before anything is run."""
    three, everything = Policy(pass_hat=3, min=0.7), Policy.model_validate({"pass": "all"})
    cases = [case(1).model_copy(update={"policy": three if own else None})]
    policy = everything if own else three
    check_enough(cases, {"C-1": 3}, policy)
    with pytest.raises(HarnessError, match="undefined for 2 trials") as told:
        check_enough(cases, {"C-1": 2}, policy)
    assert "-n 3" in str(told.value)


CASES = [sharding_case(id=f"C-{number}") for number in range(7)]


@given(st.integers(1, 12))
def test_all_shards_together_have_each_case_once(count: int) -> None:
    shards = [select_shard(CASES, f"{number}/{count}") for number in range(1, count + 1)]
    found = [one for shard in shards for one in shard]
    assert sorted(found, key=_id) == sorted(CASES, key=_id)
    assert max(map(len, shards)) - min(map(len, shards)) <= 1


def _id(one: Case) -> str:
    return one.id


def test_no_shard_is_everything() -> None:
    assert select_shard(CASES, "") == tuple(CASES)


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "1/0", "a/b", "1/2/3", "-1/2"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(HarnessError, match="--shard is"):
        select_shard(CASES, text)
