"""The settings of the REST server."""

from dataclasses import dataclass, field
from pathlib import Path

from harness.server.request_log import LogFormat

DEFAULT_PORT = 8770
DEFAULT_SERVER = "http://127.0.0.1:8765"
MAX_BODY_BYTES = 1024 * 1024
ORDER_BYTES = 256 * 1024
"""What a body may hold that orders something; suites and results are longer."""


@dataclass(frozen=True)
class Settings:
    """What the REST server is started with.

    Attributes:
        host: The address it listens on.
        port: The port; 0 takes a free one.
        runs: The directory of runs.
        suites: The directory of suites.
        db: The index of runs: a URL or a file; empty takes `index.db` beside the runs.
        server: The URL of the mock server whose sessions the console shows; it need not run.
        token: What every request must bear; an empty string asks for nothing.
        allowed_hosts: Names beside `localhost`, `host` and addresses that it may be reached by; see
            `mockserver.asgi.origins`.
        allowed_agents: Hosts and networks beside this machine at which agents may be reached.
        agent: The agent of orders that name none; empty refuses them.
        allow_subprocess: Whether a request may start programs: `command:` and `python:` agents, and
            agents' own servers.
        max_runs: How many runs go on at once.
        max_waiting: How many may wait for their turn.
        metrics: Whether runs and trials are counted for Prometheus.
        log_format: How each request is written to standard error; None writes none.
    """

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    runs: Path = Path("runs")
    suites: Path = Path("fixtures")
    db: str = field(default="", repr=False)
    server: str = DEFAULT_SERVER
    token: str = field(default="", repr=False)
    allowed_hosts: tuple[str, ...] = ()
    allowed_agents: tuple[str, ...] = ()
    agent: str = ""
    allow_subprocess: bool = False
    max_runs: int = 2
    max_waiting: int = 16
    metrics: bool = False
    log_format: LogFormat | None = None
