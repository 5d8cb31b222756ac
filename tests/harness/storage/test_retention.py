"""Which runs go: a table of rules, and laws."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.storage import Retention, StoredRun, choose_runs

NOW = datetime(2026, 11, 20, tzinfo=UTC)


def run(days: int, **facts: Any) -> StoredRun:
    at = (NOW - timedelta(days=days)).isoformat()
    told = {"run": f"r{days}", "name": f"r{days}", "suite": "s", "started_at": at, "changed_at": at}
    return StoredRun(**told | {"bytes": 10} | facts)


RUNS = (run(1), run(10), run(40), run(100))


@pytest.mark.parametrize(
    ("rules", "gone"),
    [
        (Retention(), ""),
        (Retention(older_than=timedelta(days=30)), "r40 r100"),
        (Retention(keep=1), "r10 r40 r100"),
        (Retention(max_bytes=25), "r40 r100"),
        (Retention(max_bytes=0), "r1 r10 r40 r100"),
        (Retention(keep=3, older_than=timedelta(days=30)), "r40 r100"),
        (Retention(keep=3, max_bytes=25), "r40 r100"),
        (Retention(older_than=timedelta(days=30), protect=("r4*",)), "r100"),
    ],
)
def test_a_rule_chooses_runs(rules: Retention, gone: str) -> None:
    found = choose_runs(RUNS, rules, NOW)
    assert " ".join(each.run.run for each in found if each.goes) == gone
    assert all(each.reason for each in found if each.goes)


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"baseline": True}, "it is a baseline"),
        ({"state": "running"}, "its trials are being run"),
        ({"note": "release 4"}, "it is protected"),
        ({"failed": True}, "it failed"),
        ({"state": "unfinished", "changed_at": NOW.isoformat()},
         "it is unfinished, and was changed within a day"),
        ({"state": "unfinished", "changed_at": "?"},
         "it is unfinished, and was changed within a day"),
    ],
)  # fmt: skip
def test_what_somebody_needs_stays_and_says_why(facts: dict[str, Any], reason: str) -> None:
    rules = Retention(
        timedelta(days=1), 1, 0, keep_failed=timedelta(days=90), protect=("release*",)
    )
    (found,) = choose_runs([run(60, **facts)], rules, NOW)
    assert (found.goes, found.reason) == (False, reason)


def test_a_failed_run_goes_in_the_end_and_an_abandoned_one_too() -> None:
    rules = Retention(timedelta(days=1), keep_failed=timedelta(days=90))
    found = choose_runs([run(91, failed=True), run(50, state="unfinished")], rules, NOW)
    assert [each.goes for each in found] == [True, True]


def test_a_run_that_does_not_say_when_it_began_is_as_old_as_its_files() -> None:
    rules = Retention(timedelta(days=30))
    assert [each.goes for each in choose_runs([run(40, started_at="")], rules, NOW)] == [True]
    odd = run(40, started_at="yesterday", changed_at="?")
    assert [each.goes for each in choose_runs([odd], rules, NOW)] == [False]


runs = st.lists(
    st.builds(
        lambda days, suite, size, baseline, state: run(
            days, suite=suite, bytes=size, baseline=baseline, state=state
        ),
        st.integers(2, 400),
        st.sampled_from("ab"),
        st.integers(0, 100),
        st.booleans(),
        st.sampled_from(["finished", "unfinished", "running"]),
    ),
    unique_by=lambda each: each.name,
    max_size=12,
)


@given(runs, st.integers(1, 5), st.integers(0, 300))
def test_no_rule_takes_what_is_held_and_the_newest_stay(
    known: list[StoredRun], keep: int, limit: int
) -> None:
    found = choose_runs(known, Retention(keep=keep, max_bytes=limit), NOW)
    assert {each.run.name for each in found} == {each.name for each in known}
    assert not any(
        each.goes and (each.run.baseline or each.run.state == "running") for each in found
    )
    left = [each.run for each in found if not each.goes]
    free = [each for each in left if not each.baseline and each.state != "running"]
    assert sum(each.bytes for each in left) <= limit or not [each for each in free if each.bytes]
    by_number = choose_runs(known, Retention(keep=keep), NOW)
    for suite in "ab":
        newest = [each for each in by_number if each.run.suite == suite][:keep]
        assert not any(each.goes for each in newest)
