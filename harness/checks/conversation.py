"""How the conversation with a simulated user ended, and after how many turns."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from harness.checks.expectation import AnyExpectation, not_evaluated, verdict
from harness.checks.sections import section_of, single_or_list
from harness.trials.decisions import CheckResult
from harness.trials.records import ConversationEnd, TrialRecord


class Conversation(AnyExpectation):
    """The simulated user ended the conversation as expected.

    Attributes:
        ended: Ends that are good: `goal` (it has what it wants), `stop` (it gave up because of what
            the agent said), `patience` (it had said enough), `silent` (it had nothing to say).
        max_turns: At most this many turns.
    """

    kind: Literal["conversation"] = "conversation"
    failure: ClassVar[str] = "conversation"
    ended: tuple[ConversationEnd, ...] = Field(default=("goal",), min_length=1)
    max_turns: int | None = Field(default=None, ge=1)


END_WORDS: Mapping[ConversationEnd, str] = {
    "goal": "the user has what it wants",
    "stop": "the user gave up because of what the agent said",
    "patience": "the user lost patience",
    "silent": "the user had nothing to say to it",
}
"""What ended a conversation, in words."""


def check_conversation(record: TrialRecord, expectation: Conversation) -> CheckResult:
    """Whether it ended so, in time.

    The numbers hold `ended` (why, or None where something else ended it) and `turns`.
    """
    user = record.user
    if user is None:
        return not_evaluated(expectation, "the trial has no simulated user")
    turns, problems = len(record.replies), []
    if user.ended not in expectation.ended:
        how = END_WORDS[user.ended] if user.ended else "it was broken off"
        wanted = " or ".join(expectation.ended)
        problems.append(f"it ended after {turns} turns because {how}; expected {wanted}")
    if expectation.max_turns is not None and turns > expectation.max_turns:
        problems.append(f"it took {turns} turns, at most {expectation.max_turns} were expected")
    return verdict(expectation, "; ".join(problems), ended=user.ended, turns=turns)


CONVERSATION = section_of(
    Conversation,
    "How the conversation with the simulated user ended.",
    of_turns=False,
    ended=Annotated[tuple[ConversationEnd, ...], Field(min_length=1), single_or_list(str)],
)
