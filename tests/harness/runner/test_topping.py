"""A run that is topped up while its comparison decides nothing."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typing_extensions import override

from harness.agents import AgentDriver, Task, Transcript
from harness.cases import case_hash
from harness.model import Case, Policy, Reply, TextContains, Turn
from harness.runner import (
    Against,
    Order,
    RunContext,
    RunSettings,
    begin,
    decide,
    perform_until_decided,
)
from harness.statistics import Outcomes, Terms
from harness.storage import RunFolder
from harness.verdicts import Limits
from tests.harness.runner.test_run import Counting

CASES = tuple(
    Case(id=id, turns=(Turn(user=id),), expect=(TextContains(needles=("yes",)),))
    for id in "ABCDEFGH"
)
BEFORE = Outcomes(
    "before",
    {case.id: case_hash(case) for case in CASES},
    {case.id: (12, 12) for case in CASES},
)


class Forgetful(AgentDriver):
    """Says no at some of its trials of a case."""

    def __init__(self, fails: Mapping[str, set[int]]) -> None:
        self.asked: Counter[str] = Counter()
        self._fails = fails

    @override
    async def converse(self, task: Task, transcript: Transcript) -> None:
        prompt = task.prompts[0]
        self.asked[prompt] += 1
        no = self.asked[prompt] in self._fails.get(prompt, set())
        transcript.answered(Reply(turn=1, prompt=prompt, text="no" if no else "yes"))

    @override
    async def close(self) -> None:
        return


async def top_up(
    tmp_path: Path, make: Callable[..., RunContext], agent: AgentDriver, progress: Counting
) -> RunFolder:
    settings = RunSettings(trials=3, concurrency=1, until_decided=True)
    order = Order("office", CASES, "forgetful", Policy(pass_="all"), settings)
    folder = begin(order, tmp_path, lambda: datetime(2026, 11, 20, tzinfo=UTC))
    against = Against(BEFORE, Terms(margin=0.2))
    shared = replace(make(agent), hashes=dict(BEFORE.hashes))
    await perform_until_decided(shared, folder, against, progress, progress.stop)
    return folder


@pytest.mark.parametrize(
    ("fails", "trials", "verdict"),
    [
        ({}, 3, "not_worse"),
        ({"A": {1}}, 6, "not_worse"),
        ({"A": {1, 2, 3}}, 3, "regressed"),
        ({case: {1, 4, 7, 10} for case in "ABCD"}, 12, "inconclusive"),
    ],
    ids=["at-once", "by-more", "broken", "never"],
)
async def test_further_trials_are_run_only_while_nothing_is_decided(
    tmp_path: Path,
    context: Callable[..., RunContext],
    fails: Mapping[str, set[int]],
    trials: int,
    verdict: str,
) -> None:
    folder = await top_up(tmp_path, context, Forgetful(fails), Counting())
    assert folder.manifest().trials == {case.id: trials for case in CASES}
    assert folder.records().count() == trials * len(CASES)
    found = decide(folder, Limits(), Against(BEFORE, Terms(margin=0.2)))
    assert found.comparison is not None
    assert (found.comparison.verdict, found.interrupted) == (verdict, False)


async def test_a_run_that_is_stopped_is_not_topped_up(
    tmp_path: Path, context: Callable[..., RunContext]
) -> None:
    progress = Counting(stop_after=6)
    folder = await top_up(tmp_path, context, Forgetful({"A": {1}}), progress)
    assert folder.manifest().trials == {case.id: 3 for case in CASES}
