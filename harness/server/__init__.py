"""The REST API: suites, runs, baselines, regressions, live progress."""

from harness.server.serving import serve
from harness.server.settings import DEFAULT_PORT, Settings

__all__ = ["DEFAULT_PORT", "Settings", "serve"]
