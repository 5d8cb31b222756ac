"""The statements of a query: what they read of the session, and what they write to it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from mockserver.apis.bigquery.dialect import (
    Translator,
    ddl_type,
    parse_script,
    place_of_word,
    refuse,
    schema_of,
)
from mockserver.apis.bigquery.engine import KEY, Calculator, Result
from mockserver.apis.bigquery.errors import QueryError, invalid_query
from mockserver.apis.bigquery.routines import create_routine, drop_routine, with_routines
from mockserver.apis.bigquery.tables import DATASETS, TABLES, Name, Tables, fields_of
from mockserver.apis.bigquery.values import ValueRefusedError, is_repeated, read_row, type_of
from mockserver.collections import BY_KEY
from mockserver.googleapi import ApiError
from mockserver.model import Json, JsonObject

_MOST_VIEWS, _MOST_STATEMENTS = 16, 200


@dataclass
class Done:
    """What one statement did.

    Attributes:
        kind: The service's `statementType`.
        result: What it answers, or None.
        counts: Rows that it inserted, updated and deleted; None where it is no DML.
        target: The table that it wrote.
        operation: What a DDL statement did (`CREATE`).
        sources: The tables that it read.
        bytes_read: The bytes of these tables.
    """

    kind: str
    result: Result | None = None
    counts: tuple[int, int, int] | None = None
    target: Name | None = None
    operation: str = ""
    sources: Sequence[Name] = ()
    bytes_read: int = 0


@dataclass
class Script:
    """One text, run in a session.

    Attributes:
        tables: The session's tables.
        text: The text.
        project: The project that unqualified datasets are in.
        dataset: The default dataset, or an empty string.
        parameters: Query parameters as sent.
        location: Where the caller says that it runs, or an empty string.
        temporary: Tables of this text alone: name to fields and rows.
        macros: Its own functions, as the calculator defines them.
        functions: Their names.
    """

    tables: Tables
    text: str
    project: str
    dataset: str = ""
    parameters: Sequence[JsonObject] = ()
    location: str = ""
    temporary: dict[str, tuple[Sequence[JsonObject], dict[str, JsonObject]]] = field(
        default_factory=dict
    )
    macros: list[str] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)

    def run(self, *, dry: bool = False) -> list[Done]:
        """Run the statements, one after another.

        Args:
            dry: Whether they are only checked.

        Raises:
            QueryError: One cannot be run.
        """
        statements = parse_script(self.text)
        if len(statements) > _MOST_STATEMENTS:
            raise invalid_query(f"A script has at most {_MOST_STATEMENTS} statements here")
        done = []
        for statement in statements:
            try:
                found = self._run_one(statement, dry=dry)
            except ApiError as error:
                raise QueryError(error.reason or "invalid", error.message) from error
            if found is not None:
                done.append(found)
        if not done:
            raise invalid_query("Syntax error: Unexpected end of script at [1:1]")
        return done

    def _run_one(self, statement: exp.Expression, *, dry: bool) -> Done | None:
        if not isinstance(statement, exp.Create) or statement.args.get("kind") != "FUNCTION":
            statement = with_routines(self.text, self.tables, statement, self.name)
        match statement:
            case exp.Select() | exp.SetOperation() | exp.Subquery():
                return self._select(statement, dry=dry)
            case exp.Insert() | exp.Update() | exp.Delete() | exp.Merge():
                return self._change(statement, dry=dry)
            case exp.TruncateTable():
                return self._truncate(statement, dry=dry)
            case exp.Create():
                return self._create(statement, dry=dry)
            case exp.Drop():
                return self._drop(statement, dry=dry)
            case exp.Transaction():
                return Done("BEGIN_TRANSACTION")
            case exp.Commit():
                return Done("COMMIT_TRANSACTION")
            case _:
                word = self.text.strip().split(None, 1)[0].upper()
                words = type(statement).__name__.upper()
                raise refuse(self.text, word if isinstance(statement, exp.Command) else words, word)

    # --- what tables are meant ---

    def name(self, parts: Sequence[str], where: str = "at [1:1]") -> Name:
        """The name that the parts of a path mean.

        Raises:
            QueryError: It has no dataset.
        """
        if len(parts) == 1:
            if not self.dataset:
                raise QueryError(
                    "invalid",
                    f'Table "{parts[0]}" must be qualified with a dataset (e.g. dataset.table).',
                )
            return Name(self.project, self.dataset, parts[0])
        if len(parts) == 2:
            return Name(self.project, parts[0], parts[1])
        if len(parts) > 3:
            raise invalid_query(f"Invalid table name: {'.'.join(parts)} {where}")
        return Name(*parts)

    def missing(self, name: Name) -> QueryError:
        """The refusal of a table that is not there."""
        place = str((self.tables.find(name.around) or {}).get("location") or "US")
        if not self.tables.has_dataset(name):
            words = f"Not found: Dataset {name.around.full} was not found in location {place}"
        else:
            words = f"Not found: Table {name.full} was not found in location {place}"
        return QueryError("notFound", words)

    def check_location(self, name: Name) -> None:
        """Refuse a dataset that is elsewhere than where the caller says.

        Raises:
            QueryError: It is.
        """
        own = str((self.tables.find(name.around) or {}).get("location") or self.location)
        if self.location and own.casefold() != self.location.casefold():
            words = f"Not found: Dataset {name.around.full} was not found in location"
            raise QueryError("notFound", f"{words} {self.location}")

    # --- reading ---

    def _select(self, statement: exp.Expression, *, dry: bool) -> Done:
        with _Work(self) as work:
            sql = work.sql(statement)
            result = Result(work.calculator.schema(sql), ()) if dry else work.calculator.ask(sql)
            return Done("SELECT", result, sources=work.sources, bytes_read=work.bytes_read)

    # --- writing rows ---

    def _target(self, table: exp.Expression) -> Name | str:
        """The table that a statement writes; the name of a temporary one."""
        if isinstance(table, exp.Schema):
            table = table.this
        parts = [each for part in table.parts for each in part.name.split(".")]  # type: ignore[attr-defined]
        if len(parts) == 1 and parts[0].casefold() in self.temporary:
            return str(parts[0].casefold())
        return self.name(parts, place_of_word(self.text, parts[0]))

    def _rows_of(self, target: Name | str) -> tuple[Sequence[JsonObject], Mapping[str, JsonObject]]:
        if isinstance(target, str):
            return self.temporary[target]
        row = self.tables.find(target)
        if row is None:
            raise self.missing(target)
        if row.get("view"):
            raise invalid_query(f"Cannot modify the view {target.full}")
        return fields_of(row), self.tables.rows(target).rows()

    def _change(self, statement: exp.Expression, *, dry: bool) -> Done:
        if not statement.this and statement.args.get("tables"):  # DELETE without FROM
            statement.set("this", statement.args["tables"][0])
            statement.set("tables", None)
        target = self._target(statement.this)
        fields, before = self._rows_of(target)
        if isinstance(statement, exp.Update | exp.Delete) and statement.args.get("where") is None:
            word = type(statement).__name__.upper()
            raise invalid_query(f"{word} must have a WHERE clause {place_of_word(self.text, word)}")
        statement = statement.copy()
        names = [str(each["name"]) for each in fields]
        if isinstance(statement, exp.Insert):
            _list_columns(statement, names)
        kind = {"Insert": "INSERT", "Update": "UPDATE", "Delete": "DELETE"}.get(
            type(statement).__name__, "MERGE"
        )
        with _Work(self) as work:
            if isinstance(statement, exp.Merge):
                _list_merge_columns(statement, names)
            is_joined = isinstance(statement, exp.Merge) or statement.args.get("from_") is not None
            if is_joined and not isinstance(statement, exp.Delete):
                self._check_single_matches(work, statement)
            sql = work.sql(statement)
            own = work.table_of(target)
            if dry:
                work.calculator.ask(f"EXPLAIN {sql}")
                return Done(kind, target=target if isinstance(target, Name) else None,
                            sources=work.sources, bytes_read=work.bytes_read)  # fmt: skip
            work.calculator.run(sql)
            after = work.calculator.ask(f'FROM "{own}"').rows
        counts = self._write(target, fields, before, after)
        is_name = isinstance(target, Name)
        return Done(kind, None, counts, target if is_name else None,  # type: ignore[arg-type]
                    sources=work.sources, bytes_read=work.bytes_read)  # fmt: skip

    def _check_single_matches(self, work: "_Work", statement: exp.Expression) -> None:
        """Refuse a change of one row by several, which the service refuses, too.

        Raises:
            QueryError: A row is matched more than once.
        """
        target = statement.this.copy()
        alias = exp.to_identifier(target.alias_or_name.rpartition(".")[2], quoted=True)
        if isinstance(statement, exp.Merge):
            source, on = statement.args["using"], statement.args["on"]
            if not any(each.args.get("matched") for each in statement.args["whens"].expressions):
                return
        else:
            source = statement.args["from_"].this
            on = statement.args["where"].this
        key = exp.column("rowid", table=alias)
        asked = (
            exp.select(key).from_(target).join(source.copy(), on=on.copy())
            .group_by(key.copy()).having("COUNT(*) > 1")
        )  # fmt: skip
        if work.calculator.ask(work.sql(asked), most=10_000_000).rows:
            raise invalid_query(
                "UPDATE/MERGE must match at most one source row for each target row"
            )

    def _write(
        self, target: Name | str, fields: Sequence[JsonObject], before: Mapping[str, JsonObject],
        after: Sequence[JsonObject],
    ) -> tuple[int, int, int]:  # fmt: skip
        kept: dict[str, JsonObject] = {}
        new = []
        for row in after:
            key = row.pop(KEY, None)
            own = _shaped(fields, row)
            if key is None:
                new.append(own)
            else:
                kept[str(key)] = own
        old = dict(before)
        deleted = [key for key in old if key not in kept]
        updated = [key for key, row in kept.items() if _normal(fields, old[key]) != row]
        if isinstance(target, str):
            rows = {**kept, **{f"n{len(old)}.{at}": row for at, row in enumerate(new)}}
            self.temporary[target] = (fields, rows)
        else:
            store, world = self.tables.rows_name(target), self.tables.world
            for key in deleted:
                world.delete(store, key)
            for key in updated:
                world.put(store, key, kept[key])
            self.tables.add_rows(target, new)
        return len(new), len(updated), len(deleted)

    def _truncate(self, statement: exp.TruncateTable, *, dry: bool) -> Done:
        target = self._target(statement.expressions[0])
        _, before = self._rows_of(target)
        count = len(before)
        if isinstance(target, str):
            self.temporary[target] = (self.temporary[target][0], {})
            return Done("TRUNCATE_TABLE", None, (0, 0, count))
        if not dry:
            self.tables.clear(target)
            self.tables.touch(target)
        return Done("TRUNCATE_TABLE", None, (0, 0, count), target)

    # --- definitions ---

    def _create(self, statement: exp.Create, *, dry: bool) -> Done:
        kind = str(statement.args.get("kind") or "").upper()
        if kind == "FUNCTION":
            return self._create_function(statement, dry=dry)
        if kind == "SCHEMA":
            return self._create_dataset(statement, dry=dry)
        if kind not in {"TABLE", "VIEW"}:
            raise refuse(self.text, f"CREATE {kind}", "CREATE")
        own, query = statement.this, statement.expression
        columns = own.expressions if isinstance(own, exp.Schema) else []
        table = own.this if isinstance(own, exp.Schema) else own
        parts = [each for part in table.parts for each in part.name.split(".")]
        word = f"CREATE_{kind}{'_AS_SELECT' if kind == 'TABLE' and query is not None else ''}"
        listed = _properties(statement)
        if any(isinstance(each, exp.TemporaryProperty) for each in listed):
            self._make_temporary(parts[-1], columns, query)
            return Done(word, operation="CREATE")
        name = self.name(parts, place_of_word(self.text, parts[0]))
        is_there = self.tables.find(name) is not None
        if is_there and statement.args.get("exists"):
            return Done(word, None, None, name, "SKIP")
        if is_there and not statement.args.get("replace"):
            raise QueryError("duplicate", f"Already Exists: Table {name.full}")
        if not self.tables.has_dataset(name):
            raise self.missing(name)
        done = Done(word, None, None, name, "REPLACE" if is_there else "CREATE")
        sent = _options(self.text, listed)
        fields, rows = self._content(columns, query, done, dry=dry or kind == "VIEW")
        sent["schema"] = {"fields": fields}
        if kind == "VIEW":
            sent["view"] = {"query": query.sql("bigquery"), "useLegacySql": False}
        if not dry:
            if is_there:
                self.tables.remove_table(name)
            self.tables.new_table(name, sent)
            if rows:
                self.tables.add_rows(name, rows)
        return done

    def _content(
        self, columns: Sequence[exp.Expression], query: exp.Expression | None, done: Done, *,
        dry: bool,
    ) -> tuple[Sequence[JsonObject], Sequence[JsonObject]]:  # fmt: skip
        """The fields and rows of a new table."""
        fields: Sequence[JsonObject] = schema_of(columns)
        if query is None:
            return fields, ()
        found = self._select(query, dry=dry)
        done.sources, done.bytes_read = found.sources, found.bytes_read
        result = found.result or Result((), ())
        fields = fields or result.fields
        return fields, [_shaped(fields, row) for row in result.rows]

    def _make_temporary(
        self, name: str, columns: Sequence[exp.Expression], query: exp.Expression | None
    ) -> None:
        fields, rows = self._content(columns, query, Done(""), dry=False)
        self.temporary[name.casefold()] = (fields, {str(at): row for at, row in enumerate(rows)})

    def _create_dataset(self, statement: exp.Create, *, dry: bool) -> Done:
        parts = [each for part in statement.this.parts for each in part.name.split(".")]
        name = Name(self.project, parts[-1]) if len(parts) == 1 else Name(parts[-2], parts[-1])
        if self.tables.find(name) is not None:
            if statement.args.get("exists"):
                return Done("CREATE_SCHEMA", operation="SKIP")
            raise QueryError("duplicate", f"Already Exists: Dataset {name.full}")
        if not dry:
            sent: JsonObject = {}
            found = statement.find(exp.LocationProperty)
            if found is not None:
                sent["location"] = found.this.name
            self.tables.new_dataset(name, sent)
        return Done("CREATE_SCHEMA", operation="CREATE")

    def _create_function(self, statement: exp.Create, *, dry: bool) -> Done:
        listed = _properties(statement)
        if any(isinstance(each, exp.LanguageProperty) for each in listed):
            raise refuse(self.text, "a function in another language", "LANGUAGE")
        own, body = statement.this, statement.expression
        name = own.this.name
        if body is None or name.startswith("bq_"):
            raise refuse(self.text, "this function", "FUNCTION")
        if not any(isinstance(each, exp.TemporaryProperty) for each in listed):
            parts = [each for part in own.this.parts for each in part.name.split(".")]
            returns = next(
                (one.this for one in listed if isinstance(one, exp.ReturnsProperty)), None
            )
            kept = self.name(parts, place_of_word(self.text, parts[0]))
            operation = create_routine(self.tables, kept, statement, returns, dry=dry)
            return Done("CREATE_FUNCTION", operation=operation)
        labels = [each.name for each in own.expressions]
        with _Work(self) as work:
            inner = work.expression(body)
        listed_names = ", ".join(f'"{each}"' for each in labels)
        self.macros.append(f'CREATE MACRO "{name}"({listed_names}) AS {inner}')
        self.functions.add(name.casefold())
        return Done("CREATE_FUNCTION", operation="CREATE")

    def _drop(self, statement: exp.Drop, *, dry: bool) -> Done:
        kind = str(statement.args.get("kind") or "").upper()
        target = statement.this or statement.args["tables"][0]
        parts = [each for part in target.parts for each in part.name.split(".")]
        word = f"DROP_{kind}"
        if kind == "SCHEMA":
            name = Name(self.project, parts[-1]) if len(parts) == 1 else Name(parts[-2], parts[-1])
            if self.tables.find(name) is None:
                if statement.args.get("exists"):
                    return Done(word, operation="SKIP")
                raise self.missing(Name(name.project, name.dataset, "x"))
            if not dry:
                self.tables.remove_dataset(name, with_contents=bool(statement.args.get("cascade")))
            return Done(word, operation="DROP")
        if kind == "FUNCTION":
            exists = bool(statement.args.get("exists"))
            done = drop_routine(self.tables, self.name(parts), exists=exists, dry=dry)
            return Done(word, operation=done)
        if kind not in {"TABLE", "VIEW"}:
            raise refuse(self.text, f"DROP {kind}", "DROP")
        if len(parts) == 1 and parts[0].casefold() in self.temporary:
            del self.temporary[parts[0].casefold()]
            return Done(word, operation="DROP")
        name = self.name(parts)
        row = self.tables.find(name)
        if row is None:
            if statement.args.get("exists"):
                return Done(word, None, None, name, "SKIP")
            raise self.missing(name)
        if (kind == "VIEW") != bool(row.get("view")):
            raise invalid_query(f"{name.full} is not a {kind.lower()}")
        if not dry:
            self.tables.remove_table(name)
        return Done(word, None, None, name, "DROP")


class _Work:
    """One statement in the calculator, where tables that it reads are put when it names them."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.calculator = Calculator(script.text)
        self.sources: list[Name] = []
        self.bytes_read = 0
        self._put: dict[tuple[Name | str, bool], str] = {}
        self._depth = 0
        self._types: dict[str, frozenset[str]] = {}
        self._touched: set[str] = set()
        for each in script.macros:
            self.calculator.run(each)
        self._translator = self._new_translator(script.text, script.parameters)

    def __enter__(self) -> "_Work":
        return self

    def __exit__(self, *_: object) -> None:
        self.calculator.close()

    def _new_translator(self, text: str, parameters: Sequence[JsonObject]) -> Translator:
        return Translator(
            text, self._find_table, parameters, self.script.tables.world.clock.now(),
            self.script.functions, self._touched,
            lambda name: self._types.get(name, frozenset()),
        )  # fmt: skip

    def sql(self, statement: exp.Expression) -> str:
        """The statement for the calculator."""
        return self._translator.sql(statement)

    def expression(self, body: exp.Expression) -> str:
        """An expression for the calculator."""
        made = self._translator.sql(exp.select(exp.alias_(body.copy(), "x")))
        return f"({made})"

    def table_of(self, target: Name | str) -> str:
        """What a table is called in the calculator."""
        return self._put[target, True]

    def _find_table(self, parts: tuple[str, ...], where: str, *, is_target: bool) -> exp.Expression:
        if len(parts) == 1 and parts[0].casefold() in self.script.temporary:
            fields, rows = self.script.temporary[parts[0].casefold()]
            return self._table(parts[0].casefold(), fields, rows, is_target=is_target)
        upper = [each.upper() for each in parts]
        if "INFORMATION_SCHEMA" in upper:
            at = upper.index("INFORMATION_SCHEMA")
            return self._information(parts[:at], upper[-1], where)
        name = self.script.name(parts, where)
        row = self.script.tables.find(name)
        if row is None:
            result = self.script.tables.world.table("bigquery:v2/results").get(name.path)
            if result is None:
                raise self.script.missing(name)
            rows = {str(at): each for at, each in enumerate(result["rows"])}
            return self._table(name, result["fields"], rows)
        self.script.check_location(name)
        if name not in self.sources:
            self.sources.append(name)
        if row.get("view"):
            return self._view(name, row["view"])
        if row.get("externalDataConfiguration"):
            raise invalid_query(f"Unsupported feature: external table {name.full} is not read here",
                                emulated=False)  # fmt: skip
        if (name, False) not in self._put and (name, True) not in self._put:
            counted = self.script.tables.counted(name, row)
            self.bytes_read += int(counted.get("numBytes") or 0)
        held = self.script.tables.rows(name).rows()
        return self._table(name, fields_of(row), held, is_target=is_target)

    def _table(
        self, name: Name | str, fields: Sequence[JsonObject], rows: Mapping[str, JsonObject], *,
        is_target: bool = False,
    ) -> exp.Expression:  # fmt: skip
        key = (name, is_target)
        if key not in self._put:
            self._put[key] = f"t{len(self._put)}"
            self._note(fields)
            self.calculator.put_table(self._put[key], fields, rows, with_keys=is_target)
        return exp.to_table(self._put[key])

    def _note(self, fields: Sequence[JsonObject]) -> None:
        for each in fields:
            kind = type_of(each)
            self._touched.add(kind)
            name = str(each["name"]).casefold()
            own = f"{kind}[]" if is_repeated(each) else kind
            self._types[name] = self._types.get(name, frozenset()) | {own}
            self._note(each.get("fields") or ())

    def _view(self, name: Name, view: JsonObject) -> exp.Expression:
        if view.get("useLegacySql"):
            raise invalid_query(f"Cannot reference a legacy SQL view {name.full} in a standard SQL"
                                " query")  # fmt: skip
        if self._depth >= _MOST_VIEWS:
            raise invalid_query(f"Too many nested views: {name.full}")
        if (name, False) not in self._put:
            self._depth += 1
            inner = self._new_translator(str(view.get("query") or ""), ())
            (statement,) = parse_script(inner.text)[:1]
            script = self.script
            sql = inner.sql(with_routines(inner.text, script.tables, statement, script.name))
            self._depth -= 1
            own = f"v{len(self._put)}"
            self._put[name, False] = own
            self.calculator.run(f'CREATE VIEW "{own}" AS {sql}')
        return exp.to_table(self._put[name, False])

    def _information(self, around: Sequence[str], view: str, where: str) -> exp.Expression:
        held = _INFORMATION.get(view)
        if held is None:
            raise invalid_query(f"Unsupported feature: INFORMATION_SCHEMA.{view} is not computed"
                                f" by the mock server {where}", emulated=False)  # fmt: skip
        project = around[0] if len(around) > 1 or (view == "SCHEMATA" and around) else None
        dataset = around[-1] if around and view != "SCHEMATA" else ""
        fields, made = held
        name = Name(project or self.script.project, dataset or self.script.dataset)
        if view != "SCHEMATA" and not self.script.tables.has_dataset(name):
            raise self.script.missing(Name(name.project, name.dataset, "x"))
        rows = {str(at): row for at, row in enumerate(made(self.script.tables, name))}
        return self._table(f"{view} of {name.full}", fields, rows)


def _listed(tables: Tables, name: Name, *, kind: str = "tables") -> list[tuple[Name, JsonObject]]:
    store = tables.world.table(TABLES if kind == "tables" else DATASETS)
    start = f"{name.path}/tables/" if kind == "tables" else f"projects/{name.project}/datasets/"
    keys = store.starting(BY_KEY, start).row_keys()
    found = []
    for key in keys:
        last = key.rpartition("/")[2]
        one = (
            Name(name.project, name.dataset, last) if kind == "tables" else Name(name.project, last)
        )
        row = tables.find(one)
        if row is not None:
            found.append((one, row))
    return found


def _when(millis: Json) -> str:
    from datetime import timedelta

    from mockserver.apis.bigquery.values import EPOCH, moment_text

    return moment_text(EPOCH + timedelta(milliseconds=int(millis or 0)))


_TABLE_TYPES = {"TABLE": "BASE TABLE", "MATERIALIZED_VIEW": "MATERIALIZED VIEW"}


def _tables_view(tables: Tables, name: Name) -> list[JsonObject]:
    return [
        {"table_catalog": one.project, "table_schema": one.dataset, "table_name": one.table,
         "table_type": _TABLE_TYPES.get(str(row.get("type")), str(row.get("type") or "BASE TABLE")),
         "is_insertable_into": "NO" if row.get("view") else "YES", "is_typed": "NO",
         "creation_time": _when(row.get("creationTime"))}
        for one, row in _listed(tables, name)
    ]  # fmt: skip


def _columns_view(tables: Tables, name: Name) -> list[JsonObject]:
    return [
        {"table_catalog": one.project, "table_schema": one.dataset, "table_name": one.table,
         "column_name": field["name"], "ordinal_position": at, "data_type": ddl_type(field),
         "is_nullable": "NO" if field.get("mode") == "REQUIRED" else "YES", "is_hidden": "NO",
         "is_partitioning_column":
             "YES" if (row.get("timePartitioning") or {}).get("field") == field["name"] else "NO"}
        for one, row in _listed(tables, name)
        for at, field in enumerate(fields_of(row), 1)
    ]  # fmt: skip


def _schemata_view(tables: Tables, name: Name) -> list[JsonObject]:
    return [
        {"catalog_name": one.project, "schema_name": one.dataset,
         "location": row.get("location", "US"),
         "creation_time": _when(row.get("creationTime")),
         "last_modified_time": _when(row.get("lastModifiedTime"))}
        for one, row in _listed(tables, name, kind="datasets")
    ]  # fmt: skip


def _fields(texts: str, **others: str) -> list[JsonObject]:
    return [{"name": each, "type": others.get(each, "STRING")} for each in texts.split()]


_INFORMATION: Mapping[
    str, tuple[Sequence[JsonObject], Callable[[Tables, Name], list[JsonObject]]]
] = {
    "TABLES": (
        _fields("table_catalog table_schema table_name table_type is_insertable_into is_typed"
                " creation_time", creation_time="TIMESTAMP"),
        _tables_view,
    ),
    "COLUMNS": (
        _fields("table_catalog table_schema table_name column_name ordinal_position is_nullable"
                " data_type is_hidden is_partitioning_column", ordinal_position="INTEGER"),
        _columns_view,
    ),
    "SCHEMATA": (
        _fields("catalog_name schema_name location creation_time last_modified_time",
                creation_time="TIMESTAMP", last_modified_time="TIMESTAMP"),
        _schemata_view,
    ),
}  # fmt: skip


def _properties(statement: exp.Create) -> Sequence[exp.Expression]:
    found = statement.args.get("properties")
    return found.expressions if found is not None else ()


def _shaped(fields: Sequence[JsonObject], row: JsonObject) -> JsonObject:
    """What a statement made, as the table's fields have it.

    Raises:
        QueryError: A field cannot hold its value.
    """
    try:
        return read_row(fields, row)
    except ValueRefusedError as error:
        raise invalid_query(error.message) from error


def _normal(fields: Sequence[JsonObject], row: JsonObject) -> JsonObject:
    try:
        return read_row(fields, row, ignore_unknown=True)
    except ValueRefusedError:
        return row


def _list_columns(statement: exp.Insert, names: Sequence[str]) -> None:
    """Name the columns of an `INSERT` that names none."""
    if isinstance(statement.this, exp.Schema):
        return
    listed = [exp.to_identifier(each, quoted=True) for each in names]
    statement.set("this", exp.Schema(this=statement.this.copy(), expressions=listed))


def _list_merge_columns(statement: exp.Merge, names: Sequence[str]) -> None:
    """Name the columns of what a `MERGE` inserts."""
    for when in statement.args["whens"].expressions:
        then = when.args.get("then")
        if not isinstance(then, exp.Insert):
            continue
        if then.expression:
            continue
        if isinstance(then.this, exp.Var):  # ROW
            source = statement.args["using"].alias_or_name
            values = [exp.column(each, table=source, quoted=True) for each in names]
        else:  # VALUES, which is read as a column
            values = then.this.expressions[0].expressions
        listed = [exp.to_identifier(each, quoted=True) for each in names]
        then.set("this", exp.Tuple(expressions=listed))
        then.set("expression", exp.Tuple(expressions=values))


def _options(text: str, listed: Sequence[exp.Expression]) -> JsonObject:
    """What the properties of a `CREATE` say of a table.

    Raises:
        QueryError: One is not known here.
    """
    sent: JsonObject = {}
    for each in listed:
        match each:
            case exp.PartitionedByProperty():
                sent["timePartitioning"] = _partitioning(text, each.this)
            case exp.ClusterProperty():
                sent["clustering"] = {"fields": [one.name for one in each.expressions]}
            case exp.Property():
                key, value = each.name, each.args["value"]
                if key in {"description", "friendly_name"}:
                    label = {"description": "description", "friendly_name": "friendlyName"}[key]
                    sent[label] = value.name
                elif key == "labels":
                    pairs = [one.expressions for one in value.expressions]
                    sent["labels"] = {one.name: two.name for one, two in pairs}
                else:
                    raise refuse(text, f"the option {key}", key)
            case _:
                raise refuse(text, type(each).__name__, "CREATE")
    return sent


def _partitioning(text: str, node: exp.Expression) -> JsonObject:
    inner = node
    unit = "DAY"
    if isinstance(node, exp.DateTrunc | exp.TimestampTrunc | exp.DatetimeTrunc):
        unit = str(node.args["unit"].name).upper()
    named = exp.Column | exp.Identifier
    while not isinstance(inner, named) and isinstance(inner.this, exp.Expression):
        inner = inner.this
    is_known = isinstance(inner, named) and not inner.name.startswith("_PARTITION")
    if not is_known or unit not in {"HOUR", "DAY", "MONTH", "YEAR"}:
        raise refuse(text, "this partitioning", "PARTITION")
    return {"type": unit, "field": inner.name}
