"""From the records of a run to its result."""

from collections.abc import Sequence

from harness.checks.clusters import clusters
from harness.checks.exits import DEFAULT_LIMITS, Limits, exit_reasons
from harness.checks.tapes import Tapes
from harness.checks.verdicts import decide_case, decide_trial
from harness.model import (
    Case,
    CaseDecision,
    Policy,
    Records,
    RunManifest,
    RunResult,
    TrialFacts,
    TrialRecord,
    facts_of,
)

_CONNECT, _FORBIDDEN = "CONNECT", 403
"""How the proxy journals that it let nobody through to an address."""


def decide_run(
    manifest: RunManifest,
    cases: Sequence[Case],
    records: Records,
    *,
    limits: Limits = DEFAULT_LIMITS,
    interrupted: bool = False,
    folder: str = "",
) -> RunResult:
    """Decides every trial, every case and the run; the same records give the same result.

    Args:
        manifest: What was asked for, with the policy of cases that have none of their own.
        cases: The cases, in run order.
        records: Their trial records; each is read once and let go.
        limits: What the run may bear.
        interrupted: Whether trials are missing.
        folder: The run directory.
    """
    policy = Policy.model_validate(manifest.policy)
    reading = _Reading()
    decisions = tuple(_decided(case, records, policy, reading) for case in cases)
    result = RunResult(
        manifest=manifest,
        cases=tuple(cases),
        decisions=decisions,
        records=records,
        facts=tuple(reading.facts),
        interrupted=interrupted,
        faults_not_met=reading.faults_not_met(),
        recordings_unused=reading.tapes.unused(),
        recordings_doubtful=tuple(reading.tapes.doubtful),
        addresses_refused=tuple(reading.refused),
        clusters=clusters(decisions),
        folder=folder,
    )
    return result.model_copy(update={"exit_reasons": exit_reasons(result, limits)})


def _decided(case: Case, records: Records, policy: Policy, reading: "_Reading") -> CaseDecision:
    decisions = []
    for record in records.of(case.id):
        decisions.append(decide_trial(case, record))
        reading.note(record)
        reading.tapes.note(case, record)
    return decide_case(case, decisions, policy)


class _Reading:
    """What is kept of the records that went by."""

    def __init__(self) -> None:
        self.facts: list[TrialFacts] = []
        self.tapes = Tapes()
        self.refused: dict[str, None] = {}
        self._met: dict[str, bool] = {}

    def note(self, record: TrialRecord) -> None:
        self.facts.append(facts_of(record))
        for entry in record.journal.entries:
            if entry.http_method == _CONNECT and entry.status == _FORBIDDEN:
                self.refused[f"{record.case}: {entry.path}"] = None
        if record.outcome not in {"replied", "agent_error"} or record.synthetic:
            return
        for report in record.faults:
            name = f"{record.case}: {report.fault.method}"
            self._met[name] = self._met.get(name, False) or report.met > 0

    def faults_not_met(self) -> tuple[str, ...]:
        """`case: method` of the faults that no call met in any trial whose agent was reached."""
        return tuple(name for name, was_met in self._met.items() if not was_met)
