"""The REST API: suites, runs, baselines, regressions, live progress."""

from harness.server.http_server import serve
from harness.server.settings import Settings

__all__ = ["Settings", "serve"]
