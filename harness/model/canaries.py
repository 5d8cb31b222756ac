"""Whether the machinery around the agent worked, by a question with a known answer."""

from typing import Literal

from harness.trials.values import Frozen


class Canary(Frozen):
    """One question to the mock server whose answer is known.

    Attributes:
        when: Before the trials, when half of them were done, or after them.
        at: RFC 3339.
        error: What was wrong, or an empty string.
        duration_ms: From the opening of its session to the end of the answer, milliseconds.
    """

    when: Literal["before", "middle", "after"]
    at: str
    error: str = ""
    duration_ms: float = 0
