"""Bodies of every kind."""

import gzip
import json

import pytest

from mockserver.model import Chunk, RecordedResponse
from mockserver.redaction import Redactor
from mockserver.redaction.bodies import Piece, move_chunks

BATCH = (
    b"--b\r\nContent-Type: application/http\r\nContent-ID: <1>\r\n\r\n"
    b"POST /users/ada@corp.io?key=abcd1234 HTTP/1.1\r\nAuthorization: Bearer abcd1234efgh\r\n"
    b'Content-Type: application/json\r\nContent-Length: 23\r\n\r\n{"password": "hunter2"}\r\n--b--'
)


@pytest.mark.parametrize(
    ("media", "body", "kept", "gone"),
    [
        ("application/json", b'{"password": "hunter2", "n": 1}', b'"n": 1}', b"hunter2"),
        ("application/json", b")]}'\n{\"password\": \"hunter2\"}", b")]}'\n{", b"hunter2"),
        ("application/json", b'{"password": "hunter2", "n": [', b'"n": [', b"hunter2"),
        ("application/json", b'{"password": "hunter2"}\n{"a": 1}\n', b'{"a": 1}\n', b"hunter2"),
        ("application/x-ndjson", b'{"password": "hunter2"}\r\n\r\nhi\n', b"\r\n\r\nhi", b"hunter2"),
        ("application/json-seq", b'\x1e{"password": "hunter2"}\n', b"\x1e{", b"hunter2"),
        ("text/event-stream", b'id: 7\ndata: {"password": "hunter2"}\n\n', b"id: 7\n", b"hunter2"),
        ("text/event-stream", b": ada@corp.io\nretry: 10\n\n", b"retry: 10\n\n", b"ada@"),
        ("application/x-www-form-urlencoded", b"a=1&password=hunter2", b"a=1&pass", b"hunter2"),
        ("", b"a=1&password=hunter2", b"a=1&password=", b"hunter2"),
        ("text/plain", "ö ada@corp.io".encode(), "ö user-".encode(), b"ada@"),
        ("text/plain; charset=latin-1", "ö ada@corp.io".encode("latin-1"), b"\xf6 user-", b"ada@"),
        ("text/html", b"<p><password>hunter2</password></p>", b"<p><password>", b"hunter2"),
        ("multipart/mixed; boundary=b", BATCH, b"HTTP/1.1\r\n", b"hunter2"),
        ("multipart/mixed; boundary=b", BATCH, b"Content-ID: <1>", b"abcd1234"),
        ("multipart/form-data; boundary=c", b"ada@corp.io", b"user-", b"ada@"),
        ("application/octet-stream", b"\x0a\x0bada@corp.io", b"user-", b"ada@"),
        ("application/octet-stream", b"\xe2\x01\x0bada@corp.io", b"user-", b"ada@"),
        ("application/octet-stream", b"\xff\x00\x01", b"\xff\x00\x01", b"ada@"),
        ("image/png", b"\x89PNG\r\n\x00\xff", b"\x89PNG\r\n\x00\xff", b"ada@"),
        ("application/http", b"HTTP/1.1 200 OK\r\nSet-Cookie: a=abc123\r\n\r\n", b"200 OK",
         b"abc123"),
    ],
)  # fmt: skip
def test_bodies(redactor: Redactor, media: str, body: bytes, kept: bytes, gone: bytes) -> None:
    response = RecordedResponse(200, "OK", (("Content-Type", media),), body)
    made = redactor.redact_response(response)
    assert kept in made.body
    assert gone not in made.body
    assert redactor.redact_response(made) == made


def test_the_length_within_a_part_is_right(redactor: Redactor) -> None:
    headers = (("Content-Type", "multipart/mixed; boundary=b"),)
    body = redactor.redact_response(RecordedResponse(200, "", headers, BATCH)).body
    inner = body.partition(b'{"password"')[2].partition(b"}")[0]
    assert f"Content-Length: {len(inner) + 12}".encode() in body


def test_fields_of_a_form_in_parts_are_redacted_by_name(redactor: Redactor) -> None:
    part = b'--b\r\nContent-Disposition: form-data; name="%b"\r\n\r\n%b\r\n'
    body = part % (b"password", b"hunter2") + part % (b"x", b"\xff\x01") + b"--b--"
    headers = (("Content-Type", "multipart/form-data; boundary=b"),)
    made = redactor.redact_response(RecordedResponse(200, "", headers, body)).body
    assert b"hunter2" not in made
    assert b"\xff\x01" in made


def test_gzip_that_no_header_tells_of_is_opened(redactor: Redactor) -> None:
    made = redactor.redact_response(RecordedResponse(200, body=gzip.compress(b"ada@corp.io")))
    assert gzip.decompress(made.body).startswith(b"user-")


def test_events_keep_their_chunks(redactor: Redactor) -> None:
    events = [f"data: {json.dumps({'to': f'ada{n}@corp.io'})}\n\n".encode() for n in range(3)]
    chunks = tuple(Chunk(float(n), len(event)) for n, event in enumerate(events))
    headers = (("Content-Type", "text/event-stream"),)
    made = redactor.redact_response(
        RecordedResponse(200, "", headers, b"".join(events), chunks=chunks)
    )
    assert sum(chunk.size for chunk in made.chunks) == len(made.body)
    ends = [sum(chunk.size for chunk in made.chunks[: n + 1]) for n in range(3)]
    assert all(made.body[:end].endswith(b"\n\n") for end in ends)
    assert [chunk.at_ms for chunk in made.chunks] == [0.0, 1.0, 2.0]


def test_a_secret_split_over_chunks_is_found(redactor: Redactor) -> None:
    body = b'data: {"to": "ada@corp.io"}\n\n'
    chunks = (Chunk(0, 17), Chunk(5, len(body) - 17))
    headers = (("Content-Type", "text/event-stream"),)
    made = redactor.redact_response(RecordedResponse(200, "", headers, body, chunks=chunks))
    assert b"ada@" not in made.body
    assert sum(chunk.size for chunk in made.chunks) == len(made.body)


def test_places_move_with_their_pieces() -> None:
    pieces = [Piece(b"abcd", b"ab"), Piece(b"xy", b"xyz")]
    assert move_chunks((Chunk(0, 2), Chunk(1, 3), Chunk(2, 1)), pieces) == (
        Chunk(0, 1), Chunk(1, 2), Chunk(2, 2),
    )  # fmt: skip
