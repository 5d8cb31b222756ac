"""The recordings of one session."""

from pathlib import Path

import pytest

from mockserver.cassettes.replay import IndexedCassette, PlayedMatch
from mockserver.messages.mcp_calls import AGENT_TOOLS
from mockserver.model import SessionSpec
from mockserver.redaction import Redactor, RuleSet
from mockserver.sessions.recordings import KnownAddresses, Replay, _is_known_unasked
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


@pytest.mark.parametrize(
    ("url", "known"),
    [
        ("mcp://kiosk/initialize", True), ("mcp://kiosk/tools/list", False),
        (f"mcp://{AGENT_TOOLS}/tools/list", True), (f"mcp://{AGENT_TOOLS}/tools/call", False),
        ("https://kiosk/initialize", False), ("mcp://kiosk/resources/list", False),
    ],
)  # fmt: skip
def test_some_recordings_are_used_without_being_asked_for(url: str, known: bool) -> None:
    assert _is_known_unasked(url) is known


def test_what_nobody_asked_for_is_told_until_it_is_played() -> None:
    made = replay("cassette")
    assert [each["url"] for each in made.unused()] == [f"{ORIGIN}/v1/units"]
    keyed = made.keyer.of(recorded().request)
    assert isinstance(made.play(keyed), PlayedMatch)
    assert made.unused() == []
    made.reset()
    assert len(made.unused()) == made.recordings == 1


def test_the_hosts_of_a_path_are_told_once() -> None:
    made = replay("cassette", other=True)
    assert made.hosts_of("/v1/units") == ("api.example.com",)
    assert made.hosts_of("/v1/other") == ()


def test_recordings_of_nothing_special_have_no_servers_models_or_bodies() -> None:
    made = replay("cassette")
    assert (made.mcp, made.has_agent_tools, made.has_bodies) == (None, False, False)
    assert made.environment("http://127.0.0.1:1/s/a", "t") == {}
    several = [cassette(recorded(), recorded(origin="https://b.example.com"))]
    tapes = {Path(one.name): IndexedCassette.of(one, redactor=REDACTOR) for one in several}
    both = Replay(tapes, SessionSpec(sources=("cassette",)), REDACTOR)
    assert (both.known.only, both.recordings) == ("", 2)


def test_the_variables_that_held_addresses_lead_to_the_session() -> None:
    tape = IndexedCassette.of(cassette(recorded()), redactor=REDACTOR)
    tape.variables, tape.models = {"SHOP_URL": "https://a.example.com/v1"}, frozenset({"openai"})
    found = Replay({Path("t"): tape}, SessionSpec(sources=("cassette",)), REDACTOR)
    block = found.environment("http://127.0.0.1:1/s/a", "t0ken")
    assert block["SHOP_URL"] == "http://127.0.0.1:1/s/a/a.example.com/v1"
    assert block["OPENAI_API_KEY"] == "t0ken"
    assert block["OPENAI_BASE_URL"].startswith("http://127.0.0.1:1/s/a/")
    assert not any(name.startswith("ANTHROPIC") for name in block)
