from typing import Any

import pytest

from mockserver.cassettes.files.parsing import bytes_of, headers_of, interaction_of, interactions_of
from mockserver.cassettes.files.values import MisplacedError
from mockserver.model import Chunk

REQUEST = {"method": "GET", "uri": "https://h/", "body": None, "headers": None}


def test_a_response_may_lack_reason_and_headers() -> None:
    answer = {"status": {"code": 204, "message": None}, "body": {"string": None}}
    response = interaction_of({"request": REQUEST, "response": answer}, ()).response
    assert (response.status, response.reason, response.headers, response.body) == (204, "", (), b"")


def test_facts_are_put_where_they_belong() -> None:
    answer = {"status": {"code": 200}, "body": {"string": b"abc"}}
    facts = {"chunks": [[0, 1], [2.5, 2]], "duration_ms": 3, "request_coding": "br"}
    item = {"request": REQUEST, "response": answer, "recorded": facts}
    interaction = interaction_of(item, ())
    assert interaction.response.chunks == (Chunk(0.0, 1), Chunk(2.5, 2))
    assert (interaction.duration_ms, interaction.request.coding) == (3.0, "br")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, b""),
        ("é", "é".encode()),
        (b"\xff", b"\xff"),
        ({"string": "a"}, b"a"),
        ({"base64": "AA=="}, b"\0"),
    ],
    ids=["nothing", "text", "bytes", "string", "base64"],
)
def test_bodies_are_bytes(value: Any, expected: bytes) -> None:
    assert bytes_of(value, ()) == expected


@pytest.mark.parametrize(
    "value",
    [
        {"A": "1", "B": ["2", b"3"]},
        [["A", "1"], ("B", "2"), ["B", "3"]],
        {"A": ("1",), "B": ["2", "3"]},
    ],
    ids=["mapping", "pairs", "tuples"],
)
def test_headers_are_pairs(value: Any) -> None:
    assert headers_of(value, ()) == (("A", "1"), ("B", "2"), ("B", "3"))


def test_the_hint_for_a_later_version_names_a_newer_program() -> None:
    with pytest.raises(MisplacedError) as error:
        interactions_of({"version": 2, "interactions": []})
    assert error.value.hint == "a newer program wrote it"
    with pytest.raises(MisplacedError) as error:
        interactions_of({"version": "one", "interactions": []})
    assert error.value.hint == ""


def test_facts_that_a_newer_program_tells_are_kept() -> None:
    _, info = interactions_of(
        {"version": 1, "recorded_with": {"mood": "good"}, "interactions": None}
    )
    assert info.extra == {"mood": "good"}


@pytest.mark.parametrize(
    ("match", "place", "says"),
    [
        ([], ("match",), "expected a mapping, found an array"),
        ({"ignored": []}, ("match", "ignored"), "a match has no 'ignored'"),
        ({"parts": ["uri"]}, ("match", "parts", 0), "no part is 'uri'"),
        ({"ignore": ["body/a"]}, ("match", "ignore", 0), "begin with /query/"),
        ({"any_order": "x"}, ("match", "any_order"), "expected a list"),
        ({"null_is_absent": 1}, ("match", "null_is_absent"), "expected true or false"),
    ],
)
def test_a_match_that_cannot_be_read_has_its_place(
    match: Any, place: tuple[str | int, ...], says: str
) -> None:
    with pytest.raises(MisplacedError, match=says) as error:
        interactions_of({"version": 1, "match": match, "interactions": []})
    assert error.value.place == place
