"""A review suite as a user runs it: the service of our own, its flaws, results, comparison."""

import asyncio
import json
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from review_agent import application
from typer.testing import CliRunner

from harness.cli.main import app
from harness.cli.review_output import read_results, results_named, write_results
from harness.errors import HarnessError
from harness.reports import REVIEW_CHARTS
from tests.harness.example_run import example_run
from tests.harness.reviews import PUBLISHED, decided_review, published_records, results_of

SUITE = Path(__file__).parents[3] / "fixtures" / "content-review"


@contextmanager
def reviewer(flaw: str = "") -> Iterator[str]:
    """The service on a port of its own, in a thread: its URL."""
    server = uvicorn.Server(uvicorn.Config(application(flaw), port=0, log_level="critical"))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


@pytest.fixture
def harness(mock_url: str, tmp_path: Path) -> Callable[..., Any]:
    def call(*arguments: str) -> Any:
        fixed = ["--cases", str(SUITE), "--mock", mock_url, "--run-dir", str(tmp_path / "runs")]
        return CliRunner().invoke(app, ["run", *fixed, "--retries", "0", *arguments])

    return call


@pytest.mark.slow
def test_a_good_reviewer_passes_and_leaves_results_and_charts(
    harness: Callable[..., Any], tmp_path: Path
) -> None:
    """CSR-08, CSR-09, CSR-10, CSR-22: five runs of each case."""
    out = tmp_path / "out" / "results.json"
    with reviewer() as url:
        told = harness("--base-url", url, "--backend", "rules", "--json-output", str(out))
    assert told.exit_code == 0, told.output
    assert "(backend rules)" in told.output
    assert "cases passed: 8/8\nexpectations: 17/17\n" in told.output
    results = read_results(out)
    assert (results.backend, results.experiment.runs_per_case) == ("rules", 5)
    assert {path.name for path in out.parent.glob("*.png")} == set(REVIEW_CHARTS)
    assert all(
        found.label in {"ideal", "n/a"}
        for case in results.cases
        for found in case.stability.values()
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flaw", "failing"),
    [
        ("misses-rule", ["case_03"]),
        ("wrong-status", ["case_07", "case_08"]),
        ("bad-schema", ["case_02", "case_03", "case_04", "case_05", "case_06"]),
        ("always-empty", ["case_02", "case_03", "case_04", "case_05"]),
        ("unstable-span", []),
    ],
)
def test_each_flaw_is_found(
    harness: Callable[..., Any], tmp_path: Path, flaw: str, failing: list[str]
) -> None:
    """CSRR-10: the exit code says so. A reviewer without a mind of its own fails a gate."""
    with reviewer(flaw) as url:
        told = harness("--base-url", url, "-n", "2", "--min-stability", "0.6")
    assert told.exit_code == 1
    (report,) = (tmp_path / "runs").glob("*/report.json")
    cases = json.loads(report.read_bytes())["cases"]
    assert [case["caseId"] for case in cases if case["verdict"] != "passed"] == failing
    assert ("stability below 60%" in " ".join(told.output.split())) == (flaw == "unstable-span")
    assert ("no review found anything" in told.output) == (flaw == "always-empty")


@pytest.mark.parametrize(("agent", "passed"), [("oracle", 8), ("null", 0), ("echo", 0)])
def test_the_doubles_prove_the_suite(harness: Callable[..., Any], agent: str, passed: int) -> None:
    told = harness("--agent", agent, "-n", "1")
    assert told.exit_code == (0 if passed else 1)
    assert f"cases passed: {passed}/8" in told.output


def test_a_service_that_is_not_there_has_no_rate(harness: Callable[..., Any]) -> None:
    """CSR-29: exit code 3, and nothing that looks like a baseline."""
    told = harness("--base-url", "http://127.0.0.1:9", "-n", "1")
    assert told.exit_code == 3
    assert "no pass rate" in told.output
    assert "cases passed: no rate, for the service was not reached" in told.output


@pytest.mark.slow
def test_a_service_that_does_not_answer_in_time_is_a_timeout(
    harness: Callable[..., Any], tmp_path: Path
) -> None:
    """CSR-28."""
    out = tmp_path / "results.json"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        asked = ["-n", "1", "--ids", "case_01", "--timeout", "0.2", "--json-output", str(out)]
        told = harness("--base-url", url, *asked)
    assert told.exit_code == 3
    (case,) = read_results(out).cases
    assert (case.status, case.passed, case.latency.timeouts) == ("timeout", None, 1)


def test_a_wrong_token_is_no_quality(harness: Callable[..., Any]) -> None:
    with reviewer() as url:
        told = harness("--base-url", url, "-n", "1", "--token", "wrong")
    assert told.exit_code == 3


def written(path: Path, results: Any) -> str:
    path.write_text(results.model_dump_json(), "utf-8")
    return str(path)


def test_two_results_are_compared_as_runs_are(tmp_path: Path) -> None:
    """CSRR-11, CSR-30."""
    before = written(tmp_path / "a.json", results_of(PUBLISHED, published_records()))
    after = written(tmp_path / "b.json", results_of(PUBLISHED[:2], published_records()[:6]))
    told = CliRunner().invoke(app, ["compare", before, after])
    assert told.exit_code == 4
    assert "only in the first: case_06, case_07" in told.output
    allowed = CliRunner().invoke(app, ["compare", before, after, "--allow-removed"])
    assert allowed.exit_code == 0
    as_json = CliRunner().invoke(app, ["compare", before, before, "--format", "json"])
    assert json.loads(as_json.output)["verdict"]


def test_a_results_file_is_compared_with_another_one(tmp_path: Path) -> None:
    one = written(tmp_path / "a.json", results_of(PUBLISHED, published_records()))
    assert results_named("run-1", "run-2") == ()
    with pytest.raises(HarnessError, match="another one"):
        results_named(one, "latest")


def test_other_runs_have_no_results_of_reviews(tmp_path: Path) -> None:
    assert not write_results(example_run(), tmp_path / "results.json")
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_the_results_are_there_and_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("matplotlib.figure", "matplotlib.backends.backend_agg"):
        monkeypatch.setitem(sys.modules, name, None)
    run = decided_review(PUBLISHED, published_records())
    assert write_results(run, tmp_path / "results.json")
    assert "pip install 'understudy[charts]'" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(HarnessError, match="cannot write"):
        write_results(decided_review(PUBLISHED, ()), tmp_path / "file" / "results.json")


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
