"""What a run is exported as and imported again keeps its verdicts, times and counts."""

from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.foreign import ReadOptions, SourceFile, read_results
from harness.model import Case, ExitCode, Origin, RunResult, TextContains, TrialRecord
from harness.reports import FORMATS
from harness.runner import ImportTerms, decide, import_run
from harness.verdicts import Limits
from tests.harness.example_run import example_run
from tests.harness.records import call, case, decided, manifest, record, reply

FILES = {
    "inspect": "inspect.eval",
    "promptfoo": "promptfoo.json",
    "otel": "otel.json",
    "junit": "junit.xml",
    "csv": "trials.csv",
    "parquet": "trials.parquet",
}
_OUTCOMES = ("replied", "agent_error", "infra_error", "replay_miss", "skipped")


def imported(result: RunResult, format: str, folder: Path) -> RunResult:
    content = FORMATS[format][FILES[format]](result)
    path = folder / FILES[format]
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    source = SourceFile(path)
    name, found = read_results(source, ReadOptions())
    assert name == format
    origin = Origin(format=name, file=source.name, digest=source.digest)
    run = import_run(
        found, origin, ReadOptions(), ImportTerms(), folder / "runs",
        lambda: datetime(2026, 11, 20, tzinfo=UTC),
    )  # fmt: skip
    return decide(run, Limits())


def told(result: RunResult) -> dict[str, Any]:
    taken = {(each.case, each.number): each.duration_ms for each in result.facts}
    return {
        each.case: (
            each.verdict,
            each.passed,
            each.valid,
            [
                (trial.number, trial.status, pytest.approx(taken[each.case, trial.number]))
                for trial in each.trials
            ],
        )
        for each in result.decisions
    }


TRIALS = st.lists(
    st.tuples(st.sampled_from(_OUTCOMES), st.sampled_from(["a", "b"]), st.integers(0, 10**7)),
    min_size=1,
    max_size=4,
)
RUNS = st.dictionaries(
    st.sampled_from(["A", "B-2", "C.3"]),
    st.tuples(TRIALS, st.booleans(), st.text(max_size=20)),
    min_size=1,
)


@pytest.mark.parametrize("format", FILES)
@settings(max_examples=15, deadline=None)
@given(run=RUNS)
def test_verdicts_times_and_counts_come_back(format: str, run: dict[str, Any]) -> None:
    cases: list[Case] = []
    records: list[TrialRecord] = []
    for id, (trials, open_check, title) in run.items():
        expect = (TextContains(needles=("a",)), *([ExitCode(code=0)] * open_check))
        cases.append(case(*expect, id=id, title=title, category="x" * open_check))
        for number, (outcome, text, milliseconds) in enumerate(trials, 1):
            said = [reply(text + title, call("look", q=title))] if outcome == "replied" else []
            facts: dict[str, Any] = {"duration_ms": float(milliseconds), "error": title}
            records.append(record(*said, case=id, number=number, outcome=outcome, **facts))
    counts = {id: len(trials) for id, (trials, *_) in run.items()}
    asked = manifest([each.id for each in cases], trials=counts, started_at="2026-11-20T09:00:00Z")
    result = decided(asked, cases, records)
    with TemporaryDirectory() as folder:
        assert told(imported(result, format, Path(folder))) == told(result)


@pytest.mark.parametrize("format", ["inspect", "promptfoo", "otel"])
def test_what_was_said_comes_back(format: str, tmp_path: Path) -> None:
    result = example_run()
    found = imported(result, format, tmp_path)
    assert (found.manifest.suite, found.manifest.agent) == (
        "fixtures/example",
        "command:./agent.sh",
    )
    assert (found.manifest.note, found.manifest.started_at) == (
        "after the prompt fix",
        "2025-01-01T00:00:00.000Z",
    )
    assert [(each.id, each.title, each.tags) for each in found.cases] == [
        (each.id, each.title, each.tags) for each in result.cases
    ]
    (first,) = found.records.of("EC-001")
    assert first.text == "## Diagnosis\nBlocked."
    if format != "promptfoo":
        assert [each.name for each in first.tool_calls] == ["listOrgUnits"]
    assert [each.reason for each in found.decisions][:3] == [
        each.reason for each in result.decisions
    ][:3]
