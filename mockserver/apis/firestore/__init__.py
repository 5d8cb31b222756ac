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
    long=tuple(
        f"firestore.projects.databases.documents.{each}"
        for each in ("runQuery", "runAggregationQuery", "partitionQuery", "executePipeline")
    ),
    relies=(
        "Rely on: writes with masks, transforms and preconditions, transactions that abort where "
        "what they read has changed, every filter, order, cursor and aggregation, nearest vectors, "
        "reads of the past, listening, explanations of queries; pipelines where the database's "
        "resource says `databaseEdition: ENTERPRISE`, with the stages and functions that "
        "`firestore/pipelines.py` and `firestore/expressions.py` list (others are refused by name)."
        " Not there: missing indexes, locks that wait, security rules; that `!=` of the Enterprise "
        "edition finds documents without the field is so in pipelines alone. Proof: the system "
        "tests of its Python client, its client in `tests/clients/test_google_clients.py`."
    ),
    beside_conventions=True,
)  # fmt: skip

__all__ = ["API", "DOCUMENTS", "TRANSACTIONS"]
