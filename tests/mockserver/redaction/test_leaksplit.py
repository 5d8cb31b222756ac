import base64
import json

import pytest

from mockserver.redaction import RuleSet
from mockserver.redaction.encodings import Layer, joined_layers
from mockserver.redaction.leaks import find_leaks
from mockserver.redaction.seen_secrets import Secret

_TOKEN = "sk-quartzPlum77walnutAmber93cobaltFern20"
_CODED = base64.b64encode(f"{_TOKEN} of the account".encode()).decode()
_AT = "2026-11-22T17:00:00.123Z"
_FILL = "INFO com.acme.upstream.HandlerService: request done, "


def _chat(*pieces: str, front: str = "") -> str:
    events = ({"id": "1", "choices": [{"index": 0, "delta": {"content": at}}]} for at in pieces)
    return "\n".join(front + json.dumps(event) for event in events) + "\n"


@pytest.mark.parametrize(
    ("content", "together"),
    [
        (b"k: " + b"x" * 50 + b"ann\n   @corp.test and more", b"ann@corp.test"),
        (b'data: {"d": {"t": "ann@"}}\n\ndata: {"d": {"t": "corp"}}\n', b"ann@corp"),
        (b'{"t": "ann@"}\n{"t": ["corp"]}\n{"t": "mid"}\n', b"ann@mid"),
        (b"data: ann@\n\ndata: corp\n\n", b"ann@corp"),
        (b'{"t": ["a", "ann@"]}\n{"t": ["b", "corp"]}\n', b"ann@corp"),
    ],
    ids=["folded", "events", "lines", "no JSON", "lists"],
)
def test_what_stands_in_pieces_is_put_together(content: bytes, together: bytes) -> None:
    assert any(together in layer.content for layer in joined_layers(Layer(content)))


@pytest.mark.parametrize(
    "content",
    [
        b"one line",
        b"short\nlines\n",
        b'{\n  "a": "' + b"x" * 60 + b'",\n  "b": 1\n}\n',
        b"x" * 60 + b"\n\nparagraph",
    ],
    ids=["one", "short", "JSON", "empty line"],
)
def test_what_nobody_folds_is_left(content: bytes) -> None:
    assert not list(joined_layers(Layer(content)))


def test_lines_inside_of_something_are_put_together_without_spaces_only() -> None:
    content = b"x" * 60 + b"\n" + b"y" * 20
    inner = Layer(content, Layer(b""), "base64")
    assert [layer.content for layer in joined_layers(inner)] == [b"\n" + b"x" * 60 + b"y" * 20]
    spaced = Layer(b"x y " * 20 + b"\nmore words", Layer(b""), "base64")
    assert not list(joined_layers(spaced))


@pytest.mark.parametrize(
    "content",
    [
        f"{_AT} {_FILL}token {_TOKEN[:20]}\n    {_TOKEN[20:]}\n{_AT} {_FILL}ok\n",
        f"{_AT} {_FILL}token {_TOKEN[:20]}\n{_TOKEN[20:]}\n{_AT} {_FILL}ok\n",
        f"{_AT} {_FILL}body {_CODED[:32]}\n{_CODED[32:]}\n{_AT} {_FILL}ok\n",
        f'{_AT} {_FILL}{{"a": "{_TOKEN[:20]}\n{_TOKEN[20:]}"}}\n{_AT} {_FILL}ok\n',
    ],
    ids=["indented", "at the margin", "base64", "JSON"],
)
def test_a_secret_folded_in_a_log_with_times_is_found(content: str) -> None:
    assert _kinds(content) == {"token"}


@pytest.mark.parametrize(
    "content",
    [
        f'{{"delta": "{_TOKEN[:9]}"}}\n{{"delta": "{_TOKEN[9:]}"}}\n',
        f'{{"delta": "{_TOKEN[:9]}"}},\n{{"delta": "{_TOKEN[9:]}"}},\n',
        f'{{"d":"{_TOKEN[:9]}"}}\r\n{{"d":"{_TOKEN[9:]}"}}\r\n',
        _chat("Use ", _TOKEN[:9], _TOKEN[9:24], _TOKEN[24:], " for it"),
        _chat(*_TOKEN),
        _chat(_CODED[:13], _CODED[13:40], _CODED[40:]),
        _chat(_TOKEN[:9], "x" * 60, front=" ") + _chat(_TOKEN[:9], _TOKEN[9:]),
        f'{{"text": "{"x" * 60} {_TOKEN[:9]}\n{_TOKEN[9:]}"}}\n{{"text": "y"}}\n',
    ],
    ids=["bare", "commas", "CRLF", "chat", "letters", "base64", "long lines", "broken string"],
)
def test_a_secret_split_over_lines_of_json_is_found(content: str) -> None:
    assert _kinds(content) == {"token"}


@pytest.mark.parametrize(
    "content",
    [
        f"data: {_TOKEN[:9]}\n\ndata: {_TOKEN[9:]}\n\n",
        f'data: {{"key": "{_TOKEN[:9]}\n\ndata: {_TOKEN[9:]}"}}\n\n',
        f'data: {{"a": {{"key": "{_TOKEN[:9]}\ndata: {_TOKEN[9:]}"}}}}\n\n',
        f"data: {{{_TOKEN[:9]}\n\ndata: {_TOKEN[9:]}}}\n\n",
        _chat("Use ", _TOKEN[:9], _TOKEN[9:], front="data: ") + "data: [DONE]\n",
        _chat(_CODED[:13], _CODED[13:], front="event: delta\ndata:"),
    ],
    ids=["plain", "JSON text", "JSON in one event", "braces", "chat", "base64"],
)
def test_a_secret_split_over_events_is_found(content: str) -> None:
    assert _kinds(content) == {"token"}


@pytest.mark.parametrize("cut", [9, 13])
def test_a_secret_of_braces_that_is_folded_is_found(cut: int) -> None:
    secret = 'quartz#7}{am}"walnut!Fern20'
    content = f"{_AT} {_FILL}key {secret[:cut]}\n{secret[cut:]}\n{_AT} {_FILL}ok\n"
    assert _kinds(content, secret) == {"token"}


def _kinds(content: str, secret: str = _TOKEN) -> set[str]:
    secrets = [Secret("token", secret)]
    leaks = find_leaks(content.encode(), secrets, rules=RuleSet.default(), unknown=False)
    return {leak.kind for leak in leaks}


@pytest.mark.parametrize(
    "content",
    [
        f"{_AT} {_FILL}one\n{_AT} {_FILL}two\n",
        '{"id": 1, "score": 0.6174650176903101, "count": 6174650176}\n' * 3,
    ],
    ids=["log", "NDJSON"],
)
def test_whole_records_are_not_put_together(content: str) -> None:
    assert not list(joined_layers(Layer(content.encode())))
