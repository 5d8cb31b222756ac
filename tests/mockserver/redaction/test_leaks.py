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
