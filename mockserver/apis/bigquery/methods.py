"""The methods of datasets, tables and their rows, and the table of all of them."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from mockserver.apis.bigquery.errors import missing, refusal
from mockserver.apis.bigquery.jobs import (
    cancel_job,
    delete_job,
    get_query_results,
    insert_job,
    list_jobs,
    page_of_rows,
    query,
    require_job,
)
from mockserver.apis.bigquery.read_sessions import create_read_session, read_rows, split_read_stream
from mockserver.apis.bigquery.read_sessions_document import READ
from mockserver.apis.bigquery.tables import (
    DATASETS,
    RESULTS,
    TABLES,
    Name,
    Tables,
    check_schema,
    fields_of,
    selected_fields,
)
from mockserver.apis.bigquery.values import (
    ValueRefusedError,
    canonical_schema,
    is_required,
    read_row,
    type_of,
)
from mockserver.collections import BY_KEY, Index
from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    PageRule,
    duplicate,
    etag,
    list_answer,
    list_page,
    page,
)
from mockserver.googleapi.facts import known_facts
from mockserver.googleapi.lists import each_of
from mockserver.model import Json, JsonObject
from mockserver.state import PROJECTS, home_project

_PAGES = PageRule(default=50, maximum=1000, size="maxResults")
_BY_PRESENCE = Index(lambda _, row: (row.get("state") != "DELETE_REQUESTED",))


def _list_projects(call: Call) -> JsonObject:
    rows = call.world.table(PROJECTS).find(_BY_PRESENCE, value=True)
    head = {"kind": "bigquery#projectList", "totalItems": len(rows)}
    return list_page(call, "projects", rows, _PAGES, _project, head)


def _project(row: JsonObject) -> JsonObject:
    return {
        "kind": "bigquery#project",
        "id": row["projectId"],
        "numericId": str(row["name"]).rpartition("/")[2],
        "projectReference": {"projectId": row["projectId"]},
        "friendlyName": row.get("displayName") or row["projectId"],
    }


_IDENT = re.compile(r"[\w-]{1,1024}", re.ASCII)  # recordings have dashes, against the reference
_TABLE_IDENT = re.compile(r"[^\x00-\x1f!\"$()*,./;?@\[\\\]^`{}~]{1,1024}")
_DATASET_PAGES = PageRule(1000, 1000, "maxResults")
_TABLE_PAGES = PageRule(50, 1000, "maxResults")
_DATASET_ITEM = ("kind", "id", "datasetReference", "labels", "friendlyName", "location", "type")
_TABLE_ITEM = (
    "kind", "id", "tableReference", "friendlyName", "type", "timePartitioning", "rangePartitioning",
    "clustering", "labels", "creationTime", "expirationTime", "requirePartitionFilter",
)  # fmt: skip
_MADE = (
    "kind", "id", "selfLink", "etag", "creationTime", "lastModifiedTime", "numRows", "numBytes",
    "numLongTermBytes", "type", "datasetReference", "tableReference", "numActiveLogicalBytes",
    "numTotalLogicalBytes", "numLongTermLogicalBytes",
)  # fmt: skip
"""Fields that only the service writes."""
_MOST_ROWS = 50_000


def _name(call: Call, *, with_table: bool = False) -> Name:
    params = call.params
    return Name(
        str(params["projectId"]), str(params.get("datasetId", "")),
        str(params["tableId"]) if with_table else "",
    )  # fmt: skip


def _with_facts(call: Call, item: str, name: Name, row: JsonObject) -> JsonObject:
    """A row with what the service was recorded to add to it."""
    return known_facts(call.world, "bigquery").complete(item, call, name.path, row)


def _new_id(call: Call, kind: str, pattern: re.Pattern[str]) -> str:
    """The id by which a call makes a dataset or a table.

    Raises:
        ApiError: 400; it is not told, or none can have it.
    """
    ident = str((call.body.get(f"{kind}Reference") or {}).get(f"{kind}Id") or "")
    if not ident:
        raise refusal("required", f"Required parameter is missing: {kind}Id")
    if pattern.fullmatch(ident) is None:
        raise refusal(
            "invalid", f'Invalid {kind} ID "{ident[:1100]}". {kind.title()} IDs must be'
            " alphanumeric (plus underscores) and must be at most 1024 characters long.",
        )  # fmt: skip
    return ident


# --- datasets ---


def _insert_dataset(call: Call) -> JsonObject:
    ident = _new_id(call, "dataset", _IDENT)
    name = Name(str(call.params["projectId"]), ident)
    tables = Tables(call.world)
    return tables.new_dataset(name, _with_facts(call, "Dataset", name, call.body))


def _get_dataset(call: Call) -> JsonObject:
    name = _name(call)
    row = Tables(call.world).find(name)
    if row is None:
        Tables(call.world).require_dataset(name)
        return {"kind": "bigquery#dataset", "id": name.full, "datasetReference": name.reference()}
    return row


def _change_dataset(call: Call) -> JsonObject:
    name, tables = _name(call), Tables(call.world)
    before = tables.require_dataset(name)
    after = _changed(call, before)
    after["lastModifiedTime"] = tables.millis
    return tables.put(tables.key(name) or name.path, after)


def _changed(call: Call, before: JsonObject) -> JsonObject:
    """A row after a change: fields that are null go; a patch merges objects key by key."""
    is_patch = call.id.endswith(".patch")
    after = dict(before) if is_patch else {key: before[key] for key in _MADE if key in before}
    if not is_patch:
        after |= {key: before[key] for key in ("location", "access") if key in before}
    for key, value in call.body.items():
        if key in _MADE:
            continue
        if value is None:
            after.pop(key, None)
        elif is_patch and key in {"labels", "resourceTags"} and isinstance(value, dict):
            merged = {**(before.get(key) or {}), **value}
            after[key] = {name: each for name, each in merged.items() if each is not None}
        else:
            after[key] = value
    return after


def _delete_dataset(call: Call) -> None:
    name = _name(call)
    Tables(call.world).remove_dataset(name, with_contents=bool(call.params.get("deleteContents")))


def _list_datasets(call: Call) -> JsonObject:
    project = str(call.params["projectId"])
    matches = _label_filter(str(call.params.get("filter") or ""))
    store = call.world.table(DATASETS)
    found = store.starting(BY_KEY, f"projects/{project}/datasets/")
    others = store.starting(BY_KEY, "projects/-/datasets/")
    is_all = bool(call.params.get("all"))
    rows = (
        row for rows in (found, others) for row in each_of(rows)
        if matches(row) and (is_all or not _dataset_id(row).startswith("_"))
    )  # fmt: skip
    several, token = page(call, rows, _DATASET_PAGES)
    items = [_item(row, _DATASET_ITEM) for row in several]
    head = {"kind": "bigquery#datasetList", "etag": etag({"datasets": items}).strip('"')}
    return list_answer("datasets", items, token, head)


def _dataset_id(row: JsonObject) -> str:
    return str((row.get("datasetReference") or {}).get("datasetId") or "")


def _item(row: JsonObject, fields: Sequence[str]) -> JsonObject:
    return {field: row[field] for field in fields if field in row}


def _label_filter(text: str) -> Callable[[JsonObject], bool]:
    """What tells whether a dataset has the labels of a filter, `labels.team:ops labels.old`.

    Raises:
        ApiError: 400; the filter is none of labels.
    """
    asked: list[tuple[str, str | None]] = []
    for term in re.split(r"\s+(?:AND\s+)?", text.strip()) if text.strip() else ():
        found = re.fullmatch(r"labels\.([\w-]+)(?::([\w-]*|\*))?", term)
        if found is None:
            raise refusal("invalid", f"Invalid value for filter: {text[:200]}")
        asked.append((found[1], None if found[2] in {None, "*"} else found[2]))

    def matches(row: JsonObject) -> bool:
        labels = row.get("labels") or {}
        return all(
            key in labels and (value is None or labels[key] == value) for key, value in asked
        )

    return matches


# --- tables ---


def _insert_table(call: Call) -> JsonObject:
    ident = _new_id(call, "table", _TABLE_IDENT)
    name = Name(str(call.params["projectId"]), str(call.params["datasetId"]), ident)
    tables = Tables(call.world)
    sent = dict(call.body)
    view = sent.get("view")
    if isinstance(view, dict) and not view.get("query"):
        raise refusal("required", "Required parameter is missing: query")
    if isinstance(view, dict) and not view.get("useLegacySql", True):
        sent["schema"] = {"fields": _view_fields(call, str(view["query"])) or []}
    return tables.new_table(name, _with_facts(call, "Table", name, sent))


def _view_fields(call: Call, text: str) -> list[JsonObject]:
    """The columns of a view; none where its query is not computed here."""
    from mockserver.apis.bigquery.engine import is_installed
    from mockserver.apis.bigquery.errors import QueryError

    if not is_installed():
        return []
    from mockserver.apis.bigquery.statements import Script

    script = Script(Tables(call.world), text, str(call.params["projectId"]))
    try:
        (*_, done) = script.run(dry=True)
    except QueryError as error:
        if error.miss is not None:
            return []
        raise error.as_api_error() from error
    return list(done.result.fields) if done.result else []


def _get_table(call: Call) -> JsonObject:
    name, tables = _name(call, with_table=True), Tables(call.world)
    row = tables.counted(name, tables.require_table(name))
    asked = call.params.get("selectedFields")
    if asked and "schema" in row:
        fields = selected_fields(fields_of(row), str(asked))
        row = {**row, "schema": {**row["schema"], "fields": fields}}
    return row


def _change_table(call: Call) -> JsonObject:
    name, tables = _name(call, with_table=True), Tables(call.world)
    before = tables.find(name)
    if before is None:
        tables.require_table(name)
        raise missing("Table", name.full)
    after = _changed(call, before)
    if isinstance(after.get("schema"), dict):
        fields = after["schema"].get("fields") or []
        check_schema(fields)
        _check_new_schema(name, fields_of(before), fields)
        after["schema"] = {**after["schema"], "fields": canonical_schema(fields)}
    after["lastModifiedTime"] = tables.millis
    return tables.counted(name, tables.put(tables.key(name) or name.path, after))


def _check_new_schema(
    name: Name, before: Sequence[JsonObject], after: Sequence[JsonObject], around: str = ""
) -> None:
    """Refuse a schema that loses, changes or requires what the table has otherwise.

    Raises:
        ApiError: 400.
    """
    words = f"Provided Schema does not match Table {name.full}."
    known = {str(each["name"]).casefold(): each for each in after}
    held = {str(each["name"]).casefold() for each in before}
    for each in before:
        place = f"{around}{each['name']}"
        other = known.get(str(each["name"]).casefold())
        if other is None:
            raise refusal("invalid", f"{words} Field {place} is missing in new schema")
        if type_of(other) != type_of(each):
            raise refusal("invalid", f"{words} Field {place} has changed type from {type_of(each)}"
                          f" to {type_of(other)}")  # fmt: skip
        modes = [str(one.get("mode") or "NULLABLE").upper() for one in (each, other)]
        if modes[0] != modes[1] and modes != ["REQUIRED", "NULLABLE"]:
            raise refusal("invalid", f"{words} Field {place} has changed mode from {modes[0]} to"
                          f" {modes[1]}")  # fmt: skip
        if type_of(each) == "RECORD":
            _check_new_schema(name, each.get("fields") or (), other.get("fields") or (),
                              f"{place}.")  # fmt: skip
    for each in after:
        if str(each["name"]).casefold() not in held and is_required(each) and before:
            raise refusal("invalid", f"{words} Cannot add required fields to an existing schema."
                          f" (field: {each['name']})")  # fmt: skip


def _delete_table(call: Call) -> None:
    Tables(call.world).remove_table(_name(call, with_table=True))


def _list_tables(call: Call) -> JsonObject:
    name, tables = _name(call), Tables(call.world)
    tables.require_dataset(name)
    store = call.world.table(TABLES)
    starts = [f"{name.path}/tables/", f"{Name('-', name.dataset).path}/tables/"]
    found = [row for start in starts for row in (store.starting(BY_KEY, start),)]
    rows = found[0] if not len(found[1]) else [*found[0], *found[1]]
    several, token = page(call, rows, _TABLE_PAGES)
    items = []
    for row in several:
        item = _item(row, _TABLE_ITEM)
        if row.get("view"):
            item["view"] = {"useLegacySql": row["view"].get("useLegacySql", True)}
        items.append(item)
    head: JsonObject = {"kind": "bigquery#tableList", "etag": etag({"tables": items}).strip('"')}
    return {**list_answer("tables", items, token, head), "totalItems": len(rows)}


# --- rows ---


def _list_rows(call: Call) -> JsonObject:
    name, tables = _name(call, with_table=True), Tables(call.world)
    row = tables.require_table(name)
    if row.get("view"):
        raise refusal("invalid", f"Cannot list a table of type {row.get('type', 'VIEW')}.")
    fields = fields_of(row)
    asked = str(call.params.get("selectedFields") or "")
    result = call.world.table(RESULTS).get(name.path)
    rows = tables.rows(name).in_order() if result is None else result["rows"]
    chosen = selected_fields(fields, asked) if asked else fields
    head: JsonObject = {
        "kind": "bigquery#tableDataList", "etag": str(row.get("etag", "")),
        "totalRows": str(len(rows)),
    }  # fmt: skip
    return {**head, **page_of_rows(call, chosen, rows, call.params)}


def _insert_rows(call: Call) -> JsonObject:
    name, tables = _name(call, with_table=True), Tables(call.world)
    row = tables.require_table(name)
    suffix = str(call.body.get("templateSuffix") or "")
    if suffix:
        template, name = row, Name(name.project, name.dataset, name.table + suffix)
        row = tables.find(name) or tables.new_table(name, {"schema": template.get("schema")})
    if row.get("view"):
        raise refusal("invalid", f"Cannot add rows to a table of type {row.get('type', 'VIEW')}.")
    fields = fields_of(row)
    if not fields:
        raise refusal("invalid", "The destination table has no schema.")
    sent = call.body.get("rows") or ()
    if not sent:
        raise refusal("invalid", "No rows present in the request.")
    if len(sent) > _MOST_ROWS:
        raise refusal("invalid", f"too many rows present in the request, limit: {_MOST_ROWS} row"
                      f" count: {len(sent)}.")  # fmt: skip
    ignore = bool(call.body.get("ignoreUnknownValues"))
    good, errors = [], list[JsonObject]()
    for at, each in enumerate(sent):
        try:
            values = _with_defaults(call, fields, each.get("json") or {})
            good.append(read_row(fields, values, ignore_unknown=ignore))
        except ValueRefusedError as error:
            told = {"reason": "invalid", "location": error.place, "debugInfo": "",
                    "message": error.message}  # fmt: skip
            errors.append({"index": at, "errors": [told]})
    if errors and not call.body.get("skipInvalidRows"):
        wrong = {each["index"] for each in errors}
        stopped = {"reason": "stopped", "location": "", "debugInfo": "", "message": ""}
        errors += [{"index": at, "errors": [stopped]} for at in range(len(sent)) if at not in wrong]
        good = []
    if good:
        tables.add_rows(name, good)
    answer: JsonObject = {"kind": "bigquery#tableDataInsertAllResponse"}
    return {**answer, "insertErrors": errors} if errors else answer


def _with_defaults(call: Call, fields: Sequence[JsonObject], row: JsonObject) -> JsonObject:
    """A row with the default values that its table has for what it leaves out."""
    found = dict(row)
    for each in fields:
        text = str(each.get("defaultValueExpression") or "")
        if not text or each["name"] in row:
            continue
        value = _DEFAULTS.get(text.upper().removesuffix("()"))
        if value is not None:
            found[str(each["name"])] = value(call)
        elif text[0] in "'\"" and text[-1] == text[0] and text[0] not in text[1:-1]:
            found[str(each["name"])] = text[1:-1]
        elif re.fullmatch(r"-?\d+(?:\.\d+)?|(?i:true|false)", text):
            found[str(each["name"])] = text.lower()
        elif text.upper() != "NULL":
            raise refusal("notImplemented", f"Unsupported feature: the default value {text} is not"
                          " computed by the mock server.")  # fmt: skip
    return found


def _moment(call: Call) -> str:
    from mockserver.apis.bigquery.values import moment_text

    return moment_text(call.world.clock.now())


_DEFAULTS: Mapping[str, Callable[[Call], Json]] = {
    "CURRENT_TIMESTAMP": _moment,
    "CURRENT_DATETIME": lambda call: _moment(call)[:-1],
    "CURRENT_DATE": lambda call: _moment(call)[:10],
    "CURRENT_TIME": lambda call: _moment(call)[11:-1],
}


# --- what is beside ---


def _in_dataset(call: Call) -> JsonObject | None:
    """Leave routines and models to conventions, in datasets that are there."""
    name, tables = _name(call), Tables(call.world)
    tables.require_dataset(name)
    kind, ident = ("Routine", "routineId") if ".routines." in call.id else ("Model", "modelId")
    own = call.params.get(ident)
    try:
        answer = call.answer_by_conventions()
        key = f"{name.path}/{kind.lower()}s/{own}"
        row = call.world.table(f"bigquery:v2/{kind.lower()}s").get(key)
        if call.id.endswith((".patch", ".update")) and row is not None:
            answer = {**row, "lastModifiedTime": tables.millis}
            call.world.put(f"bigquery:v2/{kind.lower()}s", key, answer)
        return None if call.id.endswith(".delete") else answer
    except ApiError as error:
        if error.status == 404 and own:
            raise missing(kind, f"{name.full}.{own}") from error
        if error.status == 409:
            sent = call.body.get(f"{kind.lower()}Reference") or {}
            word = f"Already Exists: {kind} {name.full}.{sent.get(ident, '')}"
            raise duplicate(word) from error
        raise


def _service_account(call: Call) -> JsonObject:
    project, number = home_project(call.world)
    del project
    address = f"bq-{number}@bigquery-encryption.iam.gserviceaccount.com"
    return {"kind": "bigquery#getServiceAccountResponse", "email": address}


HANDLERS: Mapping[str, Handler] = {
    f"{READ}.createReadSession": create_read_session,
    f"{READ}.readRows": cast("Handler", read_rows),
    f"{READ}.splitReadStream": split_read_stream,
    "bigquery.datasets.insert": _insert_dataset,
    "bigquery.datasets.get": _get_dataset,
    "bigquery.datasets.patch": _change_dataset,
    "bigquery.datasets.update": _change_dataset,
    "bigquery.datasets.delete": _delete_dataset,
    "bigquery.datasets.list": _list_datasets,
    "bigquery.tables.insert": _insert_table,
    "bigquery.tables.get": _get_table,
    "bigquery.tables.patch": _change_table,
    "bigquery.tables.update": _change_table,
    "bigquery.tables.delete": _delete_table,
    "bigquery.tables.list": _list_tables,
    "bigquery.tabledata.list": _list_rows,
    "bigquery.tabledata.insertAll": _insert_rows,
    "bigquery.jobs.insert": insert_job,
    "bigquery.jobs.get": require_job,
    "bigquery.jobs.list": list_jobs,
    "bigquery.jobs.cancel": cancel_job,
    "bigquery.jobs.delete": delete_job,
    "bigquery.jobs.query": query,
    "bigquery.jobs.getQueryResults": get_query_results,
    "bigquery.routines.insert": _in_dataset,
    "bigquery.routines.get": _in_dataset,
    "bigquery.routines.list": _in_dataset,
    "bigquery.routines.update": _in_dataset,
    "bigquery.routines.delete": _in_dataset,
    "bigquery.models.get": _in_dataset,
    "bigquery.models.list": _in_dataset,
    "bigquery.models.patch": _in_dataset,
    "bigquery.models.delete": _in_dataset,
    "bigquery.projects.getServiceAccount": _service_account,
    "bigquery.projects.list": _list_projects,
}
