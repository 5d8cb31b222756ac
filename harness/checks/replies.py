"""The replies of a trial, or of one of its turns, as text and values."""

from collections.abc import Sequence
from itertools import chain

from harness.trials.records import Reply, TrialRecord
from harness.trials.values import Json

NO_REPLY = "the agent gave no reply{of} to look at"


def replies_of(record: TrialRecord, turn: int | None) -> tuple[Reply, ...]:
    """The replies of one turn, or of all."""
    return tuple(reply for reply in record.replies if turn is None or reply.turn == turn)


def no_reply(turn: int | None) -> str:
    """Why nothing can be said of a turn that was not answered."""
    return NO_REPLY.format(of="" if turn is None else f" in turn {turn}")


def joined_texts(replies: Sequence[Reply]) -> str:
    """The texts of the replies."""
    return "\n\n".join(reply.text for reply in replies)


def texts_and_values(replies: Sequence[Reply]) -> str:
    """The texts of the replies, and the values of their structured answers."""
    values = chain.from_iterable(values_of(reply.metadata) for reply in replies)
    return "\n\n".join([joined_texts(replies), *values])


def is_blank(replies: Sequence[Reply]) -> bool:
    """Whether the replies hold nothing at all."""
    return not texts_and_values(replies).strip()


def is_empty(value: Json) -> bool:
    """Whether a field is there and says nothing."""
    return value is None or (isinstance(value, str | list | dict) and not value)


def values_of(document: Json) -> list[str]:
    """The plain values of a document as text, in order.

    >>> values_of({"a": ["x", {"b": 2}], "c": None})
    ['x', '2']
    """
    found: list[str] = []
    rest = [document]  # a stack and no recursion: an agent may nest as deep as it likes
    while rest:
        value = rest.pop()
        if isinstance(value, dict):
            rest += reversed(value.values())
        elif isinstance(value, list):
            rest += reversed(value)
        elif value is not None:
            found.append(str(value))
    return found
