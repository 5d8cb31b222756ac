"""What a server is started with."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from mockserver.model import SessionSpec

DEFAULT_PORT = 8765
DEFAULT_JOURNAL_BYTES = 8 * 1024 * 1024
DEFAULT_MAX_SESSIONS = 20_000

HttpProtocolName = Literal["fast", "uvicorn"]
"""`fast` answers plain requests as soon as they are read, `uvicorn` all of them in its cycle."""


def _nothing() -> None:
    """The files are there."""


@dataclass(frozen=True)
class Interception:
    """The files that make clients trust the server in Google's name.

    Attributes:
        certificate: The certificate of its authority alone.
        bundle: That and the public ones, for clients whose trust is replaced by a file.
        node_preload: What Node before 24 loads so that its `fetch` follows the proxy.
        prepare: Makes the first two, or brings them up to date; called before anybody is told.
    """

    certificate: Path
    bundle: Path
    node_preload: Path
    prepare: Callable[[], None] = field(default=_nothing, compare=False, repr=False)


@dataclass(frozen=True)
class Settings:
    """What a server is started with.

    Attributes:
        fixtures: The suite that it serves; None serves empty worlds.
        host: The address it listens on.
        port: The port; 0 takes a free one.
        token: What the control API asks for; an empty string asks for nothing.
        allowed_hosts: Names beside `localhost`, `host` and addresses that the control API may be
            reached by.
        cassettes: Cassettes beside those of the suite.
        trusted: Whether Python functions that the suite names are run.
        hermetic: Whether the process may reach nothing outside this machine.
        redaction: The file of the user's own redaction rules, or None.
        default: The session that requests without a session belong to; None refuses them.
        journal_bytes: How much a session's journal may hold, in bytes.
        max_sessions: How many sessions may be open at once.
        watch: Whether the suite is written while it is served: a session that a broken file would
            keep from opening starts from what the file held before.
        metrics: Whether requests are counted for Prometheus.
        interception: What clients of the proxy need; None where there is none.
        http_protocol: How connections are served; answers are the same.
        fronts: The port of each other way in, by its name; filled by the fronts as they start.
    """

    fixtures: Path | None = None
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    token: str = field(default="", repr=False)
    allowed_hosts: tuple[str, ...] = ()
    cassettes: tuple[Path, ...] = ()
    trusted: bool = False
    hermetic: bool = False
    redaction: Path | None = None
    default: SessionSpec | None = None
    journal_bytes: int = DEFAULT_JOURNAL_BYTES
    max_sessions: int = DEFAULT_MAX_SESSIONS
    watch: bool = False
    metrics: bool = False
    interception: Interception | None = None
    http_protocol: HttpProtocolName = "fast"
    fronts: dict[str, int] = field(default_factory=dict)
