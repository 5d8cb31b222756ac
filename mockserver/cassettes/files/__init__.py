"""Cassettes on disk: read as untrusted input, written whole and always alike."""

from mockserver.cassettes.files.reader import read_cassette
from mockserver.cassettes.files.writer import header_block, interaction_block, write_cassette

__all__ = [
    "header_block",
    "interaction_block",
    "read_cassette",
    "write_cassette",
]
