"""Serves every Discovery method that no emulated API has, from resources or by its schema."""

from mockserver.apis.generic.methods import generic_handler
from mockserver.apis.generic.plans import Plan, plan_of
from mockserver.apis.generic.rows import SERVED_DOCUMENTS
from mockserver.apis.generic.snapshot import (
    COLLECTIONS,
    collections_of,
    find_collection,
    import_snapshot,
)
from mockserver.apis.generic.synthesis import synthesize
from mockserver.googleapi import Api

API = Api(
    name="generic",
    documents=(),
    handlers={},
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
)

__all__ = [
    "API",
    "SERVED_DOCUMENTS",
    "Plan",
    "collections_of",
    "find_collection",
    "generic_handler",
    "plan_of",
    "synthesize",
]
