"""`model:PROVIDER/NAME`: a model without an agent around it, and the tools of the session."""

from harness.agents.model_loop.agent import ModelAgent
from harness.agents.model_loop.rules import Loop

__all__ = ["Loop", "ModelAgent"]
