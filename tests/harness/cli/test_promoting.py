from pathlib import Path

import pytest

from harness.cli.promoting import promoted_case, written_files
from harness.errors import HarnessError
from harness.model import Case, Fixtures, RunManifest
from harness.storage import RunFolder
from tests.harness.records import case, record


def run_of(folder: Path, *cases: Case) -> RunFolder:
    hashes = {each.id: "h" for each in cases}
    manifest = RunManifest(
        run="r1", suite=str(folder), agent="a", cases=hashes, trials=dict.fromkeys(hashes, 1)
    )
    run = RunFolder.create(folder / "run", manifest, cases)
    for each in cases:
        run.write_trial(record("no", case=each.id))
    return run


def test_what_cannot_be_promoted_is_told(tmp_path: Path) -> None:
    taped = case(id="TAPED", fixtures=Fixtures(cassettes=("a",)))
    run = run_of(tmp_path, taped)
    with pytest.raises(HarnessError, match=r"no case 'TAPEE' \(did you mean 'TAPED'"):
        promoted_case(run, "TAPEE", None, "R", None)
    with pytest.raises(HarnessError, match="plays recordings"):
        promoted_case(run, "TAPED", None, "R", None)


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(HarnessError, match="cannot write into"):
        written_files(case(id="R"), {}, tmp_path / "file")
