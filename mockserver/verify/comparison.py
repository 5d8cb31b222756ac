"""How a given answer differs from the recorded one."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from mockserver.collections.places import value_at
from mockserver.messages import header, media_type, read_json
from mockserver.model import Header, Json
from mockserver.verify.values import Translation

Kind = Literal["status", "missing", "value", "body", "order", "header", "extra"]
KINDS: tuple[Kind, ...] = ("status", "missing", "value", "body", "order", "header", "extra")
UNSAID: frozenset[Kind] = frozenset({"status", "missing", "value", "body"})
"""Differences by which something that the live service said is not said, or said otherwise."""

_IDENTITIES = ("name", "id", "key", "selfLink", "email", "emailAddress", "uri", "type", "role")
_HEADERS = ("location", "etag", "retry-after", "link", "content-range", "range", "content-location")
_DEPTH = 64


class Difference(NamedTuple):
    """One thing that is said otherwise.

    Attributes:
        kind: What differs.
        field: Where: `a.b[].c`; a header's name; of a status both of them.
        recorded: What was recorded there; None where nothing was.
        given: What was given.
    """

    kind: Kind
    field: str
    recorded: Json = None
    given: Json = None


class Answer(NamedTuple):
    """An answer, recorded or given.

    Attributes:
        status: Its status.
        headers: Its headers.
        body: Its body, decoded.
    """

    status: int
    headers: Sequence[Header]
    body: bytes


class Compared(NamedTuple):
    """What came of one exchange.

    Attributes:
        differences: All of them.
        error_agrees: Whether status, reason and message of an error agree; None for no error.
        is_json: Whether what was recorded is JSON, or nothing.
    """

    differences: tuple[Difference, ...]
    error_agrees: bool | None
    is_json: bool

    @property
    def status_agrees(self) -> bool:
        """Whether the status is the recorded one."""
        return all(each.kind != "status" for each in self.differences)

    @property
    def all_said(self) -> bool:
        """Whether everything that the live service said is said."""
        return not any(each.kind in UNSAID for each in self.differences)


def compare(recorded: Answer, given: Answer, translation: Translation, place: str) -> Compared:
    """Hold a given answer against the recorded one.

    Args:
        recorded: The recorded one.
        given: The given one.
        translation: What stands for what; it learns from both.
        place: The path of the resource, for its etag.
    """
    old, is_json = read_json(recorded.body)
    if recorded.status != given.status:
        told = Difference(
            "status", f"{recorded.status} -> {given.status}", recorded.status, given.status
        )
        return Compared((told,), False if recorded.status >= 400 else None, is_json)
    found = list(_header_differences(recorded, given, translation, place))
    new, given_is_json = read_json(given.body)
    if is_json and (given_is_json or old is None):
        if old is not None:
            found += differences(old, new, translation, place)
    elif recorded.body and not _same_bytes(recorded, given, translation):
        found.append(Difference("body", "", _head(recorded.body), _head(given.body)))
    agrees = None
    if recorded.status >= 400:
        agrees = not any(each.kind in UNSAID and _is_of_error(each, old) for each in found)
    return Compared(tuple(found), agrees, is_json)


def _is_of_error(difference: Difference, recorded: Json) -> bool:
    if value_at(recorded, ("error", "message")) is None:
        return True
    return difference.field in {"error.code", "error.status", "error.message",
                                "error.errors[].reason", "error.errors[].message"}  # fmt: skip


def _same_bytes(recorded: Answer, given: Answer, translation: Translation) -> bool:
    if recorded.body == given.body:
        return True
    try:
        texts = recorded.body.decode(), given.body.decode()
    except UnicodeDecodeError:
        return False
    old, new = (each.replace("\r\n", "\n").strip() for each in texts)
    return translation.agrees(old, new, "", "")


def _head(body: bytes) -> str:
    return body[:2000].decode(errors="replace")


def _header_differences(
    recorded: Answer, given: Answer, translation: Translation, place: str
) -> Iterator[Difference]:
    if recorded.body.strip():
        kinds = media_type(recorded.headers), media_type(given.headers)
        if kinds[0] and kinds[0] != kinds[1]:
            yield Difference("header", "content-type", *kinds)
    names = {name.lower() for name, _ in recorded.headers}
    for name in sorted(names):
        if name in _HEADERS or (name.startswith("x-goog-") and "request" not in name):
            values = header(recorded.headers, name), header(given.headers, name)
            if not values[1]:
                yield Difference("header", name, values[0])
            elif not translation.agrees(*values, name, place):
                yield Difference("header", name, *values)


def differences(
    recorded: Json, given: Json, translation: Translation, place: str
) -> Iterator[Difference]:
    """How a given JSON value differs from a recorded one, field by field.

    Yields:
        Each difference.
    """
    return _differences(recorded, given, translation, "", "", place)


def _differences(
    recorded: Json, given: Json, translation: Translation, where: str, field: str, place: str
) -> Iterator[Difference]:
    if isinstance(recorded, dict) and isinstance(given, dict) and where.count(".") < _DEPTH:
        for name, value in recorded.items():
            below = f"{where}.{name}" if where else name
            if name not in given:
                if value is not None:
                    yield Difference("missing", below, value)
            else:
                yield from _differences(value, given[name], translation, below, name, place)
        for name in given.keys() - recorded.keys():
            yield Difference("extra", f"{where}.{name}" if where else name, None, given[name])
    elif isinstance(recorded, list) and isinstance(given, list):
        yield from _list_differences(recorded, given, translation, where, field, place)
    elif isinstance(recorded, dict | list) or isinstance(given, dict | list):
        if recorded != given:
            yield Difference("value", where, recorded, given)
    elif not translation.agrees(recorded, given, field, place):
        yield Difference("value", where, recorded, given)


def _list_differences(
    recorded: list[Any], given: list[Any], translation: Translation, where: str, field: str,
    place: str,
) -> Iterator[Difference]:  # fmt: skip
    below = f"{where}[]"
    partners = _partners(recorded, given, translation)
    found = [number for number in partners if number is not None]
    if found != sorted(found):
        yield Difference("order", where, recorded, given)
    for item, number in zip(recorded, partners, strict=True):
        if number is None:
            yield Difference("missing", below, item)
        else:
            yield from _differences(item, given[number], translation, below, field, place)
    for number in range(len(given)):
        if number not in found:
            yield Difference("extra", below, None, given[number])


def _partners(recorded: list[Any], given: list[Any], translation: Translation) -> list[int | None]:
    """Which item of a given list each recorded one is: the one of its name, else at its place."""
    field = _naming_field(recorded)
    names = [[_identity(each, field, translation) for each in recorded],
             [_identity(each, field, None) for each in given]]  # fmt: skip
    counts = [Counter(each) for each in names]
    places = {name: number for number, name in enumerate(names[1])}
    found: list[int | None] = [
        places[name] if name in places and counts[0][name] == counts[1][name] == 1 else None
        for name in names[0]
    ]
    taken = {each for each in found if each is not None}
    free = iter(number for number in range(len(given)) if number not in taken)
    return [next(free, None) if each is None else each for each in found]


def _naming_field(items: list[Any]) -> str:
    """The field by which items of a list are told apart; empty where there is none."""
    if not all(isinstance(each, dict) for each in items):
        return ""
    for name in _IDENTITIES:
        values = [each.get(name) for each in items]
        if all(isinstance(each, str | int) for each in values) and len({*values}) == len(values):
            return name
    return ""


def _identity(item: Any, field: str, translation: Translation | None) -> str:
    value = item.get(field) if field and isinstance(item, Mapping) else item
    return repr(translation.own_name(value) if translation else value)
