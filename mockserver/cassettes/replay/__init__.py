"""Plays cassettes: in order within a key, no read from the other side of a write; pure."""

from mockserver.cassettes.replay.keys import Keyed, Keyer, Redacting, Scrubs
from mockserver.cassettes.replay.players import Played, Player, Unmatched, Unused
from mockserver.cassettes.replay.tapes import Conflict, Tape, conflicts

__all__ = [
    "Conflict",
    "Keyed",
    "Keyer",
    "Played",
    "Player",
    "Redacting",
    "Scrubs",
    "Tape",
    "Unmatched",
    "Unused",
    "conflicts",
]
