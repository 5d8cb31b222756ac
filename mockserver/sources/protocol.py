"""What every source is: it answers a call, or says that it has no answer."""

from dataclasses import dataclass
from typing import Protocol

from mockserver.googleapi import ApiError
from mockserver.sources.exchange import Exchange
from mockserver.sources.response import Response


@dataclass(frozen=True, slots=True)
class SourceMiss:
    """A source has no answer to a call; the next one is asked.

    Attributes:
        error: What the call is refused with where no other source has one, or None.
    """

    error: ApiError | None = None


NOTHING = SourceMiss()
"""A source has nothing for the call, and nothing to say of it."""


class Source(Protocol):
    """One of the places that answers come from."""

    def serves(self, exchange: Exchange) -> bool:
        """Whether it is asked: by the session's sources and by what the call means alone."""
        ...

    def answer(self, exchange: Exchange) -> Response | SourceMiss:
        """Answer a call.

        Args:
            exchange: The call. Its `response` already holds the delay and the damage of faults, and
                the parameters that were ignored.

        Returns:
            The answer: `exchange.response`, filled in, or a response made anew, which takes its
            place with all that it holds; or a miss, after which the next source is asked.

        Raises:
            ApiError: The answer is an error; no other source is asked.
        """
        ...
