import base64
import gzip
import html
import json
import zlib
from collections.abc import Callable
from urllib.parse import quote

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.redaction import Leak, LeakGate, RuleSet, Secret, find_leaks
from mockserver.redaction import leaks as leaks_module
from mockserver.redaction.encodings import Layer, joined_layers
from mockserver.redaction.leaks import Places, replace_spans, replacement_spans

RULES = RuleSet.default()
VALUE = "ann.lovelace@corp-secret.org"
SECRET = Secret("email", VALUE)
PLAIN = VALUE.encode()


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(sign):04x}" for sign in text)


def part(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


FORMS = {
    "as it is": VALUE,
    "upper case": VALUE.upper(),
    "url": quote(VALUE, safe=""),
    "url all": "".join(f"%{code:02x}" for code in PLAIN),
    "url all, upper": "".join(f"%{code:02X}" for code in PLAIN),
    "url twice": quote(quote(VALUE, safe=""), safe=""),
    "json": escaped(VALUE),
    "json twice": json.dumps(escaped(VALUE)),
    "nested json": json.dumps(json.dumps(json.dumps({"a": VALUE.replace("@", "\\u0040")}))),
    "html": "".join(f"&#{ord(sign)};" for sign in VALUE),
    "html escaped": html.escape("".join(f"&#{ord(sign)};" for sign in VALUE)),
    **{f"base64 {at}": base64.b64encode(b"x" * at + PLAIN).decode() for at in range(3)},
    **{f"base64url {at}": part(b"\xff" * at + PLAIN + b"\xfb\xff") for at in range(3)},
    "base64 unpadded": base64.b64encode(PLAIN).decode().rstrip("="),
    "base64 after a path": "v1/token/" + base64.b64encode(PLAIN).decode(),
    "base64 twice": base64.b64encode(base64.b64encode(PLAIN)).decode(),
    "base64 in a url": quote(base64.b64encode(b"?>" + PLAIN).decode(), safe=""),
    "base64 wrapped": base64.encodebytes(b"q" * 50 + PLAIN + b"z" * 70).decode(),
    "hex": PLAIN.hex(),
    "hex upper": PLAIN.hex().upper(),
    "hex odd": "a" + PLAIN.hex(),
    "hex of base64": base64.b64encode(PLAIN).hex(),
    "gzip": base64.b64encode(gzip.compress(PLAIN)).decode(),
    "gzip twice": base64.b64encode(gzip.compress(gzip.compress(PLAIN))).decode(),
    "zlib": base64.b64encode(zlib.compress(PLAIN)).decode(),
    "jwt": ".".join(part(piece) for piece in (b'{"alg":"none"}', b'{"sub":"%b"}' % PLAIN, b"sig")),
    "utf-16": base64.b64encode(VALUE.encode("utf-16-le")).decode(),
    "events": 'data: {"d":{"t":"ann.love"}}\n\ndata: {"d":{"t":"lace@corp-secret.org"}}\n\n',
    "chunks": "8\r\nann.love\r\n14\r\nlace@corp-secret.org\r\n0\r\n\r\n",
    "mail": "Encoding: quoted-printable\n\nann=2Elovelace=40corp-sec=\r\nret.org",
}


def in_yaml(body: object) -> bytes:
    response = {"body": {"string": body}}
    cassette = {"interactions": [{"request": {"uri": "u"}}, {"request": {}, "response": response}]}
    return yaml.safe_dump(cassette, width=60).encode()


FILES: dict[str, Callable[[str], bytes]] = {
    "text": lambda form: b"one\n" + form.encode() + b"\ntwo",
    "yaml": lambda form: in_yaml("padding " * 9 + "\n" + form),
    "quoted": lambda form: in_yaml("\x07\n" + form),
    "binary": lambda form: in_yaml(b"\xff\xfe" * 40 + b"\n" + form.encode()),
    "json": lambda form: json.dumps({"interactions": [{"request": {"body": form}}]}).encode(),
    "gzip": lambda form: gzip.compress(form.encode()),
}


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_a_secret_is_found_in_every_coding_in_every_file(form: str) -> None:
    """CEP-65: what must not be in an artefact is not in it, however it is written there."""
    for name, file in FILES.items():
        leaks = find_leaks(file(FORMS[form]), [SECRET], rules=RULES, unknown=False)
        assert {leak.kind for leak in leaks} == {"email"}, name
        assert VALUE not in repr(leaks), name


REWRITTEN: dict[str, Callable[[bytes], bytes]] = {
    "as it is": lambda plain: b"to <" + plain + b">",
    "json": lambda plain: json.dumps({"a": f'"\n{plain.decode()}"\n'}).encode(),
    "json twice": lambda plain: json.dumps(json.dumps([plain.decode() + '"'])).encode(),
    "url": lambda plain: b"?to=" + quote(plain, safe="").encode() + b"&x=%41",
    "html": lambda plain: b"&lt;b&gt; " + plain + b" &amp;",
    "base64": lambda plain: b'"' + base64.b64encode(b"x" + plain + b"z") + b'"',
    "base64 behind a sentence": lambda plain: b"a. %b ." % base64.b64encode(b"x" + plain + b"z"),
    "utf-16": lambda plain: b"<" + plain.decode().encode("utf-16-le") + b">",
    "base64 unpadded": lambda plain: b"v=" + base64.b64encode(plain + b"z").rstrip(b"=") + b";",
    "base64url": lambda plain: base64.urlsafe_b64encode(b"\xff\xfb\xff" + plain) + b" a",
    "base64 twice": lambda plain: base64.b64encode(base64.b64encode(plain)),
    "base64 of the URL": lambda plain: b"?q=" + base64.urlsafe_b64encode(b"\xff\xfb\xff" + plain),
    "jwt": lambda plain: b"eyJh.%b.sig" % base64.urlsafe_b64encode(b"ab" + plain).rstrip(b"="),
    "hex": lambda plain: b"0x " + (b"a" + plain + b"b").hex().encode() + b" 00",
    "hex upper": lambda plain: b"(" + plain.hex().upper().encode() + b")",
    "hex odd": lambda plain: b"(a" + plain.hex().encode() + b")",
    "gzip": lambda plain: base64.b64encode(gzip.compress(b"a" + plain + b"b", mtime=0)),
    "zlib": lambda plain: b"a=" + base64.b64encode(zlib.compress(plain)),
}


@pytest.mark.parametrize("stand_in", [b"some@example.org", b"somebody@example.org"])
@pytest.mark.parametrize("secret", [VALUE, "a@corp-1.test"])
@pytest.mark.parametrize("form", REWRITTEN)
def test_what_is_found_in_a_coding_is_replaced_in_it(
    form: str, secret: str, stand_in: bytes
) -> None:
    write = REWRITTEN[form]
    gate = LeakGate(RULES, unknown=False)
    gate.learn([Secret("email", secret)])
    content = write(secret.encode())
    found = [(layer, each, stand_in.decode()) for layer, each in gate.findings(content)]
    assert replace_spans(content, replacement_spans(found)) == write(stand_in)


def test_a_gate_knows_what_stands_in_bytes_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaks_module, "_STEP", 40)
    gate = LeakGate(RULES, unknown=False)
    gate.learn([SECRET])
    assert [gate.knows(b" " * at + PLAIN + b" " * 9) for at in range(90)] == [True] * 90
    assert not gate.knows(b" " * 90)
    assert not gate.knows(b"")
    assert not gate.knows(PLAIN[:-1])


def test_the_place_is_told_and_the_form() -> None:
    leaks = find_leaks(in_yaml(FORMS["gzip"]), [SECRET], rules=RULES, unknown=False)
    assert [str(leak) for leak in leaks] == [
        "line 7, interaction 2, response body: email (gzip in base64)"
    ]


def test_what_a_redactor_leaves_is_clean() -> None:
    content = in_yaml('{"email": "user-1a2b3c4d@d01234567.example.com", "count": 1234}')
    assert find_leaks(content, [SECRET, Secret("secret", "1234")], rules=RULES) == ()


def test_unknown_secrets_are_found_in_what_is_packed() -> None:
    packed = base64.b64encode(gzip.compress(b"write to bob@corp.io")).decode()
    assert find_leaks(in_yaml(packed), rules=RULES) == (
        Leak("line 7, interaction 2, response body", "email", "gzip in base64"),
    )
    assert find_leaks(in_yaml(packed), rules=RULES, unknown=False) == ()


def test_a_gate_finds_what_it_has_learned_by_then() -> None:
    gate = LeakGate(RULES, unknown=False)
    assert gate.scan(PLAIN, "interaction 1") == ()
    gate.learn([SECRET])
    assert gate.scan(PLAIN, "interaction 2") == (
        Leak("interaction 2, line 1", "email", "as it is"),
    )


def test_what_cannot_be_looked_into_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mockserver.redaction.encodings.LARGEST", 100)
    (leak,) = find_leaks(gzip.compress(bytes(1000)), rules=RULES)
    assert (leak.kind, leak.form) == ("unread", "gzip")


def test_of_a_great_many_places_the_first_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaks_module, "_MOST", 3)
    assert len(find_leaks(b"\n".join([PLAIN] * 9), [SECRET], rules=RULES, unknown=False)) == 3


CODINGS: tuple[Callable[[str], str], ...] = (
    lambda text: text,
    lambda text: quote(text, safe=""),
    escaped,
    json.dumps,
    lambda text: base64.b64encode(text.encode()).decode(),
    lambda text: part(b"ab" + text.encode()),
    lambda text: text.encode().hex(),
    lambda text: base64.b64encode(gzip.compress(text.encode())).decode(),
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(["ann", "@", "corp", ".io", "ya29.", "é", "-", "7", "%41"]), min_size=5
    ),
    st.lists(st.sampled_from(range(len(CODINGS))), max_size=2),
    st.sampled_from(["", " ", "ann", "QUJD", "%", "\\"]),
)
def test_law_no_coding_hides_a_secret(pieces: list[str], codings: list[int], around: str) -> None:
    value = "".join(["Qq7", *pieces])
    text = around + " " + value + " " + around
    for coding in codings:
        text = CODINGS[coding](text)
    assert find_leaks(text.encode(), [Secret("token", value)], rules=RULES, unknown=False)


def test_a_first_name_elsewhere_is_a_word_as_others_are() -> None:
    gate = LeakGate(RULES, unknown=False)
    gate.learn([Secret("person_name", "Grace"), Secret("person_name", "Lovelace")])
    assert gate.scan(b'{"name": "GRACE", "about": "lovelace of example.com"}') == ()
    [leak] = gate.scan(b'{"familyName": "Lovelace"}')
    assert leak.kind == "person_name"


def test_the_digits_of_a_fraction_are_no_card() -> None:
    assert find_leaks(b'{"mean": 90.68690095846645}', rules=RULES) == ()


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


CASSETTE = {
    "version": 1,
    "recorded_with": {"key": "HEAD1"},
    "interactions": [
        {
            "request": {"body": "BODY1", "headers": {"X": ["HEADER1"]}, "uri": "https://URL1"},
            "response": {"body": {"string": "line\n\nTEXT1"}, "status": {"code": 200}},
        },
        {"request": {"body": '{"request": [1, {"a": "BODY2"}]}'}, "response": {"x": "OTHER2"}},
    ],
}
EXPECTED = {
    "HEAD1": "header",
    "BODY1": "interaction 1, request body",
    "HEADER1": "interaction 1, request headers",
    "URL1": "interaction 1, request URL",
    "TEXT1": "interaction 1, response body",
    "BODY2": "interaction 2, request body",
    "OTHER2": "interaction 2, response",
}


@pytest.mark.parametrize(
    "text",
    [
        yaml.safe_dump(CASSETTE, sort_keys=False),
        yaml.safe_dump(CASSETTE),
        yaml.safe_dump(CASSETTE, width=20, default_style='"'),
        json.dumps(CASSETTE),
        json.dumps(CASSETTE, indent=2),
    ],
    ids=["vcrpy", "sorted", "quoted", "one line", "indented"],
)
@pytest.mark.parametrize("word", EXPECTED, ids=str)
def test_a_place_is_line_interaction_and_part(text: str, word: str) -> None:
    content = text.encode()
    at = content.index(word.encode())
    line = content.count(b"\n", 0, at) + 1
    assert Places(content).where(at) == f"line {line}, {EXPECTED[word]}"


def test_an_entry_of_a_har_file_is_told() -> None:
    har = {"log": {"entries": [{}, {"request": {"postData": {"text": "HERE"}}}]}}
    content = json.dumps(har).encode()
    assert Places(content).where(content.index(b"HERE")) == "line 1, interaction 2, request body"


def test_keys_that_are_no_words_of_cassettes_are_never_told() -> None:
    content = b'{"ann@corp.test": {"hunter2": "HERE"}}'
    assert Places(content).where(content.index(b"HERE")) == "line 1"


@pytest.mark.parametrize("content", [b"}]},{[:", b'{"a', b"", b'{"a": [1, [[[[[[[2]]]]]]]]}'])
def test_what_is_no_json_has_lines_all_the_same(content: bytes) -> None:
    assert Places(content).where(max(0, len(content) - 1)) == "line 1"
