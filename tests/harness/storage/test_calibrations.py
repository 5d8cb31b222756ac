from pathlib import Path
from typing import Any

import pytest

from harness.errors import HarnessError, InfrastructureError
from harness.model import Calibration
from harness.storage import keep_calibration, read_calibrations


def calibration(model: str = "openai:m", **facts: Any) -> Calibration:
    known: dict[str, Any] = {
        "prompt": "p", "questions": ("q",), "positives": 30, "negatives": 20, "true_positive": 27,
        "true_negative": 18, "tpr": (0.9, 0.7, 1), "tnr": (0.9, 0.7, 1), "kappa": (0.8, 0.6, 0.9),
        "measured": 0.6, "corrected": (0.6, 0.5, 0.7),
    }  # fmt: skip
    return Calibration(model=model, **(known | facts))


def test_what_is_kept_is_read_back_and_replaced_by_judge(tmp_path: Path) -> None:
    assert read_calibrations(tmp_path) == ()
    keep_calibration(tmp_path, calibration("b"))
    keep_calibration(tmp_path, calibration("a", positives=31))
    path = keep_calibration(tmp_path, calibration("b", negatives=25))
    assert path == tmp_path / "judges.json"
    found = read_calibrations(tmp_path)
    assert [(each.model, each.negatives) for each in found] == [("a", 20), ("b", 25)]


def test_a_broken_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "judges.json").write_text("{", encoding="utf-8")
    with pytest.raises(HarnessError, match="calibrations"):
        keep_calibration(tmp_path, calibration())


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError, match="cannot write"):
        keep_calibration(tmp_path / "gone", calibration())
