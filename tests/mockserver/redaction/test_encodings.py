import base64
import gzip
import json
import re
import zlib
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.redaction import encodings
from mockserver.redaction.encodings import (
    Layer,
    decoded_layers,
    find_runs,
    joined_layers,
    undo_escapes,
    unescaped_layers,
    unpacked_layers,
)

TEXT = b"ann.lovelace@corp.test"


def test_codings_inside_codings_are_undone() -> None:
    inner = base64.urlsafe_b64encode(gzip.compress(TEXT.replace(b"@", b"%40"))).decode()
    content = json.dumps(json.dumps({"a": inner})).encode()
    assert any(TEXT in layer.content for layer in decoded_layers(content))


def test_the_first_reading_is_the_content() -> None:
    first = next(decoded_layers(TEXT))
    assert (first.content, first.form, first.cut) == (TEXT, (), False)


def test_a_budget_that_does_not_reach_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encodings, "_ROOM", 10)
    monkeypatch.setattr(encodings, "_TIMES", 0)
    assert [layer.cut for layer in decoded_layers(TEXT)] == [True]


def test_it_ends_at_some_depth() -> None:
    content = TEXT
    for _ in range(encodings.DEEPEST + 3):
        content = base64.b64encode(content)
    assert max(len(layer.form) for layer in decoded_layers(content)) <= encodings.DEEPEST + 2


def noise(size: int) -> bytes:
    return bytes(place * place * 7 + place // 5 & 0xFF for place in range(size))


@pytest.mark.parametrize(
    "inside",
    [TEXT, base64.b64encode(TEXT), TEXT.replace(b"@", b"%40"), gzip.compress(TEXT)],
    ids=["plain", "base64", "percent", "gzip"],
)
@pytest.mark.parametrize("size", [40, 9000])
def test_what_stands_between_other_bytes_is_read(inside: bytes, size: int) -> None:
    around = b"\xfe\x90" + noise(size) + b"\x00"
    content = b'{"b64_json": "' + base64.b64encode(around + inside + around[::-1]) + b'"}'
    assert any(TEXT in layer.content for layer in decoded_layers(content))


def test_of_large_noise_the_texts_alone_are_read_further() -> None:
    content = base64.b64encode(noise(9000) + b"%41" * 20)
    layers = list(decoded_layers(content))
    assert sum(len(layer.content) for layer in layers) < 6 * len(content)


def test_fractions_of_numbers_are_no_runs() -> None:
    content = json.dumps([0.0123456789012345678, -0.98765432109876543]).encode()
    assert [layer.form for layer in decoded_layers(content)] == [()]
    assert len(list(decoded_layers(b"v1.3132333435363738x"))) > 1


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


def test_the_content_itself_stands_where_it_stands() -> None:
    layer = Layer(b"abc")
    assert (layer.origin(2), layer.form, list(layer.starts())) == (2, (), [0])


def test_what_was_packed_stands_where_its_piece_began() -> None:
    outer = Layer(b"x YWJj ZGVm")
    inner = Layer(b"abcdef", outer, "base64", lambda: [(2, b"abc"), (7, b"def")], packed=True)
    assert [inner.origin(at) for at in (0, 2, 3, 5)] == [2, 2, 7, 7]
    assert list(inner.starts()) == [0, 3]


def test_places_are_those_of_the_content_through_all_readings() -> None:
    outer = Layer(b"12 abc")
    middle = Layer(b"abc", outer, "one", lambda: [(3, b"abc")])
    inner = Layer(b"c", middle, "two", lambda: [(2, b"c")])
    assert (inner.origin(0), inner.form) == (5, ("one", "two"))


def test_a_reading_of_nothing_begins_where_its_outer_reading_does() -> None:
    assert Layer(b"", Layer(b"abc"), "one").origin(0) == 0


@pytest.mark.parametrize("before", range(4))
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode], ids=["std", "url"])
def test_base64_is_read_at_every_alignment(before: int, encode: object) -> None:
    assert callable(encode)
    content = b"v" * before + encode(TEXT)
    assert any(TEXT in layer.content for layer in unpacked_layers(Layer(content), set()))


@pytest.mark.parametrize("content", [TEXT.hex(), TEXT.hex().upper(), "a" + TEXT.hex()])
def test_hexadecimal_is_read_at_both_alignments(content: str) -> None:
    assert any(TEXT in layer.content for layer in unpacked_layers(Layer(content.encode()), set()))


def test_gzip_is_unpacked_wherever_it_begins() -> None:
    content = b"\0\1" + gzip.compress(TEXT)
    assert [layer.content for layer in unpacked_layers(Layer(content), set())] == [TEXT + b"\n"]


def test_zlib_is_unpacked_at_the_begin_of_a_piece() -> None:
    (layer,) = unpacked_layers(Layer(base64.b64encode(zlib.compress(TEXT * 9))), set())
    inner = [inner.content for inner in unpacked_layers(layer, set())]
    assert TEXT * 9 + b"\n" in inner


def test_of_a_torn_stream_what_is_whole_is_read() -> None:
    torn = gzip.compress(TEXT * 2000)[:-20]
    (layer,) = unpacked_layers(Layer(torn), set())
    assert TEXT in layer.content


def test_what_only_looks_packed_is_no_reading() -> None:
    assert not list(unpacked_layers(Layer(b"\x1f\x8b\x08 not gzip"), set()))


def test_a_stream_that_unpacks_to_too_much_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encodings, "LARGEST", 1000)
    (layer,) = unpacked_layers(Layer(gzip.compress(bytes(5000))), set())
    assert layer.cut
    assert len(layer.content) <= 1001


def test_the_same_is_unpacked_once() -> None:
    seen: set[int] = set()
    content = base64.b64encode(TEXT)
    assert list(unpacked_layers(Layer(content), seen))
    assert not list(unpacked_layers(Layer(content), seen))


LINES = st.lists(
    st.sampled_from([
        b"\n", b"\n", b" ", b"\t", b"\r\n", b"{", b"}", b"},", b'{"a": "', b'"}', b'{"a": "xy"},',
        b"data: ", b"data:", b'"', b",", b"[", b"]", b"a" * 48, b"2026-01-02 03:04:05", b"\\",
    ]),
    max_size=24,
)  # fmt: skip


@given(LINES)
def test_lines_that_are_passed_over_are_no_events(pieces: list[bytes]) -> None:
    def joined() -> list[tuple[bytes, tuple[str, ...], object]]:
        layers = joined_layers(Layer(b"".join(pieces)))
        return [(layer.content, layer.form, layer.places()) for layer in layers]

    found = joined()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encodings, "_OBJECT_END", re.compile(rb"\n|\Z"))
        assert joined() == found


RUN_PIECES = st.lists(
    st.sampled_from(
        [
            b"a1B2c3D4e5F6g7H8",
            b"0.1234567890123456789",
            b"1",
            b".",
            b" ",
            b"=",
            b"\xff",
            b"\n",
            b"-_",
        ]
    ),
    max_size=12,
)


@given(RUN_PIECES)
def test_runs_are_those_that_a_search_for_their_signs_finds(pieces: list[bytes]) -> None:
    content = b"".join(pieces)
    spans = [run.span() for run in re.finditer(rb"[A-Za-z0-9+/_-]{16,}", content)]
    fractions = [
        span
        for span in spans
        if content[slice(*span)].isdigit() and re.search(rb"[0-9]\.\Z", content[: span[0]])
    ]
    assert find_runs(content) == [span for span in spans if span not in fractions]


FOLDED = st.lists(
    st.sampled_from(
        [b"\n", b"\n  ", b"x" * 47, b"y" * 48, b'{"a": 1},', b"\\", b"\r", b" ", b"%41", b'"\\"']
    ),
    max_size=14,
)


@given(FOLDED)
def test_each_reading_is_what_its_pieces_are(pieces: list[bytes]) -> None:
    for layer in decoded_layers(b"".join(pieces)):
        starts, origins = layer.places()
        assert starts == sorted(starts)
        if layer.outer is not None and layer.form[-1] == "folded over lines":
            ends = [*starts[1:], len(layer.content)]
            for start, end, origin in zip(starts, ends, origins, strict=True):
                part = layer.content[start:end]
                assert part == b"\n" or layer.outer.content[origin:].startswith(part)
