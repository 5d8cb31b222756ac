"""Datasets, tables and their rows, as the session holds them.

Each table's rows are a store of their own, `bigquery:v2/rows/project.dataset.table`; results of
queries are one row each of a store that no diff shows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mockserver.apis.bigquery.errors import existing, missing, refusal
from mockserver.apis.bigquery.values import canonical_schema, schema_problems, size_of, type_of
from mockserver.collections import BY_KEY, Store
from mockserver.googleapi import etag
from mockserver.model import JsonMapping, JsonObject
from mockserver.state import World

DATASETS, TABLES, JOBS = "bigquery:v2/datasets", "bigquery:v2/tables", "bigquery:v2/jobs"
RESULTS = "bigquery:v2/results"
READ_SESSIONS = "bigquery:v2/readSessions"
ROWS = "bigquery:v2/rows/"
SILENT = frozenset({RESULTS, JOBS, READ_SESSIONS})
"""What tells how something was asked; it is no change of the session."""
ANY = "-"
_INSIDE = ("tables", "routines", "models")


@dataclass(frozen=True)
class Name:
    """The name of a dataset, or of a table in it.

    Attributes:
        project: The project's id.
        dataset: The dataset's id.
        table: The table's id, or an empty string.
    """

    project: str
    dataset: str
    table: str = ""

    @property
    def path(self) -> str:
        """The key of its row."""
        own = f"projects/{self.project}/datasets/{self.dataset}"
        return f"{own}/tables/{self.table}" if self.table else own

    @property
    def full(self) -> str:
        """As messages say it, `project:dataset.table`."""
        own = f"{self.project}:{self.dataset}"
        return f"{own}.{self.table}" if self.table else own

    @property
    def rows(self) -> str:
        """The store of a table's rows."""
        return f"{ROWS}{self.project}.{self.dataset}.{self.table}"

    @property
    def around(self) -> "Name":
        """The dataset of a table."""
        return Name(self.project, self.dataset)

    def reference(self) -> JsonObject:
        """As resources refer to it."""
        own = {"projectId": self.project, "datasetId": self.dataset}
        return {**own, "tableId": self.table} if self.table else own


def name_of(reference: JsonMapping, project: str = "") -> Name:
    """The name that a reference tells; `project` where it tells none.

    Raises:
        ApiError: It lacks a part.
    """
    found = Name(
        str(reference.get("projectId") or project), str(reference.get("datasetId") or ""),
        str(reference.get("tableId") or ""),
    )  # fmt: skip
    if not found.dataset:
        raise refusal("required", "Required parameter is missing: datasetId")
    return found


class Tables:
    """The datasets and tables of a session."""

    def __init__(self, world: World) -> None:
        self.world = world

    @property
    def millis(self) -> str:
        """The session's time, as rows have it."""
        return str(int(self.world.clock.now().timestamp() * 1000))

    # --- finding ---

    def key(self, name: Name) -> str | None:
        """The key of the row that a name means, or None; a fixture may leave parents out."""
        held = self.world.table(TABLES if name.table else DATASETS)
        for each in (name, Name(ANY, name.dataset, name.table), Name(ANY, ANY, name.table)):
            if each.path in held and (each.dataset != ANY or name.table):
                return each.path
        if name.table:
            around = self.find(name.around) or {}
            if around.get("isCaseInsensitive"):
                start = f"{name.around.path}/tables/"
                wanted = (start + name.table).casefold()
                keys = held.starting(BY_KEY, start).row_keys()
                return next((each for each in keys if each.casefold() == wanted), None)
        return None

    def find(self, name: Name) -> JsonObject | None:
        """The row of a dataset or table, or None; one that expired is none."""
        key = self.key(name)
        if key is None:
            return None
        row = self.world.table(TABLES if name.table else DATASETS).get(key)
        if row is not None and name.table:
            ends = str(row.get("expirationTime") or "")
            if ends.isdecimal() and int(ends) <= int(self.millis):
                return None
        return row

    def require_dataset(self, name: Name) -> JsonObject:
        """The row of a dataset.

        Raises:
            ApiError: 404.
        """
        row = self.find(name.around)
        if row is None and not self._is_told_by_tables(name):
            raise missing("Dataset", name.around.full)
        return row or {}

    def _is_told_by_tables(self, name: Name) -> bool:
        start = f"{name.around.path}/tables/"
        return bool(len(self.world.table(TABLES).starting(BY_KEY, start)))

    def require_table(self, name: Name) -> JsonObject:
        """The row of a table; the result of a query is one, too.

        Raises:
            ApiError: 404.
        """
        row = self.find(name)
        if row is None:
            result = self.world.table(RESULTS).get(name.path)
            if result is None:
                if not self.has_dataset(name):
                    raise missing("Dataset", name.around.full)
                raise missing("Table", name.full)
            return self._of_result(name, result)
        return row

    def has_dataset(self, name: Name) -> bool:
        """Whether there is the dataset of a name."""
        return self.find(name.around) is not None or self._is_told_by_tables(name)

    def counted(self, name: Name, row: JsonObject) -> JsonObject:
        """A table with the number of its rows, and what they take."""
        if row.get("view") or row.get("externalDataConfiguration"):
            return row
        rows, fields = self.rows(name), fields_of(row)
        if not len(rows):
            return row
        size = str(rows.derived(_size(fields)))
        return {
            **row, "numRows": str(len(rows)), "numBytes": size, "numTotalLogicalBytes": size,
            "numActiveLogicalBytes": size,
        }  # fmt: skip

    def _of_result(self, name: Name, result: JsonObject) -> JsonObject:
        rows = result["rows"]
        return {
            "kind": "bigquery#table", "id": name.full, "tableReference": name.reference(),
            "schema": {"fields": result["fields"]}, "numRows": str(len(rows)), "numBytes": "0",
            "type": "TABLE", "creationTime": result["creationTime"],
            "expirationTime": str(int(result["creationTime"]) + 86_400_000),
            "lastModifiedTime": result["creationTime"], "location": "US",
        }  # fmt: skip

    def rows(self, name: Name) -> Store:
        """The rows of a table."""
        return self.world.table(self.rows_name(name))

    def rows_name(self, name: Name) -> str:
        """The store of a table's rows, which is named as its row is."""
        key = self.key(name)
        return (Name(*key.split("/")[1::2]) if key else name).rows

    # --- writing ---

    def add_rows(self, name: Name, rows: Sequence[JsonObject]) -> None:
        """Put rows behind those of a table."""
        store = self.rows_name(name)
        held = self.world.table(store).starting(BY_KEY, "")
        latest = held.entries(len(held) - 1)[0][2] if len(held) else "0"
        for number, row in enumerate(rows, int(latest) + 1):
            self.world.put(store, f"{number:08d}", row)
        self.touch(name)

    def clear(self, name: Name) -> None:
        """Remove all rows of a table."""
        store = self.rows_name(name)
        for key in list(self.world.table(store).starting(BY_KEY, "").row_keys()):
            self.world.delete(store, key)

    def touch(self, name: Name) -> None:
        """Note that a table was changed."""
        key = self.key(name)
        row = self.find(name)
        if key is not None and row is not None:
            self.put(key, {**row, "lastModifiedTime": self.millis})

    def put(self, key: str, row: JsonObject) -> JsonObject:
        """Write a dataset's or a table's row, with its etag."""
        found = {**row, "etag": etag({**row, "etag": ""}).strip('"')}
        self.world.put(TABLES if "/tables/" in key else DATASETS, key, found)
        return found

    def new_dataset(self, name: Name, sent: JsonObject) -> JsonObject:
        """Add a dataset.

        Raises:
            ApiError: It is there already.
        """
        if self.find(name) is not None:
            raise existing("Dataset", name.full)
        row: JsonObject = {
            "access": [
                {"role": "WRITER", "specialGroup": "projectWriters"},
                {"role": "OWNER", "specialGroup": "projectOwners"},
                {"role": "READER", "specialGroup": "projectReaders"},
            ],
            "location": "US", "type": "DEFAULT", "maxTimeTravelHours": "168",
            **{field: each for field, each in sent.items() if each is not None},
            "kind": "bigquery#dataset", "id": name.full,
            "selfLink": f"https://bigquery.googleapis.com/bigquery/v2/{name.path}",
            "datasetReference": {"datasetId": name.dataset, "projectId": name.project},
            "creationTime": self.millis, "lastModifiedTime": self.millis,
        }  # fmt: skip
        return self.put(name.path, row)

    def new_table(self, name: Name, sent: JsonObject) -> JsonObject:
        """Add a table or a view.

        Raises:
            ApiError: It is there already, its dataset is not, or its schema cannot be.
        """
        around = self.require_dataset(name)
        if self.find(name) is not None:
            raise existing("Table", name.full)
        if (key := self.key(name)) is not None:  # it expired
            self.clear(name)
            self.world.delete(TABLES, key)
        kept = {field: each for field, each in sent.items() if each is not None}
        if "schema" in kept:
            check_schema(kept["schema"].get("fields"))
            kept["schema"] = {
                **kept["schema"],
                "fields": canonical_schema(kept["schema"].get("fields") or ()),
            }
        kind = next((word for field, word in _KINDS.items() if kept.get(field)), "TABLE")
        row: JsonObject = {
            **kept,
            "kind": "bigquery#table", "id": name.full,
            "selfLink": f"https://bigquery.googleapis.com/bigquery/v2/{name.path}",
            "tableReference": name.reference(),
            "type": kind, "creationTime": self.millis, "lastModifiedTime": self.millis,
            "location": around.get("location", "US"),
        }  # fmt: skip
        if kind == "TABLE":
            row |= dict.fromkeys((
                "numBytes", "numLongTermBytes", "numRows", "numActiveLogicalBytes",
                "numLongTermLogicalBytes", "numTotalLogicalBytes",
            ), "0")  # fmt: skip
            lifetime = str(around.get("defaultTableExpirationMs") or "")
            if (
                lifetime.isdecimal()
                and "expirationTime" not in row
                and not row.get("timePartitioning")
            ):
                row["expirationTime"] = str(int(self.millis) + int(lifetime))
        return self.put(name.path, row)

    def remove_table(self, name: Name) -> None:
        """Remove a table and its rows.

        Raises:
            ApiError: 404.
        """
        self.require_table(name)
        self.clear(name)
        key = self.key(name)
        if key is not None:
            self.world.delete(TABLES, key)

    def remove_dataset(self, name: Name, *, with_contents: bool) -> None:
        """Remove a dataset.

        Raises:
            ApiError: 404, or 400 where it has something in it.
        """
        self.require_dataset(name)
        key = self.key(name) or name.path
        for kind in _INSIDE:
            held = self.world.table(f"bigquery:v2/{kind}")
            for each in held.starting(BY_KEY, f"{key}/{kind}/").row_keys():
                if not with_contents:
                    raise refusal("resourceInUse", f"Dataset {name.full} is still in use")
                if kind == "tables":
                    self.clear(Name(name.project, name.dataset, each.rpartition("/")[2]))
                self.world.delete(f"bigquery:v2/{kind}", each)
        self.world.delete(DATASETS, key)

    def keep_result(
        self, name: Name, fields: Sequence[JsonObject], rows: Sequence[JsonObject]
    ) -> None:
        """Keep the answer of a query as the table that only its job names."""
        row = {"fields": list(fields), "rows": list(rows), "creationTime": self.millis}
        self.world.put(RESULTS, name.path, row)


_KINDS = {
    "view": "VIEW", "materializedView": "MATERIALIZED_VIEW",
    "externalDataConfiguration": "EXTERNAL", "snapshotDefinition": "SNAPSHOT",
    "cloneDefinition": "CLONE",
}  # fmt: skip


def fields_of(row: JsonMapping) -> Sequence[JsonObject]:
    """The fields of a table's schema."""
    found: Sequence[JsonObject] = (row.get("schema") or {}).get("fields") or ()
    return found


def selected_fields(fields: Sequence[JsonObject], asked: str) -> list[JsonObject]:
    """The fields that `selectedFields` names.

    Raises:
        ApiError: 400; one of them is not there.
    """
    wanted: dict[str, list[str]] = {}
    for each in filter(None, (part.strip() for part in asked.split(","))):
        head, _, rest = each.partition(".")
        wanted.setdefault(head.casefold(), []).append(rest)
    known = {str(each["name"]).casefold() for each in fields}
    for head in wanted:
        if head not in known:
            raise refusal("invalid", f"Invalid value for selectedFields: {head} is not a field in"
                          " the schema.")  # fmt: skip
    found = []
    for field in fields:
        rests = wanted.get(str(field["name"]).casefold())
        if rests is None:
            continue
        if type_of(field) == "RECORD" and "" not in rests:
            inner = selected_fields(field.get("fields") or (), ",".join(rests))
            found.append({**field, "fields": inner})
        else:
            found.append(field)
    return found


def check_schema(fields: object) -> None:
    """Refuse a schema that cannot be.

    Raises:
        ApiError: 400.
    """
    wrong = next(schema_problems(fields), "")
    if wrong:
        raise refusal("invalid", wrong)


_SIZES: dict[str, Callable[[Store], int]] = {}


def _size(fields: Sequence[JsonObject]) -> Callable[[Store], int]:
    """What counts the bytes of a table's rows; the same function for the same schema."""
    key = repr(fields)

    def count(store: Store) -> int:
        return sum(
            size_of(field, row.get(field["name"])) for row in store.rows().values()
            for field in fields
        )  # fmt: skip

    if len(_SIZES) > 256:
        _SIZES.clear()
    return _SIZES.setdefault(key, count)
