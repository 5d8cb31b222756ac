"""Rows of tables in a snapshot: `rows` of a table, as objects or as captured answers have them."""

from collections.abc import Sequence

from mockserver.apis.bigquery.tables import ANY, SILENT, TABLES, Name, check_schema, fields_of
from mockserver.apis.bigquery.values import (
    ValueRefusedError,
    canonical_schema,
    read_row,
    row_of_wire,
    type_of,
)
from mockserver.errors import Problem
from mockserver.googleapi import ApiError, SnapshotImport
from mockserver.model import JsonObject


def import_snapshot(found: SnapshotImport) -> None:
    """Make the tables again that conventions made: without their rows, which are stores of theirs.

    What is no table is left to conventions, which say what is wrong with it.
    """
    found.silent |= SILENT
    resources = found.raw.get("resources")
    held = resources.get("bigquery:v2") if isinstance(resources, dict) else None
    for name, tables in held.items() if isinstance(held, dict) else ():
        above, _, noun = name.rpartition("/")
        if noun != "tables" or not isinstance(tables, list):
            continue
        for number, row in enumerate(tables):
            if isinstance(row, dict):
                _import_table(found, f"/resources/bigquery:v2/{name}/{number}", above, row, number)


def _import_table(
    found: SnapshotImport, pointer: str, above: str, row: JsonObject, number: int
) -> None:
    reference = {**dict(zip(_PATH, above.split("/")[1::2], strict=False)),
                 **(row.get("tableReference") or {})}  # fmt: skip
    project, dataset = (str(reference.get(each) or ANY) for each in _PATH)
    own = Name(project, dataset, str(reference.get("tableId") or row.get("id") or number))
    fields = fields_of(row)
    if ANY not in {project, dataset}:
        row = {**row, "tableReference": own.reference()}
    kept = {name: each for name, each in row.items() if name != "rows"}
    try:
        check_schema(fields)
    except ApiError as error:
        found.problems.append(Problem(pointer, error.message))
        fields = ()
    if fields:
        fields = canonical_schema(fields)
        kept["schema"] = {**row["schema"], "fields": fields}
    found.tables.setdefault(TABLES, {})[own.path] = kept
    rows = row.get("rows")
    if rows is None:
        return
    if not isinstance(rows, list) or not fields:
        text = "`rows` is an array of objects, and the table says its `schema`"
        found.problems.append(Problem(f"{pointer}/rows", text))
        return
    made = found.tables.setdefault(own.rows, {})
    for at, each in enumerate(rows):
        try:
            is_wire = isinstance(each, dict) and list(each) == ["f"]
            made[f"{at + 1:08d}"] = (row_of_wire if is_wire else read_row)(fields, each)
        except ValueRefusedError as error:
            found.problems.append(Problem(f"{pointer}/rows/{at}", error.message))
        except (AttributeError, TypeError):
            found.problems.append(Problem(f"{pointer}/rows/{at}", "expected an object"))
    found.times[own.rows] = tuple(_times(fields))


_PATH = ("projectId", "datasetId")


def _times(fields: Sequence[JsonObject]) -> list[tuple[str, ...]]:
    """The columns that move with the session's clock."""
    return [(str(each["name"]),) for each in fields if type_of(each) == "TIMESTAMP"]
