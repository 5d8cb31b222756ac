"""What is planted goes, whatever its family and its coding; what is none stays to the byte."""

import json
import re
import struct
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.apis import APIS
from mockserver.model import Json
from mockserver.redaction import Redactor, RuleSet
from mockserver.redaction.readers.binary import redact_cbor, redact_msgpack
from mockserver.redaction.sanitizer import InteractionSanitizer
from tests.mockserver.redaction import planted
from tests.mockserver.redaction.harmless import harmless

GOLDEN = Path(__file__).with_name("planted.golden.txt")
"""What is made of each planted message, as its reader reads it."""

RULES = RuleSet.default().with_rules_before(rule for api in APIS for rule in api.redaction())


@pytest.mark.slow
def test_what_is_planted_is_gone_and_stays_so() -> None:
    left, changed = [], []
    for row in planted.planted():
        assert row.secret in row.read(planted.everything(row.message)), f"{row.family}: not planted"
        made = Redactor(RULES, b"k").redact_interaction(row.message)
        content = planted.everything(made)
        if row.secret in row.read(content) or row.secret.encode() in content:
            left.append(row.family)
        if Redactor(RULES, b"k").redact_interaction(made) != made:
            changed.append(row.family)
    assert left == []
    assert changed == [], "twice is not once"


def _lines() -> Iterator[str]:
    for row in planted.planted():
        made = Redactor(RULES, b"k").redact_interaction(row.message)
        yield f"{row.family}\t{row.read(planted.everything(made))!a}\n"


@pytest.mark.slow
def test_what_is_made_of_what_is_planted_is_as_written_down() -> None:
    """`python -m tests.mockserver.redaction.test_coverage` writes it anew."""
    assert list(_lines()) == GOLDEN.read_text(encoding="utf-8").splitlines(keepends=True)


def test_what_is_harmless_stays_to_the_byte() -> None:
    rows = list(harmless())
    changed = []
    for name, body, media in rows:
        made = Redactor(RULES, b"k").redact_interaction(planted.response(body, media))
        if made.response.body != body:
            changed.append((name, made.response.body))
    assert len(rows) > 230
    assert changed == []


@pytest.mark.slow
def test_the_gate_finds_nothing_more_and_asks_nothing() -> None:
    changed = []
    for row in planted.planted():
        made = Redactor(RULES, b"k").redact_interaction(row.message)
        if InteractionSanitizer(Redactor(RULES, b"k")).sanitize(row.message) != made:
            changed.append(row.family)
    for name, body, media in harmless():
        message = planted.response(body, media)
        if InteractionSanitizer(Redactor(RULES, b"k")).sanitize(message) != message:
            changed.append(name)
    assert changed == []


def test_ordinary_words_of_a_protocol_stay_in_headers_and_queries() -> None:
    message = planted.asked(
        "/v10.4.2.1/items?version=10.4.2.1&sort=-name&key=name&page=2&locale=en-US",
        ("User-Agent", "Chrome/10.4.2.1 (x)"), ("Accept", "*/*"),
        ("X-Cloud-Trace-Context", "a" * 32),
        ("traceparent", f"00-{'4bf92f35' * 4}-{'00f067aa' * 2}-01"),
        ("If-None-Match", '"33a64df5"'),
    )  # fmt: skip
    assert Redactor(RULES, b"k").redact_interaction(message) == message


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40)
VALUES: st.SearchStrategy[Json] = st.recursive(
    st.one_of(TEXTS, st.integers(0, 2**31), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(TEXTS, inner, max_size=5)),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(VALUES)
def test_packed_values_come_back_as_they_were(value: Json) -> None:
    for write, redacted in ((planted.msgpack, redact_msgpack), (planted.cbor, redact_cbor)):
        content = write(value)
        assert redacted(content, lambda same: same) == content


@settings(max_examples=60, deadline=None)
@given(VALUES)
def test_packed_texts_are_replaced_with_lengths_that_are_right(value: Json) -> None:
    def longer(some: Json) -> Json:
        if isinstance(some, str):
            return f"{some} and more than thirty-two bytes of it"
        if isinstance(some, list):
            return [longer(item) for item in some]
        if isinstance(some, dict):
            return {name: longer(item) for name, item in some.items()}
        return some

    for write, redacted in ((planted.msgpack, redact_msgpack), (planted.cbor, redact_cbor)):
        assert redacted(write(value), longer) == write(longer(value))


@pytest.mark.parametrize(
    "content",
    [b"\xc1", b"\x92\xa1a", b"\xd9\xff", b"\xdf\xff\xff\xff\xff", b"\xa2ab\xa5abc", b"\x91" * 99],
)
def test_what_is_no_messagepack_is_none(content: bytes) -> None:
    assert redact_msgpack(content, lambda same: same) is None


@pytest.mark.parametrize(
    ("content", "made"),
    [
        (b"\x9f\x63abc\x01\xff", b"\x9f\x63ABC\x01\xff"),
        (b"\xbf\x61a\x63abc\xff", b"\xbf\x61A\x63ABC\xff"),
        (b"\xc1\x63abc", b"\xc1\x63ABC"),
        (b"\xf9\x3c\x00\xf5\x20" + struct.pack(">Bd", 0xFB, 1.5), None),
        (b"\x7f\x61a\x61b\xff", None),
        (b"\x82\x01\x61a\x61b\x02", b"\x82\x01\x61A\x61B\x02"),
        (b"\x63ab", b""),
        (b"\x1c", b""),
    ],
)
def test_cbor_of_any_form(content: bytes, made: bytes | None) -> None:
    def loud(some: Json) -> Json:
        if isinstance(some, dict):
            return {name.upper(): loud(item) for name, item in some.items()}
        if isinstance(some, list):
            return [loud(item) for item in some]
        return some.upper() if isinstance(some, str) else some

    assert redact_cbor(content, loud) == (content if made is None else made or None)


def test_places_are_replaced_where_a_user_wants_it() -> None:
    body: Json = {"latitude": 52.520008, "lon": "13.404954", "at": "52.520008, 13.404954", "n": 1.5}
    off, on = (
        Redactor(RuleSet.default(), b"k"),
        Redactor(RuleSet.parse({"on": ["coordinates"]}), b"k"),
    )
    assert off.redact_json(body) == body
    made = on.redact_json(body)
    assert isinstance(made, dict)
    assert not re.search(r"52\.52|13\.40", str(made))
    assert isinstance(made["latitude"], float)
    assert made["n"] == 1.5
    assert on.redact_json(made) == made
    with pytest.raises(ValueError, match="on: 'x' is not one of hash, coordinates"):
        RuleSet.parse({"on": ["x"]})


def test_a_rule_of_a_user_keeps_what_others_would_replace() -> None:
    keep: Json = {
        "name": "mine",
        "kind": "kept",
        "pattern": r"build 10\.\d+\.\d+\.\d+",
        "keep": True,
    }
    redactor = Redactor(RuleSet.parse({"rules": [keep]}), b"k")
    assert redactor.redact_text("build 10.1.2.3") == "build 10.1.2.3"
    assert "10.1.2.3" not in redactor.redact_text("host 10.1.2.3")


def _tables() -> Iterator[tuple[str, str]]:
    yield 'a,token\r\n"x, ""y""",Zq81-Tulip\r\nplain,\r\n', "text/csv"
    yield "\ufeffname\temail\nAnn\tann@corp-nine.io\n", "text/tab-separated-values"
    yield "a,a\n1,ann@corp-nine.io\n", "text/csv"
    yield "a,b\n1\n2,3,4\nann@corp-nine.io,x", "text/csv"


@pytest.mark.parametrize(("content", "media"), list(_tables()))
def test_a_table_keeps_its_rows_columns_and_quotes(content: str, media: str) -> None:
    made = (
        Redactor(RULES, b"k")
        .redact_interaction(planted.text(content, media))
        .response.body.decode()
    )
    assert re.sub(r"[^\r\n\t]", "", made) == re.sub(r"[^\r\n\t]", "", content)
    assert made.count(",") == content.count(",")
    assert "Tulip" not in made
    assert "ann@" not in made
    assert '"x, ""y"""' in made or '"x' not in content


def test_markup_keeps_its_form() -> None:
    page = (
        '<a href="/x?a=1&amp;b=2" title=\'it&#39;s\'>A &amp; B</a><input name="user" value="ann">'
        '<input name="password" value="Tulip &quot;42&quot; Quarry"><b>password</b>'
    )
    made = (
        Redactor(RULES, b"k")
        .redact_interaction(planted.text(page, "text/html"))
        .response.body.decode()
    )
    assert "Quarry" not in unescape(made)
    assert made.startswith(page.partition('<input name="password"')[0])
    assert made.endswith("<b>password</b>")


def test_a_secret_of_kubernetes_stays_one() -> None:
    value: Json = {"kind": "Secret", "data": {"a": "VHVsaXAtNDI=", "b": ""}, "type": "Opaque"}
    made = Redactor(RULES, b"k").redact_json(value)
    assert isinstance(made, dict)
    assert made["data"] != value["data"] if isinstance(value, dict) else False
    assert json.dumps(made).count('"b": ""') == 1
    assert Redactor(RULES, b"k").redact_json(made) == made


if __name__ == "__main__":
    GOLDEN.write_text("".join(_lines()), encoding="utf-8")
