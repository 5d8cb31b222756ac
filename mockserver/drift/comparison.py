"""Compares two surveys: what was added, changed or removed, and whether a recording is too old."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta

import orjson

from mockserver.drift.changes import Change, Tier, sort_changes
from mockserver.drift.shapes import DEEPEST, ITEM, Field, Path, Shape, Subject, pointer, type_of
from mockserver.drift.surveys import SERVER, Definitions, Survey
from mockserver.errors import MockServerError
from mockserver.model import Json
from mockserver.state import parse_rfc3339

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


_AGE = re.compile(r"(\d{1,6})\s*([hdw])")
_HOURS = {"h": 1, "d": 24, "w": 168}


def compare(old: Survey, new: Survey) -> tuple[Change, ...]:
    """All differences, the worst tier first, then by subject and path.

    A field is gone only if what it was in is still there: an empty list tells nothing of its items.

    Raises:
        MockServerError: One is of a recording and the other of a snapshot.
    """
    if old.kind != new.kind:
        raise MockServerError(
            f"{old.name} is a {old.kind} and {new.name} a {new.kind}",
            hint="compare two cassettes, or two snapshots",
        )
    changes: list[Change] = []
    for name in sorted(old.subjects.keys() | new.subjects.keys()):
        changes += _subject_changes(name, old.subjects.get(name), new.subjects.get(name))
    changes += compare_definitions(old.definitions, new.definitions)
    return sort_changes(changes)


def _subject_changes(name: str, old: Subject | None, new: Subject | None) -> Iterator[Change]:
    if old is None:
        yield Change(Tier.ADDED, name, "", "was not there")
    elif new is None:
        yield Change(Tier.REMOVED, name, "", "is not there any more")
    elif old.succeeded and not new.succeeded:
        text = f"only fails now: {_list_statuses(new.statuses)}, was {_list_statuses(old.statuses)}"
        yield Change(Tier.REMOVED, name, "", text)
    else:
        yield from _count_changes(name, old, new)
        yield from _shape_changes(name, old.shape, new.shape)


def _count_changes(name: str, old: Subject, new: Subject) -> Iterator[Change]:
    if old.statuses.keys() != new.statuses.keys():
        text = f"answers with {_list_statuses(new.statuses)}, was {_list_statuses(old.statuses)}"
        yield Change(Tier.VALUES, name, "", text)
    what = "answers" if old.statuses else "resources"
    if old.count != new.count:
        yield Change(Tier.COUNT, name, "", f"{new.count} {what}, were {old.count}")
    if old.pages != new.pages:
        yield Change(Tier.COUNT, name, "", f"{new.pages} further pages, were {old.pages}")


def _shape_changes(name: str, old: Shape, new: Shape) -> Iterator[Change]:
    if not old or not new:
        return  # nothing was answered, so nothing is known
    for path in old.keys() | new.keys():
        before, after = old.get(path), new.get(path)
        where = pointer(path)
        if before is None:
            if after is not None and _could_have(path, old):
                yield Change(Tier.ADDED, name, where, f"was not there; is {_types(after)}")
        elif after is None:
            if _could_have(path, new):
                yield Change(Tier.REMOVED, name, where, f"is gone; was {_types(before)}")
        else:
            yield from _field_changes(name, where, before, after)
            yield from _presence_changes(name, path, old, new)


def _could_have(path: Path, other: Shape) -> bool:
    """Whether a shape would have a field if there were one; items of empty lists tell nothing."""
    if not path or path[-1] == ITEM:
        return False
    parent = other.get(path[:-1])
    return parent is not None and "object" in parent.types


def _field_changes(name: str, where: str, old: Field, new: Field) -> Iterator[Change]:
    if _kinds(new) - _kinds(old):
        yield Change(Tier.TYPE, name, where, f"is {_types(new)}; was {_types(old)}")
    if not old.words:
        return
    if new.words is None:
        text = f"has values of any kind; was one of {_list_some(old.words)}"
        yield Change(Tier.VALUES, name, where, text)
    elif new.words and new.words != old.words:
        yield Change(Tier.VALUES, name, where, _word_changes(old.words, new.words))


def _word_changes(old: set[str], new: set[str]) -> str:
    told = [f"new: {_list_some(new - old)}"] * bool(new - old)
    told += [f"not seen: {_list_some(old - new)}"] * bool(old - new)
    return "; ".join(told)


def _presence_changes(name: str, path: Path, old: Shape, new: Shape) -> Iterator[Change]:
    """A field that was in every object and now is not, or the other way round.

    Yields:
        The change, if there is one.
    """
    if not path or path[-1] == ITEM:
        return
    seen_before, seen_now = old[path].seen, new[path].seen
    all_before, all_now = (shape[path[:-1]].types["object"] for shape in (old, new))
    if (seen_before < all_before) != (seen_now < all_now):
        text = f"in {seen_now} of {all_now}, was in {seen_before} of {all_before}"
        yield Change(Tier.COUNT, name, pointer(path), text)


def _kinds(found: Field) -> set[str]:
    """Types, where one that has fractions may be whole as well."""
    kinds = set(found.types)
    return kinds | {"integer"} if "number" in kinds else kinds


def _types(found: Field) -> str:
    return " or ".join(sorted(found.types))


def _list_some(words: Iterable[str]) -> str:
    named = sorted(words)
    more = len(named) - _SHOWN
    return ", ".join(named[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _list_statuses(statuses: Mapping[int, int]) -> str:
    return ", ".join(map(str, sorted(statuses)))


def read_age(text: str) -> timedelta:
    """Read an age such as `90d`, `12w` or `36h`.

    Raises:
        MockServerError: It is none.

    >>> read_age("90d").days
    90
    """
    found = _AGE.fullmatch(text.strip())
    if found is None:
        raise MockServerError(f"{text!r} is no age", hint="write hours, days or weeks: 36h, 90d")
    return timedelta(hours=int(found[1]) * _HOURS[found[2]])


def staleness(survey: Survey, limit: timedelta, now: datetime) -> str:
    """Why a recording is too old, one sentence; empty where it is not.

    One that does not say when it was taken is too old: nobody could ever tell.
    """
    if not survey.taken_at:
        return f"{survey.name} does not say when it was taken"
    try:
        age = now - parse_rfc3339(survey.taken_at)
    except ValueError:
        return f"{survey.name} was taken at {survey.taken_at!r}, which is no RFC 3339 timestamp"
    if age <= limit:
        return ""
    return f"{survey.name} is {age.days} days old ({survey.taken_at}), more than {_age_text(limit)}"


def _age_text(limit: timedelta) -> str:
    return f"{limit.days} days" if limit.days else f"{limit.seconds // 3600} hours"
