"""Emulates the JSON tool API."""

from mockserver.apis.tools.bound_tools import TOOLS
from mockserver.apis.tools.methods import HANDLERS, PREFIX, call_tool, list_tools
from mockserver.apis.tools.perturbations import original_name, perturbed_tools
from mockserver.apis.tools.snapshot import import_snapshot
from mockserver.googleapi import Api

API = Api(
    name="tools",
    documents=(),
    handlers=HANDLERS,
    import_snapshot=import_snapshot,
    dialect="one_platform",
)

__all__ = [
    "API",
    "PREFIX",
    "TOOLS",
    "call_tool",
    "list_tools",
    "original_name",
    "perturbed_tools",
]
