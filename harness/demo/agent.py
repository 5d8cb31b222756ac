"""The agent: a conversation in, a reply out."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field

from harness.demo.answers import Answer
from harness.demo.flaws import NO_FLAWS, Flaws
from harness.demo.flows import FLOWS, explain_failure
from harness.demo.google import Access, Google
from harness.demo.investigation import Investigation, ToolFailedError, ToolUse
from harness.demo.knowledge import ROUTES
from harness.demo.wording import mentioned


@dataclass(frozen=True)
class Conversation:
    """What was said so far.

    Attributes:
        question: The user's last message.
        before: The user's earlier messages, oldest first.
    """

    question: str
    before: tuple[str, ...] = ()

    @classmethod
    def of(cls, user_messages: Sequence[str]) -> "Conversation":
        """The conversation in which a user wrote these messages.

        Raises:
            ValueError: There is none, or the last one is empty.
        """
        if not user_messages or not user_messages[-1].strip():
            raise ValueError("there is no question in the conversation")
        return cls(question=user_messages[-1], before=tuple(user_messages[:-1]))


@dataclass(frozen=True)
class Reply:
    """What the agent says, and what it did to be able to.

    Attributes:
        answer: What it says.
        tool_uses: Tools used, in order.
    """

    answer: Answer
    tool_uses: tuple[ToolUse, ...] = field(default=())

    @property
    def rounds(self) -> int:
        """How many steps it took: one for each tool, one for the answer."""
        return len(self.tool_uses) + 1


def reply_to(conversation: Conversation, access: Access, flaws: Flaws = NO_FLAWS) -> Reply:
    """Look into the last question of a conversation and answer it."""
    with closing(Google(access, follow_pages=not flaws.ignores_page_token)) as google:
        case = Investigation(conversation.question, google, flaws, conversation.before)
        answer = _look_into(case)
    answer.evidence += google.notices
    return Reply(answer, tuple(case.uses))


def _look_into(case: Investigation) -> Answer:
    try:
        return FLOWS[route(case.question)](case)
    except ToolFailedError as failure:
        return explain_failure(case, failure)


def route(question: str) -> str:
    """The flow whose symptoms a question names: the longest phrase decides, then the number.

    >>> route("Why is incognito mode open to Sales?")
    'settings'
    """
    flow, words = max(ROUTES, key=lambda entry: _weight(mentioned(question, entry[1])))
    return flow if mentioned(question, words) else "tenant"


def _weight(phrases: Sequence[str]) -> tuple[int, int]:
    return max((len(phrase.split()) for phrase in phrases), default=0), len(phrases)
