"""ADK EvalSets: conversations with the tools and replies of each turn, and `test_config.json`.

Files written by ADK hold every field of its models, most of them null: what is null is not there.
`test_config.json` says which scores are gates, and how high they must be. A gate that no score can
fail (`0.0`) or reach (above 1) is an error. Scores that only a model can give are warnings, for no
gate is passed in silence.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from harness.cases.validation import validate_part
from harness.documents import Document, Findings, Pointer
from harness.model import (
    Case,
    Expectation,
    ExpectedCall,
    Frozen,
    Json,
    JsonObject,
    Reference,
    ReferenceCall,
    ReferenceTurn,
    Rubric,
    ToolCalls,
    TrajectoryMode,
    Turn,
    literal_args,
)
from mockserver.model import did_you_mean


class _AdkModel(Frozen):
    """ADK writes snake_case and reads both."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", populate_by_name=True, alias_generator=to_camel
    )


class ToolUse(_AdkModel):
    """A tool that is called.

    Attributes:
        name: Its name.
        args: Its arguments; left out (or null) they do not matter.
        id: The call's id; nothing looks at it.
    """

    name: str = Field(min_length=1)
    args: JsonObject | None = None
    id: str = ""


class Part(_AdkModel):
    """A part of what is said: only text can be sent and compared.

    Attributes:
        text: The text.
        thought: Whether it is for the agent alone.
        function_call: In an event: a tool that is called.
        function_response: In an event: what it answered; nothing looks at it.
    """

    text: str = ""
    thought: bool = False
    function_call: ToolUse | None = None
    function_response: Json = None


class Content(_AdkModel):
    """What somebody says."""

    parts: tuple[Part, ...] = ()
    role: str = ""

    @property
    def text(self) -> str:
        """The texts of its parts, thoughts left out."""
        return "\n".join(part.text for part in self.parts if part.text and not part.thought)


class InvocationEvent(_AdkModel):
    """One step of an agent on its way to a reply."""

    author: str = ""
    content: Content | None = None


class IntermediateData(_AdkModel):
    """What happened between the question and the reply.

    Attributes:
        tool_uses: Tools that are called; left out they do not matter, an empty list allows none.
        invocation_events: The same as events, as later versions of ADK write it.
        tool_responses: What the tools answered; nothing looks at it.
        intermediate_responses: What was said on the way; nothing looks at it.
    """

    tool_uses: tuple[ToolUse, ...] | None = None
    invocation_events: tuple[InvocationEvent, ...] | None = None
    tool_responses: Json = None
    intermediate_responses: Json = None

    @property
    def calls(self) -> tuple[ToolUse, ...] | None:
        """The calls that are expected, or None when nothing is said of them."""
        if self.invocation_events is None or self.tool_uses is not None:
            return self.tool_uses
        parts = (part for event in self.invocation_events for part in _parts(event))
        return tuple(part.function_call for part in parts if part.function_call is not None)


def _parts(event: InvocationEvent) -> tuple[Part, ...]:
    return event.content.parts if event.content else ()


class RubricContent(_AdkModel):
    """What a rubric asks for."""

    text_property: str = Field(min_length=1, pattern=r"\S")


class EvalRubric(_AdkModel):
    """One thing that a judge looks for.

    Attributes:
        rubric_id: Its name.
        rubric_content: What it asks for.
        description: For readers.
        type: For readers.
    """

    rubric_id: str = ""
    rubric_content: RubricContent
    description: str = ""
    type: str = ""


class Invocation(_AdkModel):
    """One turn.

    Attributes:
        user_content: What the user says.
        final_response: What the agent replies.
        intermediate_data: What it does before.
        rubrics: What a judge looks for in this turn.
        invocation_id: An id of ADK's; nothing looks at it.
        creation_timestamp: When it was written; nothing looks at it.
        app_details: The agent it was recorded of; nothing looks at it.
    """

    user_content: Content
    final_response: Content | None = None
    intermediate_data: IntermediateData | None = None
    rubrics: tuple[EvalRubric, ...] = ()
    invocation_id: str = ""
    creation_timestamp: float = 0
    app_details: Json = None

    @model_validator(mode="after")
    def _asks(self) -> "Invocation":
        if not self.user_content.text.strip():
            raise ValueError("user_content says nothing: it needs a part with a text")
        return self


class SessionInput(_AdkModel):
    """The session that the agent starts with.

    Attributes:
        app_name: The ADK app.
        user_id: The user.
        state: What the session's state holds; texts name its values as `{{NAME}}`.
    """

    app_name: str = ""
    user_id: str = ""
    state: JsonObject = {}


class EvalCase(_AdkModel):
    """A conversation.

    Attributes:
        eval_id: Unique in its suite.
        conversation: Its turns.
        session_input: The session it starts with.
        rubrics: What a judge looks for in every turn.
        creation_timestamp: When it was written; nothing looks at it.
        final_session_state: Must be empty: nothing checks it.
    """

    eval_id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")
    conversation: Annotated[tuple[Invocation, ...], Field(min_length=1)]
    session_input: SessionInput = SessionInput()
    rubrics: tuple[EvalRubric, ...] = ()
    creation_timestamp: float = 0
    final_session_state: JsonObject = {}

    @model_validator(mode="after")
    def _check_use(self) -> "EvalCase":
        if self.final_session_state:
            raise ValueError("nothing checks 'final_session_state': leave it out")
        return self


class EvalSet(_AdkModel):
    """What is around the cases of a file.

    Attributes:
        eval_set_id: Its name.
        name: For readers.
        description: For readers.
        eval_cases: The cases, each read on its own.
        creation_timestamp: When it was written; nothing looks at it.
    """

    eval_set_id: str = ""
    name: str = ""
    description: str = ""
    eval_cases: Annotated[list[Json], Field(min_length=1)]
    creation_timestamp: float = 0


def without_nulls(value: Json) -> Json:
    """A value without the keys of objects that are null, at any depth but in arguments of calls.

    An argument that is null is expected to be null.

    >>> without_nulls({"text": "Hi", "thought": None, "list": [None, {"a": None}]})
    {'text': 'Hi', 'list': [None, {}]}
    """
    if isinstance(value, dict):
        return {
            name: item if name == "args" else without_nulls(item)
            for name, item in value.items()
            if item is not None
        }
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


CONFIG = "test_config.json"

TRAJECTORY = "tool_trajectory_avg_score"
RESPONSE = "response_match_score"
RUBRICS = ("rubric_based_final_response_quality_v1", "rubric_based_tool_use_quality_v1")
_JUDGED = (
    *("final_response_match_v2", "hallucinations_v1", "safety_v1", "response_evaluation_score"),
    "per_turn_user_simulator_quality_v1",
)
_KNOWN = (TRAJECTORY, RESPONSE, *RUBRICS, *_JUDGED)
_MODES: Mapping[str, TrajectoryMode] = {
    "EXACT": "exact",
    "IN_ORDER": "in_order",
    "ANY_ORDER": "any_order",
}
_HIGHEST = {"response_evaluation_score": 5.0}
_LOWEST = {"response_evaluation_score": 1.0}


class CriterionBlock(Frozen):
    """A criterion that is more than a number.

    Attributes:
        threshold: The least score that passes.
        min: The same, in our words.
        match_type: Of trajectories: `EXACT`, `IN_ORDER` or `ANY_ORDER`.
        ignore_args: Of trajectories: arguments do not matter.
        rubrics: What a judge looks for.
        judge_model_options: Of scores that a model gives; nothing looks at it.
        evaluate_intermediate_nl_responses: The same.
    """

    threshold: float | None = None
    min: float | None = None
    match_type: Literal["EXACT", "IN_ORDER", "ANY_ORDER"] = "EXACT"
    ignore_args: bool = False
    rubrics: tuple[EvalRubric, ...] = ()
    judge_model_options: Json = None
    evaluate_intermediate_nl_responses: bool = False


class ConfigFile(Frozen):
    """What `test_config.json` holds.

    Attributes:
        criteria: Name to a number, or to an object with `threshold`.
    """

    criteria: dict[str, Json]


@dataclass(frozen=True)
class Criteria:
    """The gates of a folder's EvalSets.

    Attributes:
        trajectory: The least mean share of turns whose tool calls match; None does not matter.
        mode: How the calls of a turn are held against the expected ones.
        ignores_args: Whether their arguments do not matter.
        response: The least similarity of each reply to the expected one; None does not matter.
        rubrics: Criteria that a judge decides, and the least share of them.
    """

    trajectory: float | None = None
    mode: TrajectoryMode = "exact"
    ignores_args: bool = False
    response: float | None = None
    rubrics: tuple[tuple[str, ...], float] | None = None


DEFAULT = Criteria(trajectory=1.0, response=0.8)
"""What ADK asks for where a folder says nothing."""


def read_criteria(document: Document, findings: Findings) -> Criteria:
    """The gates that a config names; what is wrong in it is noted."""
    document = Document(document.name, without_nulls(document.value))
    config = validate_part(ConfigFile, document, (), findings)
    blocks = {} if config is None else _blocks(config.criteria, document, findings)
    trajectory, response = blocks.get(TRAJECTORY), blocks.get(RESPONSE)
    return Criteria(
        trajectory=None if trajectory is None else trajectory.threshold,
        mode="exact" if trajectory is None else _MODES[trajectory.match_type],
        ignores_args=trajectory is not None and trajectory.ignore_args,
        response=None if response is None else response.threshold,
        rubrics=_rubrics(blocks),
    )


def fewest_criteria(criteria: int, share: float) -> int:
    """How many of so many criteria a share asks for, at least one.

    >>> fewest_criteria(3, 0.8), fewest_criteria(5, 0.6)
    (3, 3)
    """
    return max(1, math.ceil(criteria * share - 1e-9))


def _blocks(
    criteria: JsonObject, document: Document, findings: Findings
) -> dict[str, CriterionBlock]:
    found = {}
    for name in criteria:
        pointer = ("criteria", name)
        if name not in _KNOWN:
            hint = did_you_mean(name, _KNOWN)
            findings.error(document.where(pointer), f"unknown criterion {name!r}", hint)
            continue
        block = _block(criteria[name], document, pointer, findings)
        if block is not None and _is_gate(name, block, document.where(pointer), findings):
            found[name] = block
    return found


def _block(
    value: Json, document: Document, pointer: Pointer, findings: Findings
) -> CriterionBlock | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return CriterionBlock(threshold=value)
        except ValidationError:
            findings.error(document.where(pointer), "is too large a number for a score")
            return None
    block = validate_part(CriterionBlock, document, pointer, findings)
    if block is None:
        return None
    if (block.threshold is None) == (block.min is None):
        findings.error(document.where(pointer), "needs 'threshold' (or 'min'), one of them")
        return None
    least = block.min if block.threshold is None else block.threshold
    return block.model_copy(update={"threshold": least})


def _is_gate(name: str, block: CriterionBlock, where: str, findings: Findings) -> bool:
    least = block.threshold or 0.0
    if least <= _LOWEST.get(name, 0.0):
        hint = f"every score is at least {_LOWEST.get(name, 0.0):g}: ask for more, or leave it out"
        findings.warning(where, f"{name}: a minimum of {least:g} can never fail", hint)
        return False
    if least > _HIGHEST.get(name, 1.0):
        highest = _HIGHEST.get(name, 1.0)
        findings.error(where, f"{name}: no score reaches {least:g}; the highest is {highest:g}")
        return False
    if name in _JUDGED:
        findings.warning(where, f"{name} is a model's judgement and decides nothing here")
    if name in RUBRICS:
        if not block.rubrics:
            findings.error(where, f"{name} has no rubrics")
            return False
        findings.warning(where, f"{name}: its rubrics are informational, for a model judges them")
    return True


def _rubrics(blocks: Mapping[str, CriterionBlock]) -> tuple[tuple[str, ...], float] | None:
    given = [blocks[name] for name in RUBRICS if name in blocks]
    if not given:
        return None
    texts = [each.rubric_content.text_property for block in given for each in block.rubrics]
    return tuple(dict.fromkeys(texts)), max(block.threshold or 0 for block in given)


def conversation_case(eval_case: EvalCase, title: str, criteria: Criteria) -> Case:
    """A case of an EvalSet as the harness knows it, without its world.

    A trajectory is right or wrong as a whole: each turn's score is 0 or 1.
    """
    session = eval_case.session_input
    told = {"App": session.app_name, "User": session.user_id}
    several = len(eval_case.conversation) > 1
    return Case(
        id=eval_case.eval_id,
        title=title,
        mode="multi-turn" if several else "deterministic",
        turns=tuple(Turn(user=turn.user_content.text) for turn in eval_case.conversation),
        expect=tuple(_expectations(eval_case, criteria)),
        reference=tuple(_reference(eval_case)),
        variables=session.state,
        notes={name: text for name, text in told.items() if text},
    )


def stricter_reason(eval_case: EvalCase, criteria: Criteria) -> str:
    """Why a case is held to more than its config asks for, or an empty string."""
    turns = len(eval_case.conversation)
    if criteria.trajectory is None or criteria.trajectory > (turns - 1) / turns:
        return ""
    return (
        f"a mean trajectory score of {criteria.trajectory:g} would let one of {turns} turns be"
        " wrong: here each has to be right"
    )


def _expectations(eval_case: EvalCase, criteria: Criteria) -> Iterator[Expectation]:
    several = len(eval_case.conversation) > 1
    for number, turn in enumerate(eval_case.conversation, start=1):
        yield from _of_a_turn(turn, number if several else None, criteria)
    texts, share = criteria.rubrics or ((), 1.0)
    own = (each for turn in eval_case.conversation for each in turn.rubrics)
    more = (each.rubric_content.text_property for each in (*eval_case.rubrics, *own))
    if cues := tuple(dict.fromkeys((*texts, *more))):
        yield Rubric(criteria=cues, min_score=fewest_criteria(len(cues), share), required=False)


def _of_a_turn(turn: Invocation, number: int | None, criteria: Criteria) -> Iterator[Expectation]:
    calls = turn.intermediate_data.calls if turn.intermediate_data else None
    matters = criteria.trajectory is not None and calls is not None
    if matters and (calls or criteria.mode == "exact"):
        expected = tuple(_expected_call(use, criteria) for use in calls or ())
        yield ToolCalls(mode=criteria.mode, calls=expected, turn=number)
    if criteria.response is not None and turn.final_response and turn.final_response.text.strip():
        text = turn.final_response.text
        least = criteria.response
        yield Reference(text=text, min_similarity=least, measure="rouge1", turn=number)


def _expected_call(use: ToolUse, criteria: Criteria) -> ExpectedCall:
    if use.args is None or criteria.ignores_args:
        return ExpectedCall(name=use.name)
    return ExpectedCall(name=use.name, args=literal_args(use.args), args_mode="exact")


def _reference(eval_case: EvalCase) -> Iterator[ReferenceTurn]:
    """What a perfect agent does, as far as the file tells of it.

    Yields:
        One for each turn; nothing where no turn is told of.
    """
    if not any(turn.final_response or turn.intermediate_data for turn in eval_case.conversation):
        return
    for turn in eval_case.conversation:
        uses = (turn.intermediate_data.calls if turn.intermediate_data else None) or ()
        yield ReferenceTurn(
            reports=tuple(ReferenceCall(name=use.name, args=use.args or {}) for use in uses),
            answer=turn.final_response.text if turn.final_response else "",
        )
