"""An SRE agent that reads a cloud project by rules alone: no model, no key.

It asks the real google-cloud clients: logs, PromQL and time series, traces, reported errors,
projects. `python -m harness.demo.sre` answers a question on stdin; with `--port` it serves the
API of an ADK server and chat completions. It knows nothing of the mock server and nothing of the
harness: endpoint and token come from its environment, or with each request.
"""

from harness.demo.sre.agent import Reply, answer
from harness.demo.sre.cloud import Cloud
from harness.demo.sre.flaws import FLAWS, NO_FLAWS, SreFlaws
from harness.demo.sre.server import application

__all__ = ["FLAWS", "NO_FLAWS", "Cloud", "Reply", "SreFlaws", "answer", "application"]
