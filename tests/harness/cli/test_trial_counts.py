import pytest

from harness.cli.run_options import RunOptions
from harness.cli.trial_counts import trials_of
from harness.errors import HarnessError


@pytest.mark.parametrize(
    ("options", "trials"),
    [
        (RunOptions(), None),
        (RunOptions(trials=5), 5),
        (RunOptions(until_decided=True), 3),
    ],
    ids=["of-the-cases", "named", "first-look"],
)
def test_the_first_number_of_trials(options: RunOptions, trials: int | None) -> None:
    assert trials_of(options) == trials


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (RunOptions(trials=0), "at least 1"),
        (RunOptions(trials=3, until_decided=True), "leave --trials out"),
        (RunOptions(shard="1/2", until_decided=True), "leave --shard out"),
    ],
    ids=["none", "two-numbers", "shard"],
)
def test_no_trials_and_two_numbers_are_refused(options: RunOptions, said: str) -> None:
    with pytest.raises(HarnessError, match=said):
        trials_of(options)
