"""One gRPC request that was read, and the answer as it is written."""

from mockserver.fronts.grpc.answers import MessageWriter
from mockserver.model import JsonObject
from mockserver.routing import Route
from mockserver.sessions.session import Session
from mockserver.sources.dispatch import DecodedCall


class Asked:
    """One request that was read, and the answer as it is written.

    Attributes:
        session: Where it is asked.
        route: What it means.
        direct: What it asks.
        content: The message of the latest answer that was rendered.

    Args:
        session: Where it is asked.
        route: What it means.
        direct: What it asks.
        writer: Writes answers; None for a call that is never answered well.
    """

    __slots__ = ("_writer", "content", "direct", "route", "session")

    def __init__(
        self, session: Session, route: Route, direct: DecodedCall, writer: MessageWriter | None
    ) -> None:
        self.session = session
        self.route = route
        self.direct = direct
        self.content = b""
        self._writer = writer

    def render(self, payload: JsonObject) -> tuple[str, ...]:
        """Write an answer; the paths of what its message has no place for."""
        if self._writer is None:
            return ()
        self.content, unplaced = self._writer.write(payload)
        return tuple(f"answer.{path}" for path in unplaced) if unplaced else ()
