from pathlib import Path

import pytest

from harness.errors import HarnessError, InfrastructureError
from harness.model import HeldRecords, Patterns, RunResult
from harness.runner import read_baseline, write_baseline
from tests.harness.records import case, decided, manifest, record


def run() -> RunResult:
    cases = [
        case(Patterns(patterns=("one", "two")), id=id, deterministic=id == "B") for id in ("A", "B")
    ]
    records = [
        record("one two", case="A"),
        record("one", case="A", number=2),
        record(case="B", outcome="infra_error"),
    ]
    return decided(manifest(["A", "B"]), cases, HeldRecords.of_cases(["A", "B"], records))


def test_a_baseline_comes_back_from_its_file(tmp_path: Path) -> None:
    """CTXR-05: kept in a file, with hashes, so that a changed task is not compared."""
    path = tmp_path / "deep" / "baseline.json"
    write_baseline(path, run())
    kept = read_baseline(path)
    assert kept.run == "run-1"
    assert kept.hashes == {"A": "hash-A", "B": "hash-B"}
    assert kept.counts == {"A": (1, 2), "B": (0, 0)}
    assert kept.deterministic == {"B"}
    assert '"score": 0.75' in path.read_text(encoding="utf-8")
    assert '"score": null' in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "cannot be read as a baseline"),
        ('{"results": []}', "cannot be read as a baseline"),
        ('{"run": "r", "suite": "s", "cases": {}}', "without any valid trial"),
    ],
)
def test_what_is_no_baseline_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "baseline.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(HarnessError, match=said):
        read_baseline(path)


def test_a_file_that_cannot_be_read_or_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="cannot be read as a baseline: No such file"):
        read_baseline(tmp_path / "none.json")
    (tmp_path / "taken").write_text("", encoding="utf-8")
    with pytest.raises(InfrastructureError, match="cannot write"):
        write_baseline(tmp_path / "taken" / "baseline.json", run())


@pytest.mark.parametrize(("passed", "valid"), [(3, 2), (1, 10**18)], ids=["more", "too many"])
def test_counts_that_no_run_has_are_refused(tmp_path: Path, passed: int, valid: int) -> None:
    path = tmp_path / "baseline.json"
    counts = f'{{"hash": "h", "passed": {passed}, "valid": {valid}}}'
    path.write_text(f'{{"run": "r", "suite": "s", "cases": {{"A": {counts}}}}}', encoding="utf-8")
    with pytest.raises(HarnessError, match="cannot be read as a baseline"):
        read_baseline(path)
