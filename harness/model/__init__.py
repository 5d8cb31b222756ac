"""The words of the harness: frozen values that every wing speaks."""

from harness.checks.calls import ArgsMode, Count, ExpectedCall
from harness.checks.events import CallEvent, Event, RequestEvent, StateEvent
from harness.checks.grounding import Grounding, GroundingRules, QuotedKind
from harness.checks.judge import Judge, JudgeTerms
from harness.checks.limits import Budget, Phase, Phases, Stop, StopCondition
from harness.checks.matchers import MATCHERS, literal, literal_args, matcher_name
from harness.checks.milestones import Milestone, Milestones, Minefield, Minefields
from harness.checks.patterns import (
    ENOUGH_OUTPUT,
    PatternFinding,
    Patterns,
    pattern_finding,
    read_pattern,
)
from harness.checks.phrases import Evidence, ForbiddenEvidence, TextContains, TextLacks, TextMatches
from harness.checks.quality import Reference, Rubric, Signals
from harness.checks.reply_schema import ReplySchema
from harness.checks.reviews import (
    Observation,
    ObservationCount,
    ObservationRef,
    ObservationSeverity,
    ServiceStatus,
    observations_of,
)
from harness.checks.routing import LoopLimits, Loops, Routing, RoutingRule
from harness.checks.server import (
    ChangeEvent,
    ExpectedRequest,
    ExpectedRow,
    ServerRequests,
    ServerState,
)
from harness.checks.table import Expectation
from harness.checks.tool_calls import ToolCalls, TrajectoryMode
from harness.checks.tools import ForbiddenCall, ForbiddenTools, MinCalls
from harness.checks.witnesses import Discrepancy, Witnesses, WitnessRules
from harness.checks.workspace import ExitCode, ExpectedFile, Files
from harness.model.asked import asked_collections
from harness.model.calibration import Calibration
from harness.model.canaries import Canary
from harness.model.cases import (
    Case,
    Fixtures,
    Mode,
    Policy,
    ReferenceCall,
    ReferenceRequest,
    ReferenceTurn,
    Turn,
)
from harness.model.comparison import (
    CaseComparison,
    Comparison,
    ComparisonVerdict,
    Discordant,
    Flag,
    Totals,
)
from harness.model.custody import Custody
from harness.model.history import CaseHistory, PastCase, PastRun, SuiteHistory
from harness.model.records import HeldRecords, Records, TrialFacts, facts_of
from harness.model.review_results import (
    Experiment,
    ReviewCaseResult,
    ReviewCheck,
    ReviewLatency,
    ReviewResults,
    ReviewStability,
    ReviewStatus,
    ReviewSummary,
)
from harness.model.runs import ExitReason, RunManifest, RunResult
from harness.model.statistics import (
    CaseStatistics,
    Classification,
    LatencyFigures,
    RateFigures,
    RunStatistics,
    StabilityFigures,
)
from harness.trials.decisions import (
    Attribution,
    CaseDecision,
    CaseVerdict,
    CheckResult,
    CheckStatus,
    Cluster,
    TrialDecision,
    TrialStatus,
)
from harness.trials.records import (
    Attempt,
    Opinion,
    Outcome,
    Reply,
    ToolCall,
    TrialRecord,
    Usage,
    WorkspaceFile,
)
from harness.trials.regexes import PatternError, SearchPattern, never_matches, search_pattern
from harness.trials.values import Frozen, Json, JsonObject

__all__ = [
    "ENOUGH_OUTPUT",
    "MATCHERS",
    "ArgsMode",
    "Attempt",
    "Attribution",
    "Budget",
    "Calibration",
    "CallEvent",
    "Canary",
    "Case",
    "CaseComparison",
    "CaseDecision",
    "CaseHistory",
    "CaseStatistics",
    "CaseVerdict",
    "ChangeEvent",
    "CheckResult",
    "CheckStatus",
    "Classification",
    "Cluster",
    "Comparison",
    "ComparisonVerdict",
    "Count",
    "Custody",
    "Discordant",
    "Discrepancy",
    "Event",
    "Evidence",
    "ExitCode",
    "ExitReason",
    "Expectation",
    "ExpectedCall",
    "ExpectedFile",
    "ExpectedRequest",
    "ExpectedRow",
    "Experiment",
    "Files",
    "Fixtures",
    "Flag",
    "ForbiddenCall",
    "ForbiddenEvidence",
    "ForbiddenTools",
    "Frozen",
    "Grounding",
    "GroundingRules",
    "HeldRecords",
    "Json",
    "JsonObject",
    "Judge",
    "JudgeTerms",
    "LatencyFigures",
    "LoopLimits",
    "Loops",
    "Milestone",
    "Milestones",
    "MinCalls",
    "Minefield",
    "Minefields",
    "Mode",
    "Observation",
    "ObservationCount",
    "ObservationRef",
    "ObservationSeverity",
    "Opinion",
    "Outcome",
    "PastCase",
    "PastRun",
    "PatternError",
    "PatternFinding",
    "Patterns",
    "Phase",
    "Phases",
    "Policy",
    "QuotedKind",
    "RateFigures",
    "Records",
    "Reference",
    "ReferenceCall",
    "ReferenceRequest",
    "ReferenceTurn",
    "Reply",
    "ReplySchema",
    "RequestEvent",
    "ReviewCaseResult",
    "ReviewCheck",
    "ReviewLatency",
    "ReviewResults",
    "ReviewStability",
    "ReviewStatus",
    "ReviewSummary",
    "Routing",
    "RoutingRule",
    "Rubric",
    "RunManifest",
    "RunResult",
    "RunStatistics",
    "SearchPattern",
    "ServerRequests",
    "ServerState",
    "ServiceStatus",
    "Signals",
    "StabilityFigures",
    "StateEvent",
    "Stop",
    "StopCondition",
    "SuiteHistory",
    "TextContains",
    "TextLacks",
    "TextMatches",
    "ToolCall",
    "ToolCalls",
    "Totals",
    "TrajectoryMode",
    "TrialDecision",
    "TrialFacts",
    "TrialRecord",
    "TrialStatus",
    "Turn",
    "Usage",
    "WitnessRules",
    "Witnesses",
    "WorkspaceFile",
    "asked_collections",
    "facts_of",
    "literal",
    "literal_args",
    "matcher_name",
    "never_matches",
    "observations_of",
    "pattern_finding",
    "read_pattern",
    "search_pattern",
]
