"""Jobs: queries, loads, copies and extractions, each done when its insertion answers.

A failed job is a job, too: `jobs.insert` answers it with its error, `jobs.query` and a dry run
answer the error itself, as the service does.
"""

from collections.abc import Callable, Mapping, Sequence

from mockserver.apis.bigquery.engine import check_installed
from mockserver.apis.bigquery.errors import QueryError, existing, missing, refusal
from mockserver.apis.bigquery.loads import KINDS, Job, copy_tables, extract, load, write_rows
from mockserver.apis.bigquery.tables import JOBS, RESULTS, Name, Tables, fields_of, name_of
from mockserver.apis.bigquery.values import wire_row
from mockserver.collections import Index
from mockserver.googleapi import ApiError, Call, PageRule, etag, list_answer, page
from mockserver.googleapi.lists import each_of
from mockserver.model import Json, JsonMapping, JsonObject

_PAGES = PageRule(50, 1000, "maxResults", ignore=("projection",))
RESULT_PAGES = PageRule(
    10_000, 100_000, "maxResults",
    ignore=("timeoutMs", "location", "formatOptions.useInt64Timestamp",
            "formatOptions.timestampOutputFormat"),
)  # fmt: skip
_BY_TIME = Index(lambda key, row: ((key.rpartition("/jobs/")[0], _created(row)),))
_BY_PARENT = Index(lambda key, row: _parent(key, row))
_LAST = 2**63


def _created(row: JsonMapping) -> int:
    text = str((row.get("statistics") or {}).get("creationTime") or "0")
    return int(text) if text.isdecimal() else 0


def _parent(key: str, row: JsonMapping) -> Sequence[tuple[str, str]]:
    parent = (row.get("statistics") or {}).get("parentJobId")
    return ((key.rpartition("/jobs/")[0], str(parent)),) if parent else ()


def key_of(project: str, ident: str) -> str:
    """The key of a job's row."""
    return f"projects/{project}/jobs/{ident}"


def require_job(call: Call) -> JsonObject:
    """The job that a call names.

    Raises:
        ApiError: 404.
    """
    project, ident = str(call.params["projectId"]), str(call.params["jobId"])
    row = call.world.table(JOBS).get(key_of(project, ident))
    if row is None:
        row = call.world.table(JOBS).get(key_of("-", ident))
    place = str(call.params.get("location") or "")
    own = str((row or {}).get("jobReference", {}).get("location") or "")
    if row is None or (place and own and place.casefold() != own.casefold()):
        raise missing("Job", f"{project}:{place + '.' if place else ''}{ident}")
    return _complete(row)


def _complete(row: JsonObject) -> JsonObject:
    """A job of a fixture may be told by less."""
    reference = row.get("jobReference") or {}
    plain: JsonObject = {
        "kind": "bigquery#job", "id": f"{reference.get('projectId')}:{reference.get('jobId')}",
    }  # fmt: skip
    made = {**plain, **row}
    return {**made, "etag": etag(made).strip('"')}


def insert_job(call: Call) -> JsonObject:
    """Answers `jobs.insert`.

    Raises:
        ApiError: The job cannot be begun; or it is a dry run, and would fail.
    """
    job = _new_job(call, dict(call.body.get("configuration") or {}))
    is_dry = bool(job.configuration.get("dryRun"))
    try:
        _run(job, is_dry=is_dry)
    except QueryError as error:
        if is_dry:
            raise error.as_api_error() from error
        row = job.row(error)
    else:
        row = job.row()
    if not is_dry:
        call.world.put(JOBS, key_of(job.project, job.ident), row)
    return _complete(row)


def _new_job(call: Call, configuration: JsonObject) -> Job:
    given = call.body.get("jobReference") or {}
    project = str(given.get("projectId") or call.params["projectId"])
    kinds = [each for each in KINDS if isinstance(configuration.get(each), dict)]
    if len(kinds) != 1:
        words = "Job configuration must contain exactly one job-specific configuration object "
        raise refusal(
            "invalid", f"{words}(e.g., query, load, extract, spreadsheetExtract), but there were"
            f" {len(kinds)}: {', '.join(kinds)}".rstrip(": "),
        )  # fmt: skip
    job = Job(call, Tables(call.world), project, configuration, {})
    job.given_location = str(given.get("location") or call.body.get("location") or "")
    job.location = job.given_location or _place(job) or "US"
    job.ident = str(given.get("jobId") or "") or f"job_{call.world.ids.base36('job', 24)}"
    key = key_of(project, job.ident)
    if key in call.world.table(JOBS):
        raise existing("Job", f"{project}:{job.location}.{job.ident}")
    return job


def _place(job: Job) -> str:
    """The location of the dataset that a job names."""
    own = next(job.configuration[each] for each in KINDS if each in job.configuration)
    for field in ("defaultDataset", "destinationTable", "sourceTable"):
        named = own.get(field)
        if isinstance(named, dict) and named.get("datasetId"):
            row = job.tables.find(name_of(named, job.project).around)
            if row and row.get("location"):
                return str(row["location"])
    return ""


def _run(job: Job, *, is_dry: bool) -> None:
    kind = next(each for each in KINDS if each in job.configuration)
    try:
        _RUNNERS[kind](job, is_dry=is_dry)
    except ApiError as error:
        if error.status == 501:
            raise
        raise QueryError(error.reason or "invalid", error.message, miss=error.miss) from error


# --- queries ---


def _run_query(job: Job, *, is_dry: bool) -> None:
    check_installed(job.call.id)
    from mockserver.apis.bigquery.statements import Done, Script

    asked = dict(job.configuration["query"])
    text = str(asked.get("query") or "")
    if not text.strip():
        raise refusal("required", "Required parameter is missing: query")
    _check_query(asked, text)
    around = asked.get("defaultDataset") or {}
    project = str(around.get("projectId") or job.project)
    script = Script(
        job.tables, text, job.project if not around else project,
        str(around.get("datasetId") or ""), asked.get("queryParameters") or (),
        job.given_location,
    )  # fmt: skip
    done: list[Done] = script.run(dry=is_dry)
    several = [each for each in done if each.kind != "CREATE_FUNCTION"]
    last = next((each for each in reversed(done) if each.result is not None), done[-1])
    is_script = len(several) > 1
    total = str(sum(each.bytes_read for each in done))
    own: JsonObject = {
        "statementType": "SCRIPT" if is_script else last.kind,
        "totalBytesProcessed": total, "totalBytesBilled": "0" if is_dry else _billed(total),
        "cacheHit": False,
    }  # fmt: skip
    if not is_dry:
        plan = _plan(last.kind, len(last.sources), total, job.tables.millis)
        own |= {"totalSlotMs": str(len(plan)), "queryPlan": plan}
    sources = [name for each in done for name in each.sources]
    if sources:
        own["referencedTables"] = [each.reference() for each in dict.fromkeys(sources)]
    if last.result is not None and (is_dry or last.kind == "SELECT"):
        own["schema"] = {"fields": list(last.result.fields)}
    if not is_script:
        own |= _of_change(last)
    job.statistics = {"totalBytesProcessed": total, "query": own}
    if not is_dry:
        job.statistics["totalSlotMs"] = own["totalSlotMs"]
    if is_script and not is_dry:
        _keep_children(job, several)
    if last.result is not None and not is_dry:
        asked = _keep_answer(job, asked, last.result.fields, last.result.rows)
    elif last.target is not None and not is_script:
        asked["destinationTable"] = last.target.reference()
    asked.setdefault("priority", "INTERACTIVE")
    asked.setdefault("useLegacySql", False)
    asked.setdefault("writeDisposition", "WRITE_TRUNCATE")
    job.configuration = {**job.configuration, "query": asked}


def _check_query(asked: JsonObject, text: str) -> None:
    refused = {
        "createSession": "sessions of queries", "tableDefinitions": "external tables",
        "continuous": "continuous queries",
    }  # fmt: skip
    for field, words in refused.items():
        if asked.get(field):
            raise QueryError("notImplemented", f"Unsupported feature: {words} are not emulated by"
                             " the mock server.")  # fmt: skip
    if asked.get("connectionProperties"):
        names = [str(each.get("key")) for each in asked["connectionProperties"]]
        if "session_id" in names:
            raise QueryError("notImplemented", "Unsupported feature: sessions of queries are not"
                             " emulated by the mock server.")  # fmt: skip
    is_plain = " from " not in f" {' '.join(text.split())} ".casefold()
    if asked.get("useLegacySql", True) and not is_plain:
        raise QueryError(
            "notImplemented", "Unsupported feature: legacy SQL is not emulated by the mock server;"
            " send useLegacySql: false for GoogleSQL.",
        )  # fmt: skip


def _billed(total: str) -> str:
    """Bytes are billed by the megabyte, ten at least."""
    count = int(total)
    megabytes = -(-count // 1_048_576)
    return str(max(megabytes, 10) * 1_048_576) if count else "0"


def _plan(kind: str, sources: int, size: str, now: str) -> list[JsonObject]:
    """A plan as the service tells one: a stage for each table that is read, and one that answers.

    It is a model: the engine plans otherwise, and works in no stages.
    """
    names = [*["Input"] * sources, *["Join"] * (sources > 1), "Output"]
    stages: list[JsonObject] = []
    for at, name in enumerate(names):
        stage: JsonObject = {
            "id": str(at), "name": f"S{at:02d}: {name}", "status": "COMPLETE", "startMs": now,
            "endMs": now, "parallelInputs": "1", "completedParallelInputs": "1",
            "shuffleOutputBytes": size,
            "steps": [{"kind": "READ" if name == "Input" else "COMPUTE", "substeps": [kind]}],
        }  # fmt: skip
        if name != "Input" and at:
            before = range(at) if name == "Join" else (at - 1,)
            stage["inputStages"] = [str(each) for each in before]
        stages.append(stage)
    return stages


def _of_change(done: "Json | object") -> JsonObject:
    """What statistics tell of DML and of definitions."""
    found: JsonObject = {}
    counts = getattr(done, "counts", None)
    target, operation = getattr(done, "target", None), getattr(done, "operation", "")
    if counts is not None:
        names = ("insertedRowCount", "updatedRowCount", "deletedRowCount")
        found["numDmlAffectedRows"] = str(sum(counts))
        found["dmlStats"] = {name: str(each) for name, each in zip(names, counts, strict=True)}
    if operation:
        found["ddlOperationPerformed"] = operation
        if target is not None:
            found["ddlTargetTable"] = target.reference()
    return found


def _keep_children(job: Job, several: Sequence[object]) -> None:
    """A script's statements are jobs of their own, the latest first in lists."""
    job.statistics["numChildJobs"] = str(len(several))
    transaction = ""
    for at, each in enumerate(several):
        kind = str(getattr(each, "kind", ""))
        if kind == "BEGIN_TRANSACTION":
            transaction = job.call.world.ids.hex("transaction", 24)
        own: JsonObject = {"statementType": kind, **_of_change(each)}
        child = Job(
            job.call, job.tables, job.project, {"query": {"query": kind, "useLegacySql": False}},
            {"parentJobId": job.ident, "query": own}, job.location, f"script_job_{job.ident}_{at}",
        )  # fmt: skip
        if transaction:
            child.statistics["transactionInfo"] = {"transactionId": transaction}
        result = getattr(each, "result", None)
        if result is not None:
            kept = _keep_answer(child, {"query": kind}, result.fields, result.rows)
            child.configuration = {"query": kept}
        if kind == "COMMIT_TRANSACTION":
            transaction = ""
        job.call.world.put(JOBS, key_of(job.project, child.ident), child.row())


def _keep_answer(
    job: Job, asked: JsonObject, fields: Sequence[JsonObject], rows: Sequence[JsonObject]
) -> JsonObject:
    """Keep what a query answers, where its job says or in a table that only the job names."""
    if asked.get("destinationTable"):
        name = name_of(asked["destinationTable"], job.project)
        asked.setdefault("writeDisposition", "WRITE_EMPTY")
        write_rows(job.tables, name, fields, rows, asked)
        return asked
    key = key_of(job.project, job.ident)
    from mockserver.state.ids import fixed_base36

    name = Name(job.project, f"_{fixed_base36(job.project, 40)}", f"anon{fixed_base36(key, 40)}")
    job.tables.keep_result(name, fields, rows)
    return {**asked, "destinationTable": name.reference()}


_RUNNERS: Mapping[str, Callable[..., None]] = {
    "query": _run_query,
    "load": lambda job, *, is_dry: load(job, is_dry=is_dry),
    "copy": lambda job, *, is_dry: copy_tables(job, is_dry=is_dry),
    "extract": lambda job, *, is_dry: extract(job, is_dry=is_dry),
}


# --- what a query answered ---


def _answer_rows(job: JsonObject, call: Call) -> tuple[Sequence[JsonObject], Sequence[JsonObject]]:
    """The fields and rows that a query job answered."""
    asked = (job.get("configuration") or {}).get("query") or {}
    own = (job.get("statistics") or {}).get("query") or {}
    named = asked.get("destinationTable")
    if not named or own.get("statementType") not in {"SELECT", "SCRIPT"}:
        return (), ()
    name = name_of(named, str(call.params["projectId"]))
    result = call.world.table(RESULTS).get(name.path)
    if result is not None:
        return result["fields"], result["rows"]
    tables = Tables(call.world)
    row = tables.require_table(name)
    return fields_of(row), tables.rows(name).in_order()


def _page_of_answer(call: Call, job: JsonObject, asked: JsonMapping) -> JsonObject:
    fields, rows = _answer_rows(job, call)
    own = (job.get("statistics") or {}).get("query") or {}
    found: JsonObject = {
        "jobReference": job["jobReference"], "jobComplete": True, "totalRows": str(len(rows)),
        "totalBytesProcessed": str(own.get("totalBytesProcessed", "0")), "cacheHit": False,
    }  # fmt: skip
    found["schema"] = {"fields": list(fields)} if fields else {}
    if not fields:
        del found["totalRows"]
    for field in ("numDmlAffectedRows", "dmlStats"):
        if field in own:
            found[field] = own[field]
    return {**found, **page_of_rows(call, fields, rows, asked)}


def page_of_rows(
    call: Call, fields: Sequence[JsonObject], rows: Sequence[JsonObject], asked: JsonMapping
) -> JsonObject:
    """A page of rows, and the token of the next one.

    Raises:
        ApiError: 400, for a token of something else.
    """
    start = int(str(call.params.get("startIndex") or 0))
    options = {**call.params, **(asked.get("formatOptions") or {})}
    form = str(_option(options, "timestampOutputFormat") or "")
    form = form or ("INT64" if _option(options, "useInt64Timestamp") else "FLOAT64")
    if str(asked.get("maxResults", "")) == "0":
        return {}
    several, token = page(call, rows[start:] if start else rows, RESULT_PAGES)
    answer = list_answer("rows", [wire_row(fields, each, form) for each in several],
                         "")  # fmt: skip
    return {**answer, "pageToken": token} if token else answer


def _option(options: JsonMapping, name: str) -> Json:
    return options.get(name, options.get(f"formatOptions.{name}"))


def get_query_results(call: Call) -> JsonObject:
    """Answers `jobs.getQueryResults`.

    Raises:
        ApiError: 404; or what the job failed with.
    """
    job = require_job(call)
    status = job.get("status") or {}
    failed = status.get("errorResult")
    if status.get("state", "DONE") != "DONE":
        answer: JsonObject = {"kind": "bigquery#getQueryResultsResponse", "jobComplete": False}
        return {**answer, "jobReference": job["jobReference"]}
    if failed:
        error = QueryError(str(failed["reason"]), str(failed["message"]))
        raise error.as_api_error()
    if "query" not in (job.get("configuration") or {}):
        raise refusal("invalid", f"Job {job['id']} is not a query job")
    if not (job.get("statistics") or {}).get("query"):
        from mockserver.googleapi.errors import not_honoured

        fixture = '{"resources": {"bigquery:v2": {"tables": [{"rows": [...]}]}}}'
        raise not_honoured(call.id, "nothing tells what this job of a fixture answered", fixture)
    found = _page_of_answer(call, job, call.params)
    return {"kind": "bigquery#getQueryResultsResponse", "etag": etag(found).strip('"'), **found}


def query(call: Call) -> JsonObject:
    """Answers `jobs.query`.

    Raises:
        ApiError: What the query fails with.
    """
    body = call.body
    asked = {
        field: body[field] for field in (
            "query", "defaultDataset", "useLegacySql", "useQueryCache", "queryParameters",
            "parameterMode", "maximumBytesBilled", "createSession", "connectionProperties",
            "continuous", "destinationEncryptionConfiguration", "writeIncrementalResults",
        ) if field in body
    }  # fmt: skip
    configuration: JsonObject = {"query": asked}
    configuration |= {field: body[field] for field in ("labels", "dryRun") if field in body}
    call.body = {**body, "jobReference": {}}
    job = _new_job(call, configuration)
    call.body = body
    is_dry = bool(body.get("dryRun"))
    try:
        _run(job, is_dry=is_dry)
    except QueryError as error:
        raise error.as_api_error() from error
    row = job.row()
    head: JsonObject = {"kind": "bigquery#queryResponse"}
    if is_dry:
        own = row["statistics"]["query"]
        reference = {"projectId": job.project, "location": job.location}
        return {
            **head, "schema": own.get("schema", {}), "jobReference": reference,
            "totalBytesProcessed": own["totalBytesProcessed"], "jobComplete": True,
            "cacheHit": False,
        }  # fmt: skip
    call.world.put(JOBS, key_of(job.project, job.ident), row)
    later = Call(
        "bigquery.jobs.getQueryResults", {"projectId": job.project, "jobId": job.ident},
        {}, call.world, call.version,
    )  # fmt: skip
    if "maxResults" in body:
        later.params["maxResults"] = body["maxResults"]
    stats = row["statistics"]
    times = {field: stats[field] for field in ("creationTime", "startTime", "endTime")}
    page_ = _page_of_answer(later, row, body)
    return {
        **head, **page_, "queryId": job.ident, "jobCreationReason": {"code": "REQUESTED"}, **times,
        "location": job.location, "statementType": stats["query"]["statementType"],
    }  # fmt: skip


# --- lists ---


def list_jobs(call: Call) -> JsonObject:
    """Answers `jobs.list`: the latest first, without the statements of scripts."""
    parent = f"projects/{call.params['projectId']}"
    table = call.world.table(JOBS)
    above = call.params.get("parentJobId")
    if above:
        found = table.find(_BY_PARENT, (parent, str(above)))[::-1]
    else:
        least = int(str(call.params.get("minCreationTime") or -1))
        most = int(str(call.params.get("maxCreationTime") or _LAST - 1))
        found = table.between(_BY_TIME, (parent, least), (parent, most + 1))[::-1]
    states = {str(each).upper() for each in call.params.get("stateFilter") or ()}
    rows = (
        row for row in each_of(found)
        if (above or not (row.get("statistics") or {}).get("parentJobId"))
        and (not states or str((row.get("status") or {}).get("state")) in states)
    )  # fmt: skip
    several, token = page(call, rows, _PAGES)
    items = [_listed(row) for row in several]
    head = {"kind": "bigquery#jobList", "etag": etag({"jobs": items}).strip('"')}
    return list_answer("jobs", items, token, head)


def _listed(row: JsonObject) -> JsonObject:
    status = row.get("status") or {}
    made = {**row, "state": status.get("state", "DONE")}
    made.pop("selfLink", None)
    if status.get("errorResult"):
        made["errorResult"] = status["errorResult"]
    return made


def cancel_job(call: Call) -> JsonObject:
    """Answers `jobs.cancel`: a job that is done stays as it is; one of a fixture ends."""
    job = require_job(call)
    state = (job.get("status") or {}).get("state")
    if state and state != "DONE":
        error = {"reason": "stopped", "message": "Job execution was cancelled: User requested"
                 " cancellation"}  # fmt: skip
        job = {**job, "status": {"state": "DONE", "errorResult": error, "errors": [error]}}
        call.world.put(JOBS, key_of(str(call.params["projectId"]), str(call.params["jobId"])), job)
    return {"kind": "bigquery#jobCancelResponse", "job": job}


def delete_job(call: Call) -> None:
    """Answers `jobs.delete`."""
    require_job(call)
    call.world.delete(JOBS, key_of(str(call.params["projectId"]), str(call.params["jobId"])))
