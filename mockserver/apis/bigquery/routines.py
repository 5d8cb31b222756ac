"""Functions that datasets hold: calls of them in a query are said as what they compute.

A call becomes the function's body with the arguments in their places, cast to the types that the
function declares. Functions in SQL are computed, scalar ones and those that answer tables; those
in other languages are refused.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sqlglot import exp

from mockserver.apis.bigquery.dialect import parse_script, place_of_word, refuse, schema_of
from mockserver.apis.bigquery.errors import QueryError, invalid_query
from mockserver.apis.bigquery.tables import Name, Tables
from mockserver.apis.bigquery.values import STANDARD_NAMES, is_repeated, type_of
from mockserver.googleapi import etag
from mockserver.model import JsonMapping, JsonObject

ROUTINES = "bigquery:v2/routines"
_MOST_CALLS = 200

FindName = Callable[[Sequence[str]], Name]
"""The name that the parts of a path mean."""


def key_of(name: Name) -> str:
    """The key of a routine's row, whose id stands where a table's does."""
    return f"{name.around.path}/routines/{name.table}"


def with_routines(
    text: str, tables: Tables, statement: exp.Expression, find_name: FindName
) -> exp.Expression:
    """A statement whose calls of routines are what the routines compute.

    Args:
        text: The text that it is of.
        tables: The session's tables.
        statement: The statement, which is changed in place.
        find_name: The name that the parts of a path mean.

    Raises:
        QueryError: A routine is not computed here, or is called with other arguments.
    """
    for _ in range(_MOST_CALLS):
        found = next(_calls(tables, statement, find_name), None)
        if found is None:
            return statement
        node, arguments, row = found
        made = _body(text, row, arguments, is_table=isinstance(node, exp.Table))
        if isinstance(node, exp.Table):
            made.set("alias", node.args.get("alias"))
            made.set("joins", node.args.get("joins"))
        if node is statement:
            return made
        node.replace(made)
    raise invalid_query(f"A query calls at most {_MOST_CALLS} functions of datasets here")


def _calls(
    tables: Tables, statement: exp.Expression, find_name: FindName
) -> Iterator[tuple[Any, Sequence[exp.Expression], JsonObject]]:
    """The calls of routines that are there.

    Yields:
        The node of each, its arguments, and the routine.
    """
    routines = tables.world.table(ROUTINES)
    if not len(routines):
        return
    for node in statement.walk():
        if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Anonymous):
            call, parts = node.expression, _names_before(node)
        elif isinstance(node, exp.Table) and isinstance(node.this, exp.Anonymous):
            call = node.this
            parts = [node.text(each) for each in ("catalog", "db") if node.args.get(each)]
        elif isinstance(node, exp.Anonymous) and not isinstance(node.parent, exp.Dot | exp.Table):
            call, parts = node, []
        else:
            continue
        path = [each for part in (*parts, call.name) for each in part.split(".")]
        if len(path) < 2:
            continue
        row = routines.get(key_of(find_name(path)))
        if row is not None:
            yield node, call.expressions, row


def _names_before(node: exp.Dot) -> list[str]:
    """The names before a function's own, in order."""
    found: list[str] = []
    above: exp.Expression = node.this
    while isinstance(above, exp.Dot):
        found.append(above.expression.name)
        above = above.this
    return [above.name, *reversed(found)]


def _body(
    text: str, row: JsonMapping, sent: Sequence[exp.Expression], *, is_table: bool
) -> exp.Expression:
    ident = str((row.get("routineReference") or {}).get("routineId") or "")
    kind, language = str(row.get("routineType")), str(row.get("language") or "SQL")
    wanted = "TABLE_VALUED_FUNCTION" if is_table else "SCALAR_FUNCTION"
    if language != "SQL":
        raise refuse(text, f"a function in {language}", ident)
    if kind != wanted:
        raise refuse(text, f"{kind} in this place", ident)
    declared = row.get("arguments") or []
    if len(declared) != len(sent):
        words = f"Number of arguments does not match for function {ident}"
        raise invalid_query(f"{words} {place_of_word(text, ident)}")
    given: dict[str, exp.Expression] = {}
    for each, value in zip(declared, sent, strict=True):
        told = each.get("dataType")
        made: exp.Expression = exp.Paren(this=value.copy())
        if told:
            made = exp.Cast(this=made, to=_data_type(told))
        given[str(each.get("name") or "").casefold()] = made
    own = str(row.get("definitionBody") or "").strip()
    (parsed,) = parse_script(own if is_table else f"SELECT {own}")[:1]
    for column in list(parsed.find_all(exp.Column)):
        argument = given.get((column.table or column.name).casefold())
        if argument is not None and column.table:
            column.replace(exp.Dot(this=argument.copy(), expression=column.this))
        elif argument is not None:
            column.replace(argument.copy())
    if is_table:
        return exp.Subquery(this=parsed)
    made = exp.Paren(this=parsed.expressions[0].unalias())
    told = row.get("returnType")
    return exp.Cast(this=made, to=_data_type(told)) if told else made


def _data_type(told: JsonMapping) -> exp.DataType:
    try:
        return exp.DataType.build(_type_text(told), dialect="bigquery")
    except ValueError as error:
        raise invalid_query(f"Type not found: {told.get('typeKind')}") from error


def _type_text(told: JsonMapping) -> str:
    """A type as queries say it.

    >>> _type_text({"typeKind": "ARRAY", "arrayElementType": {"typeKind": "INT64"}})
    'ARRAY<INT64>'
    """
    kind = str(told.get("typeKind") or "")
    if kind == "ARRAY":
        return f"ARRAY<{_type_text(told.get('arrayElementType') or {})}>"
    if kind == "STRUCT":
        fields = (told.get("structType") or {}).get("fields") or ()
        inner = (f"{each.get('name', '')} {_type_text(each.get('type') or {})}" for each in fields)
        return f"STRUCT<{', '.join(inner)}>"
    if kind == "RANGE":
        return f"RANGE<{_type_text(told.get('rangeElementType') or {})}>"
    return kind


def _standard_type(field: JsonMapping) -> JsonObject:
    if is_repeated(field):
        inner = _standard_type({**field, "mode": "NULLABLE"})
        return {"typeKind": "ARRAY", "arrayElementType": inner}
    kind = type_of(field)
    found: JsonObject = {"typeKind": STANDARD_NAMES.get(kind, kind)}
    if kind == "RECORD":
        fields = [
            {"name": each["name"], "type": _standard_type(each)}
            for each in field.get("fields") or ()
        ]
        found["structType"] = {"fields": fields}
    return found


def create_routine(
    tables: Tables, name: Name, statement: exp.Create, returns: exp.DataType | None, *, dry: bool
) -> str:
    """Keep the function of a `CREATE FUNCTION`; what was done: `CREATE`, `REPLACE` or `SKIP`.

    Args:
        tables: The session's tables.
        name: The function's.
        statement: What creates it.
        returns: The type that it declares.
        dry: Whether nothing is kept.

    Raises:
        QueryError: It is there already, or its dataset is not.
    """
    if not tables.has_dataset(name):
        raise QueryError("notFound", f"Not found: Dataset {name.around.full}")
    before = tables.world.table(ROUTINES).get(key_of(name))
    if before is not None and statement.args.get("exists"):
        return "SKIP"
    if before is not None and not statement.args.get("replace"):
        raise QueryError("duplicate", f"Already Exists: Routine {name.full}")
    body = statement.expression
    own = body.this if isinstance(body, exp.Paren) else body
    fields = schema_of(statement.this.expressions)
    reference = {"projectId": name.project, "datasetId": name.dataset, "routineId": name.table}
    made: Mapping[str, Any] = {
        "routineReference": reference, "routineType": "SCALAR_FUNCTION", "language": "SQL",
        "arguments": [{"name": each["name"], "dataType": _standard_type(each)} for each in fields],
        "definitionBody": own.sql("bigquery"),
        "creationTime": (before or {}).get("creationTime", tables.millis),
        "lastModifiedTime": tables.millis,
    }  # fmt: skip
    row = dict(made)
    if returns is not None:
        (told,) = schema_of([exp.ColumnDef(this=exp.to_identifier("x"), kind=returns)])
        row["returnType"] = _standard_type(told)
    if not dry:
        tables.world.put(ROUTINES, key_of(name), {**row, "etag": etag(row).strip('"')})
    return "CREATE" if before is None else "REPLACE"


def drop_routine(tables: Tables, name: Name, *, exists: bool, dry: bool) -> str:
    """Remove the function of a `DROP FUNCTION`; what was done: `DROP` or `SKIP`.

    Args:
        tables: The session's tables.
        name: The function's.
        exists: Whether it may be absent.
        dry: Whether it stays.

    Raises:
        QueryError: It is absent.
    """
    if tables.world.table(ROUTINES).get(key_of(name)) is None:
        if exists:
            return "SKIP"
        raise QueryError("notFound", f"Not found: Routine {name.full}")
    if not dry:
        tables.world.delete(ROUTINES, key_of(name))
    return "DROP"
