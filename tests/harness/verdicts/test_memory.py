"""What stays in memory of each trial of a run, however many there are."""

import tracemalloc
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from typing_extensions import override

from harness.model import Records, TextContains, TrialRecord
from harness.storage.decision_file import DecisionWriter
from harness.verdicts import decide_run
from tests.harness.records import case, manifest, record

CASE = case(TextContains(needles=("yes",)))
MOST = 850
"""Bytes a trial: with these a million trials fit into 1 GB."""


class Made(Records):
    """Records that are made when they are asked for, with texts of a kilobyte."""

    def __init__(self, count: int) -> None:
        self.count = count

    @override
    def __iter__(self) -> Iterator[TrialRecord]:
        return (self.get("C-1", number) for number in range(1, self.count + 1))

    @override
    def of(self, case: str) -> Iterable[TrialRecord]:
        return self

    @override
    def get(self, case: str, number: int) -> TrialRecord:
        told = f"no, for the reason {number} " * 50 if number % 3 else "yes"
        return record(told, number=number, duration_ms=number / 7, error="e" * 1000)


def held(folder: Path, count: int) -> int:
    """Bytes that are held when so many trials are decided."""
    tracemalloc.start()
    try:
        with DecisionWriter(folder / "d.json", {"pass": "all"}, {}) as writer:
            found = decide_run(manifest(["C-1"]), [CASE], Made(count), keeper=writer)
            writer.commit()
        assert len(found.decisions[0].trials) == count
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_of_a_further_trial_less_than_a_kilobyte_stays_in_memory(tmp_path: Path) -> None:
    held(tmp_path, 5)
    few, many = held(tmp_path, 20), held(tmp_path, 220)
    assert (many - few) / 200 <= MOST
