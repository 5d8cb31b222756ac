"""A simulated user: what it wants, how it speaks, and when it stops."""

from pydantic import Field, field_validator, model_validator

from harness.trials.regexes import PatternError, search_pattern
from harness.trials.values import Frozen


class HeardPattern(Frozen):
    """A text in which a regular expression (RE2) occurs, in any case."""

    regex: str = Field(min_length=1)

    @field_validator("regex")
    @classmethod
    def _is_pattern(cls, text: str) -> str:
        try:
            search_pattern(text)
        except PatternError as error:
            raise ValueError(f"not a regular expression: {error}") from error
        return text


Heard = str | HeardPattern
"""What the agent must have said: a text that occurs in its answer, in any case, or a pattern."""


def is_heard(wanted: Heard, text: str) -> bool:
    """Whether an answer says it.

    >>> is_heard("order number", "Your Order Number, please."), is_heard("no", "Yes.")
    (True, False)
    """
    if isinstance(wanted, str):
        return wanted.casefold() in text.casefold()
    return search_pattern(wanted.regex).search(text)


class UserReply(Frozen):
    """What a simulated user says when the agent said something.

    Attributes:
        agent: What the agent's last answer must say; anything when None.
        say: What the user says.
        times: How often it says so; None for always.
    """

    agent: Heard | None = None
    say: str = Field(min_length=1, pattern=r"\S")
    times: int | None = Field(default=None, ge=1)


class SimulatedUser(Frozen):
    """A user who goes on after the turns of a case, until it has what it wants or gives up.

    Attributes:
        goal: What it wants, for a model that plays it and for readers.
        persona: Who it is and how it speaks, likewise.
        reached: What the agent must have said for the goal to be reached, each in any answer.
        stop: What the agent says when the user gives up.
        patience: Turns after which it gives up, those of the case included.
        replies: What it says; the first that fits is said. Where none fits, it falls silent.
        model: The model that plays it, `openai:NAME` or `anthropic:NAME`; the replies when empty.
    """

    goal: str = ""
    persona: str = ""
    reached: tuple[Heard, ...] = ()
    stop: tuple[Heard, ...] = ()
    patience: int = Field(default=8, ge=1, le=100)
    replies: tuple[UserReply, ...] = ()
    model: str = ""

    @field_validator("reached", "stop", mode="before")
    @classmethod
    def _one_or_more(cls, value: object) -> object:
        return (value,) if isinstance(value, str | dict) else value

    @field_validator("reached", "stop")
    @classmethod
    def _says_something(cls, value: tuple[Heard, ...]) -> tuple[Heard, ...]:
        if any(isinstance(each, str) and not each.strip() for each in value):
            raise ValueError("an empty text is in every answer")
        return value

    @model_validator(mode="after")
    def _can_speak(self) -> "SimulatedUser":
        if not self.replies and not self.model and not self.goal:
            raise ValueError("it has nothing to say: give replies, or a goal and a model")
        if self.model and not self.goal:
            raise ValueError("a model that plays a user needs a goal")
        return self
