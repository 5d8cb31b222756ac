from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness.cli.main import app
from harness.errors import HarnessError
from harness.reports import REVIEW_CHARTS
from tests.harness.reviews import PUBLISHED, published_records, results_of


@pytest.mark.slow
def test_the_charts_are_drawn_again_beside_the_results_or_elsewhere(tmp_path: Path) -> None:
    """CSR-35."""
    results = tmp_path / "results.json"
    results.write_text(results_of(PUBLISHED, published_records()).model_dump_json(), "utf-8")
    told = CliRunner().invoke(app, ["visualize", str(results)])
    assert told.exit_code == 0
    assert {path.name for path in tmp_path.glob("*.png")} == set(REVIEW_CHARTS)
    CliRunner().invoke(app, ["visualize", str(results), "-o", str(tmp_path / "charts")])
    for name in REVIEW_CHARTS:
        assert (tmp_path / "charts" / name).read_bytes() == (tmp_path / name).read_bytes()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(None, "cannot read", id="missing"),
        pytest.param("{", "no results of a review suite", id="no json"),
        pytest.param('{"cases": []}', "#/summary: no results", id="something else"),
    ],
)
def test_what_is_no_results_file_is_told(tmp_path: Path, content: str | None, said: str) -> None:
    path = tmp_path / "results.json"
    if content is not None:
        path.write_text(content, "utf-8")
    found = CliRunner().invoke(app, ["visualize", str(path)]).exception
    assert isinstance(found, HarnessError)
    assert said in str(found)
