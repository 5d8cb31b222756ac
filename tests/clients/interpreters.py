"""Interpreters that have imported a framework, for each program of a test that uses it."""

from pathlib import Path

from tests.warm import interpreter

MODULES = {
    "pydantic-ai": (
        "pydantic_ai.mcp",
        "pydantic_ai.models.openai",
        "pydantic_ai.providers.openai",
    ),
    "langgraph": (
        "langchain_core.callbacks",
        "langchain_mcp_adapters.client",
        "langchain_openai",
        "langgraph.graph",
        "langgraph.prebuilt",
        "openai.resources.chat",
    ),
    "openai-agents": ("agents.mcp", "openai.resources.responses"),
    "adk": (
        "google.adk.agents",
        "google.adk.apps",
        "google.adk.runners",
        "google.adk.tools.mcp_tool",
        "google.genai.types",
    ),
    "smolagents": ("smolagents", "openai.resources.chat"),
    "crewai": ("crewai.events", "crewai.tools", "openai.resources.chat"),
    "claude-agent": ("claude_agent_sdk",),
}
"""What is imported of each framework: what its agents and its adapter ask for."""


def interpreter_with(framework: str, packages: Path) -> Path:
    """An interpreter that has imported a framework; there is one for each in a run of tests."""
    return interpreter(str(packages), *MODULES[framework])
