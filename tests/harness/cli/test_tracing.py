from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness.cli.main import app
from tests.collector import collector


@pytest.mark.slow
def test_a_run_is_a_span_and_each_of_its_trials_one_below_it(
    office: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = ["run", str(office), "--agent", "null", "--run-dir", str(tmp_path), "--otel"]
    with collector() as (endpoint, spans):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
        done = CliRunner().invoke(app, call)
    assert done.exit_code == 1, done.output
    run = next(span for span in spans if span.name == "run")
    trials = [span for span in spans if span.name == "trial"]
    assert run.service == "harness"
    assert run.attributes["understudy.trials"] == len(trials) == 2
    assert {span.attributes["understudy.case"] for span in trials} == {"T-001", "T-002"}
    for span in trials:
        assert (span.trace, span.parent) == (run.trace, run.id)
        assert span.attributes["understudy.status"] == "fail"
        assert span.attributes["understudy.session"]
        assert span.failed


def test_a_run_says_what_spans_need(
    office: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    call = ["run", str(office), "--agent", "null", "--run-dir", str(tmp_path), "--otel"]
    done = CliRunner().invoke(app, call)
    assert "OTEL_EXPORTER_OTLP_ENDPOINT" in str(done.exception)
