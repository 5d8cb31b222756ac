"""Emulates BigQuery: datasets, tables, rows, jobs, queries by DuckDB, the Storage Read API."""

from mockserver.apis.bigquery.read_sessions_document import READ, STORAGE_READ
from mockserver.googleapi import Api, LazyHandlers, SnapshotImport


def _import_snapshot(found: SnapshotImport) -> None:
    """Load what reads rows for the first snapshot that has resources of BigQuery."""
    held = found.raw.get("resources")
    found.silent |= {"bigquery:v2/results", "bigquery:v2/jobs", "bigquery:v2/readSessions"}
    if isinstance(held, dict) and "bigquery:v2" in held:
        from mockserver.apis.bigquery.snapshot import import_snapshot

        import_snapshot(found)


API = Api(
    name="bigquery",
    documents=(("bigquery", "v2"),),
    handlers=LazyHandlers(__name__),
    import_snapshot=_import_snapshot,
    supplements=(STORAGE_READ,),
    dialect="legacy",
    long=(
        "bigquery.jobs.insert",
        "bigquery.jobs.query",
        f"{READ}.createReadSession",
        f"{READ}.readRows",
    ),
    relies=(
        "Rely on: datasets, tables, views and rows, `insertAll` with the service's refusals, loads "
        "of CSV, JSON, Parquet, Avro and ORC and extractions of all of these but ORC (extra "
        "`columnar`), copies, GoogleSQL "
        "with DML, scripts, transactions, parameters and functions of datasets in SQL (extra "
        "`bigquery`), read sessions over gRPC as Arrow and Avro. What queries cannot compute is "
        "refused with its place in the text. Not there: legacy SQL, sessions of queries, external "
        "tables, functions in JavaScript, numbers of more than 38 digits in queries, picoseconds. "
        "Proof: the system tests of its Python client, its client in "
        "`tests/clients/test_google_clients.py`."
    ),
    beside_conventions=True,
)

__all__ = ["API"]
