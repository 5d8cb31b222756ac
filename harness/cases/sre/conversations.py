"""A conversation of an EvalSet, translated into a case."""

from collections.abc import Iterator

from harness.cases.sre.criteria import Criteria, least_met
from harness.cases.sre.evalset import EvalCase, Invocation, ToolUse
from harness.model import (
    Case,
    Expectation,
    ExpectedCall,
    Reference,
    ReferenceCall,
    ReferenceTurn,
    Rubric,
    ToolCalls,
    Turn,
    literal_args,
)


def conversation_case(written: EvalCase, title: str, criteria: Criteria) -> Case:
    """A case of an EvalSet as the harness knows it, without its world.

    A trajectory is right or wrong as a whole: each turn's score is 0 or 1.
    """
    session = written.session_input
    told = {"App": session.app_name, "User": session.user_id}
    several = len(written.conversation) > 1
    return Case(
        id=written.eval_id,
        title=title,
        mode="multi-turn" if several else "deterministic",
        turns=tuple(Turn(user=turn.user_content.text) for turn in written.conversation),
        expect=tuple(_expectations(written, criteria)),
        reference=tuple(_reference(written)),
        variables=session.state,
        notes={name: text for name, text in told.items() if text},
    )


def unreached(written: EvalCase, criteria: Criteria) -> str:
    """Why a case is held to more than its config asks for, or an empty string."""
    turns = len(written.conversation)
    if criteria.trajectory is None or criteria.trajectory > (turns - 1) / turns:
        return ""
    return (
        f"a mean trajectory score of {criteria.trajectory:g} would let one of {turns} turns be"
        " wrong: here each has to be right"
    )


def _expectations(written: EvalCase, criteria: Criteria) -> Iterator[Expectation]:
    several = len(written.conversation) > 1
    for number, turn in enumerate(written.conversation, start=1):
        yield from _of_a_turn(turn, number if several else None, criteria)
    texts, share = criteria.rubrics or ((), 1.0)
    own = (each for turn in written.conversation for each in turn.rubrics)
    more = (each.rubric_content.text_property for each in (*written.rubrics, *own))
    if cues := tuple(dict.fromkeys((*texts, *more))):
        yield Rubric(criteria=cues, min_score=least_met(len(cues), share), required=False)


def _of_a_turn(turn: Invocation, number: int | None, criteria: Criteria) -> Iterator[Expectation]:
    calls = turn.intermediate_data.calls if turn.intermediate_data else None
    matters = criteria.trajectory is not None and calls is not None
    if matters and (calls or criteria.mode == "exact"):
        expected = tuple(_expected(use, criteria) for use in calls or ())
        yield ToolCalls(mode=criteria.mode, calls=expected, turn=number)
    if criteria.response is not None and turn.final_response and turn.final_response.text.strip():
        text = turn.final_response.text
        least = criteria.response
        yield Reference(text=text, min_similarity=least, measure="rouge1", turn=number)


def _expected(use: ToolUse, criteria: Criteria) -> ExpectedCall:
    if use.args is None or criteria.ignores_args:
        return ExpectedCall(name=use.name)
    return ExpectedCall(name=use.name, args=literal_args(use.args), args_mode="exact")


def _reference(written: EvalCase) -> Iterator[ReferenceTurn]:
    """What a perfect agent does, as far as the file tells of it.

    Yields:
        One for each turn; nothing where no turn is told of.
    """
    if not any(turn.final_response or turn.intermediate_data for turn in written.conversation):
        return
    for turn in written.conversation:
        uses = (turn.intermediate_data.calls if turn.intermediate_data else None) or ()
        yield ReferenceTurn(
            reports=tuple(ReferenceCall(name=use.name, args=use.args or {}) for use in uses),
            answer=turn.final_response.text if turn.final_response else "",
        )
