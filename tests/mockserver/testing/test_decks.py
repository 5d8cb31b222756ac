"""Cassettes that are played inside a test."""

import json
from pathlib import Path

import pytest

from mockserver.cassettes.replay import NoMatch, PlayedMatch
from mockserver.errors import ReplayMissError
from mockserver.model import MatchPart
from mockserver.testing import CassettePlayer
from tests.tapes import cassette, recorded

MATCH: tuple[MatchPart, ...] = ("method", "path")


def test_a_deck_plays_finds_and_tells_what_is_left() -> None:
    player = CassettePlayer(cassette(recorded(), recorded(path="/v1/other")), repeats="once")
    assert isinstance(player.find(recorded().request), PlayedMatch)
    assert isinstance(player.find(recorded().request), NoMatch)
    assert player.misses == []
    with pytest.raises(ReplayMissError, match="has been played"):
        player.play(recorded().request)
    assert [one.url for one in player.unused()] == [recorded(path="/v1/other").request.url]
    assert player.leftovers().count("\n") == 1


def test_a_deck_tells_what_may_not_fit(caplog: pytest.LogCaptureFixture) -> None:
    player = CassettePlayer(
        cassette(recorded("PUT"), recorded(), recorded(path="/v1/a?x=1")), match=MATCH
    )
    assert player.play(recorded().request).warning
    assert player.play(recorded(path="/v1/a?x=2").request).loosened
    assert len(player.warnings) == 1
    assert "which this session has not made" in caplog.text


def test_a_deck_plays_recordings_of_other_tools(tmp_path: Path) -> None:
    pair = {"scope": "https://api.example.com", "path": "/v1/units", "method": "get"}
    file = tmp_path / "nock.json"
    file.write_text(json.dumps([{**pair, "status": 200}, {**pair, "method": 1}]), encoding="utf-8")
    player = CassettePlayer(file)
    assert player.play(recorded().request).number == 1
    assert player.warnings == [f"{file}: #/1/method: expected a text, found a number"
                             " (put it in quotes); left out"]  # fmt: skip
