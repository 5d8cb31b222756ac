"""An entry of the chrome registry, and its translation.

Our own additions to the foreign shape: `expect` (the native grammar), `reference`, `faults`,
`clock`, `seed`, `base`, `repeat`, `policy`, `timeout_s`. `reference_response` is what the reply is
held against, informational but in mode `reference`; a case of one turn without `reference` also
takes it as the perfect answer. `turn_assertions` count from 0 when one of them names turn 0, else
from 1.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from harness.cases.scenario import (
    Clock,
    FaultList,
    PolicyRule,
    ReferenceBlocks,
    implied_expectations,
    mode_of,
    reference_turns,
    with_origin,
)
from harness.checks.expect_block import Expect, expectations
from harness.checks.quality import RubricBlock
from harness.checks.sections import Phrase, name_or_object, none_as_empty
from harness.checks.tools import WrittenCall
from harness.model import (
    Case,
    Evidence,
    Expectation,
    Fixtures,
    ForbiddenEvidence,
    Frozen,
    JsonObject,
    Mode,
    Reference,
    ReferenceTurn,
    ReplySchema,
    Rubric,
    Signals,
    ToolCalls,
    Turn,
)

SYNONYMS: dict[str, tuple[str, ...]] = {
    "issue": ("block", "detect", "fail", "indicate", "problem", "show", "trigger"),
    "evidence": (
        *("audit", "connector", "data", "event", "log", "output", "policy", "result", "rule"),
    ),
    "recommend": ("apply", "configure", "enable", "enforce", "set up", "suggest", "try", "use"),
}
"""Words of an answer in plain prose that stand for a criterion in the suites of this format."""

SIGNALS = (
    *("applied", "cause", "change", "check", "configur", "creat", "diagnosis", "disabl", "draft"),
    *("enabl", "error", "evidence", "found", "hypothesis", "investigat", "issue", "next", "policy"),
    *("recommend", "reference", "steps", "success", "suggest"),
)
"""Pieces of words that answers have in the suites of this format; two of them make one."""

_NULL = BeforeValidator(none_as_empty)
_Texts = Annotated[tuple[str, ...], _NULL]
_Phrases = Annotated[tuple[Phrase, ...], _NULL]
_Calls = Annotated[tuple[WrittenCall, ...], _NULL]
_FIELD_NAMES = {"nextSteps": "next_steps", "next-steps": "next_steps"}


class ScriptTurn(Frozen):
    """One turn of a conversation script; only the user's side is scripted."""

    role: Literal["user"] = "user"
    content: str = Field(min_length=1, pattern=r"\S")


class TurnAssertion(Frozen):
    """What the reply to one turn must show."""

    turn: int = Field(ge=0)
    required_tool_calls: _Calls = ()
    required_evidence: _Phrases = ()
    forbidden_evidence: _Phrases = ()


class RegistryCase(Frozen):
    """One entry of the registry.

    Attributes:
        id: `EC-###`, unique.
        title: One line.
        category: The failure domain.
        source_refs: Where the scenario comes from.
        case_file: `cases/EC-###-descriptive-name.md`; the only file of that id when not given.
        mode: See `harness.cases.scenario`.
        tags: Labels to select by.
        expected_schema: Fields or headings of the reply; without any, the reply is held against
            `SIGNALS` and a least length.
        fixtures: Override folders and plain-text files; what is below `base/` is loaded anyway.
        overrides: Override folders in order; the case's own when not given.
        required_evidence: Markers that the reply must show.
        forbidden_evidence: Markers that it must not show.
        required_tool_calls: Tools by name, each call counted; also `{name, args, args_mode}`.
        rubric: `{min_score, criteria, synonyms}`.
        conversation_script: What the user says, instead of the case file's Conversation.
        turn_assertions: Evidence and tool calls of single turns.
        reference_response: A text that the reply is held against.
        expect: Further expectations in the native grammar.
        reference: What a perfect agent does, one block for each turn.
        faults: Faults beside those of the snapshot.
        clock: `shift`, `real`, `frozen` or `frozen:<RFC 3339 time>`.
        seed: The session's seed.
        base: False: an empty base.
        repeat: Trials, when the command line names no number.
        policy: When the case passes: `all`, `majority`, `{rate: 0.8}`, or
            `{pass_hat: 3, min: 0.7}`.
        timeout_s: Seconds an agent may take.
    """

    id: str = Field(min_length=1)
    title: str = Field(min_length=1)
    category: str = Field(min_length=1)
    source_refs: _Texts = ()
    case_file: str | None = None
    mode: Mode | None = None
    tags: _Texts = ()
    expected_schema: _Phrases = ()
    fixtures: _Texts = ()
    overrides: tuple[str, ...] | None = None
    required_evidence: _Phrases = ()
    forbidden_evidence: _Phrases = ()
    required_tool_calls: _Calls = ()
    rubric: RubricBlock | None = None
    conversation_script: Annotated[
        tuple[Annotated[ScriptTurn, name_or_object("content", ScriptTurn)], ...], _NULL
    ] = ()
    turn_assertions: Annotated[tuple[TurnAssertion, ...], _NULL] = ()
    reference_response: Phrase | None = None
    expect: Expect = Expect()
    reference: ReferenceBlocks = ()
    faults: FaultList = ()
    clock: Clock = "shift"
    seed: int = 0
    base: bool = True
    repeat: int = Field(default=1, ge=1)
    policy: PolicyRule | None = None
    timeout_s: float | None = Field(default=None, gt=0)

    @property
    def counts_from(self) -> int:
        """The number that its turn assertions give to the first turn."""
        return 0 if any(item.turn == 0 for item in self.turn_assertions) else 1

    def ambiguous(self, turns: int) -> bool:
        """Whether its turn assertions could be meant to count from 0 as well as from 1."""
        turns_named = [item.turn for item in self.turn_assertions]
        return bool(turns_named) and turns > 1 and 0 not in turns_named and max(turns_named) < turns


def translate_entry(
    entry: RegistryCase, turns: Sequence[str], fixtures: Fixtures, about: JsonObject
) -> Case:
    """An entry as the harness knows it.

    Args:
        entry: The entry.
        turns: The prompts of its case file; its own conversation script goes before them.
        fixtures: The overrides and files that were found for it.
        about: `source` and `notes` of the case.
    """
    script = tuple(turn.content for turn in entry.conversation_script) or tuple(turns)
    mode = mode_of(entry.mode, len(script))
    return Case(
        id=entry.id,
        title=entry.title,
        category=entry.category,
        tags=entry.tags,
        mode=mode,
        turns=tuple(Turn(user=text) for text in script),
        fixtures=fixtures.model_copy(
            update={
                "faults": with_origin(entry.faults, entry.id),
                "clock": entry.clock,
                "seed": entry.seed,
                "base": entry.base,
            }
        ),
        expect=(
            *_of_the_trial(entry, mode),
            *implied_expectations(mode),
            *_of_turns(entry),
            *expectations(entry.expect),
        ),
        repeat=entry.repeat,
        policy=entry.policy,
        reference=_reference(entry, len(script)),
        timeout_s=entry.timeout_s,
        source_refs=entry.source_refs,
        **about,
    )


def _of_the_trial(entry: RegistryCase, mode: Mode) -> Iterator[Expectation]:
    if entry.expected_schema:
        names = dict.fromkeys(_FIELD_NAMES.get(name, name) for name in entry.expected_schema)
        yield ReplySchema(fields=tuple(names))
    elif not any(isinstance(item, ReplySchema) for item in expectations(entry.expect)):
        yield Signals(words=SIGNALS)
    if entry.required_evidence:
        yield Evidence(markers=entry.required_evidence)
    if entry.forbidden_evidence:
        yield ForbiddenEvidence(markers=entry.forbidden_evidence)
    if entry.required_tool_calls:
        yield ToolCalls(calls=entry.required_tool_calls)
    if entry.rubric:
        yield _with_synonyms(Rubric(**dict(entry.rubric)))
    if entry.reference_response:
        yield Reference(text=entry.reference_response, required=mode == "reference")


def _with_synonyms(rubric: Rubric) -> Rubric:
    """A rubric with what may stand for its criteria in every suite of this format."""
    known = {name: SYNONYMS[name] for name in rubric.criteria if name in SYNONYMS}
    own = rubric.synonyms
    merged = {name: (*known.get(name, ()), *own.get(name, ())) for name in {**known, **own}}
    return rubric.model_copy(update={"synonyms": merged})


def _of_turns(entry: RegistryCase) -> Iterator[Expectation]:
    for item in entry.turn_assertions:
        turn = item.turn + 1 - entry.counts_from
        if item.required_tool_calls:
            yield ToolCalls(turn=turn, calls=item.required_tool_calls)
        if item.required_evidence:
            yield Evidence(turn=turn, markers=item.required_evidence)
        if item.forbidden_evidence:
            yield ForbiddenEvidence(turn=turn, markers=item.forbidden_evidence)


def _reference(entry: RegistryCase, turns: int) -> tuple[ReferenceTurn, ...]:
    if entry.reference or entry.reference_response is None or turns != 1:
        return reference_turns(entry.reference)
    return (ReferenceTurn(answer=entry.reference_response),)
