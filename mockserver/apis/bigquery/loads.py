"""Jobs that move rows: loads of files, copies of tables, extractions into Storage."""

import csv
import gzip
import io
import re
import zlib
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import md5
from typing import Any

import orjson

from mockserver.apis.bigquery import columnar
from mockserver.apis.bigquery.errors import QueryError, refusal
from mockserver.apis.bigquery.tables import Name, Tables, fields_of, name_of
from mockserver.apis.bigquery.values import (
    ValueRefusedError,
    canonical_schema,
    is_repeated,
    is_required,
    parse_moment,
    read_row,
    type_of,
)
from mockserver.googleapi import ApiError, Call, Media
from mockserver.googleapi.scalars import crc32c
from mockserver.model import Json, JsonMapping, JsonObject

_MOST_BYTES = 256_000_000
_SAMPLED = 500
_FORMATS = ("CSV", "NEWLINE_DELIMITED_JSON")
_FAILED = "Error while reading data, error message: "


KINDS = ("query", "load", "copy", "extract")


@dataclass
class Job:
    """A job that is being run.

    Attributes:
        call: The call that inserts it.
        tables: The session's tables.
        project: Its project.
        configuration: What it does, as sent and completed.
        statistics: What it tells of what it did.
        location: Where it runs.
        ident: Its id.
        given_location: Where the caller says that it runs, or an empty string.
    """

    call: Call
    tables: Tables
    project: str
    configuration: JsonObject
    statistics: JsonObject
    location: str = "US"
    ident: str = ""
    given_location: str = ""

    @property
    def reference(self) -> JsonObject:
        """How others refer to it."""
        return {"projectId": self.project, "jobId": self.ident, "location": self.location}

    def row(self, error: QueryError | None = None) -> JsonObject:
        """The job as a resource."""
        status: JsonObject = {"state": "DONE"}
        if error is not None:
            status |= {"errorResult": error.as_json(), "errors": [error.as_json()]}
        email = self.call.caller.email or "anonymous"
        now = self.tables.millis
        kind = next((each for each in KINDS if each in self.configuration), "")
        return {
            "kind": "bigquery#job",
            "id": f"{self.project}:{self.location}.{self.ident}",
            "selfLink": "https://bigquery.googleapis.com/bigquery/v2/projects/"
            f"{self.project}/jobs/{self.ident}?location={self.location}",
            "user_email": email,
            "configuration": {**self.configuration, "jobType": kind.upper()},
            "jobReference": self.reference,
            "statistics": {
                "creationTime": now, "startTime": now, "endTime": now, **self.statistics,
            },
            "status": status,
            "principal_subject": f"user:{email}",
        }  # fmt: skip


def write_rows(
    tables: Tables,
    name: Name,
    fields: Sequence[JsonObject],
    rows: Sequence[JsonObject],
    asked: JsonMapping,
) -> None:
    """Write rows where a job says, as its dispositions allow.

    Raises:
        QueryError: The table is there, or is not there, or has another schema.
    """
    how = str(asked.get("writeDisposition") or "WRITE_APPEND")
    row = tables.find(name)
    if row is None:
        if asked.get("createDisposition") == "CREATE_NEVER":
            raise QueryError("notFound", f"Not found: Table {name.full}")
        more = {
            field: asked[field]
            for field in ("timePartitioning", "rangePartitioning", "clustering")
            if field in asked
        }
        config = asked.get("destinationTableProperties") or {}
        key = asked.get("destinationEncryptionConfiguration")
        more |= {"encryptionConfiguration": key} if key else {}
        tables.new_table(name, {"schema": {"fields": list(fields)}, **config, **more})
    else:
        count = len(tables.rows(name))
        if how == "WRITE_EMPTY" and count:
            raise QueryError("duplicate", f"Already Exists: Table {name.full}")
        if how in {"WRITE_TRUNCATE", "WRITE_TRUNCATE_DATA"}:
            tables.clear(name)
            if fields and how == "WRITE_TRUNCATE":
                _put_schema(tables, name, fields)
        else:
            own = _merged(fields_of(row), fields, asked.get("schemaUpdateOptions") or (), name)
            _put_schema(tables, name, own)
    kept = fields_of(tables.find(name) or {})
    try:
        tables.add_rows(name, [read_row(kept, each) for each in rows])
    except ValueRefusedError as error:
        raise QueryError("invalid", error.message) from error


def _put_schema(tables: Tables, name: Name, fields: Sequence[JsonObject]) -> None:
    key, row = tables.key(name), tables.find(name)
    if key is not None and row is not None and fields_of(row) != list(fields):
        schema = {**(row.get("schema") or {}), "fields": canonical_schema(fields)}
        tables.put(key, {**row, "schema": schema})


def _merged(
    own: Sequence[JsonObject], sent: Sequence[JsonObject], allowed: Sequence[str], name: Name
) -> Sequence[JsonObject]:
    """The schema of a table after rows of another schema are appended."""
    if not own:
        return sent
    known = {str(each["name"]).casefold(): each for each in sent}
    found = []
    for each in own:
        other = known.pop(str(each["name"]).casefold(), None)
        if other is not None and type_of(other) != type_of(each):
            raise QueryError(
                "invalid",
                f"Provided Schema does not match Table {name.full}. Field {each['name']} has"
                f" changed type from {type_of(each)} to {type_of(other)}",
            )
        if (
            is_required(each)
            and (other is None or not is_required(other))
            and "ALLOW_FIELD_RELAXATION" in allowed
        ):
            each = {**each, "mode": "NULLABLE"}
        found.append(each)
    if known and "ALLOW_FIELD_ADDITION" not in allowed:
        raise QueryError(
            "invalid",
            f"Provided Schema does not match Table {name.full}. Cannot add fields (field:"
            f" {next(iter(known.values()))['name']})",
        )
    return [*found, *known.values()]


def _check_is_run(is_dry: bool) -> None:  # noqa: FBT001  (what it is about)
    if is_dry:
        raise QueryError("invalid", "dryRun is only for query jobs.")


def _check_place(job: Job, name: Name) -> None:
    """Refuse a dataset that is elsewhere than where the caller says that the job runs.

    Raises:
        QueryError: It is.
    """
    place = str((job.tables.find(name.around) or {}).get("location") or "")
    if job.given_location and place and place.casefold() != job.given_location.casefold():
        words = f"Not found: Dataset {name.around.full} was not found in location"
        raise QueryError("notFound", f"{words} {job.given_location}")


# --- contents ---


def _sources(call: Call, asked: JsonMapping) -> list[bytes]:
    if call.media is not None and not asked.get("sourceUris"):
        return [call.media.content]
    uris = [str(each) for each in asked.get("sourceUris") or ()]
    if not uris:
        raise refusal("required", "Required parameter is missing: sourceUris")
    found = []
    for uri in uris:
        several = list(_contents(call, uri))
        if not several:
            raise QueryError("notFound", f"Not found: URI {uri}")
        found += several
    return found


def _parts(uri: str) -> tuple[str, str]:
    match = re.fullmatch(r"gs://([^/]+)/(.+)", uri)
    if match is None:
        raise QueryError("invalid", f"Source URI must be a Google Cloud Storage location: {uri}")
    return match[1], match[2]


def _contents(call: Call, uri: str) -> Iterator[bytes]:
    """What Storage of the same session holds at an address, which may have one `*`.

    Yields:
        Contents, in the order of their names.

    Raises:
        QueryError: There is no such object.
    """
    bucket, name = _parts(uri)
    if "*" in name:
        start, _, end = name.partition("*")
        where: JsonObject = {"bucket": bucket, "prefix": start}
        listed = call.ask("storage.objects.list", where).get("items") or ()
        names = [str(each["name"]) for each in listed if str(each["name"]).endswith(end)]
    else:
        names = [name]
    for each in names:
        try:
            call.ask("storage.objects.get", {"bucket": bucket, "object": each})
        except ApiError as error:
            raise QueryError("notFound", f"Not found: URI gs://{bucket}/{each}") from error
        key = ("storage.objects.get", (("bucket", bucket), ("object", each)))
        media = call.contents.get(key) if call.contents is not None else None
        if media is None:
            raise QueryError(
                "notImplemented",
                f"Nothing in this session holds the content of gs://{bucket}/{each}.",
            )
        yield media.content


def _text(content: bytes, encoding: str) -> str:
    if content[:2] == b"\x1f\x8b":
        opened = zlib.decompressobj(wbits=31)
        try:
            content = opened.decompress(content, _MOST_BYTES)
        except zlib.error as error:
            raise QueryError("invalid", f"{_FAILED}the compressed data is damaged") from error
        if opened.unconsumed_tail:
            raise QueryError("invalid", f"{_FAILED}the file is too large")
    name = {"ISO-8859-1": "latin-1", "UTF-8": "utf-8-sig"}.get(encoding or "UTF-8", "")
    if not name:
        raise QueryError("invalid", f"Unsupported encoding: {encoding}")
    try:
        return content.decode(name)
    except UnicodeDecodeError as error:
        words = f"{_FAILED}Bad character (ASCII 0) encountered" if b"\0" in content else (
            f"{_FAILED}the data is not in {encoding or 'UTF-8'}"
        )  # fmt: skip
        raise QueryError("invalid", words) from error


# --- loads ---


def load(job: Job, *, is_dry: bool) -> None:
    """Run a load job.

    Raises:
        QueryError: It fails.
    """
    _check_is_run(is_dry)
    asked = dict(job.configuration["load"])
    form = str(asked.get("sourceFormat") or "CSV")
    if form not in {*_FORMATS, *columnar.FORMATS}:
        several = ", ".join((*_FORMATS, *columnar.FORMATS))
        raise QueryError(
            "notImplemented",
            f"Unsupported feature: loads of {form} are not emulated by the mock server; those of"
            f" {several} are.",
        )
    name = name_of(asked.get("destinationTable") or {}, job.project)
    name = Name(name.project, name.dataset, name.table.partition("$")[0])
    if not job.tables.has_dataset(name):
        raise QueryError("notFound", f"Not found: Dataset {name.around.full}")
    _check_place(job, name)
    contents = _sources(job.call, asked)
    row = job.tables.find(name)
    fields: Sequence[JsonObject] = canonical_schema((asked.get("schema") or {}).get("fields") or ())
    if form in columnar.FORMATS:
        lines, fields = _columnar_rows(job.call, form, contents, asked, fields)
    else:
        lines, fields = _text_rows(form, contents, asked, fields, row)
    if not fields:
        raise QueryError("invalid", "No schema specified on job or table.")
    rows, bad = _read_rows(fields, lines, asked)
    write_rows(job.tables, name, fields, rows, asked)
    size = sum(map(len, contents))
    job.statistics = {
        "load": {
            "inputFiles": str(len(contents)), "inputFileBytes": str(size),
            "outputRows": str(len(rows)), "outputBytes": str(size), "badRecords": str(bad),
        }
    }  # fmt: skip
    asked.setdefault("writeDisposition", "WRITE_APPEND")
    asked["destinationTable"] = name.reference()
    job.configuration = {**job.configuration, "load": asked}


def _text_rows(
    form: str, contents: Sequence[bytes], asked: JsonMapping, fields: Sequence[JsonObject],
    row: JsonObject | None,
) -> tuple[Sequence[Any], Sequence[JsonObject]]:  # fmt: skip
    """The rows of files of text, and their fields: as sent, the table's, or as they seem to be."""
    texts = [_text(each, str(asked.get("encoding") or "")) for each in contents]
    is_found = not fields and (asked.get("autodetect") or row is None)
    if not fields and row is not None and not asked.get("autodetect"):
        fields = fields_of(row)
    if form == "CSV":
        return _csv_rows(texts, asked, fields, is_found=bool(is_found))
    lines = _json_rows(texts)
    if is_found:
        fields = infer_fields([each for each in lines if isinstance(each, dict)][:_SAMPLED])
    return lines, fields


def _columnar_rows(
    call: Call, form: str, contents: Sequence[bytes], asked: JsonMapping,
    fields: Sequence[JsonObject],
) -> tuple[Sequence[Any], Sequence[JsonObject]]:  # fmt: skip
    """The rows of files that tell their own schema, and it: of one file where the job names it."""
    columnar.check_installed(call.id, form)
    rows: list[Any] = []
    own: dict[str, JsonObject] = {}
    reference = str(asked.get("referenceFileSchemaUri") or "")
    for content in _contents(call, reference) if reference else ():
        found = columnar.read_file(form, content, fields, asked)
        own |= {str(each["name"]): each for each in found.fields}
    for content in contents:
        found = columnar.read_file(form, content, fields, asked)
        rows += found.rows
        for each in () if reference else found.fields:
            own.setdefault(str(each["name"]), each)
    for field in filter(is_required, fields):
        if any(each.get(field["name"]) is None for each in rows):
            raise QueryError("invalid", f"{_FAILED}Required field {field['name']} cannot be null")
    return rows, fields or list(own.values())


def _read_rows(
    fields: Sequence[JsonObject], lines: Sequence[Any], asked: JsonMapping
) -> tuple[list[JsonObject], int]:
    allowed = int(str(asked.get("maxBadRecords") or 0))
    rows, bad = [], 0
    for at, line in enumerate(lines, 1):
        try:
            rows.append(_read_line(fields, line, asked))
        except ValueRefusedError as error:
            bad += 1
            if bad > allowed:
                raise QueryError(
                    "invalid",
                    f"{_FAILED}{error.message} File: source; Row: {at}"
                    f"{'; Field: ' + error.place if error.place else ''}",
                ) from error
    return rows, bad


def _read_line(fields: Sequence[JsonObject], line: Any, asked: JsonMapping) -> JsonObject:
    if not isinstance(line, dict):
        raise ValueRefusedError("", "Parser terminated before end of string")
    return read_row(fields, line, ignore_unknown=bool(asked.get("ignoreUnknownValues")))


def _json_rows(texts: Sequence[str]) -> list[Any]:
    found: list[Any] = []
    for text in texts:
        for at, line in enumerate(text.split("\n"), 1):
            if not line.strip():
                continue
            try:
                found.append(orjson.loads(line))
            except orjson.JSONDecodeError as error:
                words = f"{_FAILED}Failed to parse JSON: {error.msg}; Row: {at}"
                raise QueryError("invalid", words) from error
    return found


def _csv_rows(
    texts: Sequence[str], asked: JsonMapping, fields: Sequence[JsonObject], *, is_found: bool
) -> tuple[list[Any], Sequence[JsonObject]]:
    quote = asked.get("quote")
    quote = '"' if quote is None else str(quote)
    delimiter = {"tab": "\t", "\\t": "\t", "": ","}.get(
        str(asked.get("fieldDelimiter") or ""), str(asked.get("fieldDelimiter") or ",")
    )
    if len(delimiter) != 1 or len(quote) > 1:
        raise QueryError("invalid", "Field delimiter and quote must be one character")
    skip = int(str(asked.get("skipLeadingRows") or 0))
    nulls = set(asked.get("nullMarkers") or [str(asked.get("nullMarker") or "")])
    cells: list[list[str | None]] = []
    for text in texts:
        reader = csv.reader(
            io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quote or None,
            quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE, strict=True,
        )  # fmt: skip
        try:
            # of one column alone, an empty line is a row without a value
            lines = [line or [""] for line in reader if line or len(fields) == 1]
        except csv.Error as error:
            raise QueryError("invalid", f"{_FAILED}CSV table encountered too many errors, giving"
                             f" up: {error}") from error  # fmt: skip
        if is_found and not skip and _has_header(lines):
            header, lines = lines[0], lines[1:]
            fields = fields or [{"name": _column_name(each)} for each in header]
        elif skip:
            if is_found and not fields and len(lines) >= skip:
                fields = [{"name": _column_name(each)} for each in lines[skip - 1]]
            lines = lines[skip:]
        cells += [[None if each in nulls else each for each in line] for line in lines]
    if is_found:
        width = max(map(len, cells), default=0)
        names = [str(each["name"]) for each in fields]
        names += [f"string_field_{at}" for at in range(len(names), width)]
        columns = [[line[at] for line in cells[:_SAMPLED] if at < len(line)] for at in range(width)]
        kinds = [_kind_of_texts(each) for each in columns] + ["STRING"] * len(names)
        fields = [
            {"name": name if fields else f"{_DETECTED.get(kind, kind.lower())}_field_{at}",
             "type": kind, "mode": "NULLABLE"}
            for at, (name, kind) in enumerate(zip(names, kinds, strict=False))
        ]  # fmt: skip
    return [_csv_row(fields, line, asked) for line in cells], fields


def _csv_row(
    fields: Sequence[JsonObject], line: Sequence[str | None], asked: JsonMapping
) -> JsonObject | None:
    if len(line) > len(fields) and not asked.get("ignoreUnknownValues"):
        raise QueryError("invalid", f"{_FAILED}Too many values in row starting at position: 0.")
    if len(line) < len(fields) and not asked.get("allowJaggedRows"):
        raise QueryError("invalid", f"{_FAILED}CSV processing encountered too many errors, giving"
                         " up. Too few values in row.")  # fmt: skip
    row: JsonObject = {}
    for field, cell in zip(fields, line, strict=False):
        # without a marker, an empty cell of a text is an empty text where it was quoted
        row[str(field["name"])] = cell
        if is_repeated(field):
            raise QueryError("invalid", f"Field {field['name']} is repeated, which CSV cannot hold")
    return row


def _column_name(text: str) -> str:
    found = re.sub(r"\W", "_", text.strip())
    return f"_{found}" if found[:1].isdigit() else found or "_"


def _has_header(lines: Sequence[Sequence[str]]) -> bool:
    if not lines or any(_kind_of_texts([each]) != "STRING" for each in lines[0]):
        return False
    if len(lines) == 1:
        return True
    width = len(lines[0])
    columns = [[line[at] for line in lines[1:_SAMPLED] if at < len(line)] for at in range(width)]
    return any(_kind_of_texts(each) != "STRING" for each in columns)


_KINDS: Mapping[str, str] = {
    "INTEGER": r"[+-]?\d{1,18}",
    "FLOAT": r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?",
    "BOOLEAN": r"(?i)true|false",
    "DATE": r"\d{4}-\d{1,2}-\d{1,2}",
    "TIMESTAMP": r"\d{4}-\d{1,2}-\d{1,2}[ T].*",
    "TIME": r"\d{1,2}:\d{2}:\d{2}(?:\.\d{1,6})?",
}


_DETECTED = {"INTEGER": "int64", "FLOAT": "double", "BOOLEAN": "bool"}
"""How the service names columns without names of these types."""


def _kind_of_texts(texts: Sequence[str | None]) -> str:
    given = [each.strip() for each in texts if each is not None and each.strip()]
    for kind, pattern in _KINDS.items():
        if given and all(re.fullmatch(pattern, each) for each in given):
            if kind == "TIMESTAMP":
                try:
                    for each in given:
                        parse_moment(each)
                except ValueError:
                    continue
            return kind
    return "STRING"


def infer_fields(rows: Sequence[JsonMapping]) -> list[JsonObject]:
    """The fields that rows of JSON seem to have.

    >>> infer_fields([{"a": 1}, {"a": 2.5}])
    [{'name': 'a', 'type': 'FLOAT', 'mode': 'NULLABLE'}]
    """
    names = dict.fromkeys(str(name) for row in rows for name in row)
    return [_inferred(name, [row[name] for row in rows if row.get(name) is not None])
            for name in names]  # fmt: skip


def _inferred(name: str, values: Sequence[Any]) -> JsonObject:
    if values and all(isinstance(each, list) for each in values):
        inner = [one for each in values for one in each if one is not None]
        return {**_inferred(name, inner), "mode": "REPEATED"}
    if values and all(isinstance(each, dict) for each in values):
        return {"name": name, "type": "RECORD", "mode": "NULLABLE", "fields": infer_fields(values)}
    kinds = {type(each) for each in values}
    if kinds == {bool}:
        kind = "BOOLEAN"
    elif kinds == {int}:
        kind = "INTEGER"
    elif kinds and kinds <= {int, float}:
        kind = "FLOAT"
    elif kinds == {str}:
        kind = _kind_of_texts(list(values))
        kind = kind if kind in {"DATE", "TIMESTAMP", "TIME"} else "STRING"
    else:
        kind = "STRING"
    return {"name": name, "type": kind, "mode": "NULLABLE"}


# --- copies and extractions ---


def copy_tables(job: Job, *, is_dry: bool) -> None:
    """Run a copy job.

    Raises:
        QueryError: It fails.
    """
    _check_is_run(is_dry)
    asked = dict(job.configuration["copy"])
    named = asked.get("sourceTables") or [asked.get("sourceTable") or {}]
    sources = [name_of(each, job.project) for each in named]
    target = name_of(asked.get("destinationTable") or {}, job.project)
    asked.setdefault("writeDisposition", "WRITE_EMPTY")
    rows: list[JsonObject] = []
    fields: Sequence[JsonObject] = ()
    more: JsonObject = {}
    for each in (*sources, target):
        _check_place(job, each)
    for each in sources:
        row = job.tables.require_table(each)
        fields = fields or fields_of(row)
        more = more or {key: row[key] for key in ("timePartitioning", "clustering") if key in row}
        rows += list(job.tables.rows(each).in_order())
    if not job.tables.has_dataset(target):
        raise QueryError("notFound", f"Not found: Dataset {target.around.full}")
    write_rows(job.tables, target, fields, rows, {**more, **asked})
    job.statistics = {"copy": {"copiedRows": str(len(rows)), "copiedLogicalBytes": "0"}}
    job.configuration = {**job.configuration, "copy": asked}


def extract(job: Job, *, is_dry: bool) -> None:
    """Run an extract job: the rows of a table become an object of Storage.

    Raises:
        QueryError: It fails.
    """
    _check_is_run(is_dry)
    asked = dict(job.configuration["extract"])
    if asked.get("sourceModel"):
        raise QueryError("notImplemented", "Unsupported feature: extraction of models is not"
                         " emulated by the mock server.")  # fmt: skip
    name = name_of(asked.get("sourceTable") or {}, job.project)
    row = job.tables.require_table(name)
    _check_place(job, name)
    fields, rows = fields_of(row), job.tables.rows(name).in_order()
    form = str(asked.get("destinationFormat") or "CSV")
    if form not in {*_FORMATS, "AVRO", "PARQUET"}:
        raise QueryError("notImplemented", f"Unsupported feature: extraction as {form} is not"
                         " emulated by the mock server.")  # fmt: skip
    uris = [str(each) for each in asked.get("destinationUris") or (
        [asked["destinationUri"]] if asked.get("destinationUri") else ())]  # fmt: skip
    if not uris:
        raise refusal("required", "Required parameter is missing: destinationUris")
    if form in _FORMATS:
        content = (
            _csv_content(fields, rows, asked) if form == "CSV" else _json_content(fields, rows)
        )
        if asked.get("compression") == "GZIP":
            content = gzip.compress(content, mtime=0)
    else:
        columnar.check_installed(job.call.id, form)
        content = columnar.write_file(form, fields, list(rows), asked)
    bucket, path = _parts(uris[0])
    path = path.replace("*", "0" * 12)
    kind = {"CSV": "text/csv", "NEWLINE_DELIMITED_JSON": "application/json"}.get(form)
    _upload(job.call, bucket, path, content, kind or "application/octet-stream")
    job.statistics = {
        "extract": {"destinationUriFileCounts": ["1"], "inputBytes": str(len(content))}
    }
    asked["destinationUris"] = uris
    job.configuration = {**job.configuration, "extract": asked}


def _upload(call: Call, bucket: str, name: str, content: bytes, kind: str) -> None:
    """Make an object of Storage of the same session."""
    try:
        row = call.ask("storage.objects.insert", {"bucket": bucket, "name": name},
                       {"contentType": kind})  # fmt: skip
    except ApiError as error:
        raise QueryError("notFound", f"Not found: URI gs://{bucket}/{name}") from error
    told = {
        "size": str(len(content)),
        "crc32c": b64encode(crc32c(content).to_bytes(4, "big")).decode(),
        "md5Hash": b64encode(md5(content, usedforsecurity=False).digest()).decode(),
    }
    call.world.put("storage:v1/objects", f"b/{bucket}/o/{name.replace('/', '%2F')}",
                   {**row, **told})  # fmt: skip
    if call.contents is not None:
        key = ("storage.objects.get", (("bucket", bucket), ("object", name)))
        call.contents.put(key, Media(content, kind))


def _csv_content(
    fields: Sequence[JsonObject], rows: Sequence[JsonObject], asked: JsonMapping
) -> bytes:
    for each in fields:
        if is_repeated(each) or type_of(each) == "RECORD":
            raise QueryError("invalid", "Operation cannot be performed on a nested schema. Field:"
                             f" {each['name']}")  # fmt: skip
    made = io.StringIO(newline="")
    writer = csv.writer(
        made, delimiter=str(asked.get("fieldDelimiter") or ","), lineterminator="\n"
    )
    if asked.get("printHeader", True):
        writer.writerow([str(each["name"]) for each in fields])
    for row in rows:
        writer.writerow([_cell(each, row.get(each["name"])) for each in fields])
    return made.getvalue().encode()


def _cell(field: JsonMapping, value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if type_of(field) == "TIMESTAMP":
        return str(value).replace("T", " ").removesuffix("Z") + " UTC"
    return str(value)


def _json_content(fields: Sequence[JsonObject], rows: Sequence[JsonObject]) -> bytes:
    return b"".join(orjson.dumps(_json_row(fields, row)) + b"\n" for row in rows)


def _json_row(fields: Sequence[JsonMapping], row: JsonMapping) -> JsonObject:
    found: JsonObject = {}
    for field in fields:
        value = row.get(field["name"])
        if value is not None:
            found[str(field["name"])] = _json_value(field, value)
    return found


def _json_value(field: JsonMapping, value: Any) -> Json:
    if is_repeated(field):
        return [_json_value({**field, "mode": "NULLABLE"}, each) for each in value]
    kind = type_of(field)
    if kind == "RECORD":
        return _json_row(field.get("fields") or (), value)
    if kind == "INTEGER":
        return str(value)
    if kind == "JSON":
        return orjson.loads(value)
    return _cell(field, value) if kind == "TIMESTAMP" else value
