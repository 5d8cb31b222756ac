"""The REST API: suites, runs, baselines, regressions, live progress."""

from harness.server.http_server import serve
from harness.server.settings import DEFAULT_PORT, Settings

__all__ = ["DEFAULT_PORT", "Settings", "serve"]
