"""What faults and expectations may name of models and agents."""

from mockserver.models.agents import AGENT_PROTOCOLS
from mockserver.models.providers import PROVIDERS

MODEL_METHODS = (
    "models.chat",
    "models.embeddings",
    "models.info",
    *(method for each in (*PROVIDERS, *AGENT_PROTOCOLS) for method in each.methods),
)
"""The operations of all providers and protocols, and those that are alike."""
