"""What a judge's answer says: the last verdict in it, if it is on the menu."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.model import Json

TOOL = "verdict"
_LONGEST_REASON = 600
_MOST_OBJECTS = 200


@dataclass(frozen=True, slots=True)
class Verdict:
    """One verdict: which, why, and what is wrong with it (empty when it counts)."""

    verdict: str = ""
    reason: str = ""
    error: str = ""


def last_verdict(said: Sequence[Json], menu: Sequence[str]) -> Verdict:
    """The last verdict of an answer.

    Args:
        said: The parts of the answer, in order: texts, and the arguments of tool calls.
        menu: The verdicts that count; case does not matter.
    """
    found = [each for part in said for each in _verdicts(part)]
    if not found:
        return Verdict(error="it gave no verdict")
    chosen, reason = _text(found[-1][TOOL]), _text(found[-1].get("reason", ""))[:_LONGEST_REASON]
    for each in menu:
        if each.casefold() == chosen.casefold():
            return Verdict(each, reason)
    known = ", ".join(menu)
    return Verdict(reason=reason, error=f"{chosen[:60]!r} is not on the menu ({known})")


def _text(value: Json) -> str:
    """A value as one line that can be written to a file."""
    return " ".join(str(value).encode("utf-8", "replace").decode().split())


def _verdicts(part: Json) -> Iterator[dict[str, Json]]:
    if isinstance(part, str):
        yield from (each for each in _objects(part) if TOOL in each)
    elif isinstance(part, dict) and TOOL in part:
        yield part


def _objects(text: str) -> Iterator[dict[str, Json]]:
    """The JSON objects of a text, in order.

    Yields:
        The outermost objects.
    """
    decoder, at = json.JSONDecoder(), text.find("{")
    for _ in range(_MOST_OBJECTS):
        if at < 0:
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield value
        at = text.find("{", end)
