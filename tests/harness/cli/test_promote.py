import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from harness.cases import load_suite
from harness.cli.main import app
from harness.doctor.promotion import promote_trial, write_regression_case
from harness.errors import HarnessError
from harness.model import Case, Fixtures, RunManifest
from harness.storage import RunFolder
from tests import told_traces
from tests.harness.conftest import write_suite
from tests.harness.records import case, record


def told(*arguments: object) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)])


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which everything failed, beside its suite."""
    folder = tmp_path_factory.mktemp("promoted")
    suite = write_suite(folder / "office")
    cases = (suite / "cases.yaml").read_text(encoding="utf-8")
    files = "fixtures: {overrides: [T-001], files: [T-001/net.log]}"
    (suite / "T-001" / "net.log").write_text("reset", encoding="utf-8")
    (suite / "cases.yaml").write_text(
        cases.replace("fixtures: {overrides: [T-001]}", files), encoding="utf-8"
    )
    assert told("run", suite, "-a", "echo", "--run-dir", folder / "runs").exit_code == 1
    return folder


@pytest.mark.slow
def test_a_failing_trial_becomes_a_case_that_stands_alone(failed: Path, tmp_path: Path) -> None:
    """CEP-62."""
    into = tmp_path / "regressions"
    for id in ("T-001", "T-002"):
        result = told("promote", "latest", id, "--run-dir", failed / "runs", "--into", into)
        assert result.exit_code == 0, result.output
    suite = load_suite(into)
    assert suite.problems == ()
    first = suite.cases[0]
    assert (first.id, first.tags) == ("T-001-regression", ("units", "regression"))
    assert first.fixtures.workspace == {"net.log": "reset"}
    checked = told("run", into, "-a", "oracle", "--run-dir", tmp_path / "runs")
    assert checked.exit_code == 0, checked.output


def test_nothing_is_overwritten_and_another_id_is_taken(failed: Path, tmp_path: Path) -> None:
    order = ("promote", "latest", "T-001", "--run-dir", failed / "runs", "--into", tmp_path)
    assert told(*order).exit_code == 0
    again = told(*order)
    assert "is there already" in str(again.exception)
    assert told(*order, "--id", "T-001-again").exit_code == 0
    assert "is no id of a case" in str(told(*order, "--id", "../x").exception)


def test_a_case_that_has_changed_since_is_refused(failed: Path, tmp_path: Path) -> None:
    changed = write_suite(tmp_path / "office")
    text = (changed / "cases.yaml").read_text(encoding="utf-8")
    (changed / "cases.yaml").write_text(text.replace("Which units do we", "Which do we"), "utf-8")
    order = ("promote", "latest", "T-001", "--run-dir", failed / "runs", "--into", tmp_path / "r")
    result = told(*order, "--suite", changed)
    assert "something else now" in str(result.exception)


def test_without_a_reference_it_is_said(failed: Path, tmp_path: Path) -> None:
    suite = tmp_path / "bare"
    suite.mkdir()
    (suite / "a.yaml").write_text(
        "id: A\ninput: Why?\nexpect: {text: {contains: [x]}}\n", encoding="utf-8"
    )
    runs = tmp_path / "runs"
    assert told("run", suite, "-a", "echo", "--run-dir", runs).exit_code == 1
    result = told("promote", "latest", "A", "--run-dir", runs, "--into", tmp_path / "r")
    assert "A-regression has no reference" in result.output


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
        promote_trial(run, "TAPEE", None, "R", None)
    with pytest.raises(HarnessError, match="plays recordings"):
        promote_trial(run, "TAPED", None, "R", None)


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(HarnessError, match="cannot write into"):
        write_regression_case(case(id="R"), {}, tmp_path / "file")


def doubled() -> dict[str, object]:
    """A trace in which a refund was made twice."""
    request = told_traces.otlp()
    spans = request["resourceSpans"][0]["scopeSpans"][0]["spans"]
    again = json.loads(json.dumps(spans[2]).replace("c2", "c9"))
    spans.append({**again, "spanId": "77"})
    return request


def test_a_trace_becomes_a_case_that_would_have_caught_it(tmp_path: Path) -> None:
    (tmp_path / "trace.json").write_text(json.dumps(doubled()), encoding="utf-8")
    into = tmp_path / "evals"
    order = ("promote", tmp_path / "trace.json", "--into", into, "--id", "TWICE")
    result = told(*order, "--why", "refunded twice")
    assert result.exit_code == 0, result.output
    assert "it would have caught: TWICE: " in result.output
    assert "refund" in result.output.partition("it would have caught")[2]
    (made,) = load_suite(into).cases
    assert (made.id, made.tags) == ("TWICE", ("learned", "proposed", "regression"))
    assert made.notes["Why"] == "refunded twice"
    assert [call.name for call in made.reference[0].calls] == ["get_order", "refund"]
    assert "name another --id" in str(told(*order, "--why", "again").exception)
    assert "covers such a trace already" in told(*order[:-1], "OTHER").output


def test_one_of_several_traces_is_named(tmp_path: Path) -> None:
    several = "".join(json.dumps(told_traces.otlp(f"aa0{each}")) + "\n" for each in (1, 2))
    (tmp_path / "t.jsonl").write_text(several, encoding="utf-8")
    into = tmp_path / "evals"
    assert "one of aa01, aa02" in str(told("promote", tmp_path / "t.jsonl").exception)
    wrong = told("promote", tmp_path / "t.jsonl", "aa03", "--into", into)
    assert "no trace 'aa03'" in str(wrong.exception)
    assert told("promote", tmp_path / "t.jsonl", "aa02", "--into", into).exit_code == 0
    (made,) = load_suite(into).cases
    assert "trace aa02" in made.source_refs


def test_a_trial_of_imported_results_is_promoted(tmp_path: Path) -> None:
    (tmp_path / "trace.json").write_text(json.dumps(doubled()), encoding="utf-8")
    runs = tmp_path / "runs"
    assert told("import-results", tmp_path / "trace.json", "--run-dir", runs).exit_code == 0
    name = next(runs.iterdir()).name
    case_id = next((runs / name / "cases").iterdir()).name.partition("@")[0]
    into = tmp_path / "evals"
    order = ("promote", name, case_id, "--run-dir", runs, "--into", into)
    assert "--why says what was wrong" in str(told(*order).exception)
    result = told(*order, "--why", "twice")
    assert "it would have caught" in result.output
    (made,) = load_suite(into).cases
    assert [call.name for call in made.reference[0].calls] == ["get_order", "refund"]


def test_a_trial_that_passed_is_promoted_with_a_reason(failed: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    assert told("run", failed / "office", "-a", "oracle", "--run-dir", runs).exit_code == 0
    order = ("promote", "latest", "T-001", "--run-dir", runs, "--into", tmp_path / "r")
    assert "no trial that failed" in str(told(*order).exception)
    result = told(*order, "--why", "too short")
    assert "it would have passed" in result.output
    (made,) = load_suite(tmp_path / "r").cases
    assert made.notes["Why"] == "too short"
