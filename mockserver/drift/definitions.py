"""Compares what MCP servers list: tools and their schemas, resources, prompts."""

from collections.abc import Iterator

import orjson

from mockserver.drift.changes import Change, Tier
from mockserver.drift.mcp import SERVER, Definitions
from mockserver.drift.shapes import DEEPEST, pointer, type_of
from mockserver.model import Json

_SHOWN = 6
_SHORT = 40
"""Longer texts are not quoted."""


def compare_definitions(old: Definitions, new: Definitions) -> Iterator[Change]:
    """What is listed otherwise: things that came and went, schemas, descriptions.

    Yields:
        Each difference, of the kinds that both have lists of.
    """
    for kind in sorted(old.keys() & new.keys()):
        before, after = old[kind], new[kind]
        for name in sorted(before.keys() | after.keys()):
            subject = _subject(kind, name)
            if name not in after:
                yield Change(Tier.REMOVED, subject, "", "is not listed any more")
            elif name not in before:
                yield Change(Tier.ADDED, subject, "", "was not listed")
            else:
                yield from _value_changes(subject, (), before[name], after[name])


def _subject(kind: str, name: str) -> str:
    """What a definition is called; a tool and a prompt as their calls are."""
    if kind == SERVER:
        return "mcp.server"
    return f"{kind}.{name}" if kind in {"tools", "prompts"} else f"{kind} {name}"


def _value_changes(subject: str, path: tuple[str, ...], old: Json, new: Json) -> Iterator[Change]:
    where = pointer(path)
    if isinstance(old, dict) and isinstance(new, dict) and len(path) < DEEPEST:
        for name in sorted(old.keys() | new.keys()):
            inner = (*path, name)
            if name not in new:
                tier = Tier.REMOVED if path and path[-1] == "properties" else Tier.VALUES
                yield Change(tier, subject, pointer(inner), "is gone")
            elif name not in old:
                yield Change(Tier.ADDED, subject, pointer(inner), "was not there")
            else:
                yield from _value_changes(subject, inner, old[name], new[name])
    elif old != new:
        yield Change(_tier(path, old, new), subject, where, _difference(old, new))


def _tier(path: tuple[str, ...], old: Json, new: Json) -> Tier:
    """How much a changed value may break: a new duty of callers breaks their calls."""
    name = path[-1] if path else ""
    if name == "required" and isinstance(old, list) and isinstance(new, list):
        return Tier.REMOVED if set(_words(new)) - set(_words(old)) else Tier.VALUES
    return Tier.TYPE if name == "type" or type_of(old) != type_of(new) else Tier.VALUES


def _difference(old: Json, new: Json) -> str:
    if isinstance(old, list) and isinstance(new, list):
        came = [word for word in _words(new) if word not in _words(old)]
        gone = [word for word in _words(old) if word not in _words(new)]
        told = [f"new: {', '.join(came[:_SHOWN])}"] * bool(came)
        told += [f"gone: {', '.join(gone[:_SHOWN])}"] * bool(gone)
        return "; ".join(told) or "is in another order"
    if isinstance(old, str) and isinstance(new, str) and max(len(old), len(new)) > _SHORT:
        return "says something else"
    return f"is {_written(new)}; was {_written(old)}"


def _words(values: list[Json]) -> list[str]:
    return [_written(value) for value in values]


def _written(value: Json) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()[:_SHORT]
