"""Who speaks for a simulated user, and when the conversation ends."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from time import perf_counter
from typing import NamedTuple

from typing_extensions import override

from harness.model import (
    ConversationEnd,
    Reply,
    SimulatedUser,
    UserLine,
    UserRecord,
    is_heard,
)


class Said(NamedTuple):
    """What a user says next.

    Attributes:
        line: The line; None where it has nothing more to say.
        ended: Why, in that case.
    """

    line: UserLine | None
    ended: ConversationEnd | None = None


class UserPlayer(ABC):
    """Speaks for the simulated user of one trial.

    Attributes:
        user: The user.
        lines: What it said so far.
        ended: Why the conversation ended; None while it goes on.
        spent_ms: How long it took to find its words, milliseconds.
    """

    model: str = ""
    recorded_in: str = ""

    def __init__(self, user: SimulatedUser) -> None:
        self.user = user
        self.lines: list[UserLine] = []
        self.ended: ConversationEnd | None = None
        self.spent_ms = 0.0

    async def reply_to(self, replies: Sequence[Reply]) -> str | None:
        """What the user says to the agent's last answer; None where it ends the conversation.

        Args:
            replies: The answers so far, each with what it answers.

        Raises:
            InfrastructureError: The model that plays it cannot be asked.
        """
        start = perf_counter()
        try:
            said = await self._next(replies)
        finally:
            self.spent_ms += (perf_counter() - start) * 1000
        if said.line is None:
            self.ended = said.ended
            return None
        self.lines.append(said.line)
        return said.line.text

    @property
    def record(self) -> UserRecord:
        """What it said, and why it stopped."""
        return UserRecord(
            ended=self.ended,
            lines=tuple(self.lines),
            model=self.model,
            recorded_in=self.recorded_in,
        )

    async def _next(self, replies: Sequence[Reply]) -> Said:
        if (ended := conversation_end(self.user, replies)) is not None:
            return Said(None, ended)
        return await self._say(replies)

    @abstractmethod
    async def _say(self, replies: Sequence[Reply]) -> Said:
        """What it says where the conversation goes on."""


def conversation_end(user: SimulatedUser, replies: Sequence[Reply]) -> ConversationEnd | None:
    """Why a conversation ends after these answers; None where it goes on."""
    texts = [reply.text for reply in replies]
    if user.reached and all(any(is_heard(each, text) for text in texts) for each in user.reached):
        return "goal"
    if texts and any(is_heard(each, texts[-1]) for each in user.stop):
        return "stop"
    return "patience" if len(replies) >= user.patience else None


class ScriptedUser(UserPlayer):
    """Says the first reply that fits the agent's last answer."""

    def __init__(self, user: SimulatedUser) -> None:
        super().__init__(user)
        self._given: Counter[int] = Counter()

    @override
    async def _say(self, replies: Sequence[Reply]) -> Said:
        heard = replies[-1].text if replies else ""
        for number, each in enumerate(self.user.replies):
            has_left = each.times is None or self._given[number] < each.times
            if has_left and (each.agent is None or is_heard(each.agent, heard)):
                self._given[number] += 1
                by = f"replies[{number}]"
                return Said(UserLine(turn=len(replies) + 1, text=each.say, by=by))
        return Said(None, "silent")


class RecordedUser(UserPlayer):
    """Says what the user of an earlier trial said, turn by turn, and stops where it did.

    Args:
        user: The user.
        record: What it said then.
        run: The run of that trial.
    """

    def __init__(self, user: SimulatedUser, record: UserRecord, run: str) -> None:
        super().__init__(user)
        self._known = {line.turn: line for line in record.lines}
        self._ended = record.ended
        self.model, self.recorded_in = record.model, run

    @override
    async def _say(self, replies: Sequence[Reply]) -> Said:
        line = self._known.get(len(replies) + 1)
        # a goal that was reached then and is not now must not be told as reached
        ended = self._ended if self._ended in {"stop", "silent"} else "silent"
        return Said(line) if line is not None else Said(None, ended)
