"""In which fields two requests differ, where two conversations with a model part; the nearest."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import NamedTuple

from mockserver.cassettes.matching.canonical import MODEL_HOST, Canonical
from mockserver.model import Json
from mockserver.models.messages import CallMessage, call_messages

MOST = 20
"""Fields that are named of one pair of requests."""

_WEIGHTS = {"host": 40, "path": 10, "method": 8}


def differences(request: Canonical, recorded: Canonical) -> tuple[str, ...]:
    """The fields in which a request differs from a recording, coarse ones first; never values.

    Returns:
        `method`, `host`, `path segment 3`, `query.pageToken`, `header.range`, `body.a.b`, `body`,
        `body (form sent, json recorded)`;
        at most `MOST`, which then end with `...`.
    """
    found = list(islice(_differences(request, recorded), MOST + 1))
    return tuple([*found[:MOST], "..."] if len(found) > MOST else found)


@dataclass(frozen=True, slots=True)
class NearestRecording:
    """The recording that differs least.

    Attributes:
        index: Its place among the candidates.
        differs: The fields in which the request differs from it, see `differences`.
    """

    index: int
    differs: tuple[str, ...]


def nearest(request: Canonical, candidates: Iterable[Canonical]) -> NearestRecording | None:
    """The candidate that differs least from a request, the earlier of two; None without any.

    Every candidate is read whole: hand in few.
    """
    best: tuple[int, NearestRecording] | None = None
    for index, candidate in enumerate(candidates):
        found = NearestRecording(index, differences(request, candidate))
        weight = sum(_WEIGHTS.get(name.partition(" ")[0], 1) for name in found.differs)
        if best is None or weight < best[0]:
            best = weight, found
    return best[1] if best else None


def _differences(request: Canonical, recorded: Canonical) -> Iterator[str]:
    if request.method != recorded.method:
        yield "method"
    if request.host != recorded.host:
        yield "host"
    for number, (ours, theirs) in enumerate(zip_longest(request.path, recorded.path), 1):
        if ours != theirs:
            yield f"path segment {number}"
    yield from _member_differences("query", dict(request.query), dict(recorded.query))
    yield from _member_differences("header", dict(request.headers), dict(recorded.headers))
    yield from _body_differences(request, recorded)


def _body_differences(request: Canonical, recorded: Canonical) -> Iterator[str]:
    kind, content = request.body
    recorded_kind, recorded_content = recorded.body
    if kind != recorded_kind:
        yield f"body ({kind} sent, {recorded_kind} recorded)"
    elif kind == "form":
        yield from _member_differences("body", dict(content), dict(recorded_content))
    else:
        yield from _value_differences("body", content, recorded_content)


def _value_differences(where: str, ours: Json, theirs: Json) -> Iterator[str]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        yield from _member_differences(where, ours, theirs)
    elif isinstance(ours, list | tuple) and isinstance(theirs, list | tuple):
        for number, (mine, other) in enumerate(zip_longest(ours, theirs)):
            yield from _value_differences(f"{where}.{number}", mine, other)
    elif ours != theirs:
        yield where


def _member_differences(
    where: str, ours: dict[str, Json], theirs: dict[str, Json]
) -> Iterator[str]:
    for name in sorted(ours.keys() | theirs.keys()):
        if name not in ours or name not in theirs:
            yield f"{where}.{name}"
        elif isinstance(ours[name], tuple):  # the values of a parameter, in both
            if ours[name] != theirs[name]:
                yield f"{where}.{name}"
        else:
            yield from _value_differences(f"{where}.{name}", ours[name], theirs[name])


_BEFORE, _AFTER = 24, 56
"""Characters of a text that are quoted before and after where it differs."""


class _Likeness(NamedTuple):
    """How much of a conversation is that of another: more is greater."""

    messages: int
    characters: int
    fields: int


def is_model_call(request: Canonical) -> bool:
    """Whether a request asks a model."""
    return request.host.startswith(MODEL_HOST)


def nearest_call(request: Canonical, candidates: Iterable[Canonical]) -> NearestRecording | None:
    """The candidate whose conversation goes along with a request's furthest; None without any."""
    asked = call_messages(request.body[1])
    best: tuple[_Likeness, NearestRecording] | None = None
    for index, candidate in enumerate(candidates):
        recorded = call_messages(candidate.body[1])
        found = NearestRecording(index, differences(request, candidate))
        same = _first_difference(asked, recorded)
        texts = [each[same].text for each in (asked, recorded) if same < len(each)]
        characters = _common(*texts) if len(texts) > 1 else 0
        likeness = _Likeness(same, characters, -len(found.differs))
        if best is None or likeness > best[0]:
            best = likeness, found
    return best[1] if best else None


def explain_difference(request: Canonical, recorded: Canonical) -> str:
    r"""The first message in which a call differs from a recorded one, with both texts around it.

    Where the conversations are alike it is the first other member that differs.
    """
    asked, known = call_messages(request.body[1]), call_messages(recorded.body[1])
    index = _first_difference(asked, known)
    pairs = list(zip_longest(asked, known))
    if index < len(pairs):
        return _explain_message(index, *pairs[index])
    for name in sorted({*request.body[1], *recorded.body[1]}):
        ours, theirs = request.body[1].get(name), recorded.body[1].get(name)
        if ours != theirs:
            brief = isinstance(ours, str | int | float | None) and isinstance(
                theirs, str | int | float | None
            )
            texts = f": recorded {theirs!r:.80}, asked {ours!r:.80}" if brief else ""
            return f"the messages are the same, and {name!r} differs{texts}"
    return ""


def place_of(value: str, request: Canonical) -> str:
    """Where a value first stands in a call: `character 44 of message 0 (system)`, or empty."""
    for index, message in enumerate(call_messages(request.body[1])):
        at = message.text.find(value)
        if at >= 0:
            role = f" ({message.role})" if message.role.isidentifier() else ""
            return f"character {at} of message {index}{role}"
    return ""


def _explain_message(index: int, asked: CallMessage | None, known: CallMessage | None) -> str:
    if asked is None and known is not None:
        return f"it ends before message {index} ({known.role}) of the recording: {_begin(known)}"
    if asked is None:
        return ""
    if known is None:
        return f"message {index} ({asked.role}) is not in the recording: {_begin(asked)}"
    if asked.role != known.role:
        return f"message {index} differs: recorded as {known.role}, asked as {asked.role}"
    at = _common(asked.text, known.text)
    return (
        f"message {index} ({asked.role}) differs at character {at}:"
        f" recorded {_quote(known.text, at)}, asked {_quote(asked.text, at)}"
    )


def _begin(message: CallMessage) -> str:
    return _quote(message.text, 0)


def _quote(text: str, at: int) -> str:
    start, end = max(0, at - _BEFORE), at + _AFTER
    return f"{'...' if start else ''}{text[start:end]!r}{'...' if end < len(text) else ''}"


def _first_difference(ours: list[CallMessage], theirs: list[CallMessage]) -> int:
    pairs = zip_longest(ours, theirs)
    return next((at for at, (one, other) in enumerate(pairs) if one != other), len(ours))


def _common(one: str, other: str) -> int:
    pairs = zip(one, other, strict=False)
    shorter = min(len(one), len(other))
    return next((at for at, (a, b) in enumerate(pairs) if a != b), shorter)
