"""Texts that tell of a mistake on the way into a snapshot, and values that no person can read."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from mockserver.errors import Problem
from mockserver.model import Json, JsonObject
from mockserver.server.raw_items import items_of

_BROKEN = re.compile(r"\[object \w+\]|^\s*(undefined|NaN)\s*$|(?<=[=/:])\s?(undefined|NaN)\b")
_TOKENS = ("nextPageToken", "nextSyncToken")
_OPAQUE = re.compile(r"[A-Za-z0-9_-]{8,}")
_TURN = re.compile(r"[A-Za-z][0-9]|[0-9][A-Za-z]")
_READABLE = ("displayName", "title", "primaryEmail", "email", "name")
_OWN_IDS = frozenset({"/id", "/name"})
_NOT_SHOWN = frozenset({"etag", "etags", "kind"})
_TURNS = 3
_DAY = re.compile(r"^\d{4}-\d\d-\d\d")


def broken_texts(raw: Mapping[str, Json]) -> Iterator[Problem]:
    """Texts that a program wrote by mistake: `[object Object]`, `undefined`, `NaN`.

    >>> [str(problem) for problem in broken_texts({"tools": {"a": "got [object Object]"}})]
    ["/tools/a: '[object Object]' is what a program writes by mistake (write what was meant)"]

    Yields:
        A warning for each, with its JSON pointer.
    """
    for pointer, text in _texts(raw, ""):
        found = _BROKEN.search(text)
        if found:
            what = found[0].strip()
            message = f"{what!r} is what a program writes by mistake"
            yield Problem(pointer, message, "write what was meant", "warning")


def stale_page_tokens(raw: Mapping[str, Json]) -> Iterator[Problem]:
    """Page tokens of the capture, which belong to no session of the server.

    Yields:
        A warning for each, with its JSON pointer.
    """
    for key, value in raw.items():
        for name in _TOKENS:
            if key != "tools" and isinstance(value, dict) and value.get(name):
                text = "a page token of the capture; the server makes its own"
                yield Problem(f"/{key}/{name}", text, "remove it", "warning")


@dataclass(slots=True)
class _Group:
    first: str
    shown: str
    readable: str
    count: int = 0


@dataclass(slots=True)
class OpaqueValues:
    """Collects values that only a program can read, one hint for each field that has some.

    Attributes:
        names: What people call org units, by their bare id.
    """

    names: dict[str, str] = field(default_factory=dict)
    _groups: dict[tuple[str, str], _Group] = field(default_factory=dict)

    def hints(self, raw: Mapping[str, Json]) -> Iterator[Problem]:
        """A hint for each field of a collection that holds such values.

        Where the snapshot has a readable name for one, it is told.

        Yields:
            Hints with the JSON pointer of the first value.
        """
        self.names = dict(_unit_paths(raw))
        self._groups = {}
        for key, value in raw.items():
            for pointer, item in items_of(value):
                if isinstance(item, dict):
                    self._note_all(key, f"/{key}{pointer}", item)
        for (key, name), group in self._groups.items():
            shown = f"; people know it as {group.readable!r}" if group.readable else ""
            text = f"{group.shown!r} tells a person nothing{shown}"
            hint = f"{group.count} such in {name} of {key}: resolve them before they are shown"
            yield Problem(group.first, text, hint, "hint")

    def _note_all(self, key: str, pointer: str, item: JsonObject) -> None:
        own = next((str(item[name]) for name in _READABLE if _is_readable(item.get(name))), "")
        for at, text in _texts(item, ""):
            name = re.sub(r"/\d+(?=/|$)", "/*", at)
            if name.rpartition("/")[2] not in _NOT_SHOWN and is_opaque(text):
                readable = self.names.get(_bare(text), own if at in _OWN_IDS else "")
                group = self._groups.setdefault(
                    (key, name), _Group(f"{pointer}{at}", text, readable)
                )
                group.count += 1


def is_opaque(text: str) -> bool:
    """Whether a text is an identifier that tells a person nothing.

    >>> [is_opaque(each) for each in ("policies/akajj264apgibxyz5", "Engineering", "126.0.6478.61")]
    [True, False, False]
    """
    last = _bare(text)
    if not _OPAQUE.fullmatch(last) or _DAY.match(text):
        return False
    return len(_TURN.findall(last)) >= _TURNS or (last.isdigit() and len(last) > 11)


def _bare(text: str) -> str:
    return re.split(r"[/:]", text)[-1]


def _is_readable(value: Json) -> bool:
    return isinstance(value, str) and bool(value) and not is_opaque(value)


def _unit_paths(raw: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    for _, unit in items_of(raw.get("orgUnits")):
        if isinstance(unit, dict) and unit.get("orgUnitId"):
            yield _bare(str(unit["orgUnitId"])), str(unit.get("orgUnitPath", ""))


def _texts(value: Json, pointer: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, Mapping):
        for key, each in value.items():
            at = str(key).replace("~", "~0").replace("/", "~1")
            yield from _texts(each, f"{pointer}/{at}")
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _texts(each, f"{pointer}/{number}")
