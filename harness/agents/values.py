"""What an agent hands over, as JSON that can be written down: text is Unicode, depth is bounded.

Agents cut text in the middle of a character, write numbers that JSON does not have, and hand over
whatever their language holds. None of that may break the record of a trial.
"""

import json
import math

import orjson

from harness.agents.protocol import AgentFailedError
from harness.agents.text import well_formed
from harness.model import Json

DEEPEST = 100
"""Levels of lists and objects within one value of a reply."""

TOO_DEEP = f"the reply is nested more than {DEEPEST} levels deep"

_INTEGER_BITS = 64
"""A larger integer is kept as what readers of JSON make of it anyway: a float."""


def decoded(content: bytes | str) -> Json:
    r"""Decode JSON, also with characters cut in half, which agents that cut text do write.

    Raises:
        AgentFailedError: It is nested too deeply.
        ValueError: It is not JSON; the message says where.

    >>> decoded('{"text": "cut \\ud83e"}')
    {'text': 'cut \ud83e'}
    """
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError as error:
        if "depth" in error.msg:
            raise _too_deep() from None
        if "surrogate" not in error.msg:
            raise
    try:
        return json.loads(content)
    except RecursionError:
        raise _too_deep() from None


def plain(value: Json, depth: int = 0) -> Json:
    r"""A copy that is JSON and nothing else: halves of characters replaced, NaN as null.

    Raises:
        AgentFailedError: It is nested too deeply, or holds what JSON does not have.

    >>> plain({"a": ("cut \ud83e", float("nan"))})
    {'a': ['cut \ufffd', None]}
    """
    match value:
        case str():
            return well_formed(value)
        case None | bool():
            return value
        case int() | float():
            return _number(value)
        case dict() | list() | tuple() if depth >= DEEPEST:
            raise _too_deep()
        case dict():
            return {_key(name): plain(item, depth + 1) for name, item in value.items()}
        case list() | tuple():
            return [plain(item, depth + 1) for item in value]
        case _:
            kind = type(value).__name__
            raise AgentFailedError(f"the reply holds a {kind}, which JSON does not have")


def _number(value: float) -> float | None:
    if isinstance(value, int) and value.bit_length() < _INTEGER_BITS:
        return value
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _key(name: object) -> str:
    if isinstance(name, str):
        return well_formed(name)
    raise AgentFailedError(f"the reply holds an object with a key that is a {type(name).__name__}")


def _too_deep() -> AgentFailedError:
    return AgentFailedError(TOO_DEEP)
