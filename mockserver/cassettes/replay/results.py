"""What a player answers: a recording, or why there is none."""

from dataclasses import dataclass
from typing import NamedTuple

from mockserver.model import Interaction


class Played(NamedTuple):
    """A recording that answers a request.

    Attributes:
        interaction: The recording.
        tape: The name of its cassette.
        number: Its number there, from 1.
        again: Whether it was played before.
        by_kind: Whether it was found with pseudonyms left out, since the cassette's were made with
            another redaction key.
        loosened: Whether it differs from the request in what is not compared.
        warning: Why it may not fit, or an empty string.
    """

    interaction: Interaction
    tape: str
    number: int
    again: bool = False
    by_kind: bool = False
    loosened: bool = False
    warning: str = ""


@dataclass(frozen=True, slots=True)
class Unmatched:
    """Why no recording answers a request.

    Attributes:
        reason: One sentence.
        nearest: The nearest recording, `GET https://host/path (#3 of name.yaml)`, or an empty
            string.
        differs: The fields in which the request differs from it.
        tape: The name of the nearest one's cassette, or an empty string.
        number: The nearest one's number there, from 1; 0 where there is none.
    """

    reason: str
    nearest: str = ""
    differs: tuple[str, ...] = ()
    tape: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True)
class Unused:
    """A recording that was not played.

    Attributes:
        tape: The name of its cassette.
        number: Its number there, from 1.
        method: The HTTP method.
        url: The whole URL.
        passed: Whether it can no longer be played: a write that came after it has been played.
    """

    tape: str
    number: int
    method: str
    url: str
    passed: bool = False


@dataclass(frozen=True, slots=True)
class Conflict:
    """One request that two cassettes answer differently; the earlier cassette answers first.

    Attributes:
        method: The HTTP method.
        url: The whole URL in the earlier cassette.
        first: The name of the earlier cassette, and the number there.
        second: The name of the later cassette, and the number there.
    """

    method: str
    url: str
    first: tuple[str, int]
    second: tuple[str, int]
