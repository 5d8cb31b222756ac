"""Methods of Firestore's documents.

Source: Discovery document; reference of the v1 API; words of refusals as the live API's clients
quote them. Not imitated: missing composite indexes, locks that wait, quotas, security rules.

What explanations count is this server's own work: documents that were found, entries of indexes
that led to them. Durations are a model, so that equal sessions answer alike: a millisecond, and ten
microseconds a document. Source: ExplainMetrics of the reference, and what reads cost.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from mockserver.apis.firestore import DOCUMENTS
from mockserver.apis.firestore.filters import BELOW
from mockserver.apis.firestore.listening import listen
from mockserver.apis.firestore.paths import (
    NAME,
    check_id,
    field_path,
    id_of_rank,
    path_text,
    read_document_name,
    root_of,
)
from mockserver.apis.firestore.pipelines import check_edition, execute
from mockserver.apis.firestore.queries import (
    Query,
    aggregate,
    conditions_of,
    masked,
    partition,
    read_query,
)
from mockserver.apis.firestore.transactions import (
    View,
    begin,
    close,
    finish,
    note_documents,
    note_query,
    open_view,
)
from mockserver.apis.firestore.writes import apply_write, commit, next_commit
from mockserver.collections import LAST, Store
from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    PageRule,
    code_name,
    invalid,
    list_page,
    nearest,
    not_found,
)
from mockserver.model import JsonObject

_SCOPES = {"collection": "Collection", "group": "Collection group", "every": "Database"}
_ENTRIES_OF_A_READ = 1000


def _plan_summary(query: Query, given: JsonObject, aggregated: Sequence[str] = ()) -> JsonObject:
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


def _execution_stats(returned: int, scanned: int, *, is_aggregation: bool = False) -> JsonObject:
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


_PREFIX = "firestore.projects.databases.documents."
_PAGES = PageRule(default=300, maximum=300)
_ID_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_CODES = (
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
    "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED",
    "OUT_OF_RANGE", "UNIMPLEMENTED",
)  # fmt: skip
"""Canonical codes by their numbers."""


def _database(call: Call) -> str:
    """The root of the documents of the database that a call names."""
    return root_of(f"{call.params['database']}/documents")


def _requested_fields(
    call: Call, row: JsonObject, paths: Sequence[str] | None = None
) -> JsonObject:
    """What a call wants to see of a document."""
    paths = call.params.get("mask.fieldPaths") if paths is None else paths
    return masked(row, [field_path(each) for each in paths]) if paths else row


def _missing(store: Store, name: str) -> ApiError:
    near = nearest(name, [entry[2] for entry in store.beside(name, start=name.rpartition("/")[0])])
    return not_found(f'Document "{name}" not found.', name=name, nearest=near)


def _get(call: Call) -> JsonObject:
    name = str(call.params["name"])
    view = open_view(call.world, read_document_name(name), call.params)
    found = view.store.get(name)
    note_documents(call.world, view, [(name, found)])
    if found is None:
        raise _missing(view.store, name)
    return _requested_fields(call, found)


def _batch_get(call: Call) -> list[JsonObject]:
    view = open_view(call.world, _database(call), call.body)
    paths = (call.body.get("mask") or {}).get("fieldPaths") or []
    names = dict.fromkeys(map(str, call.body.get("documents") or ()))
    answers, absent, found = _opening(view), [], []
    for name in names:
        if read_document_name(name) != _database(call):
            raise invalid(f'Document name "{name}" does not belong to the database.')
        row = view.store.get(name)
        found.append((name, row))
        if row is None:
            absent.append({"missing": name, "readTime": view.time})
        else:
            answers.append({"found": _requested_fields(call, row, paths), "readTime": view.time})
    note_documents(call.world, view, found)
    return [*answers, *absent]


def _list(call: Call) -> JsonObject:
    params = call.params
    parent, ident = str(params["parent"]), str(params["collectionId"])
    view = open_view(call.world, root_of(parent), params)
    above = f"{parent}/{ident}"
    if params.get("showMissing"):
        if params.get("orderBy"):
            raise invalid("Only one of order_by and show_missing may be set.")

        def show(key: str) -> JsonObject:
            row = view.store.get(key)
            return {"name": key} if row is None else _requested_fields(call, row)

        keys = (f"{above}/{each}" for each in _children(view.store, above))
        return list_page(call, "documents", keys, _PAGES, show)
    query: JsonObject = {"from": [{"collectionId": ident}], "orderBy": list(_orders(call))}
    rows = read_query(call.world, view.store, parent, query).rows()
    return list_page(call, "documents", rows, _PAGES, lambda row: _requested_fields(call, row))


def _children(store: Store, above: str) -> Iterator[str]:
    """The ids right below a document or a collection, with those of documents that are missing."""
    return (id_of_rank(rank) for _, rank in store.values(BELOW, (above,), (above, LAST)))


def _orders(call: Call) -> Iterator[JsonObject]:
    for term in str(call.params.get("orderBy") or "").split(","):
        path, _, direction = term.strip().partition(" ")
        if path:
            down = direction.strip().lower() == "desc"
            yield {
                "field": {"fieldPath": path}, "direction": "DESCENDING" if down else "ASCENDING"
            }  # fmt: skip


def _list_collection_ids(call: Call) -> JsonObject:
    parent = str(call.params["parent"])
    view = open_view(call.world, root_of(parent), call.body)
    return list_page(call, "collectionIds", _children(view.store, parent), _PAGES)


# --- writes ---


def _create(call: Call) -> JsonObject:
    parent, ident = str(call.params["parent"]), str(call.params["collectionId"])
    check_id(ident)
    own = str(call.params.get("documentId") or "") or _new_id(call)
    name = f"{parent}/{ident}/{own}"
    document = {"name": name, "fields": call.body.get("fields") or {}}
    commit(call.world, read_document_name(name),
           [{"update": document, "currentDocument": {"exists": False}}])  # fmt: skip
    return _requested_fields(call, call.world.table(DOCUMENTS).get(name) or {})


def _new_id(call: Call) -> str:
    digits = call.world.ids.hex("firestoreDocument", 40)
    pairs = (int(digits[at : at + 2], 16) for at in range(0, 40, 2))
    return "".join(_ID_LETTERS[each % len(_ID_LETTERS)] for each in pairs)


def _precondition(call: Call) -> JsonObject:
    names = ("exists", "updateTime")
    given = {each: call.params.get(f"currentDocument.{each}") for each in names}
    return {name: each for name, each in given.items() if each is not None}


def _patch(call: Call) -> JsonObject:
    name = str(call.params["name"])
    write: JsonObject = {
        "update": {"name": name, "fields": call.body.get("fields") or {}},
        "currentDocument": _precondition(call),
    }
    paths = call.params.get("updateMask.fieldPaths")
    if paths:
        write["updateMask"] = {"fieldPaths": paths}
    commit(call.world, read_document_name(name), [write])
    return _requested_fields(call, call.world.table(DOCUMENTS).get(name) or {})


def _delete(call: Call) -> JsonObject:
    name = str(call.params["name"])
    write = {"delete": name, "currentDocument": _precondition(call)}
    commit(call.world, read_document_name(name), [write])
    return {}


def _commit(call: Call) -> JsonObject:
    root, writes = _database(call), call.body.get("writes") or []
    token = str(call.body.get("transaction") or "")
    if token:
        finish(call.world, root, token, writes)
    return commit(call.world, root, writes)


def _batch_write(call: Call) -> JsonObject:
    root, writes = _database(call), call.body.get("writes") or []
    names = [
        str((each.get("update") or {}).get("name") or each.get("delete") or "") for each in writes
    ]
    if len(set(names)) < len(names):
        raise invalid("A batch must not write to a document more than once.")
    moment, results = next_commit(call.world), []
    statuses: list[JsonObject] = []
    for each in writes:
        try:
            with call.world.transaction():
                results.append(apply_write(call.world, root, each, moment))
            statuses.append({"code": 0})
        except ApiError as error:
            results.append({})
            code = error.code_name or code_name(error.status)
            statuses.append({"code": _CODES.index(code), "message": error.message})
    return {"writeResults": results, "status": statuses}


def _write(call: Call) -> JsonObject:
    """Answers a message of a stream of writes; the first opens it."""
    root, ids = _database(call), call.world.ids
    answer: JsonObject = {"streamToken": ids.hex("firestoreStream", 16)}
    if "opened" not in call.conversation:
        call.conversation["opened"] = True
        answer["streamId"] = str(call.body.get("streamId") or ids.hex("firestoreStream", 16))
        if not call.body.get("writes"):
            return answer
    return {**answer, **commit(call.world, root, call.body.get("writes") or [])}


# --- transactions ---


def _begin(call: Call) -> JsonObject:
    return {"transaction": begin(call.world, _database(call), call.body.get("options") or {})}


def _rollback(call: Call) -> JsonObject:
    close(call.world, _database(call), str(call.body.get("transaction") or ""))
    return {}


# --- queries ---


def _opening(view: View) -> list[JsonObject]:
    return [{"transaction": view.transaction}] if view.is_new else []


def _run_query(call: Call) -> list[JsonObject]:
    parent, given = str(call.params["parent"]), call.body.get("structuredQuery") or {}
    view = open_view(call.world, root_of(parent), call.body)
    query = read_query(call.world, view.store, parent, given)
    explained = call.body.get("explainOptions")
    metrics: JsonObject = {}
    if explained is not None:
        metrics = {"planSummary": _plan_summary(query, given)}
        if not explained.get("analyze"):
            return [*_opening(view), {"explainMetrics": metrics}]
    rows = list(query.rows())
    note_query(call.world, view, parent, given, rows)
    answers: list[JsonObject] = [
        {"document": query.show(row), "readTime": view.time} for row in rows
    ]
    if query.offset and not answers:
        skipped = min(query.offset, replace(query, offset=0).count(query.offset))
        answers = [{"readTime": view.time, "skippedResults": skipped}]
    answers = [*_opening(view), *(answers or [{"readTime": view.time}])]
    if explained is not None:
        metrics["executionStats"] = _execution_stats(len(rows), len(rows))
        answers.append({"explainMetrics": metrics, "readTime": view.time})
    return answers


def _run_aggregation_query(call: Call) -> list[JsonObject]:
    parent = str(call.params["parent"])
    given = call.body.get("structuredAggregationQuery") or {}
    view = open_view(call.world, root_of(parent), call.body)
    inner, aggregations = given.get("structuredQuery") or {}, given.get("aggregations") or []
    query = read_query(call.world, view.store, parent, inner)
    explained = call.body.get("explainOptions")
    metrics: JsonObject = {}
    if explained is not None:
        fields = [
            str(one["field"]["fieldPath"])
            for each in aggregations for one in each.values()
            if isinstance(one, dict) and "field" in one
        ]  # fmt: skip
        metrics = {"planSummary": _plan_summary(query, inner, fields)}
        if not explained.get("analyze"):
            return [*_opening(view), {"explainMetrics": metrics}]
    found = aggregate(query, aggregations)
    if view.transaction:
        note_query(call.world, view, parent, inner, list(query.rows()))
    answers = [*_opening(view), {"result": {"aggregateFields": found}, "readTime": view.time}]
    if explained is not None:
        metrics["executionStats"] = _execution_stats(1, query.count(), is_aggregation=True)
        answers.append({"explainMetrics": metrics, "readTime": view.time})
    return answers


def _partition_query(call: Call) -> JsonObject:
    parent = str(call.params["parent"])
    view = open_view(call.world, root_of(parent), call.body)
    query = read_query(call.world, view.store, parent, call.body.get("structuredQuery") or {})
    cursors = partition(query, int(call.body.get("partitionCount") or 0))
    return list_page(call, "partitions", cursors, PageRule(default=1000, maximum=1000))


def _execute_pipeline(call: Call) -> list[JsonObject]:
    root = _database(call)
    check_edition(call.world, root)
    view = open_view(call.world, root, call.body)
    found = execute(call.world, view, root, call.body.get("structuredPipeline") or {})
    return [{**({"transaction": view.transaction} if view.is_new else {}), **found}]


HANDLERS: Mapping[str, Handler] = {
    f"{_PREFIX}{name}": cast("Handler", handler)
    for name, handler in {
        "get": _get,
        "batchGet": _batch_get,
        "list": _list,
        "listDocuments": _list,
        "listCollectionIds": _list_collection_ids,
        "createDocument": _create,
        "patch": _patch,
        "delete": _delete,
        "commit": _commit,
        "batchWrite": _batch_write,
        "write": _write,
        "beginTransaction": _begin,
        "rollback": _rollback,
        "runQuery": _run_query,
        "runAggregationQuery": _run_aggregation_query,
        "partitionQuery": _partition_query,
        "executePipeline": _execute_pipeline,
        "listen": listen,
    }.items()
}
