"""From the records of a run to its result."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from harness.checks.exits import DEFAULT_LIMITS, Limits, exit_reasons
from harness.checks.verdicts import decide_case, decide_trial
from harness.model import Case, Policy, RunManifest, RunResult, TrialRecord


def decide_run(
    manifest: RunManifest,
    cases: Sequence[Case],
    records: Iterable[TrialRecord],
    *,
    limits: Limits = DEFAULT_LIMITS,
    interrupted: bool = False,
    folder: str = "",
) -> RunResult:
    """Decides every trial, every case and the run; the same records give the same result.

    Args:
        manifest: What was asked for, with the policy of cases that have none of their own.
        cases: The cases, in run order.
        records: Their trial records, in any order; those of other cases are left out.
        limits: What the run may bear.
        interrupted: Whether trials are missing.
        folder: The run directory.
    """
    of_case: dict[str, list[TrialRecord]] = defaultdict(list)
    for record in sorted(records, key=lambda record: record.number):
        of_case[record.case].append(record)
    policy = Policy.model_validate(manifest.policy)
    result = RunResult(
        manifest=manifest,
        cases=tuple(cases),
        decisions=tuple(
            decide_case(case, [decide_trial(case, each) for each in of_case[case.id]], policy)
            for case in cases
        ),
        records=tuple(record for case in cases for record in of_case[case.id]),
        interrupted=interrupted,
        faults_not_met=faults_not_met([each for case in cases for each in of_case[case.id]]),
        folder=folder,
    )
    return result.model_copy(update={"exit_reasons": exit_reasons(result, limits)})


def faults_not_met(records: Sequence[TrialRecord]) -> tuple[str, ...]:
    """`case: method` of the faults that no call met in any trial whose agent was reached."""
    met: dict[str, bool] = {}
    for record in records:
        if record.outcome not in {"replied", "agent_error"} or record.synthetic:
            continue
        for report in record.faults:
            name = f"{record.case}: {report.fault.method}"
            met[name] = met.get(name, False) or report.met > 0
    return tuple(name for name, was_met in met.items() if not was_met)
