from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from harness.errors import HarnessError, InfrastructureError
from harness.model import Calibration, Frozen
from harness.storage import (
    Baseline,
    Baselines,
    RegisteredSuite,
    RegisteredSuites,
    promote,
    read_calibrations,
    save_calibration,
    suite_name,
)
from harness.storage.ledger import Ledger
from tests.runfolders import stored_run


class Word(Frozen):
    text: str


def add(path: Path, text: str) -> None:
    Ledger(path, Word).change(lambda known: [*known, Word(text=text)])


def add_many(path: Path, name: str) -> None:
    for number in range(20):
        add(path, f"{name}{number}")


def test_what_is_added_is_there_in_order(tmp_path: Path) -> None:
    path = tmp_path / "runs" / "words.json"
    assert Ledger(path, Word).entries() == ()
    add(path, "a")
    add(path, "b")
    assert [word.text for word in Ledger(path, Word).entries()] == ["a", "b"]
    assert path.read_text(encoding="utf-8").endswith("]\n")


def test_two_writers_lose_nothing_of_each_other(tmp_path: Path) -> None:
    path = tmp_path / "words.json"
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(add_many, [path, path], ["a", "b"]))
    assert len({word.text for word in Ledger(path, Word).entries()}) == 40


@pytest.mark.parametrize("content", ["", "{", '[{"words": 1}]'], ids=["empty", "cut", "other"])
def test_a_broken_file_is_no_empty_one(tmp_path: Path, content: str) -> None:
    path = tmp_path / "words.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(HarnessError, match=r"words\.json: cannot be read: .*mend it"):
        add(path, "a")
    assert path.read_text(encoding="utf-8") == content


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file", encoding="utf-8")
    with pytest.raises(InfrastructureError, match="cannot write"):
        add(tmp_path / "runs" / "words.json", "a")


def test_suites_are_known_by_name(tmp_path: Path) -> None:
    """CTX-24"""
    kept = RegisteredSuites(tmp_path)
    kept.register(RegisteredSuite(name="b", path="old"))
    kept.register(RegisteredSuite(name="a", path="fixtures/a"))
    kept.register(RegisteredSuite(name="b", path="fixtures/b", description="Second."))
    assert [suite.path for suite in RegisteredSuites(tmp_path).all()] == [
        "fixtures/a",
        "fixtures/b",
    ]
    found = kept.get("b")
    assert found is not None
    assert found.description == "Second."
    assert kept.get("c") is None


def test_a_suite_is_forgotten(tmp_path: Path) -> None:
    kept = RegisteredSuites(tmp_path)
    kept.register(RegisteredSuite(name="office", path="p"))
    with pytest.raises(HarnessError, match=r"no suite 'offices' is registered.*'office'"):
        kept.remove("offices")
    kept.remove("office")
    assert kept.all() == ()


def calibration(model: str = "openai:m", **facts: Any) -> Calibration:
    known: dict[str, Any] = {
        "prompt": "p", "questions": ("q",), "positives": 30, "negatives": 20, "true_positive": 27,
        "true_negative": 18, "tpr": (0.9, 0.7, 1), "tnr": (0.9, 0.7, 1), "kappa": (0.8, 0.6, 0.9),
        "measured": 0.6, "corrected": (0.6, 0.5, 0.7),
    }  # fmt: skip
    return Calibration(model=model, **(known | facts))


def test_what_is_kept_is_read_back_and_replaced_by_judge(tmp_path: Path) -> None:
    assert read_calibrations(tmp_path) == ()
    save_calibration(tmp_path, calibration("b"))
    save_calibration(tmp_path, calibration("a", positives=31))
    path = save_calibration(tmp_path, calibration("b", negatives=25))
    assert path == tmp_path / "judges.json"
    found = read_calibrations(tmp_path)
    assert [(each.model, each.negatives) for each in found] == [("a", 20), ("b", 25)]


def test_a_broken_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "judges.json").write_text("{", encoding="utf-8")
    with pytest.raises(HarnessError, match="calibrations"):
        save_calibration(tmp_path, calibration())


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError, match="cannot write"):
        save_calibration(tmp_path / "gone", calibration())


def test_the_baseline_of_a_suite_is_the_one_set_last(tmp_path: Path) -> None:
    """CTX-24, CTXR-02: it is kept, also for other processes."""
    for run, suite in [("r1", "office"), ("r2", "other"), ("r3", "office")]:
        Baselines(tmp_path).set(Baseline(run=run, suite=suite))
    kept = Baselines(tmp_path)
    found = kept.of("fixtures/office")
    assert found is not None
    assert found.run == "r3"
    assert [each.run for each in kept.all()] == ["r1", "r2", "r3"]
    assert kept.of("none") is None


def test_a_run_is_a_baseline_once(tmp_path: Path) -> None:
    kept = Baselines(tmp_path)
    for run in ("r1", "r2", "r1"):
        kept.set(Baseline(run=run, suite="office", note=run))
    assert [each.run for each in kept.all()] == ["r2", "r1"]


def test_without_its_newest_baseline_a_suite_has_the_one_before(tmp_path: Path) -> None:
    kept = Baselines(tmp_path)
    kept.set(Baseline(run="r1", suite="office"))
    kept.set(Baseline(run="r2", suite="office"))
    assert kept.remove("r2").suite == "office"
    assert [each.run for each in kept.all()] == ["r1"]
    with pytest.raises(HarnessError, match=r"run 'r22' is no baseline|did you mean"):
        kept.remove("r22")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("fixtures/office", "office"),
        ("fixtures/office/", "office"),
        ("units.yaml", "units"),
        ("fixtures/office/registry.json", "office"),
        ("suite.json", "suite"),
        ("tests/a.b", "a.b"),
        ("", ""),
    ],
)
def test_a_suite_is_called_by_its_folder_or_file(path: str, name: str) -> None:
    assert suite_name(path) == name


def test_a_finished_run_is_made_the_baseline_of_its_suite(tmp_path: Path) -> None:
    """CTX-21"""
    folder = stored_run(tmp_path, "1", {"A": [True, False]})
    made = promote(tmp_path, folder.path, set_at="2026-11-20T10:00:00Z", note="release")
    assert (made.run, made.suite, made.agent) == ("1", "office", "echo")
    assert Baselines(tmp_path).of("office") == made


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"passes": {"A": [None]}}, "no valid trial"),
        ({"passes": {"A": [True]}, "trials": {"A": 2}}, r"unfinished.*understudy run --resume"),
        ({"passes": {"A": [True]}, "decided": False}, "unfinished"),
    ],
    ids=["infrastructure", "interrupted", "undecided"],
)
def test_a_run_that_says_nothing_is_no_baseline(
    tmp_path: Path, facts: dict[str, object], why: str
) -> None:
    """Pitfall 5"""
    folder = stored_run(tmp_path, "1", **facts)  # type: ignore[arg-type]
    with pytest.raises(HarnessError, match=why):
        promote(tmp_path, folder.path, set_at="")
    assert Baselines(tmp_path).all() == ()
