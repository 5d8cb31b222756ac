"""Emulates BigQuery: datasets, tables and rows, load and copy jobs, and queries by DuckDB."""

from mockserver.googleapi import Api, LazyHandlers, SnapshotImport


def _import_snapshot(found: SnapshotImport) -> None:
    """Load what reads rows for the first snapshot that has resources of BigQuery."""
    held = found.raw.get("resources")
    found.silent |= {"bigquery:v2/results", "bigquery:v2/jobs"}
    if isinstance(held, dict) and "bigquery:v2" in held:
        from mockserver.apis.bigquery.snapshot import import_snapshot

        import_snapshot(found)


API = Api(
    name="bigquery",
    documents=(("bigquery", "v2"),),
    handlers=LazyHandlers(__name__),
    import_snapshot=_import_snapshot,
    dialect="legacy",
    long=("bigquery.jobs.insert", "bigquery.jobs.query"),
    beside_conventions=True,
)

__all__ = ["API"]
