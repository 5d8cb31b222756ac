"""A small run with something of everything, for the tests of the reports."""

from harness.model import (
    Case,
    Evidence,
    ForbiddenTools,
    Reply,
    ReplySchema,
    Rubric,
    RunResult,
    TextContains,
    Turn,
)
from mockserver.model import Fault, FaultReport
from tests.harness.records import call, case, decided, manifest, record, reply

CASES: tuple[Case, ...] = (
    case(
        ReplySchema(fields=("diagnosis",)),
        Rubric(min_score=1, criteria=("diagnosis", "next")),
        id="EC-001",
        title="Policy not applied",
        category="policy",
        tags=("inheritance",),
        source="cases/EC-001-policy.md",
    ),
    case(
        ReplySchema(fields=("diagnosis", "next_steps")),
        Evidence(markers=("402", "quota")),
        Rubric(min_score=2, criteria=("diagnosis", "next")),
        id="EC-002",
        title="Quota | <exceeded>",
        category="system",
        turns=(Turn(user="Why?"), Turn(user="And now?")),
    ),
    case(TextContains(needles=("dlp",)), id="EC-003", title="Sometimes", category="policy"),
    case(ForbiddenTools(globs=("delete_*",)), id="EC-004", title="Lost"),
    case(id="EC-005", title="Not run", category="system"),
)


def example_run(*, interrupted: bool = False) -> RunResult:
    answered = reply(
        "## Diagnosis\nBlocked.", call("listOrgUnits"), metadata={"nextSteps": ["wait"]}, rounds=2
    )
    fault = FaultReport(fault=Fault(method="reports.activities.list", status=429), met=0)
    records = [
        record(answered, case="EC-001", duration_ms=1500.0),
        record("Dunno \x1b[31m[bold]<b>.", "402", case="EC-002", faults=(fault,), duration_ms=20),
        record("DLP is on.", case="EC-003"),
        record("No.", case="EC-003", number=2),
        record(case="EC-003", number=3, outcome="agent_error", error="exited with 1"),
        record(case="EC-004", outcome="infra_error", error="connection refused"),
        record(Reply(turn=1, prompt="p"), case="EC-005", synthetic=True),
    ]
    asked = manifest(
        [each.id for each in CASES], note="after the prompt fix", started_at="2025-01-01"
    )
    return decided(asked, CASES, records, interrupted=interrupted, folder="runs/run-1")


def good_run() -> RunResult:
    records = [record("## Diagnosis\nBlocked.", case="EC-001", duration_ms=10)]
    return decided(manifest(["EC-001"]), CASES[:1], records, folder="runs/run-2")


def synthetic_run() -> RunResult:
    records = [record("made up", case="EC-001", synthetic=True)]
    return decided(manifest(["EC-001"]), CASES[:1], records)
