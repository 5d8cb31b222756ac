"""What every expectation is made of."""

from typing import Annotated

from pydantic import Field

from harness.model.values import Frozen

Needle = Annotated[str, Field(min_length=1)]
"""A text to look for: never empty, for an empty one is in everything."""


class AnyExpectation(Frozen):
    """What all kinds of expectations share.

    Attributes:
        turn: The turn it speaks of, from 1; None for the whole trial.
        required: False makes its result informational.
    """

    turn: int | None = None
    required: bool = True
