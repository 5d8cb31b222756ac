"""Serves every Discovery method that no emulated API has, from resources or by its schema."""

from typing import TYPE_CHECKING

from mockserver.apis.generic.collections import COLLECTIONS, ROOMS, SERVED_DOCUMENTS
from mockserver.googleapi import Api, lazy_import
from mockserver.lazy_names import lazy_names

if TYPE_CHECKING:
    from mockserver.apis.generic.methods import MethodConventions, generic_handler
    from mockserver.apis.generic.plans import Plan, plan_of
    from mockserver.apis.generic.resources import holds_nothing
    from mockserver.apis.generic.snapshot import collections_of, find_collection
    from mockserver.apis.generic.synthesis import synthesize

__getattr__ = lazy_names(
    __name__,
    {
        "methods": "MethodConventions generic_handler",
        "plans": "Plan plan_of",
        "resources": "holds_nothing",
        "snapshot": "collections_of find_collection",
        "synthesis": "synthesize",
    },
)

API = Api(
    name="generic",
    documents=(),
    handlers={},
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS),
)

__all__ = [
    "API",
    "ROOMS",
    "SERVED_DOCUMENTS",
    "MethodConventions",
    "Plan",
    "collections_of",
    "find_collection",
    "generic_handler",
    "holds_nothing",
    "plan_of",
    "synthesize",
]
