from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from harness.errors import HarnessError
from harness.model import Case, TextContains, TrialRecord, Turn
from harness.runner import Order, RunSettings, begin, merge, read_policy
from harness.storage import RunFolder

ONE, TWO = (
    Case(id=id, turns=(Turn(user="Why?"),), expect=(TextContains(needles=("x",)),))
    for id in ("C-1", "C-2")
)


def now() -> datetime:
    return datetime(2026, 11, 20, 10, 15, tzinfo=UTC)


def run_of(runs: Path, *cases: Case, **facts: Any) -> Path:
    """A finished run of two trials a case."""
    settings = RunSettings(trials=2, **facts.pop("settings", {}))
    asked = Order("suite", cases, facts.pop("agent", "echo"), read_policy("all"), settings, **facts)
    folder = begin(asked, runs, now)
    manifest = folder.manifest()
    for case in cases:
        for number in (1, 2):
            folder.write_trial(
                TrialRecord(
                    run=manifest.run, case=case.id, case_hash=manifest.cases[case.id],
                    number=number, outcome="replied", started_at="now",
                )
            )  # fmt: skip
    return folder.path


def numbers(folder: RunFolder) -> list[tuple[str, int]]:
    return [(record.case, record.number) for record in folder.records()]


def test_shards_become_one_run(tmp_path: Path) -> None:
    """The runs stay as they are, and each record names the run that it was made in."""
    one = run_of(tmp_path, ONE, settings={"shard": "1/2"})
    two = run_of(tmp_path, TWO, settings={"shard": "2/2", "concurrency": 9})
    folder = merge([one, two], tmp_path, now)
    manifest = folder.manifest()
    assert manifest.merged == (one.name, two.name)
    assert (manifest.trials, list(manifest.cases)) == ({"C-1": 2, "C-2": 2}, ["C-1", "C-2"])
    assert (manifest.run, manifest.options["shard"]) == (folder.path.name, "")
    assert numbers(folder) == [("C-1", 1), ("C-1", 2), ("C-2", 1), ("C-2", 2)]
    assert {record.run for record in folder.records()} == {one.name, two.name}
    assert numbers(RunFolder(one)) == [("C-1", 1), ("C-1", 2)]


def test_trials_of_the_same_case_are_numbered_on(tmp_path: Path) -> None:
    """Also past a trial that is missing, so that it still is."""
    one, two = run_of(tmp_path, ONE), run_of(tmp_path, ONE)
    (one / "trials" / "C-1" / "2.json").unlink()
    folder = merge([one, two], tmp_path, now)
    assert numbers(folder) == [("C-1", 1), ("C-1", 3), ("C-1", 4)]
    assert folder.manifest().trials == {"C-1": 4}


@pytest.mark.parametrize(
    ("other", "said"),
    [
        pytest.param({"agent": "null"}, "differ in agent", id="agent"),
        pytest.param({"settings": {"timeout_s": 5}}, "differ in timeout_s", id="option"),
    ],
)
def test_what_was_run_otherwise_is_not_merged(
    tmp_path: Path, other: dict[str, Any], said: str
) -> None:
    with pytest.raises(HarnessError, match=said):
        merge([run_of(tmp_path, ONE), run_of(tmp_path, TWO, **other)], tmp_path, now)


def test_a_case_that_changed_never_mixes(tmp_path: Path) -> None:
    """Pitfall 12."""
    changed = ONE.model_copy(update={"turns": (Turn(user="How?"),)})
    with pytest.raises(HarnessError, match="differ in case C-1"):
        merge([run_of(tmp_path, ONE), run_of(tmp_path, changed)], tmp_path, now)


def test_a_run_is_not_merged_with_itself(tmp_path: Path) -> None:
    one = run_of(tmp_path, ONE)
    for paths in ([one, one], [one]):
        with pytest.raises(HarnessError, match="two runs or more"):
            merge(paths, tmp_path, now)
