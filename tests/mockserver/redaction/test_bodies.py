"""Bodies of every kind."""

import gzip
import json
from base64 import encodebytes
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.model import Chunk, RecordedResponse
from mockserver.redaction import Redactor, RuleSet, generalise_pseudonyms
from mockserver.redaction.bodies import Piece, _wide, move_chunks, redact_split_texts

BATCH = (
    b"--b\r\nContent-Type: application/http\r\nContent-ID: <1>\r\n\r\n"
    b"POST /users/ada@corp.io?key=abcd1234 HTTP/1.1\r\nAuthorization: Bearer abcd1234efgh\r\n"
    b'Content-Type: application/json\r\nContent-Length: 23\r\n\r\n{"password": "hunter2"}\r\n--b--'
)
REDACTED_BATCH = (
    b"--b\r\nContent-Type: application/http\r\nContent-ID: <1>\r\n\r\n"
    b"POST /users/<email>?key=<secret> HTTP/1.1\r\nAuthorization: Bearer <secret>\r\n"
    b'Content-Type: application/json\r\nContent-Length: 48\r\n\r\n{"password": "<secret>"}\r\n--b--'
)


@pytest.mark.parametrize(
    ("media", "body", "made"),
    [
        (
            "application/json",
            b'{"password": "hunter2", "n": 1}',
            b'{"password": "<secret>", "n": 1}',
        ),
        (
            "application/json",
            b')]}\'\n{"password": "hunter2"}',
            b')]}\'\n{"password": "<secret>"}',
        ),
        (
            "application/json",
            b'{"password": "hunter2", "n": [',
            b'{"password": "<secret>", "n": [',
        ),
        (
            "application/json",
            b'{"password": "hunter2"}\n{"a": 1}\n',
            b'{"password": "<secret>"}\n{"a": 1}\n',
        ),
        (
            "application/x-ndjson",
            b'{"password": "hunter2"}\r\n\r\nhi\n',
            b'{"password": "<secret>"}\r\n\r\nhi\n',
        ),
        (
            "application/x-ndjson",
            b'{"p\\u0061ssword": "hunter2"}\nx\n',
            b'{"p\\u0061ssword": "<secret>"}\nx\n',
        ),
        (
            "application/x-ndjson",
            b'  {"p\\u0061ssword": "hunter2"}\nx\n',
            b'  {"p\\u0061ssword": "<secret>"}\nx\n',
        ),
        (
            "application/json-seq",
            b'\x1e{"password": "hunter2"}\n',
            b'\x1e{"password": "<secret>"}\n',
        ),
        (
            "text/csv",
            b'id,password\n1,tulip-42-Q\n2,"rose,17"\n3,\n',
            b'id,password\n1,<secret>\n2,"<secret>"\n3,\n',
        ),
        (
            "text/csv",
            b'\xef\xbb\xbf"id","password","note"\r\n1,"tu""lip-42","a ""b"""\r\n2,,x\r\n',
            b'\xef\xbb\xbf"id","password","note"\r\n1,"<secret>","a ""b"""\r\n2,,x\r\n',
        ),
        ("text/csv", b"id,id\n1,tulip-42-Q\n", b"id,id\n1,tulip-42-Q\n"),
        (
            "text/tab-separated-values",
            b"id\tpassword\n1\ta,b-42-Q\n",
            b"id\tpassword\n1\t<secret>\n",
        ),
        (
            "text/event-stream",
            b'id: 7\ndata: {"password": "hunter2"}\n\n',
            b'id: 7\ndata: {"password": "<secret>"}\n\n',
        ),
        ("text/event-stream", b": ada@corp.io\nretry: 10\n\n", b": <email>\nretry: 10\n\n"),
        ("application/x-www-form-urlencoded", b"a=1&password=hunter2", b"a=1&password=<secret>"),
        ("", b"a=1&password=hunter2", b"a=1&password=<secret>"),
        ("text/plain", b"\xc3\xb6 ada@corp.io", b"\xc3\xb6 <email>"),
        ("text/plain; charset=latin-1", b"\xf6 ada@corp.io", b"\xf6 <email>"),
        (
            "text/html",
            b"<p><password>hunter2</password></p>",
            b"<p><password><secret></password></p>",
        ),
        ("multipart/mixed; boundary=b", BATCH, REDACTED_BATCH),
        ("multipart/form-data; boundary=c", b"ada@corp.io", b"<email>"),
        ("application/octet-stream", b"\n\x0bada@corp.io", b"\n\x0b<email>"),
        ("application/octet-stream", b"\xe2\x01\x0bada@corp.io", b"\xe2\x01#<email>"),
        ("application/octet-stream", b"\xff\x00\x01", b"\xff\x00\x01"),
        ("application/x-protobuf", b"\xe2\x01\x0bada@corp.io", b"\xe2\x01#<email>"),
        ("application/grpc", b"\xe2\x01\x0bada@corp.io", b"\xe2\x01#<email>"),
        ("application/x-dump", b"\xe2\x01\x0bada@corp.io", b"\xe2\x01\x0bada@corp.io"),
        ("image/png", b"\x89PNG\r\n\x00\xff", b"\x89PNG\r\n\x00\xff"),
        (
            "application/http",
            b"HTTP/1.1 200 OK\r\nSet-Cookie: a=abc123\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nSet-Cookie: a=<secret>\r\n\r\n",
        ),
    ],
)  # fmt: skip
def test_bodies(redactor: Redactor, media: str, body: bytes, made: bytes) -> None:
    response = RecordedResponse(200, "OK", (("Content-Type", media),), body)
    redacted = redactor.redact_response(response)
    shown = generalise_pseudonyms(redacted.body.decode("latin-1"), credentials_only=False)
    assert shown.encode("latin-1") == made
    assert redactor.redact_response(redacted) == redacted


@pytest.mark.parametrize(
    ("body", "named", "coding"),
    [
        (b"\xff\xfea\0b\0c\0", "utf-8", "utf-16-le"),
        (b"\xfe\xff\0a\0b\0c", "utf-8", "utf-16-be"),
        (b"\xff\xfea\0b\0", "utf-8", None),
        (b"\xff\xfea\0b\0c\0d", "utf-8", None),
        (b"a\0b\0c\0d\0", "utf-8", "utf-16-le"),
        (b"\0a\0b\0c\0d", "utf-8", "utf-16-be"),
        (b"a\0b\0c\0dd", "utf-8", None),
        (b"\0a\0b\0cdd", "utf-8", None),
        (b"a\0b\0\0\0d\0", "utf-8", None),
        (b"\0" * 8, "utf-8", None),
        (b"abcdefgh", "utf-8", None),
        (b"abcdefgh", "UTF_16", "utf-16-le"),
        (b"\0bcdefgh", "UTF_16", "utf-16-be"),
        (b"abcdefgh", "utf-16be", "utf-16-be"),
        (b"a\xd8" * 4, "utf-16le", None),
        (b"\xe4\xf6" * 4, "utf-8", None),
    ],
)
def test_texts_of_two_bytes_a_character_are_seen(
    body: bytes, named: str, coding: str | None
) -> None:
    assert _wide(body, named) == coding


@pytest.mark.parametrize("newline", [b"\r\n", b"\n"])
@pytest.mark.parametrize("ends", [True, False])
def test_a_part_in_base64_keeps_its_lines(redactor: Redactor, newline: bytes, ends: bool) -> None:
    def part(content: bytes) -> bytes:
        lines = newline.join(encodebytes(content).split()) + newline * ends
        head = b"--b\r\nContent-Transfer-Encoding: base64\r\n\r\n"
        return head + lines + b"\r\n--b--"

    text = b"to ada@corp.io and so on" * 5
    headers = (("Content-Type", "multipart/mixed; boundary=b"),)
    made = redactor.redact_response(RecordedResponse(200, "", headers, part(text))).body
    assert made == part(redactor.redact_text(text.decode()).encode())


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


SECRET = "maria.kowalski@corp-of-hers.io"
TEXT = f"Ask {SECRET} or call back; {SECRET} knows it.\n\nBye"


def _redact(text: str) -> str:
    return text.replace(SECRET, "user-1@example.com")


def _cut(text: str, places: list[int]) -> list[str]:
    bounds = [0, *sorted(places), len(text)]
    return [text[start:end] for start, end in pairwise(bounds)]


@given(st.lists(st.integers(0, len(TEXT)), max_size=8))
def test_pieces_make_up_the_redacted_whole_wherever_they_are_cut(places: list[int]) -> None:
    pieces = _cut(TEXT, places)
    events = [json.dumps({"delta": {"text": piece}}).encode() for piece in pieces]
    anew = redact_split_texts(events, _redact)
    made = [json.loads(anew.get(place, event)) for place, event in enumerate(events)]
    told = "".join(event["delta"]["text"] for event in made)
    assert told == (_redact(TEXT) if len(pieces) > 1 else TEXT)
    assert SECRET not in told or len(pieces) == 1


@pytest.mark.parametrize(
    "events",
    [
        ['{"email": "maria.kowalski@cor"}', '{"email": "p-of-hers.io"}'],
        ['{"text": "maria.kowalski@cor"}', "[DONE]", "{broken"],
        ['{"index": 0, "text": "maria.kowalski@cor"}', '{"index": 1, "text": "p-of-hers.io"}'],
        ['"maria.kowalski@cor"', "7"],
    ],
    ids=["no text field", "one piece", "two blocks", "no object"],
)
def test_what_makes_up_nothing_together_stays(events: list[str]) -> None:
    assert redact_split_texts([event.encode() for event in events], _redact) == {}


def test_blocks_that_are_told_in_turns_are_kept_apart() -> None:
    events = [
        {"choices": [{"index": n, "delta": {"content": piece}}]}
        for piece in ("maria.kow", "alski@corp-of-hers.io")
        for n in (0, 1)
    ]
    anew = redact_split_texts([json.dumps(event).encode() for event in events], _redact)
    told = [json.loads(anew[place])["choices"][0]["delta"]["content"] for place in range(4)]
    assert told == ["user-1@example.com", "user-1@example.com", "", ""]


@pytest.mark.parametrize("media", ["text/event-stream", "application/x-ndjson"])
def test_no_half_of_an_address_is_left_in_a_stream(media: str) -> None:
    front = "data: " if media == "text/event-stream" else ""
    lines = [
        f"{front}{json.dumps({'type': 'text-delta', 'delta': piece})}\n"
        for piece in ("Ask maria.kow", "alski@corp-of", "-hers.io now")
    ]
    body = "".join(lines).encode()
    chunks = tuple(Chunk(float(n), len(line.encode())) for n, line in enumerate(lines))
    redactor = Redactor(RuleSet.default(), b"key")
    made = redactor.redact_response(
        RecordedResponse(200, "", (("content-type", media),), body, "", chunks)
    )
    assert b"kow" not in made.body
    assert b"hers" not in made.body
    assert sum(chunk.size for chunk in made.chunks) == len(made.body)
    assert len(made.body.splitlines()) == 3
    assert redactor.redact_response(made) == made
