from pathlib import Path

import pytest

from harness.cli.options import run_path, runs_directory, trial_named
from harness.errors import HarnessError
from harness.runner import TrialName


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for name in ("r1", "r2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").write_text("{}", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(("name", "found"), [("r1", "r1"), ("latest", "r2")])
def test_a_run_is_found_by_its_id(runs: Path, name: str, found: str) -> None:
    assert run_path(name, runs) == runs / found


@pytest.mark.parametrize(
    ("text", "run", "case", "number"),
    [
        ("A", "r2", "A", None),
        ("7", "r2", "7", None),
        ("A/2", "r2", "A", 2),
        ("r1/A", "r1", "A", None),
        ("r1/A/2/", "r1", "A", 2),
        ("RUNS/r1/trials/A/3.json", "r1", "A", 3),
    ],
)
def test_a_trial_is_found_by_its_names(
    runs: Path, text: str, run: str, case: str, number: int | None
) -> None:
    (runs / "r1" / "trials" / "A").mkdir(parents=True)
    (runs / "r1" / "trials" / "A" / "3.json").write_text("{}", encoding="utf-8")
    assert trial_named(text.replace("RUNS", str(runs)), runs) == TrialName(runs / run, case, number)


def test_a_store_with_a_slash_too_few_is_no_folder() -> None:
    with pytest.raises(HarnessError, match="neither a folder nor the URL of a store"):
        runs_directory("s3:/evals/runs")
    assert runs_directory("a:/runs") == Path("a:/runs")


def test_a_run_is_found_by_its_folder(runs: Path) -> None:
    assert run_path(str(runs / "r1"), Path("elsewhere")) == runs / "r1"


@pytest.mark.parametrize("name", ["r3", "../r1", "latest"])
def test_what_is_not_there_is_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(HarnessError, match="no run") as caught:
        run_path(name, tmp_path)
    assert caught.value.hint == "`understudy run` writes runs there"
