"""What a run, or a part of it, comes to, in counts."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from harness.errors import Exit
from harness.model import CaseDecision, CaseVerdict, RunResult, TrialStatus

UNCATEGORISED = "uncategorised"
_OUTSIDE: Mapping[TrialStatus, str] = {
    "not_evaluated": "not evaluated",
    "infra_error": "infra",
    "replay_miss": "replay miss",
    "skipped": "skipped",
}


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts over some cases.

    Attributes:
        verdicts: Cases by verdict.
        statuses: Their trials by status.
        synthetic: Skipped trials whose reply was made up without asking the agent.
        rated: False when the run broke on its infrastructure, so that a rate would mislead.
    """

    verdicts: Mapping[CaseVerdict, int]
    statuses: Mapping[TrialStatus, int]
    synthetic: int
    rated: bool = True

    @property
    def cases(self) -> int:
        """All cases."""
        return sum(self.verdicts.values())

    @property
    def decided(self) -> int:
        """Cases that passed, failed or are flaky."""
        return sum(self.verdicts.get(each, 0) for each in ("passed", "failed", "flaky"))

    @property
    def trials(self) -> int:
        """All trials."""
        return sum(self.statuses.values())

    @property
    def valid(self) -> int:
        """Trials inside the quality denominator."""
        return sum(self.statuses.get(each, 0) for each in ("pass", "fail", "agent_error"))

    @property
    def passed_trials(self) -> int:
        """Valid trials that passed."""
        return self.statuses.get("pass", 0)

    def case_rate(self) -> str:
        """Cases passed of those decided, with the others beside: `7/8 (8 of 9 decided: ...)`."""
        beside = [
            f"{count} {verdict}"
            for verdict in ("inconclusive", "skipped")
            if (count := self.verdicts.get(verdict, 0))
        ]
        return self._rate(self.verdicts.get("passed", 0), self.decided, self.cases, beside)

    def trial_rate(self) -> str:
        """Trials passed of those valid: `17/18 (18 of 20 valid: 1 infra, 1 replay miss)`."""
        beside = [
            f"{count} {name}"
            for status, name in _OUTSIDE.items()
            if (count := self._beside(status))
        ]
        beside += [f"{self.synthetic} synthetic"] if self.synthetic else []
        return self._rate(self.passed_trials, self.valid, self.trials, beside, word="valid")

    def _beside(self, status: TrialStatus) -> int:
        return self.statuses.get(status, 0) - (self.synthetic if status == "skipped" else 0)

    @property
    def not_evaluated(self) -> int:
        """Trials in which nothing failed, but something required could not be evaluated."""
        return self.statuses.get("not_evaluated", 0)

    def _rate(
        self, passed: int, counted: int, total: int, beside: list[str], *, word: str = "decided"
    ) -> str:
        rate = f"{passed}/{counted}" if self.rated and counted else "no pass rate"
        if not beside:
            return rate
        return f"{rate} ({counted} of {total} {word}: {', '.join(beside)})"


def figures(result: RunResult, decisions: Iterable[CaseDecision] | None = None) -> Figures:
    """The counts over all cases of a run, or over some of them."""
    chosen = list(result.decisions if decisions is None else decisions)
    made_up = {(each.case, each.number) for each in result.facts if each.synthetic}
    trials = [trial for decision in chosen for trial in decision.trials]
    return Figures(
        verdicts=Counter(decision.verdict for decision in chosen),
        statuses=Counter(trial.status for trial in trials),
        synthetic=sum((trial.case, trial.number) in made_up for trial in trials),
        rated=all(reason.code != Exit.INFRASTRUCTURE for reason in result.exit_reasons),
    )


def by_category(result: RunResult) -> dict[str, Figures]:
    """The counts by category, in alphabetical order."""
    category = {case.id: case.category or UNCATEGORISED for case in result.cases}
    groups: dict[str, list[CaseDecision]] = {}
    for decision in result.decisions:
        groups.setdefault(category[decision.case], []).append(decision)
    return {name: figures(result, groups[name]) for name in sorted(groups)}


def by_attribution(result: RunResult) -> dict[str, int]:
    """How many trials failed on whose account, the most frequent first."""
    blamed = (trial.attribution for each in result.decisions for trial in each.trials)
    return dict(Counter(each for each in blamed if each is not None).most_common())


def is_synthetic(result: RunResult) -> bool:
    """Whether no agent was asked at all."""
    return bool(result.facts) and all(each.synthetic for each in result.facts)


def always_failing(result: RunResult) -> list[str]:
    """Cases of which none of several valid trials passed; one trial does not tell."""
    return [each.case for each in result.decisions if each.valid > 1 and not each.passed]


def flaky(result: RunResult) -> list[str]:
    """Cases of which some valid trials passed and some did not, whatever the verdict."""
    return [each.case for each in result.decisions if 0 < each.passed < each.valid]
