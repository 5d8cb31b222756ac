"""Scripted models as objects of frameworks, in process: no server, no key.

    Agent(pydantic_ai_model("evals/models/agent.yaml"))           # pydantic-ai
    create_agent(langchain_model("evals/models/agent.yaml"), ...)  # LangChain, LangGraph
    LlmAgent(model=adk_model("evals/models/agent.yaml"), ...)      # ADK

What a framework needs is imported when its function is called.
"""

from mockserver.testing.models.adk import adk_model
from mockserver.testing.models.langchain import langchain_model
from mockserver.testing.models.player import ScriptedModelError, ScriptPlayer
from mockserver.testing.models.pydantic_ai import pydantic_ai_model

__all__ = [
    "ScriptPlayer",
    "ScriptedModelError",
    "adk_model",
    "langchain_model",
    "pydantic_ai_model",
]
