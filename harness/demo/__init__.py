"""A troubleshooting agent for Chrome Enterprise, by rules alone: no model, no key.

It speaks to Google through google-api-python-client and to people as a command
(`python -m harness.demo.command`) or over HTTP (`python -m harness.demo.server`). It knows nothing
of the mock server and nothing of the harness: endpoint and token come from its environment.
"""

from harness.demo.agent import Conversation, Reply, reply_to
from harness.demo.flaws import FLAWS, NO_FLAWS, Flaws
from harness.demo.google import Access

__all__ = ["FLAWS", "NO_FLAWS", "Access", "Conversation", "Flaws", "Reply", "reply_to"]
