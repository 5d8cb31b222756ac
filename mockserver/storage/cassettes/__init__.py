"""Cassettes on disk: read as untrusted input, written whole and always alike."""

from mockserver.storage.cassettes.emitting import header_block, interaction_block
from mockserver.storage.cassettes.reading import RECORDING, read_cassette
from mockserver.storage.cassettes.untrusted import line_of, lines_of, load_yaml
from mockserver.storage.cassettes.writing import write_cassette

__all__ = [
    "RECORDING",
    "header_block",
    "interaction_block",
    "line_of",
    "lines_of",
    "load_yaml",
    "read_cassette",
    "write_cassette",
]
