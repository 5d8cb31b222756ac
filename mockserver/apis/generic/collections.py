"""The keys of snapshots that this API owns."""

from mockserver.googleapi import OPERATION_POLLS, Collection

SERVED_DOCUMENTS = "resources"
"""Collection of the documents that a snapshot names, `drive:v3`."""

COLLECTIONS = (
    Collection(SERVED_DOCUMENTS, "resources of every other Discovery API", is_table=False),
    Collection(OPERATION_POLLS, "polls before a long-running operation is done", is_table=False),
)
