import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.redaction.encodings import Layer, undo_escapes, unescaped_layers

PIECES = st.lists(
    st.sampled_from([
        "\\", '\\"', "\\n", "\\u0040", "\\ud83d\\ude00", "\\x41", "\\\n  \\ ", "%40", "%", "&amp;",
        "&#64;", "ann", "@", '"', "=40", "\\U0001f600", "\\/", "\\q", "\\0", "\\r", " ",
    ]),
    max_size=12,
)  # fmt: skip


@given(PIECES)
def test_what_is_undone_at_once_is_what_is_undone_piece_by_piece(pieces: list[str]) -> None:
    for layer in unescaped_layers(Layer("".join(pieces).encode())):
        outer = layer
        while outer.outer is not None:
            assert b"".join(part for _, part in outer._pieces()) == outer.content
            outer = outer.outer


@given(st.text(alphabet='añ@\\"/\n😀', max_size=20))
def test_every_text_is_found_again_in_json(text: str) -> None:
    assert undo_escapes(json.dumps(text)[1:-1].encode()).decode() == text


@given(st.text(alphabet='añ@"/\n😀%41', max_size=20))
def test_every_text_is_found_again_in_a_url(text: str) -> None:
    assert undo_escapes(quote(text, safe="").encode()).decode() == text


@pytest.mark.parametrize(
    ("written", "coding", "meant"),
    [
        (b"ann\\u0040corp", "escaped", b"ann@corp"),
        (b"ann%40corp", "percent-encoded", b"ann@corp"),
        (b"ann&#64;corp", "HTML entities", b"ann@corp"),
        (b"quoted-printable ann=40co=\r\nrp", "quoted-printable", b"quoted-printable ann@corp"),
        (b"5\r\nann@c\r\n3\r\norp\r\n0\r\n\r\n", "split over chunks", b"5\r\nann@corp\r\n"),
    ],
    ids=["json", "url", "html", "mail", "chunks"],
)
def test_each_way_of_writing_is_undone(written: bytes, coding: str, meant: bytes) -> None:
    (found,) = [layer for layer in unescaped_layers(Layer(written)) if layer.form == (coding,)]
    assert meant in found.content


def test_a_place_is_that_of_the_escape() -> None:
    (layer,) = unescaped_layers(Layer(b"12345 \\u0041\\u0042 %43D"))
    assert layer.content == b"12345 AB CD"
    assert layer.form == ("escaped", "percent-encoded")
    assert layer.origin(layer.content.index(b"C")) == 19


def test_a_text_without_escapes_has_no_other_reading() -> None:
    assert not list(unescaped_layers(Layer(b"ann@corp")))
