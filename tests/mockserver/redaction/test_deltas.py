import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.model import Chunk, RecordedResponse
from mockserver.redaction import Redactor, RuleSet
from mockserver.redaction.bodies import redact_split_texts

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
