"""What varies between two recordings of one program: as they tell, never guessed."""

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import orjson

from mockserver.cassettes.matching import Canonical, by_pointers, varied_values
from mockserver.cassettes.replay.keys import KeyedRequest, RequestKeys
from mockserver.messages import decode_body, is_event_stream, is_text, media_type
from mockserver.model import Interaction, Json, JsonObject, pointer_path

_LONGEST = 200
_SHOWN = 60
_MISSING = object()


class Variation(NamedTuple):
    """What two recordings of one program tell.

    Attributes:
        varies: JSON pointers of the fields that differ in every request that has them.
        unlearned: What differs and cannot be taken for varying, a sentence each.
        otherwise: What the program did otherwise the second time; empty where it did the same.
            Then nothing else is told.
    """

    varies: tuple[str, ...] = ()
    unlearned: tuple[str, ...] = ()
    otherwise: str = ""


class _Difference(NamedTuple):
    pointer: str
    old: object
    new: object


def compare_recordings(first: Sequence[Interaction], second: Sequence[Interaction]) -> Variation:
    """What differs between the requests of two recordings.

    Requests that are equal belong together, whatever their order; the others in theirs. What stood
    in an earlier answer before it was sent does not vary by itself: in a replay the answer is the
    recorded one, and so is what is made of it.

    Args:
        first: The interactions of the one that is kept.
        second: Those of the other, redacted with the same key.
    """
    keys = RequestKeys()
    ours = [keys.of_redacted(each.request) for each in first]
    theirs = [keys.of_redacted(each.request) for each in second]
    same, left, right = _equal_pairs(ours, theirs)
    if otherwise := _otherwise(first, second, left, right):
        return Variation(otherwise=otherwise)
    varies: dict[str, None] = {}
    unlearned: dict[str, None] = {}
    for at, to in zip(left, right, strict=True):
        carried = _Carried(first[:at], second[:to])
        for each in _differences(ours[at], theirs[to]):
            if carried.explains(each.old, each.new):
                continue
            if not ours[at].is_model_call and _is_learned(each):
                varies[each.pointer] = None
            else:
                unlearned[_sentence(first[at], at, each)] = None
    fixed = {pointer: at for at in same for pointer in varies if _holds(ours[at], pointer)}
    for pointer, at in fixed.items():
        unlearned[
            f"{pointer} varies, and not in request {at + 1} ({_line(first[at])}), which has it, too"
        ] = None
    return Variation(tuple(each for each in varies if each not in fixed), tuple(unlearned))


def _equal_pairs(
    ours: Sequence[KeyedRequest], theirs: Sequence[KeyedRequest]
) -> tuple[list[int], list[int], list[int]]:
    """The places of equal requests in the first recording, and those that are left of both."""
    waiting: defaultdict[bytes, deque[int]] = defaultdict(deque)
    for place, each in enumerate(theirs):
        waiting[each.timeless].append(place)
    same, left = list[int](), list[int]()
    for place, each in enumerate(ours):
        if waiting[each.timeless]:
            waiting[each.timeless].popleft()
            same.append(place)
        else:
            left.append(place)
    return same, left, sorted(place for places in waiting.values() for place in places)


def _otherwise(
    first: Sequence[Interaction],
    second: Sequence[Interaction],
    left: Sequence[int],
    right: Sequence[int],
) -> str:
    if len(first) != len(second):
        longer, places = (first, left) if len(first) > len(second) else (second, right)
        only = f", such as {_line(longer[places[-1]])}" if places else ""
        when = "first" if longer is first else "second"
        return (
            f"it made {len(first)} requests the first time and {len(second)} the second; only the"
            f" {when} time it made others{only}"
        )
    for at, to in zip(left, right, strict=True):
        one, other = first[at], second[to]
        if _operation(one) != _operation(other):
            return (
                f"where it asked {_line(one)} the first time (request {at + 1}), it asked"
                f" {_line(other)} the second"
            )
    return ""


def _operation(each: Interaction) -> tuple[str, str, int]:
    """What of a request is never new in a run: the method, the host, how long the path is."""
    address, _, _ = each.request.url.partition("?")
    _, _, place = address.partition("://")
    host, _, path = place.partition("/")
    return each.request.method.upper(), host.lower(), path.count("/")


def _line(each: Interaction) -> str:
    address = each.request.url.partition("?")[0]
    return f"{each.request.method.upper()} {address}"


def _sentence(each: Interaction, place: int, found: _Difference) -> str:
    return (
        f"request {place + 1} ({_line(each)}) differs in {found.pointer}:"
        f" {_value_text(found.old)}, then {_value_text(found.new)}"
    )


def _value_text(value: object) -> str:
    if value is _MISSING:
        return "nothing"
    text = value if isinstance(value, str) else orjson.dumps(value, default=str).decode()
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")


def _is_learned(found: _Difference) -> bool:
    """Whether a field of a request may be left out; what a model is told is never."""
    return found.pointer.startswith("/") and _may_vary(found.old) and _may_vary(found.new)


def _may_vary(value: object) -> bool:
    """Whether a value may be an id, a counter, a path: one word or one number."""
    if isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        return True
    return (
        isinstance(value, str) and 0 < len(value) <= _LONGEST and not any(map(str.isspace, value))
    )


def _differences(ours: KeyedRequest, theirs: KeyedRequest) -> Iterator[_Difference]:
    one, other = ours.timeless_canonical, theirs.timeless_canonical
    is_near = ours.is_model_call and ours.unvaried == theirs.unvaried
    if is_near and varied_values(one.body[1], other.body[1]):
        return  # a replay finds it without being told
    for number, (old, new) in enumerate(zip(one.path, other.path, strict=False)):
        if old != new:
            yield _Difference(f"segment {number + 1} of its path", old, new)
    yield from _in_value(_named_parts(one), _named_parts(other), "")
    if (one.body[0] != other.body[0] or not _has_fields(one)) and one.body != other.body:
        yield _Difference("its body", _text_of(one), _text_of(other))


def _has_fields(asked: Canonical) -> bool:
    return asked.body[0] in {"json", "form"} and isinstance(asked.body[1], dict | list | tuple)


def _text_of(asked: Canonical) -> object:
    kind, content = asked.body
    return content if isinstance(content, str) else kind


def _named_parts(asked: Canonical) -> JsonObject:
    """A request as pointers lead into it; without a body that has no fields."""
    held = by_pointers(asked)
    if not _has_fields(asked):
        del held["body"]
    return held


def _in_value(old: object, new: object, pointer: str) -> Iterator[_Difference]:
    if isinstance(old, dict) and isinstance(new, dict):
        for name in dict.fromkeys([*old, *new]):
            step = str(name).replace("~", "~0").replace("/", "~1")
            yield from _in_value(
                old.get(name, _MISSING), new.get(name, _MISSING), f"{pointer}/{step}"
            )
    elif isinstance(old, list | tuple) and isinstance(new, list | tuple) and len(old) == len(new):
        is_single = len(old) == 1 and pointer.startswith(("/query/", "/headers/"))
        for number, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _in_value(one, other, pointer if is_single else f"{pointer}/{number}")
    elif old != new or type(old) is not type(new):
        yield _Difference(pointer, old, new)


def _holds(keyed: KeyedRequest, pointer: str) -> bool:
    value: object = _named_parts(keyed.timeless_canonical)
    for name in pointer_path(pointer):
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list | tuple) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            return False
    return True


class _Carried:
    """What the answers before a request held, in both recordings."""

    def __init__(self, first: Sequence[Interaction], second: Sequence[Interaction]) -> None:
        self._interactions = first, second
        self._texts: tuple[str, str] | None = None

    def explains(self, old: object, new: object) -> bool:
        """Whether each of two values was told by an answer of its own recording."""
        if self._texts is None:
            one, other = ("\n".join(map(_answer_text, each)) for each in self._interactions)
            self._texts = one, other
        return all(
            value is not _MISSING and _stands_in(_plain(value), told)
            for value, told in zip((old, new), self._texts, strict=True)
        )


def _stands_in(value: str, text: str) -> bool:
    """Whether a value stands in a text, and not as a part of a longer word."""
    return bool(value) and bool(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text))


def _plain(value: object) -> str:
    return value if isinstance(value, str) else orjson.dumps(value, default=str).decode()


def _answer_text(each: Interaction) -> str:
    """All that an answer says: its headers, its body, the texts in it; those of a stream joined."""
    response = each.response
    headers, body, _ = decode_body(response.headers, response.body)
    media = media_type(headers)
    text = body.decode("utf-8", "replace") if is_text(media) or body[:1] in {b"{", b"["} else ""
    told = [value for _, value in headers] + [text]
    lines = (
        [line.partition("data:")[2] for line in text.splitlines() if line.startswith("data:")]
        if is_event_stream(media)
        else [text]
    )
    joined: dict[str, list[str]] = {}
    for line in lines:
        try:
            _collect(orjson.loads(line), "", joined)
        except ValueError:
            continue
    return "\n".join((*told, *("".join(texts) for texts in joined.values())))


def _collect(value: Json, path: str, found: dict[str, list[str]]) -> None:
    """The texts and numbers at each path, list items apart by their place."""
    if isinstance(value, dict):
        for name, item in value.items():
            _collect(item, f"{path}/{name}", found)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            _collect(item, f"{path}/{number}", found)
    elif isinstance(value, str | int | float):
        found.setdefault(path, []).append(_plain(value))
