"""The recordings of one session."""

from pathlib import Path

import pytest

from mockserver.cassettes.replay import IndexedCassette
from mockserver.model import SessionSpec
from mockserver.redaction import Redactor, RuleSet
from mockserver.sessions.recordings import KnownAddresses, Replay
from tests.tapes import ORIGIN, cassette, recorded

REDACTOR = Redactor(RuleSet.default(), b"a key of these tests")


def replay(*sources: str, other: bool = False) -> Replay:
    tapes = [cassette(recorded(), upstream=f"{ORIGIN}/")]
    if other:
        tapes.append(cassette(recorded(body=b"{}"), name="other.yaml"))
    made = {Path(one.name): IndexedCassette.of(one, redactor=REDACTOR) for one in tapes}
    return Replay(made, SessionSpec.model_validate({"sources": sources}), REDACTOR)


@pytest.mark.parametrize(
    ("sources", "alone", "first"),
    [
        (("cassette",), True, True),
        (("stub", "cassette", "state"), False, True),
        (("state", "cassette"), False, False),
    ],
)
def test_who_else_answers(sources: tuple[str, ...], alone: bool, first: bool) -> None:
    made = replay(*sources)
    assert (made.alone, made.first) == (alone, first)


def test_it_knows_its_places_and_files() -> None:
    made = replay("cassette")
    assert made.known == KnownAddresses(
        frozenset({"api.example.com"}), (ORIGIN,), "api.example.com"
    )
    assert made.files == {"tape.yaml": Path("tape.yaml")}


def test_what_two_cassettes_answer_differently_is_told() -> None:
    assert replay("cassette").conflicts() == []
    (found,) = replay("cassette", other=True).conflicts()
    assert (found["first"], found["second"]) == (("tape.yaml", 1), ("other.yaml", 1))
