"""References of a plan, `${orgUnits.organizationUnits[*].orgUnitId|tail}`: found and followed.

A reference is a name (a variable, an earlier call, a name of `for_each`) and a path below it: `.x`
is a field, `[0]` an item, `[*]` every item. `|tail` takes what follows the last `/` or `:`.
`${now}` is the moment of the capture, `${now-7d}` a week before (units s, m, h, d). A text that is
one reference becomes what is referred to; inside a longer text it has to be text or a number.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta

from mockserver.errors import MockServerError
from mockserver.model import Json
from mockserver.state import parse_rfc3339, rfc3339

NOW = "now"
"""The name of the moment of the capture."""

_REFERENCE = re.compile(r"\$\{([^{}]*)\}")
_FORM = re.compile(
    r"(?P<name>[A-Za-z][A-Za-z0-9_]*)(?P<path>(?:\.[A-Za-z0-9_-]+|\[(?:\*|\d+)\])*)"
    r"(?P<offset>[+-]\d+[smhd])?(?P<tail>\|tail)?"
)
_STEP = re.compile(r"\.([A-Za-z0-9_-]+)|\[(\*|\d+)\]")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
Place = tuple[str | int, ...]


class ReferenceFailureError(MockServerError):
    """A reference that cannot be read, or leads nowhere."""


def references_in(value: Json, place: Place = ()) -> Iterator[tuple[Place, str]]:
    """Every name that a value refers to, with its place.

    A reference that cannot be read is told by its whole text.

    Yields:
        Place and name.

    >>> list(references_in({"a": ["x ${unit.id}", "${now-1d}"]}))
    [(('a', 0), 'unit'), (('a', 1), 'now')]
    """
    if isinstance(value, str):
        for text in _REFERENCE.findall(value):
            form = _FORM.fullmatch(text)
            yield place, form["name"] if form else f"${{{text}}}"
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from references_in(inner, (*place, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from references_in(inner, (*place, number))


def filled(value: Json, known: Mapping[str, Json]) -> Json:
    """A value with its references followed.

    Args:
        value: As the plan has it.
        known: Name to what it stands for; `now` is an RFC 3339 timestamp.

    Raises:
        ReferenceFailureError: A name is unknown, a path leads nowhere, or a list or an object is
            in the middle of a text.

    >>> filled("orgunits/${unit.id|tail}", {"unit": {"id": "id:03ph2"}})
    'orgunits/03ph2'
    >>> filled("${now-1d}", {"now": "2026-11-20T09:00:00Z"})
    '2026-11-19T09:00:00.000Z'
    """
    if isinstance(value, str):
        return _text(value, known)
    if isinstance(value, dict):
        return {key: filled(inner, known) for key, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, known) for inner in value]
    return value


def _text(text: str, known: Mapping[str, Json]) -> Json:
    whole = _REFERENCE.fullmatch(text)
    if whole:
        return _followed(whole[1], known)

    def inside(match: re.Match[str]) -> str:
        found = _followed(match[1], known)
        if isinstance(found, dict | list) or found is None:
            raise ReferenceFailureError(
                f"${{{match[1]}}} is {_kind(found)} and stands inside of a text",
                hint="refer to a text or a number",
            )
        return str(found).lower() if isinstance(found, bool) else str(found)

    return _REFERENCE.sub(inside, text)


def _followed(text: str, known: Mapping[str, Json]) -> Json:
    form = _FORM.fullmatch(text)
    if form is None:
        raise ReferenceFailureError(
            f"${{{text}}} is no reference", hint="such as ${unit.orgUnitId|tail} or ${now-7d}"
        )
    if form["name"] not in known:
        raise ReferenceFailureError(f"${{{text}}}: nothing is called {form['name']!r}")
    found = _below(known[form["name"]], form["path"], text)
    if form["offset"]:
        found = _moved(found, form["offset"], text)
    return _tails(found) if form["tail"] else found


def _below(value: Json, path: str, text: str) -> Json:
    steps = _STEP.findall(path)
    for number, (name, index) in enumerate(steps):
        if index == "*":
            rest = "".join(
                f".{name}" if name else f"[{index}]" for name, index in steps[number + 1 :]
            )
            return _every(value, rest, text)
        if name and isinstance(value, dict):
            value = value.get(name)
        elif index and isinstance(value, list) and int(index) < len(value):
            value = value[int(index)]
        else:
            raise ReferenceFailureError(
                f"${{{text}}} leads nowhere: there is {_kind(value)} before"
                f" {name or f'[{index}]'!r}"
            )
    return value


def _every(value: Json, rest: str, text: str) -> list[Json]:
    """What is at `rest` below every item; items without it are left out, lists are joined."""
    found: list[Json] = []
    for item in value if isinstance(value, list) else ():
        try:
            inner = _below(item, rest, text)
        except ReferenceFailureError:
            continue
        if isinstance(inner, list) and "[*]" in rest:
            found += inner
        elif inner is not None:
            found.append(inner)
    return found


def _moved(moment: Json, offset: str, text: str) -> Json:
    step = timedelta(**{_UNITS[offset[-1]]: int(offset[:-1])})
    try:
        return rfc3339(parse_rfc3339(str(moment)) + step)
    except ValueError as error:
        raise ReferenceFailureError(f"${{{text}}}: {error}") from error


def _tails(value: Json) -> Json:
    if isinstance(value, list):
        return [_tails(inner) for inner in value]
    return re.split(r"[/:]", str(value))[-1]


def _kind(value: Json) -> str:
    kinds: dict[type, str] = {dict: "an object", list: "a list", type(None): "nothing"}
    return kinds.get(type(value), "a value")
