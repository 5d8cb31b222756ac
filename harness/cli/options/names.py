"""What options may be given, in words for their help: light to import, and held against the code.

The tables themselves stand with what they name (`harness.agents.profiles`,
`harness.cases.fault_profiles`), which no `--help` needs to import.
"""

HTTP_PROFILES = {
    "ai-sdk": "id, messages with parts",
    "json": "messages of role and content",
    "openai": "chat completions",
    "adk": "ADK's API server",
}
"""Profiles of http: agents, and what they send."""

HTTP_PROFILES_TOLD = ", ".join(f"{name} ({sent})" for name, sent in HTTP_PROFILES.items())
"""The same as a line of help."""

FAULT_PROFILES = (
    "rate-limit", "server-errors", "slow", "auth-expired", "flaky-network", "malformed", "outage",
)  # fmt: skip
"""Built-in fault profiles."""
