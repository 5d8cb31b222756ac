import pytest

from mockserver.cassettes.files.comparison import compare_cassettes
from mockserver.cli.cassette_pages import (
    body_lines,
    cassette_lines,
    comparison_lines,
    interaction_lines,
    visible,
)
from mockserver.model import (
    Cassette,
    CassetteInfo,
    Chunk,
    Interaction,
    RecordedRequest,
    RecordedResponse,
)


def test_what_could_move_the_cursor_or_turn_the_text_is_written_out() -> None:
    assert visible("a\x1b[2J\r\x9b\u202eb\t\n") == "a\\x1b[2J\\r\\x9b\\u202eb\t\n"


@pytest.mark.parametrize(
    ("media", "body", "lines"),
    [
        ("application/json", b'{"a":[1]}', ["{", '  "a": [', "    1", "  ]", "}"]),
        ("application/json", b"{", ["{"]),
        ("application/x-www-form-urlencoded", b"a=1&b=c+d", ["a = 1", "b = c+d"]),
        ("text/plain", b"a\nb\n", ["a", "b"]),
        ("image/png", b"\xff\x00", ["(2 bytes of image/png)"]),
        ("", b"\xff", ["(1 bytes of unknown type)"]),
    ],
    ids=["json", "not json", "form", "text", "binary", "untyped"],
)
def test_bodies_are_shown_so_that_they_can_be_read(
    media: str, body: bytes, lines: list[str]
) -> None:
    headers = (("Content-Type", media),) if media else ()
    assert list(body_lines(headers, body)) == lines


STREAM = Interaction(
    RecordedRequest("GET", "https://example.com/" + "x" * 200),
    RecordedResponse(
        200, "", (), b"ab", "gzip;level=6", (Chunk(0.0, 1), Chunk(5.5, 1)), ended="reset"
    ),
)


def test_a_stream_says_how_it_came_and_how_it_ended() -> None:
    lines = list(interaction_lines(STREAM))
    assert "came as gzip, ended: reset" in lines
    assert lines[-1] == "chunk of 1 bytes after 5.5 ms"
    info = CassetteInfo(upstream="https://example.com", revisions={"a:v1": "2"}, key_id="12345678")
    listed = list(cassette_lines(Cassette("a", (STREAM,), info)))
    assert listed[:3] == [
        "redacted with key: 12345678",
        "upstream: https://example.com",
        "revisions: a:v1 2",
    ]
    assert listed[3].endswith("...  (no type, 2 bytes, 2 chunks, reset)")


def test_what_was_added_and_removed_is_listed() -> None:
    other = Interaction(RecordedRequest("PUT", "https://example.com/"), RecordedResponse(204))
    found = compare_cassettes(
        Cassette("a", (STREAM,)), Cassette("b", (other,)), key=lambda request: request.url
    )
    lines = list(comparison_lines(found))
    assert lines[0].startswith("-    1  GET    200  example.com/xxx")
    assert lines[1].startswith("+    1  PUT    204  example.com/  (no type, 0 bytes)")
    assert lines[2] == "0 same, 0 changed, 1 added, 1 removed"
