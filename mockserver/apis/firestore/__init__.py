"""Emulates documents of Firestore: writes, transforms, queries, transactions, listening.

Databases, indexes, fields and backups are answered by conventions.
"""

from mockserver.googleapi import Api, Collection, LazyHandlers, SnapshotImport, lazy_attribute

DOCUMENTS = "firestore:v1/documents"
TRANSACTIONS = "firestore:v1/transactions"
"""Table of the open transactions, and of the time of the latest commit; never in a diff."""
_KEY = "firestore"
_load_import = lazy_attribute(__name__, "snapshot", "import_snapshot")


def _import_snapshot(found: SnapshotImport) -> None:
    if _KEY in found.raw or "resources" in found.raw:
        _load_import()(found)
    else:
        found.silent.add(TRANSACTIONS)


API = Api(
    name="firestore",
    documents=(("firestore", "v1"),),
    handlers=LazyHandlers(__name__),
    collections=(Collection(_KEY, "documents of Firestore by database and path", is_table=False),),
    import_snapshot=_import_snapshot,
    reads=frozenset({DOCUMENTS}),
    long=tuple(f"firestore.projects.databases.documents.{each}"
               for each in ("runQuery", "runAggregationQuery", "partitionQuery")),
    beside_conventions=True,
)  # fmt: skip

__all__ = ["API", "DOCUMENTS", "TRANSACTIONS"]
