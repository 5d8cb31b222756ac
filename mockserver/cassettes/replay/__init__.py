"""Plays cassettes: in order within a key, no read from the other side of a write; pure."""

from mockserver.cassettes.replay.indexed_cassette import Conflict, IndexedCassette, conflicts
from mockserver.cassettes.replay.keys import KeyedRequest, RequestKeys, Scrubs
from mockserver.cassettes.replay.mcp_servers import RecordedMcpServers
from mockserver.cassettes.replay.players import (
    ALL_PLAYED,
    NoMatch,
    PlayedMatch,
    Player,
    UnplayedRecording,
)
from mockserver.cassettes.replay.two_recordings import Variation, compare_recordings

__all__ = [
    "ALL_PLAYED",
    "Conflict",
    "IndexedCassette",
    "KeyedRequest",
    "NoMatch",
    "PlayedMatch",
    "Player",
    "RecordedMcpServers",
    "RequestKeys",
    "Scrubs",
    "UnplayedRecording",
    "Variation",
    "compare_recordings",
    "conflicts",
]
