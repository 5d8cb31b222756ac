"""The REST API: suites, runs, baselines, regressions, live progress."""

from harness.server.serving import is_loopback, serve
from harness.server.settings import DEFAULT_PORT, Settings

__all__ = ["DEFAULT_PORT", "Settings", "is_loopback", "serve"]
