"""Small cassettes: each word is one recorded request, its place is in its response."""

import json
from collections.abc import Iterable

from mockserver.model import (
    Cassette,
    CassetteInfo,
    Interaction,
    RecordedRequest,
    RecordedResponse,
)

ORIGIN = "https://api.example.com"


def request(word: str) -> RecordedRequest:
    """`GET /a?x=1`, or `PUT /a {"b": 1}`."""
    method, path, *body = word.split(" ", 2)
    headers = (("Content-Type", "application/json"),)
    return RecordedRequest(method, ORIGIN + path, headers, "".join(body).encode())


def interaction(word: str, answer: object, status: int = 200) -> Interaction:
    response = RecordedResponse(status, body=json.dumps(answer).encode())
    return Interaction(request(word), response)


def cassette(words: Iterable[str], *, name: str = "c.yaml", key_id: str = "") -> Cassette:
    found = tuple(interaction(word, number) for number, word in enumerate(words, 1))
    return Cassette(name, found, CassetteInfo(key_id=key_id))
