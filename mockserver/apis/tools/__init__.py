"""Emulates the JSON tool API."""

from mockserver.apis.tools.arguments import argument_differences
from mockserver.apis.tools.bound_tools import TOOLS
from mockserver.apis.tools.methods import HANDLERS, call_tool, list_tools
from mockserver.apis.tools.snapshot import import_snapshot, matcher_problem
from mockserver.googleapi import Api

API = Api(
    name="tools",
    documents=(),
    handlers=HANDLERS,
    import_snapshot=import_snapshot,
    dialect="one_platform",
)

__all__ = ["API", "TOOLS", "argument_differences", "call_tool", "list_tools", "matcher_problem"]
