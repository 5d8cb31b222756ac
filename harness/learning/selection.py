"""Which traces are wanted: those that failed, that people disliked, or that an expression means."""

import re
from collections.abc import Mapping
from typing import Any

from harness.errors import HarnessError
from mockserver.model import did_you_mean
from mockserver.templates import Condition, TemplateError, condition
from mockserver.traces.agent_traces import AgentTrace, TracedScore

FAILED, SLOW, DISLIKED = "failed", "slow", "thumbs-down"
_WORDS = (FAILED, SLOW, DISLIKED)
SLOW_SHARE = 0.05
"""The slowest traces of an import that are slow."""

_FEEDBACK = re.compile(r"feedback|thumb|rating|user|like|csat", re.IGNORECASE)
_NEGATIVE = re.compile(
    r"^(?:thumbs?[ _-]?down|down|negative|bad|dislike[d]?|no|false|poor|\N{THUMBS DOWN SIGN}.*)$",
    re.IGNORECASE,
)
NAMES = (
    "agent", "agents", "answer", "conversation", "disliked", "duration_s", "error", "failed", "id",
    "models", "prompt", "rounds", "scores", "system", "tool_errors", "tools", "turns",
)  # fmt: skip
"""What an expression may speak of."""


class Selection:
    """Decides whether a trace is wanted.

    Args:
        wanted: `failed`, `slow`, `thumbs-down` or an expression; empty wants all.

    Raises:
        HarnessError: The expression cannot be read.
    """

    def __init__(self, wanted: str = "") -> None:
        self._word = wanted if wanted in _WORDS else ""
        self._condition: Condition | None = None
        if wanted and not self._word:
            self._condition = _condition(wanted)

    @property
    def is_slowest(self) -> bool:
        """Whether the slowest are wanted, which is known only at the end."""
        return self._word == SLOW

    def wants(self, trace: AgentTrace) -> bool:
        """Whether a trace is wanted, as far as it alone tells.

        Raises:
            HarnessError: The expression fails on it.
        """
        if self._word == FAILED:
            return has_failed(trace)
        if self._word == DISLIKED:
            return is_disliked(trace)
        if self._condition is None:
            return True
        try:
            return self._condition.holds(values_of(trace))
        except TemplateError as error:
            raise HarnessError(f"--only fails on trace {trace.id}: {error}") from None


def _condition(text: str) -> Condition:
    near = did_you_mean(text, _WORDS)
    if near and re.fullmatch(r"[a-z-]+", text) and text not in NAMES:
        raise HarnessError(f"--only {text!r} is neither a word nor an expression", hint=near)
    try:
        return condition(text)
    except TemplateError as error:
        hint = f"{', '.join(_WORDS)}, or an expression over {', '.join(NAMES)}"
        raise HarnessError(f"--only {text!r} is no expression: {error}", hint=hint) from None


def has_failed(trace: AgentTrace) -> bool:
    """Whether a trace ended with an error, or its last call of a tool did."""
    last = trace.calls[-1:]
    return bool(trace.error) or any(call.error is not None for call in last)


def is_disliked(trace: AgentTrace) -> bool:
    """Whether somebody said so."""
    return any(map(_is_negative, trace.scores))


def _is_negative(score: TracedScore) -> bool:
    if _NEGATIVE.match(score.label.strip()):
        return True
    return bool(_FEEDBACK.search(score.name)) and score.value is not None and score.value <= 0


def values_of(trace: AgentTrace) -> Mapping[str, Any]:
    """What an expression may speak of."""
    return {
        "agent": trace.agent,
        "agents": list(trace.agents),
        "answer": trace.turns[-1].answer if trace.turns else "",
        "conversation": trace.conversation,
        "disliked": is_disliked(trace),
        "duration_s": trace.duration_ms / 1000,
        "error": trace.error,
        "failed": has_failed(trace),
        "id": trace.id,
        "models": list(trace.models),
        "prompt": trace.turns[0].user if trace.turns else "",
        "rounds": trace.rounds,
        "scores": {
            each.name: each.label if each.value is None else each.value for each in trace.scores
        },
        "system": trace.system,
        "tool_errors": [call.error for call in trace.calls if call.error is not None],
        "tools": [call.name for call in trace.calls],
        "turns": len(trace.turns),
    }
