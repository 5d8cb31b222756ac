"""What is different between two cassettes, request by request."""

import difflib
import hashlib
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from itertools import islice

import orjson

from mockserver.cassettes.files.layout import group_headers
from mockserver.cassettes.files.yaml_scalars import body_text
from mockserver.messages import decode_body
from mockserver.model import Cassette, Interaction, Json, RecordedRequest, RecordedResponse

Key = Callable[[RecordedRequest], Hashable]
UNCOUNTED = frozenset({"age", "content-length", "date", "etag", "expires", "server-timing"})
"""Headers that differ between any two recordings."""
MOST = 50
"""Differences that are listed of one response."""
_LONGEST = 60
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class ChangedResponse:
    """The same request with another response.

    Attributes:
        before: Its number in the first cassette, from 1.
        after: Its number in the second.
        interaction: As it is in the second.
        changes: `status: 200 -> 404`, `header etag: ...`, `body /a/b: 1 -> 2`; at most `MOST`.
    """

    before: int
    after: int
    interaction: Interaction
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is different between two cassettes.

    Attributes:
        added: Only in the second: number, from 1, and interaction.
        removed: Only in the first.
        changed: In both, with another response.
        same: How many are the same in both.
    """

    added: tuple[tuple[int, Interaction], ...]
    removed: tuple[tuple[int, Interaction], ...]
    changed: tuple[ChangedResponse, ...]
    same: int

    @property
    def differs(self) -> bool:
        """Whether anything is different."""
        return bool(self.added or self.removed or self.changed)


def compare_cassettes(before: Cassette, after: Cassette, *, key: Key) -> Comparison:
    """Compare two cassettes; the first request of a key with the first, the second with the second.

    Args:
        before: The first cassette.
        after: The second.
        key: What makes two requests the same.
    """
    waiting: dict[Hashable, deque[tuple[int, Interaction]]] = defaultdict(deque)
    for number, item in enumerate(before.interactions, 1):
        waiting[key(item.request)].append((number, item))
    added: list[tuple[int, Interaction]] = []
    changed: list[ChangedResponse] = []
    same = 0
    for number, item in enumerate(after.interactions, 1):
        known = waiting[key(item.request)]
        if not known:
            added.append((number, item))
            continue
        old_number, old = known.popleft()
        changes = response_changes(old.response, item.response)
        if changes:
            changed.append(ChangedResponse(old_number, number, item, changes))
        else:
            same += 1
    removed = sorted((pair for left in waiting.values() for pair in left), key=lambda pair: pair[0])
    return Comparison(tuple(added), tuple(removed), tuple(changed), same)


def response_changes(before: RecordedResponse, after: RecordedResponse) -> tuple[str, ...]:
    """In what two responses differ, coarse things first; at most `MOST`."""
    found = list(islice(_changes(before, after), MOST + 1))
    return (*found[:MOST], "...") if len(found) > MOST else tuple(found)


def _changes(before: RecordedResponse, after: RecordedResponse) -> Iterator[str]:
    if before.status != after.status:
        yield f"status: {before.status} -> {after.status}"
    if before.ended != after.ended:
        yield f"ended: {before.ended} -> {after.ended}"
    yield from _header_changes(before, after)
    if before.file is not None or after.file is not None:
        was, now = _content_summary(before), _content_summary(after)
        if was != now:
            yield f"body: {was} -> {now}"
        return
    old, new = (decode_body(response.headers, response.body)[1] for response in (before, after))
    if old != new:
        yield from _body_changes(old, new)


def _content_summary(response: RecordedResponse) -> str:
    """What is in a body, as one can compare what is too large to be shown."""
    if response.file is not None:
        return f"{response.file.size} bytes, SHA-256 {response.file.digest[:12]}"
    digest = hashlib.sha256(response.body).hexdigest()
    return f"{len(response.body)} bytes, SHA-256 {digest[:12]}"


def _header_changes(before: RecordedResponse, after: RecordedResponse) -> Iterator[str]:
    old, new = (
        group_headers((name.lower(), value) for name, value in response.headers)
        for response in (before, after)
    )
    for name in sorted((old.keys() | new.keys()) - UNCOUNTED):
        if old.get(name) != new.get(name):
            yield f"header {name}: {_join_values(old.get(name))} -> {_join_values(new.get(name))}"


def _join_values(values: list[str] | None) -> str:
    return "none" if values is None else _short(", ".join(values))


def _body_changes(before: bytes, after: bytes) -> Iterator[str]:
    try:
        yield from _value_changes("", orjson.loads(before), orjson.loads(after))
    except orjson.JSONDecodeError:
        yield from _text_changes(before, after)


def _text_changes(before: bytes, after: bytes) -> Iterator[str]:
    old, new = body_text(before), body_text(after)
    if old is None or new is None:
        yield f"body: {len(before)} -> {len(after)} bytes"
        return
    lines = difflib.unified_diff(old.splitlines()[:2000], new.splitlines()[:2000], n=0, lineterm="")
    yield from (f"body {_short(line)}" for line in lines if not line.startswith(("---", "+++")))


def _value_changes(where: str, old: Json, new: Json) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for name in sorted(old.keys() | new.keys()):
            yield from _value_changes(
                f"{where}/{name}", old.get(name, _ABSENT), new.get(name, _ABSENT)
            )
    elif isinstance(old, list) and isinstance(new, list):
        yield from _list_changes(where, old, new)
    elif type(old) is not type(new) or old != new:
        yield f"body {where or '/'}: {_value_text(old)} -> {_value_text(new)}"


def _list_changes(where: str, old: list[Json], new: list[Json]) -> Iterator[str]:
    """Items by their place, between what is at both ends in both.

    Yields:
        Changes.
    """
    texts = [
        [orjson.dumps(item, option=orjson.OPT_SORT_KEYS) for item in side] for side in (old, new)
    ]
    start = _common_length(*texts)
    end = _common_length(*(list(reversed(side[start:])) for side in texts))
    left, right = old[start : len(old) - end], new[start : len(new) - end]
    for number in range(max(len(left), len(right))):
        yield from _value_changes(
            f"{where}/{start + number}",
            left[number] if number < len(left) else _ABSENT,
            right[number] if number < len(right) else _ABSENT,
        )


def _common_length(left: list[bytes], right: list[bytes]) -> int:
    """How many items both begin with."""
    pairs = enumerate(zip(left, right, strict=False))
    return next(
        (place for place, (one, other) in pairs if one != other), min(len(left), len(right))
    )


def _value_text(value: Json) -> str:
    return "none" if value is _ABSENT else _short(orjson.dumps(value).decode())


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
