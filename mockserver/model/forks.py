"""Where a recorded conversation with a model forks, and what changes there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mockserver.model.cassettes import Interaction


@dataclass(frozen=True)
class ForkTerms:
    """What is played, and what changes where.

    Attributes:
        recording: The calls of models of a trial, in order.
        turn: The turn of the model, from 1, that is the first to be asked.
        bases: Variables of base URLs, with what they lead to from there on.
        keys: Variables of keys, with those that the clients are to send.
        model: The name of the model that is asked from there on; empty for the agent's own.
        prompt: The system prompt from there on; None for the agent's own.
    """

    recording: Sequence[Interaction]
    turn: int
    bases: Mapping[str, str] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    model: str = ""
    prompt: str | None = None
