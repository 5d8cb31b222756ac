"""The table of checks: each kind of expectation, the function that checks it, its section.

To add a check, write a module with the expectation, its section and its check, and add a line here.
Checks of plug-ins (`understudy.checks`) are looked for where a case has a word that no line has.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Union

from pydantic import (
    BaseModel,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    SerializeAsAny,
    TypeAdapter,
    ValidatorFunctionWrapHandler,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from pydantic_core.core_schema import no_info_wrap_validator_function

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
from harness.checks.expectation import AnyExpectation, not_evaluated
from harness.checks.made_up import made_up_note
from harness.checks.reply_schema import ModelResolver, ReplySchema, import_model
from harness.checks.sections import Section
from harness.trials.decisions import CheckResult
from harness.trials.records import TrialRecord
from mockserver.plugins import Table, of_kind


@dataclass(frozen=True, slots=True)
class Check:
    """How one kind of expectation is checked and written.

    Attributes:
        kind: The kind.
        run: Holds a trial against an expectation of the kind.
        section: The word under `expect` by which authors write it.
    """

    kind: type[AnyExpectation]
    run: Callable[[TrialRecord, Any], CheckResult]
    section: Section


_OWN: tuple[Check, ...] = (
    Check(phrases.TextContains, phrases.check_contains, phrases.TEXT),
    Check(phrases.TextLacks, phrases.check_lacks, phrases.TEXT),
    Check(phrases.TextMatches, phrases.check_matches, phrases.TEXT),
    Check(phrases.Evidence, phrases.check_evidence, phrases.TEXT),
    Check(phrases.ForbiddenEvidence, phrases.check_forbidden, phrases.TEXT),
    Check(ReplySchema, reply_schema.check_reply_schema, reply_schema.REPLY),
    Check(quality.Signals, quality.check_signals, quality.SIGNALS),
    Check(quality.Rubric, quality.check_rubric, quality.RUBRIC),
    Check(quality.Reference, quality.check_reference, quality.REFERENCE),
    Check(patterns.Patterns, patterns.check_patterns, patterns.PATTERNS),
    Check(reviews.ServiceStatus, reviews.check_service_status, reviews.SERVICE),
    Check(reviews.ObservationCount, reviews.check_observation_count, reviews.SERVICE),
    Check(reviews.ObservationSeverity, reviews.check_observation_severity, reviews.SERVICE),
    Check(reviews.ObservationRef, reviews.check_observation_ref, reviews.SERVICE),
    Check(tools.ToolCalls, tools.check_tool_calls, tools.TOOLS),
    Check(tools.ForbiddenTools, tools.check_forbidden_tools, tools.TOOLS),
    Check(tools.MinCalls, tools.check_min_calls, tools.TOOLS),
    Check(tools.MaxCalls, tools.check_max_calls, tools.TOOLS),
    Check(limits.Budget, limits.check_budget, limits.BUDGET),
    Check(limits.Stop, limits.check_stop, limits.STOP),
    Check(limits.Phases, limits.check_phases, limits.PHASES),
    Check(routing.Routing, routing.check_routing, routing.ROUTING),
    Check(routing.Loops, routing.check_loops, routing.LOOPS),
    Check(grounding.Grounding, grounding.check_grounding, grounding.GROUNDING),
    Check(conversation.Conversation, conversation.check_conversation, conversation.CONVERSATION),
    Check(judge.Judge, judge.check_judge, judge.JUDGE),
    Check(milestones.Milestones, milestones.check_milestones, milestones.MILESTONES),
    Check(milestones.Minefields, milestones.check_minefields, milestones.MINEFIELDS),
    Check(witnesses.Witnesses, witnesses.check_witnesses, witnesses.WITNESSES),
    Check(server.ServerRequests, server.check_requests, server.SERVER),
    Check(server.ServerState, server.check_state, server.SERVER),
    Check(workspace.Files, workspace.check_files, workspace.FILES),
    Check(scores.ExpectedScore, scores.check_score, scores.SCORE),
    Check(workspace.ExitCode, workspace.check_exit_code, workspace.EXIT_CODE),
)
"""In the order in which a case's checks are listed; kinds of one section stand together."""


def _accept(name: str, provided: Any) -> Check:
    """A check of a plug-in; where it fails, nothing is said of the trial."""
    check = of_kind(provided, Check, "harness.checks.Check")
    if not issubclass(check.kind, AnyExpectation):
        raise TypeError("its kind is no class of harness.checks.AnyExpectation")
    if not name.isidentifier() or hasattr(BaseModel, name):
        raise ValueError(f"{name!r} cannot be a word under expect: letters, digits and _ can")
    names = {"its kind": check.kind.kind_name(), "its section": check.section.name}
    for what, found in names.items():
        if found != name:
            raise ValueError(f"{what} is called {found!r}, and the entry point {name!r}")
    if not check.kind.failure:
        raise ValueError("its kind has no class of failure: failure: ClassVar[str] = '...'")

    def run(record: TrialRecord, expectation: AnyExpectation) -> CheckResult:
        try:
            return of_kind(check.run(record, expectation), CheckResult, "CheckResult")
        except Exception as error:  # noqa: BLE001  (their code may fail in any way)
            text = f"the plug-in {name!r} failed: {type(error).__name__}: {error}"
            return not_evaluated(expectation, text)

    return replace(check, run=run)


CHECKS: Table[Check] = Table(
    "understudy.checks", {check.kind.kind_name(): check for check in _OWN}, _accept
)
"""The name of each kind to its check."""


def class_of(kind: str) -> type[AnyExpectation]:
    """The class of a kind; `AnyExpectation` for a check that cases cannot ask for (tampering)."""
    found = CHECKS.get(kind)
    return AnyExpectation if found is None else found.kind


class _OrOfPlugin:
    """Lets the kind of a plug-in read an expectation that no kind of the house is named for."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return no_info_wrap_validator_function(_read_expectation, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        found = handler(schema)
        added = [
            handler(TypeAdapter(check.kind).core_schema) for check in CHECKS.plugins().values()
        ]
        return {"anyOf": [found, *added]} if added else found


def _read_expectation(value: Any, read: ValidatorFunctionWrapHandler) -> Any:
    kind = value.get("kind") if isinstance(value, dict) else getattr(value, "kind", None)
    if not isinstance(kind, str) or kind in CHECKS.own:
        return read(value)
    if kind not in CHECKS:
        text = f"no check is of kind {kind!r}, nor does a plug-in that is installed bring one"
        raise ValueError(f"{text}: `understudy plugins` lists them")
    return CHECKS[kind].kind.model_validate(value)


if TYPE_CHECKING:
    Expectation = AnyExpectation
else:
    Expectation = SerializeAsAny[
        Annotated[
            Union[tuple(each.kind for each in _OWN)],  # noqa: UP007
            Field(discriminator="kind"),
            _OrOfPlugin(),
        ]
    ]


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
    run = CHECKS[expectation.kind].run
    result = run(record, expectation)
    note = made_up_note(record, expectation, result, run)
    return result.model_copy(update={"note": note}) if note else result
