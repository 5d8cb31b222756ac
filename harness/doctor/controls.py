"""Control trials: a case without what it adds to the base, with canaries, in an empty world.

Canaries replace the values that a case asks for by others of the same shape. An agent that looks
answers with the canary, and fails; one that passes did not look, or the case does not ask for what
its fixtures hold.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any

from harness.model import Case, Fixtures, Json, JsonObject

_SEPARATORS = re.compile(r"[\s=,;()\[\]{}\"'`<>|/]+")
_TIME = re.compile(r"\d{4}-\d\d(-\d\d.*)?$|\d+$")
_PATH = re.compile(r"(?:/[A-Za-z0-9_-]+)+")
_SHORTEST = 4
_KEPT = 4
"""Leading characters of an identifier that stay: many carry their kind there."""


def quoted_values(case: Case) -> tuple[str, ...]:
    """What looks like a value of the fixtures in what a case requires, each once, in order.

    Words are left alone: only identifiers, addresses, codes and the like can be changed without
    changing the language of the world.
    """
    texts = (
        text
        for item in case.expect
        if item.required and item.quotes_values and getattr(item, "match", "all") == "all"
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
        _other_letter(letter, byte) for letter, byte in zip(local[kept:], noise[kept:], strict=True)
    )
    return f"{local[:kept]}{changed}{at}{domain}"


def replace_values(world: Json, values: dict[str, str]) -> Json:
    """A world with values (and keys that are values) replaced, wherever they stand as a whole."""
    if not values:
        return world
    known = {value.casefold(): other for value, other in values.items()}
    longest_first = sorted(values, key=len, reverse=True)
    pattern = re.compile(
        rf"(?<![A-Za-z0-9])({'|'.join(map(re.escape, longest_first))})(?![A-Za-z0-9])",
        re.IGNORECASE,
    )
    return _change_texts(
        world, lambda text: pattern.sub(lambda hit: known[hit[0].casefold()], text)
    )


def canary_values(case: Case, world: Json, *, identifiers: bool = False) -> dict[str, str]:
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
        for value in quoted_values(case)
        if value.casefold() not in keys
        and (not identifiers or re.search(r"[@0-9]", value))
        and _stands_in(value.casefold(), held)
    ]
    return {value: canary(value, case.id) for value in found}


def visible_world(case: Case, merged: JsonObject) -> JsonObject:
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


def _other_letter(letter: str, byte: int) -> str:
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


def _change_texts(value: Json, change: Any) -> Json:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {
            change(key) if "@" in key else key: _change_texts(item, change)
            for key, item in value.items()
        }
    return [_change_texts(item, change) for item in value] if isinstance(value, list) else value


@dataclass(frozen=True, slots=True)
class Control:
    """A case in another world; what it expects is the same.

    Attributes:
        case: The case as it is run.
        layers: What is laid over its snapshot.
        changed: What was changed, value to canary; empty where something was taken away.
        only_faults: Whether nothing but faults was taken away.
    """

    case: Case
    layers: tuple[JsonObject, ...] = ()
    changed: tuple[tuple[str, str], ...] = ()
    only_faults: bool = False


def on_base_alone(case: Case) -> Control | None:
    """A case without overrides, faults, files, workspace and recordings; None if it has none."""
    fixtures = case.fixtures
    added = any((fixtures.overrides, fixtures.files, fixtures.workspace, fixtures.cassettes))
    if not added and not fixtures.faults:
        return None
    bare = Fixtures(base=fixtures.base, clock=fixtures.clock, seed=fixtures.seed)
    return Control(case.model_copy(update={"fixtures": bare}), only_faults=not added)


def in_empty_world(case: Case, merged: JsonObject) -> Control | None:
    """A case in a world that holds nothing; None when its world holds nothing anyway."""
    if not merged:
        return None
    empty = Fixtures(base=False, clock=case.fixtures.clock, seed=case.fixtures.seed)
    moment = {name: merged[name] for name in ("capturedAt",) if name in merged}
    return Control(case.model_copy(update={"fixtures": empty}), (moment,) if moment else ())


def with_canaries(case: Case, merged: JsonObject, *, identifiers: bool = False) -> Control | None:
    """A case in whose world the values that it asks for are others; None when it asks for none.

    Args:
        case: The case.
        merged: Its snapshot.
        identifiers: Whether words of an API stay, for a world that has no others in their place.
    """
    world = visible_world(case, merged)
    values = canary_values(case, world, identifiers=identifiers)
    if not values:
        return None
    changed = replace_values(world, values)
    fixtures = case.fixtures.model_copy(
        update={"overrides": (), "base": False, "workspace": changed["workspace"]}
    )
    request = None if case.request is None else changed["request"]
    return Control(
        case.model_copy(update={"fixtures": fixtures, "request": request}),
        (changed["snapshot"],),
        tuple(values.items()),
    )
