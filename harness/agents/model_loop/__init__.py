"""`model:PROVIDER/NAME`: a model without an agent around it, and the tools of the session."""

from harness.agents.model_loop.agent import ModelAgent

__all__ = ["ModelAgent"]
