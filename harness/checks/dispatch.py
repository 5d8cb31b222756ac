"""One expectation, one check."""

from typing import assert_never

from harness.checks.budgets import check_budget
from harness.checks.decisions import check_loops, check_routing
from harness.checks.evidence import check_evidence, check_forbidden
from harness.checks.files import check_files
from harness.checks.grounding import check_grounding
from harness.checks.judging import check_judge
from harness.checks.milestones import check_milestones, check_minefields
from harness.checks.models import ModelResolver, import_model
from harness.checks.patterns import check_patterns
from harness.checks.phrases import check_contains, check_lacks, check_matches
from harness.checks.process import check_exit_code
from harness.checks.reference import check_reference
from harness.checks.reply_schema import check_reply_schema
from harness.checks.reviews import (
    check_observation_count,
    check_observation_ref,
    check_observation_severity,
    check_service_status,
)
from harness.checks.rubric import check_rubric
from harness.checks.server import check_requests, check_state
from harness.checks.signals import check_signals
from harness.checks.stop import check_phases, check_stop
from harness.checks.tools import check_forbidden_tools, check_min_calls, check_tool_calls
from harness.checks.witnesses import check_witnesses
from harness.model import (
    Budget,
    CheckResult,
    Evidence,
    ExitCode,
    Expectation,
    Files,
    ForbiddenEvidence,
    ForbiddenTools,
    Grounding,
    Judge,
    Loops,
    Milestones,
    MinCalls,
    Minefields,
    ObservationCount,
    ObservationRef,
    ObservationSeverity,
    Patterns,
    Phases,
    Reference,
    ReplySchema,
    Routing,
    Rubric,
    ServerRequests,
    ServerState,
    ServiceStatus,
    Signals,
    Stop,
    TextContains,
    TextLacks,
    TextMatches,
    ToolCalls,
    TrialRecord,
    Witnesses,
)


def check(  # noqa: C901, PLR0911, PLR0912 - one line a kind, closed by assert_never
    record: TrialRecord, expectation: Expectation, *, resolve: ModelResolver = import_model
) -> CheckResult:
    """Holds a trial against one expectation.

    Args:
        record: What happened.
        expectation: What should have.
        resolve: Where a Pydantic model that the expectation names comes from.
    """
    match expectation:
        case TextContains():
            return check_contains(record, expectation)
        case TextLacks():
            return check_lacks(record, expectation)
        case TextMatches():
            return check_matches(record, expectation)
        case Evidence():
            return check_evidence(record, expectation)
        case ForbiddenEvidence():
            return check_forbidden(record, expectation)
        case ReplySchema():
            return check_reply_schema(record, expectation, resolve=resolve)
        case Signals():
            return check_signals(record, expectation)
        case Rubric():
            return check_rubric(record, expectation)
        case ToolCalls():
            return check_tool_calls(record, expectation)
        case ForbiddenTools():
            return check_forbidden_tools(record, expectation)
        case MinCalls():
            return check_min_calls(record, expectation)
        case ServerRequests():
            return check_requests(record, expectation)
        case ServerState():
            return check_state(record, expectation)
        case Files():
            return check_files(record, expectation)
        case ExitCode():
            return check_exit_code(record, expectation)
        case Budget():
            return check_budget(record, expectation)
        case Stop():
            return check_stop(record, expectation)
        case Phases():
            return check_phases(record, expectation)
        case Reference():
            return check_reference(record, expectation)
        case Milestones():
            return check_milestones(record, expectation)
        case Minefields():
            return check_minefields(record, expectation)
        case Witnesses():
            return check_witnesses(record, expectation)
        case Grounding():
            return check_grounding(record, expectation)
        case Routing():
            return check_routing(record, expectation)
        case Loops():
            return check_loops(record, expectation)
        case ServiceStatus():
            return check_service_status(record, expectation)
        case ObservationCount():
            return check_observation_count(record, expectation)
        case ObservationSeverity():
            return check_observation_severity(record, expectation)
        case ObservationRef():
            return check_observation_ref(record, expectation)
        case Patterns():
            return check_patterns(record, expectation)
        case Judge():
            return check_judge(record, expectation)
        case _:
            assert_never(expectation)
