"""Whose connections are whose, where the listener cannot see it itself."""

from typing import Protocol


class Peers(Protocol):
    """Sessions of connections that named them before they got here."""

    def __len__(self) -> int:
        """How many are known; none of them costs a call nothing."""
        ...

    def of(self, peer: str) -> str | None:
        """The session of a peer as gRPC names it (`ipv4:127.0.0.1:40312`), or None."""
        ...
