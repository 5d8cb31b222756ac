"""Run directories and baselines as earlier versions of this program wrote them (`earlier/`)."""

import json
import shutil
from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.runner import BaselineGate, decide, read_baseline
from harness.statistics import Terms
from harness.storage import RunFolder
from harness.verdicts import Limits

EARLIER = sorted(Path(__file__).with_name("earlier").iterdir())


@pytest.fixture(params=EARLIER, ids=lambda path: path.name)
def earlier(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """What one version left, in a place where it may be changed."""
    return Path(shutil.copytree(request.param, tmp_path / "earlier"))


def test_a_run_is_read_and_decided_as_it_was(earlier: Path) -> None:
    folder = RunFolder(earlier / "run")
    kept = folder.decisions(folder.manifest().policy)
    result = decide(folder, Limits())
    assert kept is not None
    assert [(each.case, each.verdict) for each in kept] == [("GREET", "passed")]
    assert [(each.case, each.verdict) for each in result.decisions] == [("GREET", "passed")]


def test_a_later_run_is_held_against_an_earlier_baseline(earlier: Path) -> None:
    gate = BaselineGate(read_baseline(earlier / "baseline.json"), Terms())
    result = decide(RunFolder(earlier / "run"), Limits(), gate)
    assert not result.exit_reasons


def test_decisions_of_version_1_are_read(earlier: Path) -> None:
    (path,) = (earlier / "run/decisions").iterdir()
    path.write_text(json.dumps(json.loads(path.read_bytes())["decisions"]), encoding="utf-8")
    result = decide(RunFolder(earlier / "run"), Limits())
    assert [each.verdict for each in result.decisions] == ["passed"]


@pytest.mark.parametrize("file", ["manifest.json", "trials/GREET/1.json"])
def test_a_file_of_a_later_version_is_refused_with_what_to_do(earlier: Path, file: str) -> None:
    path = earlier / "run" / file
    path.write_text(json.dumps(json.loads(path.read_bytes()) | {"version": 99}), encoding="utf-8")
    with pytest.raises(HarnessError, match="version 99") as refused:
        decide(RunFolder(earlier / "run"), Limits())
    assert "install that one" in f"{refused.value} {refused.value.hint}"
