"""What explanations of structured queries tell: an index that answers the query, and its figures.

Counts are those of this server's own work: documents that were found, entries of indexes that led
to them. Durations are a model, so that equal sessions answer alike: a millisecond, and ten
microseconds a document. Source: reference of the v1 API (ExplainMetrics, and what reads cost).
"""

from collections.abc import Sequence

from mockserver.apis.firestore.paths import NAME, path_text
from mockserver.apis.firestore.queries import Query, conditions_of
from mockserver.model import JsonObject

_SCOPES = {"collection": "Collection", "group": "Collection group", "every": "Database"}
_ENTRIES_OF_A_READ = 1000


def plan_summary(query: Query, given: JsonObject, aggregated: Sequence[str] = ()) -> JsonObject:
    """The index that answers a query: what is compared, what is ordered by, the name.

    Args:
        query: The query.
        given: It as it was sent.
        aggregated: Paths of the fields that aggregations are of.
    """
    ways: dict[str, str] = {}
    for path, op in conditions_of(given.get("where") or {}):
        if path != NAME:
            ways.setdefault(path_text(path), "CONTAINS" if op.startswith("ARRAY") else "ASC")
    for path, down in query.orders:
        if path != NAME:
            ways[path_text(path)] = "DESC" if down else "ASC"
    ways |= {path: "ASC" for path in aggregated if path not in ways}
    ways["__name__"] = "DESC" if dict(query.orders).get(NAME) else "ASC"
    near = query.near
    if near is not None:
        field = str((near.get("vectorField") or {}).get("fieldPath", ""))
        ways[field] = f"VECTOR<{len(near['vector'])}>"
    told = ", ".join(f"{path} {way}" for path, way in ways.items())
    scope = _SCOPES[query.scope.kind]
    return {"indexesUsed": [{"query_scope": scope, "properties": f"({told})"}]}


def execution_stats(returned: int, scanned: int, *, is_aggregation: bool = False) -> JsonObject:
    """What a query took.

    Args:
        returned: How many results it had.
        scanned: How many documents it found, or how many entries an aggregation counted.
        is_aggregation: Whether it read entries of an index alone.
    """
    reads = -(-scanned // _ENTRIES_OF_A_READ) if is_aggregation else scanned
    documents = 0 if is_aggregation else scanned
    return {
        "resultsReturned": str(returned),
        "executionDuration": f"{0.001 + scanned / 100_000:.6f}s",
        "readOperations": str(max(reads, 1)),
        "debugStats": {
            "index_entries_scanned": str(scanned),
            "documents_scanned": str(documents),
            "billing_details": {
                "documents_billable": str(documents),
                "index_entries_billable": str(scanned if is_aggregation else 0),
                "small_ops": "0",
                "min_query_cost": "0" if reads else "1",
            },
        },
    }
