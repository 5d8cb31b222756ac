"""Canaries: the values that a case asks for, replaced in its world by others of the same shape.

An agent that looks answers with the canary, and fails; one that passes all the same did not look,
or the case does not ask for what its fixtures hold.
"""

import hashlib
import re
from collections.abc import Iterator
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any

from harness.model import Case, Json, JsonObject

_QUOTING = frozenset(
    {"evidence", "text_contains", "patterns", "tool_calls", "server_requests", "server_state"}
    | {"files", "milestones"}
)
"""Kinds of expectations that ask for what they quote, word by word."""

_SEPARATORS = re.compile(r"[\s=,;()\[\]{}\"'`<>|/]+")
_TIME = re.compile(r"\d{4}-\d\d(-\d\d.*)?$|\d+$")
_PATH = re.compile(r"(?:/[A-Za-z0-9_-]+)+")
_SHORTEST = 4
_KEPT = 4
"""Leading characters of an identifier that stay: many carry their kind there."""


def quoted(case: Case) -> tuple[str, ...]:
    """What looks like a value of the fixtures in what a case requires, each once, in order.

    Words are left alone: only identifiers, addresses, codes and the like can be changed without
    changing the language of the world.
    """
    texts = (
        text
        for item in case.expect
        if item.required and item.kind in _QUOTING and getattr(item, "match", "all") == "all"
        for text in _texts(
            item.model_dump(mode="json", exclude={"kind", "turn", "required", "mode", "match"})
        )
    )
    asked = "\n".join(turn.user for turn in case.turns).casefold()
    tokens = (token for text in texts for token in _tokens(text))
    return tuple(dict.fromkeys(token for token in tokens if token.casefold() not in asked))


def canary(value: str, seed: str) -> str:
    """Another value of the same shape: letters for letters, digits for digits, the rest as it is.

    >>> canary("POLICY_LIMIT", "a") != "POLICY_LIMIT", len(canary("POLICY_LIMIT", "a"))
    (True, 12)
    """
    local, at, domain = value.partition("@")
    kept = _KEPT if any(letter.isdigit() for letter in local) and len(local) > 2 * _KEPT else 0
    noise = hashlib.shake_256(f"{seed} {value.casefold()}".encode()).digest(len(local))
    changed = "".join(
        _other(letter, byte) for letter, byte in zip(local[kept:], noise[kept:], strict=True)
    )
    return f"{local[:kept]}{changed}{at}{domain}"


def replaced(world: Json, values: dict[str, str]) -> Json:
    """A world with values (and keys that are values) replaced, wherever they stand as a whole."""
    if not values:
        return world
    known = {value.casefold(): other for value, other in values.items()}
    longest_first = sorted(values, key=len, reverse=True)
    pattern = re.compile(
        rf"(?<![A-Za-z0-9])({'|'.join(map(re.escape, longest_first))})(?![A-Za-z0-9])",
        re.IGNORECASE,
    )
    return _walked(world, lambda text: pattern.sub(lambda hit: known[hit[0].casefold()], text))


def canaries(case: Case, world: Json, *, identifiers: bool = False) -> dict[str, str]:
    """The values that a case asks for and its world holds, each with its canary.

    Args:
        case: The case.
        world: All that an agent can look into.
        identifiers: Only what holds digits or an `@`: the words of an API (`EXPIRED`) stay.
    """
    keys = {key.casefold() for key in _keys(world) if "@" not in key}
    held = "\n".join(_texts(world)).casefold()
    found = [
        value
        for value in quoted(case)
        if value.casefold() not in keys
        and (not identifiers or re.search(r"[@0-9]", value))
        and _stands_in(value.casefold(), held)
    ]
    return {value: canary(value, case.id) for value in found}


def world_of(case: Case, merged: JsonObject) -> JsonObject:
    """Everything of a case that an agent can look into: snapshot, workspace, request."""
    request = case.request or {}
    return {"snapshot": merged, "workspace": case.fixtures.workspace, "request": request}


def _stands_in(value: str, text: str) -> bool:
    return re.search(rf"(?<![a-z0-9]){re.escape(value)}(?![a-z0-9])", text) is not None


def _tokens(text: str) -> Iterator[str]:
    named = {path[0].rpartition("/")[2] for path in _PATH.finditer(text)}
    for part in _SEPARATORS.split(text):
        token = part.strip(".:!?*")
        if len(token) >= _SHORTEST and (_is_value(token) or token in named):
            yield token


def _is_value(token: str) -> bool:
    if _TIME.match(token) or not token.isascii():
        return False
    mixed = any(letter.isdigit() for letter in token)
    inner = any(letter.isupper() for letter in token[1:])
    return mixed or inner or "_" in token or "@" in token


def _other(letter: str, byte: int) -> str:
    for alphabet in (ascii_lowercase, ascii_uppercase, digits):
        if letter in alphabet:
            step = 1 + byte % (len(alphabet) - 1)  # never the letter itself
            return alphabet[(alphabet.index(letter) + step) % len(alphabet)]
    return letter


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            if "@" in key:
                yield key
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _keys(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from _keys(item)


def _walked(value: Json, change: Any) -> Json:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {
            change(key) if "@" in key else key: _walked(item, change) for key, item in value.items()
        }
    return [_walked(item, change) for item in value] if isinstance(value, list) else value
