"""Emulates the JSON tool API."""

from typing import TYPE_CHECKING

from mockserver.googleapi import Api, LazyHandlers, lazy_import
from mockserver.lazy_names import lazy_names

if TYPE_CHECKING:
    from mockserver.apis.tools.bound_tools import *
    from mockserver.apis.tools.methods import *
    from mockserver.apis.tools.perturbations import *

__getattr__ = lazy_names(
    __name__,
    {
        "bound_tools": "TOOLS",
        "methods": "call_tool list_tools truncated_result unknown_tool",
        "perturbations": "original_name perturbed_tools",
    },
)

PREFIX = "tools."
"""What the ids of its methods begin with."""

API = Api(
    name="tools",
    handlers=LazyHandlers(__name__),
    import_snapshot=lazy_import(__name__, (), "tools"),
)
