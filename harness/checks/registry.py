"""The table of checks: each kind of expectation, the function that checks it, its section.

To add a check, write a module with the expectation, its section and its check, and add a line here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Union

from pydantic import Field

from harness.checks import (
    conversation,
    grounding,
    judge,
    limits,
    milestones,
    patterns,
    phrases,
    quality,
    reply_schema,
    reviews,
    routing,
    scores,
    server,
    tools,
    witnesses,
    workspace,
)
from harness.checks.expectation import AnyExpectation
from harness.checks.reply_schema import ModelResolver, ReplySchema, import_model
from harness.checks.sections import Section
from harness.trials.decisions import CheckResult
from harness.trials.records import TrialRecord


@dataclass(frozen=True, slots=True)
class Check:
    """How one kind of expectation is checked and written.

    Attributes:
        run: Holds a trial against an expectation of the kind.
        section: The word under `expect` by which authors write it.
    """

    run: Callable[[TrialRecord, Any], CheckResult]
    section: Section


CHECKS: dict[type[AnyExpectation], Check] = {
    phrases.TextContains: Check(phrases.check_contains, phrases.TEXT),
    phrases.TextLacks: Check(phrases.check_lacks, phrases.TEXT),
    phrases.TextMatches: Check(phrases.check_matches, phrases.TEXT),
    phrases.Evidence: Check(phrases.check_evidence, phrases.TEXT),
    phrases.ForbiddenEvidence: Check(phrases.check_forbidden, phrases.TEXT),
    ReplySchema: Check(reply_schema.check_reply_schema, reply_schema.REPLY),
    quality.Signals: Check(quality.check_signals, quality.SIGNALS),
    quality.Rubric: Check(quality.check_rubric, quality.RUBRIC),
    quality.Reference: Check(quality.check_reference, quality.REFERENCE),
    patterns.Patterns: Check(patterns.check_patterns, patterns.PATTERNS),
    reviews.ServiceStatus: Check(reviews.check_service_status, reviews.SERVICE),
    reviews.ObservationCount: Check(reviews.check_observation_count, reviews.SERVICE),
    reviews.ObservationSeverity: Check(reviews.check_observation_severity, reviews.SERVICE),
    reviews.ObservationRef: Check(reviews.check_observation_ref, reviews.SERVICE),
    tools.ToolCalls: Check(tools.check_tool_calls, tools.TOOLS),
    tools.ForbiddenTools: Check(tools.check_forbidden_tools, tools.TOOLS),
    tools.MinCalls: Check(tools.check_min_calls, tools.TOOLS),
    limits.Budget: Check(limits.check_budget, limits.BUDGET),
    limits.Stop: Check(limits.check_stop, limits.STOP),
    limits.Phases: Check(limits.check_phases, limits.PHASES),
    routing.Routing: Check(routing.check_routing, routing.ROUTING),
    routing.Loops: Check(routing.check_loops, routing.LOOPS),
    grounding.Grounding: Check(grounding.check_grounding, grounding.GROUNDING),
    conversation.Conversation: Check(conversation.check_conversation, conversation.CONVERSATION),
    judge.Judge: Check(judge.check_judge, judge.JUDGE),
    milestones.Milestones: Check(milestones.check_milestones, milestones.MILESTONES),
    milestones.Minefields: Check(milestones.check_minefields, milestones.MINEFIELDS),
    witnesses.Witnesses: Check(witnesses.check_witnesses, witnesses.WITNESSES),
    server.ServerRequests: Check(server.check_requests, server.SERVER),
    server.ServerState: Check(server.check_state, server.SERVER),
    workspace.Files: Check(workspace.check_files, workspace.FILES),
    scores.ExpectedScore: Check(scores.check_score, scores.SCORE),
    workspace.ExitCode: Check(workspace.check_exit_code, workspace.EXIT_CODE),
}
"""In the order in which a case's checks are listed; kinds of one section stand together."""

KINDS: dict[str, type[AnyExpectation]] = {kind.kind_name(): kind for kind in CHECKS}
"""Name of a kind to its class."""


def class_of(kind: str) -> type[AnyExpectation]:
    """The class of a kind; `AnyExpectation` for a check that cases cannot ask for (tampering)."""
    return KINDS.get(kind, AnyExpectation)


if TYPE_CHECKING:
    Expectation = AnyExpectation
else:
    Expectation = Annotated[Union[tuple(CHECKS)], Field(discriminator="kind")]  # noqa: UP007


def check(
    record: TrialRecord, expectation: Expectation, *, resolve: ModelResolver = import_model
) -> CheckResult:
    """Hold a trial against one expectation.

    Args:
        record: What happened.
        expectation: What should have.
        resolve: Where a Pydantic model that the expectation names comes from.
    """
    if isinstance(expectation, ReplySchema):
        return reply_schema.check_reply_schema(record, expectation, resolve=resolve)
    return CHECKS[KINDS[expectation.kind]].run(record, expectation)
