"""What two recordings of one program tell of what is new in each run."""

import json
from dataclasses import replace

import pytest

from mockserver.cassettes.replay import (
    IndexedCassette,
    PlayedMatch,
    Player,
    RequestKeys,
    compare_recordings,
)
from mockserver.model import Cassette, CassetteInfo, Interaction, Match
from tests.tapes import recorded


def post(path: str, body: object, answer: object = None) -> Interaction:
    return recorded("POST", path, sent=json.dumps(body).encode(), body=json.dumps(answer).encode())


ORDER = [post("/orders", {"requestId": "r-81f3", "item": 7}, {"id": "o-1"})]
AGAIN = [post("/orders", {"requestId": "r-c07a", "item": 7}, {"id": "o-2"})]
Run = list[Interaction]


def differs(what: str, request: str = "POST https://api.example.com/a") -> tuple[str]:
    return (f"request 1 ({request}) differs in {what}",)


FIXED = (
    "/body/requestId varies, and not in request 2 (POST https://api.example.com/b), which has it,"
    " too"
)

LEARNED: list[tuple[str, Run, Run, tuple[str, ...], tuple[str, ...]]] = [
    ("an id in a body", ORDER, AGAIN, ("/body/requestId",), ()),
    ("nothing", ORDER, ORDER, (), ()),
    ("a parameter", [recorded(path="/a?trace=x1&n=1")], [recorded(path="/a?trace=y2&n=1")],
     ("/query/trace",), ()),
    ("a counter", [post("/a", {"attempt": {"no": 3}})], [post("/a", {"attempt": {"no": 4}})],
     ("/body/attempt/no",), ()),
    ("an argument of a tool", [post("/tools/pay", {"key": "k/1"})],
     [post("/tools/pay", {"key": "k/2"})], ("/body/key",), ()),
    ("what an answer told", [*ORDER, post("/pay", {"order": "o-1"})],
     [*AGAIN, post("/pay", {"order": "o-2"})], ("/body/requestId",), ()),
    ("what an answer told, in a path", [*ORDER, recorded(path="/orders/o-1")],
     [*AGAIN, recorded(path="/orders/o-2")], ("/body/requestId",), ()),
    ("two in another order", [recorded(path="/a"), recorded(path="/b")],
     [recorded(path="/b"), recorded(path="/a")], (), ()),
    ("a text of several words", [post("/a", {"note": "the sun"})],
     [post("/a", {"note": "the rain"})], (), differs("/body/note: 'the sun', then 'the rain'")),
    ("a truth", [post("/a", {"dry": True})], [post("/a", {"dry": False})],
     (), differs("/body/dry: 'true', then 'false'")),
    ("a field that is gone", [post("/a", {"b": 1})], [post("/a", {})],
     (), differs("/body/b: '1', then nothing")),
    ("a path", [recorded(path="/a/x1")], [recorded(path="/a/y2")], (),
     differs("segment 2 of its path: 'x1', then 'y2'", "GET https://api.example.com/a/x1")),
    ("a field that varies here and not there",
     [*ORDER, post("/b", {"requestId": "fix"})], [*AGAIN, post("/b", {"requestId": "fix"})],
     (), (FIXED,)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("first", "second", "varies", "unlearned"),
    [row[1:] for row in LEARNED],
    ids=[row[0] for row in LEARNED],
)
def test_what_differs_in_each_request_that_has_it_varies(
    first: Run, second: Run, varies: tuple[str, ...], unlearned: tuple[str, ...]
) -> None:
    found = compare_recordings(first, second)
    assert (found.varies, found.unlearned, found.otherwise) == (varies, unlearned, "")


CHAT = "/v1/chat/completions"


def asked(text: str) -> Interaction:
    body = {"model": "m", "messages": [{"role": "user", "content": text}]}
    return recorded("POST", CHAT, origin="https://api.openai.com", sent=json.dumps(body).encode())


def test_what_a_model_is_told_is_never_left_out() -> None:
    found = compare_recordings([asked("Rain")], [asked("Sun")])
    assert found.varies == ()
    assert "'Rain', then 'Sun'" in found.unlearned[0]
    ids = "7d1c2a90-5b0e-4f1e-9c55-0a1b2c3d4e5f", "0f9e8d7c-6b5a-4c3d-8e2f-1a0b9c8d7e6f"
    near = compare_recordings(*([asked(f"Run {each}")] for each in ids))
    assert near == ((), (), "")


def test_texts_of_a_stream_are_read_together() -> None:
    def stream(*pieces: str) -> Interaction:
        lines = "".join(f"data: {json.dumps({'delta': each})}\n\n" for each in pieces)
        made = recorded(path="/stream", body=lines.encode())
        headers = (("Content-Type", "text/event-stream"),)
        return replace(made, response=replace(made.response, headers=headers))

    first = [stream("Lug", "ano"), post("/b", {"city": "Lugano"})]
    second = [stream("Be", "rn"), post("/b", {"city": "Bern"})]
    assert compare_recordings(first, second) == ((), (), "")


OTHERWISE: list[tuple[Run, Run, str]] = [
    (ORDER, [*ORDER, recorded(path="/more")],
     "it made 1 requests the first time and 2 the second; only the second time it made others,"
     " such as GET https://api.example.com/more"),
    (ORDER, [],
     "it made 1 requests the first time and 0 the second; only the first time it made others,"
     " such as POST https://api.example.com/orders"),
    (ORDER, [recorded(path="/orders")],
     "where it asked POST https://api.example.com/orders the first time (request 1), it asked"
     " GET https://api.example.com/orders the second"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "told"), OTHERWISE, ids=range(len(OTHERWISE)))
def test_a_program_that_did_something_else_is_told_and_nothing_is_learned(
    first: Run, second: Run, told: str
) -> None:
    assert compare_recordings(first, second) == ((), (), told)


def player(*, exact: bool = False) -> Player:
    held = Cassette(
        "tape.yaml", tuple(ORDER), CassetteInfo(match=Match(varies=("/body/requestId",)))
    )
    return Player([IndexedCassette(held, RequestKeys())], exact=exact)


def test_what_varies_is_answered_as_a_near_match_and_refused_where_only_the_same_is() -> None:
    same = player().play(ORDER[0].request)
    assert isinstance(same, PlayedMatch)
    assert (same.varied, same.loosened) == ("", False)
    near = player().play(AGAIN[0].request)
    assert isinstance(near, PlayedMatch)
    assert (near.varied, near.loosened) == ("another value at /body/requestId", False)
    assert not isinstance(player(exact=True).play(AGAIN[0].request), PlayedMatch)
    assert isinstance(player(exact=True).play(ORDER[0].request), PlayedMatch)
    other = post("/orders", {"requestId": "r-c07a", "item": 8})
    assert not isinstance(player().play(other.request), PlayedMatch)
