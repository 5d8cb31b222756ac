"""A gRPC call that passed a capture, as it was seen."""

from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass, field

from mockserver.model import Header


@dataclass
class ForwardedCall:
    """One call as it was seen.

    Attributes:
        authority: `host:port` that was asked.
        path: `/package.Service/Method`.
        metadata: What the client sent beside its messages.
        requests: Its messages.
        responses: Those of the answer, each with its milliseconds after the request.
        code: The status, a number.
        message: Its text.
        initial: Metadata that came before the answer.
        trailing: Metadata that came after it.
        began_at: RFC 3339.
        took_ms: From the request to the status.
    """

    authority: str
    path: str
    metadata: tuple[Header, ...]
    began_at: str
    requests: list[bytes] = field(default_factory=list)
    responses: list[tuple[float, bytes]] = field(default_factory=list)
    code: int = 0
    message: str = ""
    initial: tuple[Header, ...] = ()
    trailing: tuple[Header, ...] = ()
    took_ms: float = 0.0


def metadata_headers(metadata: Iterable[tuple[str, str | bytes]]) -> tuple[Header, ...]:
    """Metadata as headers; binary values in base64, as they are on the wire."""
    return tuple(
        (name, value if isinstance(value, str) else b64encode(value).rstrip(b"=").decode())
        for name, value in metadata
    )
