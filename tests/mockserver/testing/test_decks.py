"""Cassettes that are played inside a test."""

import pytest

from mockserver.errors import ReplayMissError
from mockserver.replay import Played, Unmatched
from mockserver.testing import Deck
from tests.tapes import cassette, recorded


def test_a_deck_plays_finds_and_tells_what_is_left() -> None:
    deck = Deck(cassette(recorded(), recorded(path="/v1/other")))
    assert isinstance(deck.find(recorded().request), Played)
    assert isinstance(deck.find(recorded().request), Unmatched)
    assert deck.misses == []
    with pytest.raises(ReplayMissError, match="has been played"):
        deck.play(recorded().request)
    assert [one.url for one in deck.unused()] == [recorded(path="/v1/other").request.url]
    assert deck.leftovers().count("\n") == 1
