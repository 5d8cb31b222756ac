"""What the gate knows is replaced in every coding; what it only suspects becomes a question."""

import base64
import gzip
import json
import random
import string
import zlib
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.model import Chunk, Header, Interaction, RecordedRequest, RecordedResponse
from mockserver.redaction import LeakGate, Redactor, RuleSet
from mockserver.redaction.public_ids import PublicId
from mockserver.redaction.sanitizer import InteractionSanitizer, is_opaque, questions_of

KEY = b"a key of tests"
SECRET = "plum-Quartz#walks 77"
RANDOM = "Zx8Qp0vN3rT6yB1kM9wL4sD7"
JSON: tuple[Header, ...] = (("Content-Type", "application/json"),)
OCTETS: tuple[Header, ...] = (("Content-Type", "application/octet-stream"),)
CODINGS: dict[str, Callable[[str], bytes]] = {
    "as it is": str.encode,
    "upper case": lambda text: text.upper().encode(),
    "percent": lambda text: quote(text, safe="").encode(),
    "form": lambda text: text.replace(" ", "+").encode(),
    "json escapes": lambda text: "".join(f"\\u{ord(sign):04x}" for sign in text).encode(),
    "html": lambda text: "".join(f"&#{ord(sign)};" for sign in text).encode(),
    "base64": lambda text: base64.b64encode(text.encode()),
    "base64, shifted": lambda text: base64.b64encode(b"x" + text.encode() + b"yz").rstrip(b"="),
    "base64url": lambda text: base64.urlsafe_b64encode(b"\xfb\xff" + text.encode()),
    "base64 twice": lambda text: base64.b64encode(base64.b64encode(text.encode())),
    "hex": lambda text: text.encode().hex().encode(),
    "hex, upper": lambda text: text.encode().hex().upper().encode(),
    "gzip": lambda text: base64.b64encode(gzip.compress(text.encode())),
    "zlib": lambda text: base64.b64encode(zlib.compress(text.encode())),
    "UTF-16": lambda text: base64.b64encode(text.encode("utf-16-le")),
    "json in json": lambda text: json.dumps(json.dumps({"a": text})).encode(),
    "mail": lambda text: b"quoted-printable " + b"".join(b"=%02X" % code for code in text.encode()),
}  # fmt: skip


def sanitizer(rules: RuleSet | None = None) -> InteractionSanitizer:
    return InteractionSanitizer(Redactor(rules or RuleSet.default(), KEY))


def answered(body: bytes, headers: tuple[Header, ...] = OCTETS, url: str = "/v1/a") -> Interaction:
    sized = (*headers, ("Content-Length", str(len(body))))
    return Interaction(
        RecordedRequest("GET", f"https://api.example.com{url}"),
        RecordedResponse(200, "OK", sized, body),
    )


def knowing(made: InteractionSanitizer) -> InteractionSanitizer:
    made.sanitize(answered(json.dumps({"password": SECRET}).encode(), JSON))
    return made


@pytest.mark.parametrize("coding", CODINGS, ids=str)
def test_a_known_secret_is_replaced_in_every_coding(coding: str) -> None:
    body = b"before \x01 " + CODINGS[coding](SECRET) + b" \x02 after"
    kept = knowing(sanitizer()).sanitize(answered(body))
    gate = LeakGate(RuleSet.default(), unknown=False)
    gate.learn([type("S", (), {"kind": "password", "value": SECRET})()])
    assert gate.scan(kept.response.body) == ()
    assert kept.review == ()
    assert kept.response.body.startswith(b"before \x01 ")
    assert kept.response.body.endswith(b" \x02 after")
    assert ("Content-Length", str(len(kept.response.body))) in kept.response.headers


def test_what_was_replaced_in_base64_is_still_base64_of_the_same_thing() -> None:
    inner = json.dumps({"a": 1, "note": f"for {SECRET}", "b": [2]}).encode()
    kept = knowing(sanitizer()).sanitize(answered(b"\x01" + base64.b64encode(gzip.compress(inner))))
    opened = json.loads(gzip.decompress(base64.b64decode(kept.response.body[1:])))
    assert (opened["a"], opened["b"]) == (1, [2])
    assert opened["note"].startswith("for redacted-secret-")


def test_what_only_looks_random_becomes_a_question_and_a_pseudonym() -> None:
    body = json.dumps({"receipt": RANDOM, "other": 1}).encode()
    kept = sanitizer().sanitize(answered(body, JSON))
    [question] = questions_of(kept)
    assert (question.part, question.kind, question.field) == ("response body", "random", "receipt")
    assert RANDOM not in str(question)
    assert RANDOM.encode() not in kept.response.body
    assert json.loads(kept.response.body)["other"] == 1


@pytest.mark.parametrize(
    ("url", "header", "part"),
    [(f"/v1/receipts/{RANDOM}", "x", "request URL"), ("/v1/a", RANDOM, "response header")],
)
def test_a_question_says_in_which_part(url: str, header: str, part: str) -> None:
    kept = sanitizer().sanitize(answered(b"{}", (*JSON, ("X-Receipt", header)), url))
    assert [question.part for question in questions_of(kept)] == [part]


def test_what_was_accepted_is_no_question_and_stays() -> None:
    shape = "[A-Za-z0-9]{18,30}"
    rules = RuleSet.parse({"allow": [{"kind": "random", "shape": shape, "field": "receipt"}]})
    assert rules.public == (PublicId("accepted", shape, ("receipt",)),)
    body = json.dumps({"receipt": RANDOM}).encode()
    assert sanitizer(rules).sanitize(answered(body, JSON)).response.body == body
    elsewhere = json.dumps({"voucher": RANDOM}).encode()
    assert sanitizer(rules).sanitize(answered(elsewhere, JSON)).review


def test_an_equal_id_has_an_equal_pseudonym_wherever_it_is_in_question() -> None:
    made = sanitizer()
    one = made.sanitize(answered(json.dumps({"receipt": RANDOM}).encode(), JSON))
    two = made.sanitize(answered(b"{}", JSON, f"/v1/receipts/{RANDOM}"))
    stand_in = json.loads(one.response.body)["receipt"]
    assert two.request.url.endswith(f"/receipts/{stand_in}")


def test_chunks_still_add_up() -> None:
    body = f"one {RANDOM} two".encode()
    response = RecordedResponse(200, "OK", (), body, "", (Chunk(0, 10), Chunk(9, len(body) - 10)))
    kept = sanitizer().sanitize(
        Interaction(RecordedRequest("GET", "https://a.example.com/"), response)
    )
    assert sum(chunk.size for chunk in kept.response.chunks) == len(kept.response.body)


def test_a_screened_interaction_is_screened_to_itself() -> None:
    made = knowing(sanitizer())
    for coding in CODINGS.values():
        kept = made.sanitize(answered(b"\x01 " + coding(SECRET) + b" " + RANDOM.encode()))
        assert made.sanitize_again(kept) == kept


def test_what_stands_in_pieces_is_replaced_whole_and_questioned() -> None:
    body = f'"{SECRET[:9]}"\r\n8\r\n'.encode()
    chunks = (
        b"\x01\r\n9\r\n" + SECRET[:9].encode() + b"\r\nb\r\n" + SECRET[9:].encode() + b"\r\n0\r\n"
    )
    kept = knowing(sanitizer()).sanitize(answered(body + chunks))
    assert [question.kind for question in questions_of(kept)] == ["unwritable"]
    assert SECRET[9:].encode() not in kept.response.body


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(list(CODINGS)), min_size=1, max_size=4),
    st.text(string.printable, max_size=20),
)
def test_law_nothing_that_is_known_is_left_whatever_stands_around_it(
    codings: list[str], around: str
) -> None:
    body = b"\x01" + b"|".join(around.encode() + b" " + CODINGS[name](SECRET) for name in codings)
    made = knowing(sanitizer())
    kept = made.sanitize(answered(body))
    assert SECRET.encode() not in kept.response.body
    assert list(made._gate.findings(kept.response.body)) == []


def test_harmless_bytes_are_not_changed() -> None:
    body = random.Random(5).randbytes(4000)
    kept = knowing(sanitizer()).sanitize(answered(body))
    assert (kept.response.body, kept.review) == (body, ())


def test_large_bytes_that_are_no_text_are_kept_and_cost_little(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    body = random.Random(5).randbytes(300_000)
    made = knowing(sanitizer())
    seen: list[tuple[int, int]] = []
    redact = made._redactor.redact_interaction

    def counting(interaction: Interaction) -> Interaction:
        seen.append((len(interaction.request.body), len(interaction.response.body)))
        return redact(interaction)

    monkeypatch.setattr(made._redactor, "redact_interaction", counting)
    asked = answered(body)
    both = replace(asked, request=replace(asked.request, headers=OCTETS, body=body))
    chunks = (Chunk(0.0, 1), Chunk(5.0, 299_999))
    one = replace(asked, response=replace(asked.response, chunks=chunks))
    other = replace(both, response=RecordedResponse(200, "OK", JSON, b"{}"))
    for interaction in (one, both, other):
        kept = made.sanitize(interaction)
        assert kept == replace(interaction, review=())
    assert seen == [(0, 0), (0, 0), (0, 2)]


@pytest.mark.parametrize(
    "planted",
    [SECRET.encode(), b"mail ann.lovelace@corp.io now", b"key AKIA" + b"QX7WV3LK9RTZ2MNB"],
)
def test_a_secret_in_large_bytes_is_replaced_all_the_same(planted: bytes) -> None:
    half = random.Random(5).randbytes(50_000)
    kept = knowing(sanitizer()).sanitize(answered(half + planted + half))
    assert planted not in kept.response.body
    assert kept.response.body.startswith(half[:40_000])


@pytest.mark.parametrize(
    ("body", "headers", "opaque"),
    [
        (random.Random(1).randbytes(9000), OCTETS, True),
        (random.Random(1).randbytes(9000), (("Content-Type", "application/x-protobuf"),), False),
        ("漢字かな交じり文".encode() * 999, OCTETS, False),
        ("text in UTF-16 ".encode("utf-16") * 99, OCTETS, False),
        ("漢字".encode("shift-jis") * 999, (("Content-Type", "text/plain; charset=sjis"),), False),
        (gzip.compress(random.Random(1).randbytes(9000)), OCTETS, False),
        (b"plain text " * 999, OCTETS, False),
    ],
)
def test_what_could_be_text_is_looked_into(
    body: bytes, headers: tuple[Header, ...], *, opaque: bool
) -> None:
    assert is_opaque(headers, body) is opaque


@pytest.mark.parametrize(
    "coded", [SECRET, quote(SECRET), base64.b64encode(SECRET.encode()).decode()]
)
def test_a_secret_in_a_picture_is_replaced_where_it_stands(coded: str) -> None:
    noise = random.Random(3).randbytes(9000)
    picture = b"\x89PNG" + noise + b"\x00" + coded.encode() + b"\x00" + noise
    body = json.dumps({"b64_json": base64.b64encode(picture).decode()}).encode()
    made = knowing(sanitizer()).sanitize(answered(body, JSON))
    shown = base64.b64decode(json.loads(made.response.body)["b64_json"])
    assert shown.startswith(b"\x89PNG" + noise)
    assert coded.encode() not in shown
    assert not made.review
