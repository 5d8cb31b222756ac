"""What a session starts from: its snapshot, its recordings, and who answers in it."""

from typing import TYPE_CHECKING, Protocol

from mockserver.model import JsonObject, SessionSpec
from mockserver.state import Base

if TYPE_CHECKING:
    from mockserver.server.replays import Replay

SOURCES = ("stub", "cassette", "state")
"""Who answers in a session with cassettes that does not say."""


class Bases(Protocol):
    """Where sessions get what they start from."""

    def base(self, spec: SessionSpec) -> Base:
        """The resolved snapshot of a session; raises MockServerError."""
        ...

    def is_at_hand(self, spec: SessionSpec) -> bool:
        """Whether that takes no time, because it was asked for before."""
        ...

    def cases(self) -> tuple[str, ...]:
        """The cases that a session may be opened on."""
        ...

    def merged(self, spec: SessionSpec) -> JsonObject:
        """The resolved snapshot as written."""
        ...


class Cassettes(Protocol):
    """Where sessions get their recordings."""

    def replay(self, spec: SessionSpec) -> "Replay | None":
        """The recordings of a session, or None for one without; raises MockServerError."""
        ...


def with_sources(spec: SessionSpec) -> SessionSpec:
    """A spec whose sources include its cassettes, where it does not say which there are."""
    if spec.cassettes and "sources" not in spec.model_fields_set:
        return spec.model_copy(update={"sources": SOURCES})
    return spec
