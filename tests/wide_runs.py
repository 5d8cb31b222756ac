"""Runs as wide as people make them: 2,000 cases with five trials each."""

import os
from pathlib import Path

import pytest

from harness.cases import case_hash, read_suite
from harness.model import CheckResult, Policy
from harness.storage import RunFolder
from harness.verdicts import decide_case
from tests.harness.records import manifest, record, trial

CASES, TRIALS = 2_000, 5
REASON = "the reply lacks 'Engineering/Platform/SRE', 'ENHANCED_PROTECTION', and says nothing of it"


def write_wide_runs(folder: Path) -> None:
    """Write `suites/wide` and two runs of it; every third case fails in one, every other in two."""
    rows = "\n".join(
        f"  - {{id: C-{number:04}, title: Case {number} of many, category: c{number % 9},"
        f' input: "Which units has region {number}?", expect: {{text: {{contains: [a]}}}}}}'
        for number in range(CASES)
    )
    (folder / "suites" / "wide" / "base").mkdir(parents=True)
    (folder / "suites" / "wide" / "cases.yaml").write_text(f"cases:\n{rows}\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        for run, failing in (("1", 3), ("2", 2)):
            _write_run(folder / "runs", run, failing)


def _write_run(runs: Path, run: str, failing: int) -> None:
    suite = read_suite(runs.parent / "suites" / "wide")
    hashes = {case.id: case_hash(case) for case in suite.cases}
    facts = {"run": run, "suite": str(suite.path), "started_at": f"2026-11-20T10:00:0{run}Z"}
    planned = dict.fromkeys(hashes, TRIALS)
    folder = RunFolder.create(
        runs / run, manifest(list(hashes), cases=hashes, trials=planned, **facts), suite.cases
    )
    decisions = []
    for number, case in enumerate(suite.cases):
        fails = number % failing == 0
        reason = f"{REASON} in region {number}" if fails else ""
        checks = (
            CheckResult(kind="text_contains", status="fail" if fails else "pass", reason=reason),
            *[CheckResult(kind="evidence", status="pass", numbers={"met": [case.title]})] * 4,
        )
        trials = [
            trial("fail" if fails else "pass", place, case=case.id, reason=reason, checks=checks)
            for place in range(1, TRIALS + 1)
        ]
        decisions.append(decide_case(case, trials, Policy.model_validate({"pass": "all"})))
    folder.write_decisions(folder.manifest().policy, decisions)
    known = {"case": "C-0000", "run": run, "case_hash": hashes["C-0000"]}
    folder.write_trial(record("b", number=1, **known))
