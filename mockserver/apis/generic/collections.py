"""The keys of snapshots that this API owns, and the rooms that know more than documents do."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from mockserver.googleapi import OPERATION_POLLS, OPERATION_SECONDS, Collection
from mockserver.googleapi.raw_snapshot import FACTS

if TYPE_CHECKING:
    from mockserver.googleapi.list_rules import ListRules

SERVED_DOCUMENTS = "resources"
"""Collection of the documents that a snapshot names, `drive:v3`."""

COLLECTIONS = (
    Collection(FACTS, "what Google's services add, learned from recordings", is_table=False),
    Collection(SERVED_DOCUMENTS, "resources of every other Discovery API", is_table=False),
    Collection(OPERATION_POLLS, "polls before a long-running operation is done", is_table=False),
    Collection(
        OPERATION_SECONDS, "seconds before a long-running operation is done", is_table=False
    ),
)

ROOMS: "dict[str, Callable[[], Mapping[str, ListRules]]]" = {}
"""Name of a document to what loads the rules of its lists, as the table of APIs hands them in."""
