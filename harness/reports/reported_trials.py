"""What the exports into the formats of other tools share: what was found, what was said."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from harness.model import (
    Case,
    CheckResult,
    JsonObject,
    RunResult,
    TrialDecision,
    TrialFacts,
    TrialRecord,
    facts_by_case,
    pair_by_number,
)
from harness.reports.texts import inert

OWN = "understudy"
"""Under this key stands what the format has no word for; `understudy runs import` reads it."""
VERDICT = "verdict"


@dataclass(frozen=True)
class ReportedTrial:
    """A trial with all that is known of it.

    Attributes:
        case: Its case.
        decision: What was decided.
        facts: Its figures; None where it has no record.
        record: What happened; None where it has no record.
    """

    case: Case
    decision: TrialDecision
    facts: TrialFacts | None
    record: TrialRecord | None

    @property
    def prompts(self) -> list[str]:
        """What was asked, turn by turn."""
        said = [reply.prompt for reply in self.record.replies] if self.record else []
        return [inert(text) for text in said or [turn.user for turn in self.case.turns]]

    @property
    def duration_ms(self) -> float:
        """Milliseconds."""
        return self.facts.duration_ms if self.facts else 0

    @property
    def own(self) -> JsonObject:
        """What `understudy runs import` needs to make the same trial of it."""
        policy = self.case.policy
        return {
            "case": self.case.id,
            "title": inert(self.case.title),
            "category": inert(self.case.category),
            "tags": list(self.case.tags),
            "policy": policy.model_dump_json(by_alias=True, exclude_none=True) if policy else None,
            "trial": self.decision.number,
            "status": self.decision.status,
            "reason": inert(self.decision.reason),
            "durationMs": self.duration_ms,
            "agentMs": self.facts.agent_ms if self.facts else 0,
        }

    def tokens(self) -> tuple[int | None, int | None]:
        """Input and output tokens; None where the agent does not say."""
        usages = [reply.usage for reply in self.record.replies] if self.record else []
        sides = [
            [used for used in found if used is not None]
            for found in (
                [usage.input_tokens for usage in usages],
                [usage.output_tokens for usage in usages],
            )
        ]
        return (sum(sides[0]) if sides[0] else None, sum(sides[1]) if sides[1] else None)

    def checks(self) -> Iterator[tuple[str, CheckResult]]:
        """The checks of the trial, each under a name of its own.

        Yields:
            Name and result: `text_contains`, `text_contains 2`.
        """
        seen: dict[str, int] = {}
        for check in self.decision.checks:
            told = check.numbers.get("name")
            name = f"{check.kind} {told}" if isinstance(told, str) and told else check.kind
            name = inert(name)
            seen[name] = seen.get(name, 0) + 1
            yield (f"{name} {seen[name]}" if seen[name] > 1 else name), check


def reported_trials(result: RunResult) -> Iterator[ReportedTrial]:
    """Every trial of a run.

    Yields:
        In run order; each record is read when its turn comes.
    """
    facts = facts_by_case(result.facts)
    for case, decision in zip(result.cases, result.decisions, strict=True):
        figures = (each for _, each in pair_by_number(decision.trials, facts.of(case.id)))
        pairs = pair_by_number(decision.trials, result.records.of(case.id))
        for (trial, record), each in zip(pairs, figures, strict=True):
            yield ReportedTrial(case, trial, each, record)


def own_run(result: RunResult) -> JsonObject:
    """What `understudy runs import` needs to make the same run of it."""
    from pydantic_core import to_json

    manifest = result.manifest
    return {
        "run": manifest.run,
        "suite": inert(manifest.suite),
        "agent": inert(manifest.agent),
        "note": inert(manifest.note),
        "startedAt": manifest.started_at,
        "policy": to_json(manifest.policy).decode(),
        "version": manifest.versions.get(OWN, ""),
    }


EPOCH = "1970-01-01T00:00:00+00:00"


def moment(text: str, after_ms: float = 0) -> datetime | None:
    """A moment of a record, so many milliseconds later; None where none is told."""
    try:
        return datetime.fromisoformat(text) + timedelta(milliseconds=after_ms)
    except (ValueError, OverflowError):
        return None
