"""What an import found: interactions, and what could not be taken over."""

from dataclasses import dataclass

from mockserver.messages import READABLE, header, with_header, without
from mockserver.model import Header, Interaction


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import found.

    Attributes:
        format: The format it was recognised as.
        interactions: In the order of the file.
        notes: What was left out or is not exact, with its place; for people.
        recorded_by: What wrote the file, where it says so.
    """

    format: str
    interactions: tuple[Interaction, ...]
    notes: tuple[str, ...] = ()
    recorded_by: str = ""


def opened(headers: tuple[Header, ...], body: bytes) -> tuple[tuple[Header, ...], str]:
    """Headers beside a body that the file holds without content coding, and the coding.

    >>> opened((("Content-Encoding", "gzip"), ("Content-Length", "9")), b"hello")
    ((('Content-Length', '5'),), 'gzip')
    """
    coding = header(headers, "content-encoding").strip().lower()
    if not body or coding not in READABLE:
        return headers, ""
    kept = without(headers, ["content-encoding"])
    if header(kept, "content-length"):
        kept = with_header(kept, "Content-Length", str(len(body)))
    return kept, coding
