"""When a turn may be tried again, and after which pause."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import perf_counter

from harness.agents.protocol import AgentFailedError, AgentUnreachableError, Transcript
from harness.model import Attempt

RETRIED_STATUSES = frozenset({429, 502, 503, 504})

FIRST_PAUSE_S = 0.25
FACTOR = 1.8
LONGEST_PAUSE_S = 5.0


class TransportError(Exception):
    """The turn failed before the first byte of an answer, so that trying again repeats nothing.

    Attributes:
        wait_s: The pause that the agent asks for, seconds, or None.
    """

    def __init__(self, message: str, *, wait_s: float | None = None) -> None:
        super().__init__(message)
        self.wait_s = wait_s


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a turn is tried again, with pauses that grow and differ between trials.

    Attributes:
        times: Further attempts after the first.
        key: What the spread of the pauses is derived from; equal keys pause alike.
    """

    times: int
    key: str = ""

    def pause_s(self, number: int, asked: float | None = None) -> float:
        """Seconds to wait after a failed attempt (numbered from 1).

        >>> Retries(times=2).pause_s(1) <= Retries(times=2).pause_s(9) <= LONGEST_PAUSE_S
        True
        """
        if asked is not None:
            return min(asked, LONGEST_PAUSE_S)
        digest = hashlib.sha256(f"{self.key}/{number}".encode()).digest()
        spread = 0.5 + digest[0] / 510  # 0.5 to 1
        return min(FIRST_PAUSE_S * FACTOR ** (number - 1), LONGEST_PAUSE_S) * spread

    async def turn(
        self, transcript: Transcript, number: int, attempt: Callable[[], Awaitable[None]]
    ) -> None:
        """Try one turn until it is answered; every attempt is noted in the transcript.

        Raises:
            AgentFailedError: The agent failed; that is never tried again.
            AgentUnreachableError: Every attempt met a transport error.
        """
        for tried in range(1, self.times + 2):
            start = perf_counter()
            note = Attempt(turn=number, number=tried)
            try:
                await attempt()
            except TransportError as error:
                last = tried > self.times
                pause = 0.0 if last else self.pause_s(tried, error.wait_s)
                transcript.attempts.append(_noted(note, start, str(error), pause))
                if last:
                    raise AgentUnreachableError(str(error)) from None
                await asyncio.sleep(pause)
            except (AgentFailedError, AgentUnreachableError) as error:
                transcript.attempts.append(_noted(note, start, str(error)))
                raise
            else:
                transcript.attempts.append(_noted(note, start))
                return


def _noted(note: Attempt, start: float, error: str = "", pause_s: float = 0) -> Attempt:
    took = (perf_counter() - start) * 1000
    return note.model_copy(
        update={"error": error, "duration_ms": took, "waited_ms": pause_s * 1000}
    )
