"""Pipelines of databases of the Enterprise edition: stages that take rows and give rows.

The first stage says where documents are looked for; conditions right behind it that an index
answers are looked up there, with the engine of structured queries.

Source: as for expressions. Not verified against the live API: which results keep a name.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from mockserver.apis.firestore.expressions import (
    ABSENT,
    Evaluate,
    EvaluationError,
    Scope,
    compile_expression,
    is_true,
    not_computed,
    rank_or_absent,
)
from mockserver.apis.firestore.paths import FieldPath, field_path, root_of
from mockserver.apis.firestore.queries import DISTANCES, is_enterprise, read_query
from mockserver.apis.firestore.transactions import View, note_documents
from mockserver.apis.firestore.values import (
    NULL,
    NULL_RANK,
    number_of,
    rank_of,
    value_of_number,
    vector_of,
    with_field,
)
from mockserver.googleapi import failed_precondition, invalid
from mockserver.model import JsonMapping, JsonObject
from mockserver.state import World

Rows = Iterable[JsonObject]
"""Documents, or what a stage made of them: `fields`, and a `name` where it is still a document."""


class _Run(NamedTuple):
    """One execution.

    Attributes:
        view: The documents as they are read.
        root: The root of the documents of the database.
        scope: What expressions see.
        read: The documents that were read, in order; filled while it runs.
    """

    view: View
    root: str
    scope: Scope
    read: list[JsonObject]


class _Stage(NamedTuple):
    """A stage as it was sent."""

    name: str
    arguments: Sequence[JsonObject]
    options: JsonMapping

    def argument(self, place: int, kind: str) -> Any:
        """What an argument of one type holds.

        Raises:
            ApiError: 400: it is not there, or of another type.
        """
        value = self.arguments[place] if place < len(self.arguments) else {}
        if kind not in value:
            raise invalid(f"The stage {self.name} takes a {kind} as argument {place + 1}.")
        return value[kind]

    def expression(self, place: int) -> Evaluate:
        """What evaluates an argument.

        Raises:
            ApiError: 400: it is not there, or cannot be read.
        """
        if place >= len(self.arguments):
            raise invalid(f"The stage {self.name} takes {place + 1} arguments.")
        return compile_expression(self.arguments[place])

    def evaluators(self, place: int) -> Mapping[str, Evaluate]:
        """What evaluates the values of a map of expressions, by their names."""
        inner = self.argument(place, "mapValue") or {}
        fields = (inner.get("fields") or {}).items()
        return {name: compile_expression(each) for name, each in fields}

    def path(self, place: int) -> FieldPath:
        """The field that an argument names."""
        return field_path(str(self.argument(place, "fieldReferenceValue")))

    def option(self, name: str, kind: str) -> Any:
        """What an option holds, or None."""
        return (self.options.get(name) or {}).get(kind)


def check_edition(world: World, root: str) -> None:
    """Refuse pipelines in a database that is not known to be of the Enterprise edition.

    Raises:
        ApiError: 400.
    """
    if not is_enterprise(world, root):
        raise failed_precondition(
            "Pipeline queries are only allowed on ENTERPRISE mode databases. In the mock server a "
            "database is one whose resource says `databaseEdition: ENTERPRISE`."
        )


def execute(world: World, view: View, root: str, given: JsonMapping) -> JsonObject:
    """What a pipeline answers.

    Args:
        world: The session.
        view: The documents as they are read.
        root: The root of the documents of the database.
        given: The structured pipeline, with its options.

    Returns:
        `results`, and `explainStats` where they are asked for.

    Raises:
        ApiError: 400: it cannot be, or what it computes cannot; 501: part of it is not emulated.
    """
    run = _Run(view, root, Scope(world, view.time), [])
    mode = _explain_mode(given.get("options") or {})
    try:
        rows = [*_run_stages(run, (given.get("pipeline") or {}).get("stages") or ())]
    except EvaluationError as error:
        raise invalid(str(error)) from error
    note_documents(world, view, [(str(each["name"]), each) for each in run.read])
    answer: JsonObject = {"results": rows, "executionTime": view.time}
    if mode:
        text = f"Execution:\n  results returned: {len(rows)}\n  documents read: {len(run.read)}\n"
        kind = "type.googleapis.com/google.protobuf.StringValue"
        answer["explainStats"] = {"data": {"@type": kind, "value": text}}
    return answer


def _explain_mode(options: JsonMapping) -> str:
    given = options.get("explain_options")
    if given is None:
        return ""
    fields = (given.get("mapValue") or {}).get("fields") or {}
    mode = str((fields.get("mode") or {}).get("stringValue") or "analyze")
    if mode == "explain":
        raise invalid("Explain execution mode is not supported.")
    return mode


def _run_stages(run: _Run, sent: Sequence[JsonMapping]) -> Iterator[JsonObject]:
    stages = [
        _Stage(str(each.get("name") or ""), each.get("args") or (), each.get("options") or {})
        for each in sent
    ]
    if not stages:
        raise invalid("A pipeline must have at least one stage.")
    first, *further = stages
    if first.name not in _SOURCES:
        if first.name in _STAGES:
            raise invalid(f"A pipeline cannot start with the stage {first.name}.")
        raise not_computed(f"the stage {first.name!r}")
    rows: Rows = _documents_of(run, first, further)
    for each in further:
        made = _STAGES.get(each.name)
        if made is None:
            if each.name in _SOURCES:
                raise invalid(f"The stage {each.name} must be the first.")
            raise not_computed(f"the stage {each.name!r}")
        rows = made(run, each, rows)
    return iter(rows)


# --- where documents come from ---


def _documents_of(run: _Run, first: _Stage, further: Sequence[_Stage]) -> Iterator[JsonObject]:
    """The documents that a pipeline starts with, and no more than its first conditions need."""
    if first.name == "documents":
        found: Iterator[JsonObject] = _named_documents(run, first)
    else:
        parent, source = _SOURCES[first.name](run, first)
        query: JsonObject = {"from": [source], "orderBy": [{"field": {"fieldPath": "__name__"}}]}
        conditions = []
        for each in further:
            if each.name != "where":
                break
            conditions += [*_indexed(each.arguments[0])] if each.arguments else []
        if conditions:
            query["where"] = {"compositeFilter": {"op": "AND", "filters": conditions}}
        found = read_query(run.scope.world, run.view.store, parent, query).rows()

    def read() -> Iterator[JsonObject]:
        for row in found:
            run.read.append(row)
            yield row

    return read()


def _named_documents(run: _Run, stage: _Stage) -> Iterator[JsonObject]:
    names = [
        _absolute(run, str(stage.argument(at, "referenceValue")))
        for at in range(len(stage.arguments))
    ]
    rows = (run.view.store.get(name) for name in dict.fromkeys(names))
    return (row for row in rows if row is not None)


def _absolute(run: _Run, path: str) -> str:
    name = path if path.startswith("projects/") else f"{run.root}/{path.strip('/')}"
    if root_of(name) != run.root:
        raise invalid(f"{path!r} is not in the database.")
    return name


def _of_collection(run: _Run, stage: _Stage) -> tuple[str, JsonObject]:
    path = _absolute(run, str(stage.argument(0, "referenceValue")))
    parent, _, ident = path.rpartition("/")
    return parent, {"collectionId": ident}


def _of_group(run: _Run, stage: _Stage) -> tuple[str, JsonObject]:
    above = str(stage.argument(0, "referenceValue")).strip("/")
    parent = _absolute(run, above) if above else run.root
    return parent, {"collectionId": stage.argument(1, "stringValue"), "allDescendants": True}


def _of_database(run: _Run, stage: _Stage) -> tuple[str, JsonObject]:
    del stage
    return run.root, {"allDescendants": True}


_SOURCES: Mapping[str, Callable[[_Run, _Stage], tuple[str, JsonObject]]] = {
    "collection": _of_collection,
    "collection_group": _of_group,
    "database": _of_database,
    "documents": _of_database,
}
"""The parent of each source, and what a structured query is from."""

_INDEXED = {
    "equal": "EQUAL", "less_than": "LESS_THAN", "less_than_or_equal": "LESS_THAN_OR_EQUAL",
    "greater_than": "GREATER_THAN", "greater_than_or_equal": "GREATER_THAN_OR_EQUAL",
    "array_contains": "ARRAY_CONTAINS",
}  # fmt: skip
"""Functions of a field and a constant that an index answers, as operators of structured queries."""
_COMPUTED = frozenset({"functionValue", "fieldReferenceValue", "variableReferenceValue"})


def _indexed(given: JsonMapping) -> Iterator[JsonObject]:
    """The filters that a condition implies and that an index answers.

    Yields:
        Filters of structured queries.
    """
    called = given.get("functionValue") or {}
    arguments = called.get("args") or []
    if called.get("name") == "and":
        for each in arguments:
            yield from _indexed(each)
        return
    op = _INDEXED.get(str(called.get("name")))
    if op is None or len(arguments) != 2:
        return
    path, value = str(arguments[0].get("fieldReferenceValue") or ""), arguments[1]
    if path and not path.startswith("__") and value and not _COMPUTED.intersection(value):
        yield {"fieldFilter": {"field": {"fieldPath": path}, "op": op, "value": value}}


# --- what becomes of them ---


def _where(run: _Run, stage: _Stage, rows: Rows) -> Rows:
    condition = stage.expression(0)
    return (row for row in rows if is_true(condition(row, run.scope)))


def _fields_made(run: _Run, row: JsonObject, made: Mapping[str, Evaluate]) -> JsonObject:
    """The fields of a row that expressions make; what is absent is left out."""
    found = {name: each(row, run.scope) for name, each in made.items()}
    return {name: value for name, value in found.items() if value}


def _add_fields(run: _Run, stage: _Stage, rows: Rows) -> Rows:
    made = stage.evaluators(0)
    return (
        {**row, "fields": {**(row.get("fields") or {}), **_fields_made(run, row, made)}}
        for row in rows
    )


def _select(run: _Run, stage: _Stage, rows: Rows) -> Rows:
    made = stage.evaluators(0)
    return ({**row, "fields": _fields_made(run, row, made)} for row in rows)


def _remove_fields(run: _Run, stage: _Stage, rows: Rows) -> Rows:
    del run
    paths = [stage.path(at) for at in range(len(stage.arguments))]
    return (_without(row, paths) for row in rows)


def _without(row: JsonObject, paths: Sequence[FieldPath]) -> JsonObject:
    fields = row.get("fields") or {}
    for path in paths:
        fields = with_field(fields, path, None)
    return {**row, "fields": fields}


def _sort(run: _Run, stage: _Stage, rows: Rows) -> Rows:
    orders = []
    for at in range(len(stage.arguments)):
        told = (stage.argument(at, "mapValue") or {}).get("fields") or {}
        direction = (told.get("direction") or {}).get("stringValue") or "ascending"
        if "expression" not in told or direction not in {"ascending", "descending"}:
            raise invalid("An order has an expression, and is ascending or descending.")
        orders.append((compile_expression(told["expression"]), direction == "descending"))
    found = list(rows)
    for expression, down in reversed(orders):
        found.sort(key=lambda row: rank_or_absent(expression(row, run.scope)), reverse=down)
    return found


def _limit(run: _Run, stage: _Stage, rows: Rows) -> Rows:
    del run
    return islice(rows, _count(stage))


def _offset(run: _Run, stage: _Stage, rows: Rows) -> Rows:
    del run
    return islice(rows, _count(stage), None)


def _count(stage: _Stage) -> int:
    number = int(stage.argument(0, "integerValue"))
    if number < 0:
        raise invalid(f"The {stage.name} of a pipeline is not negative.")
    return number


def _sample(run: _Run, stage: _Stage, rows: Rows) -> Rows:
    mode = stage.argument(1, "stringValue")
    ids = run.scope.world.ids
    if mode == "documents":
        drawn = [(ids.hex("firestoreSample", 16), row) for row in rows]
        return [row for _, row in sorted(drawn, key=lambda each: each[0])[: _count(stage)]]
    share = number_of(stage.arguments[0])
    if mode != "percent" or share is None or not 0 <= share <= 1:
        raise invalid("A sample is of a number of documents, or of a percentage from 0.0 to 1.0.")
    return (row for row in rows if int(ids.hex("firestoreSample", 13), 16) < share * 16**13)


def _union(run: _Run, stage: _Stage, rows: Rows) -> Rows:
    stages = stage.argument(0, "pipelineValue").get("stages") or ()
    other = _run_stages(run, stages)
    return (row for several in (rows, other) for row in several)


_MOST_UNNESTED = 100_000
"""Rows: several of these stages multiply them."""


def _unnest(run: _Run, stage: _Stage, rows: Rows) -> Rows:
    source, alias = stage.expression(0), stage.path(1)
    numbered = stage.option("index_field", "fieldReferenceValue")
    index = field_path(str(numbered)) if numbered else None

    def each_item() -> Iterator[JsonObject]:
        made = 0
        for row in rows:
            value = source(row, run.scope)
            is_array = "arrayValue" in value
            items = (value["arrayValue"] or {}).get("values") or () if is_array else (value,)
            made += len(items)
            if made > _MOST_UNNESTED:
                raise EvaluationError(f"unnest makes at most {_MOST_UNNESTED} rows here.")
            for at, item in enumerate(items):
                fields = with_field(row.get("fields") or {}, alias, item or None)
                if index is not None:
                    place = value_of_number(at) if is_array else NULL
                    fields = with_field(fields, index, place)
                yield {**row, "fields": fields}

    return each_item()


def _replace_with(run: _Run, stage: _Stage, rows: Rows) -> Rows:
    source = stage.expression(0)
    mode = stage.argument(1, "stringValue") if len(stage.arguments) > 1 else "full_replace"
    if mode not in {"full_replace", "merge_overwrite_existing", "merge_keep_existing"}:
        raise invalid(f"{mode!r} is no way to replace a document.")

    def each_row() -> Iterator[JsonObject]:
        for row in rows:
            value = source(row, run.scope)
            if "mapValue" not in value:
                raise EvaluationError("replace_with takes a map.")
            made, own = (value["mapValue"] or {}).get("fields") or {}, row.get("fields") or {}
            if mode == "merge_overwrite_existing":
                made = {**own, **made}
            elif mode == "merge_keep_existing":
                made = {**made, **own}
            yield {**row, "fields": made}

    return each_row()


def _find_nearest(run: _Run, stage: _Stage, rows: Rows) -> Rows:
    source, wanted = stage.expression(0), vector_of(stage.arguments[1]) or ()
    name = str(stage.argument(2, "stringValue")).upper()
    if name not in DISTANCES or not wanted:
        raise invalid("find_nearest takes a field, a vector, and a measure of distance.")
    shown = stage.option("distance_field", "fieldReferenceValue")
    most = stage.option("limit", "integerValue")
    found: list[tuple[float, JsonObject]] = []
    for row in rows:
        vector = vector_of(source(row, run.scope))
        if vector is not None and len(vector) == len(wanted):
            found.append((DISTANCES[name](wanted, vector), row))
    found.sort(key=lambda each: each[0], reverse=name == "DOT_PRODUCT")
    for distance, row in islice(found, None if most is None else int(most)):
        fields = row.get("fields") or {}
        if shown:
            fields = with_field(fields, field_path(str(shown)), value_of_number(distance))
        yield {**row, "fields": fields}


# --- groups ---

Take = Callable[[Sequence[JsonObject]], JsonObject]
"""The result of an aggregation of values."""


def _present(values: Sequence[JsonObject]) -> list[JsonObject]:
    return [each for each in values if each not in (ABSENT, NULL)]


def _sum_of(values: Sequence[JsonObject]) -> JsonObject:
    total = sum(each for each in map(number_of, values) if each is not None)
    is_whole = isinstance(total, int) and -(2**63) <= total < 2**63
    return value_of_number(total if is_whole else float(total))


def _average_of(values: Sequence[JsonObject]) -> JsonObject:
    numbers = [each for each in map(number_of, values) if each is not None]
    return value_of_number(float(sum(numbers)) / len(numbers)) if numbers else NULL


def _array_of(values: Sequence[JsonObject]) -> JsonObject:
    return {"arrayValue": {"values": [each or NULL for each in values]} if values else {}}


def _distinct_values(values: Sequence[JsonObject]) -> list[JsonObject]:
    return [*{rank_of(each): each for each in reversed(_present(values))}.values()][::-1]


_AGGREGATES: Mapping[str, Take] = {
    "count": lambda values: value_of_number(len(_present(values))),
    "count_if": lambda values: value_of_number(sum(map(is_true, values))),
    "count_distinct": lambda values: value_of_number(len(_distinct_values(values))),
    "sum": _sum_of,
    "average": _average_of,
    "minimum": lambda values: min(_present(values), key=rank_of, default=NULL),
    "maximum": lambda values: max(_present(values), key=rank_of, default=NULL),
    "first": lambda values: values[0] or NULL if values else NULL,
    "last": lambda values: values[-1] or NULL if values else NULL,
    "array_agg": _array_of,
    "array_agg_distinct": lambda values: _array_of(_distinct_values(values)),
}


def _accumulators(stage: _Stage) -> Iterator[tuple[str, Take, Evaluate | None]]:
    """The name of each aggregation, what it computes, and of what; None for of the rows.

    Yields:
        Each.
    """
    given = (stage.argument(0, "mapValue") or {}).get("fields") or {}
    if not given:
        raise invalid("The stage aggregate requires at least one accumulator.")
    for name, each in given.items():
        called = each.get("functionValue") or {}
        function, arguments = str(called.get("name") or ""), called.get("args") or []
        if function not in _AGGREGATES:
            raise not_computed(f"the aggregation {function!r}")
        if len(arguments) != 1 and (arguments or function != "count"):
            raise invalid(f"The aggregation {function} takes 1 argument, not {len(arguments)}.")
        of = compile_expression(arguments[0]) if arguments else None
        yield name, _AGGREGATES[function], of


def _aggregate(run: _Run, stage: _Stage, rows: Rows) -> Rows:
    accumulators = [*_accumulators(stage)]
    groups = stage.evaluators(1) if len(stage.arguments) > 1 else {}
    for fields, several in _grouped(run, groups, rows):
        for name, take, of in accumulators:
            if of is None:
                fields[name] = value_of_number(len(several))
            else:
                fields[name] = take([of(row, run.scope) for row in several])
        yield {"fields": fields}


def _distinct(run: _Run, stage: _Stage, rows: Rows) -> Rows:
    return ({"fields": fields} for fields, _ in _grouped(run, stage.evaluators(0), rows))


def _grouped(
    run: _Run, groups: Mapping[str, Evaluate], rows: Rows
) -> Iterator[tuple[JsonObject, list[JsonObject]]]:
    """Rows by the values of expressions, which make fields; all of them where there is none.

    Yields:
        The fields of each group, and its rows.
    """
    found: dict[Any, tuple[JsonObject, list[JsonObject]]] = {}
    if not groups:
        found[()] = ({}, [])
    for row in rows:
        fields = _fields_made(run, row, groups)
        key = tuple(rank_of(fields[name]) if name in fields else NULL_RANK for name in groups)
        found.setdefault(key, ({name: fields.get(name, NULL) for name in groups}, []))[1].append(
            row
        )
    yield from found.values()


_STAGES: Mapping[str, Callable[[_Run, _Stage, Rows], Rows]] = {
    "where": _where,
    "add_fields": _add_fields,
    "select": _select,
    "remove_fields": _remove_fields,
    "sort": _sort,
    "limit": _limit,
    "offset": _offset,
    "sample": _sample,
    "union": _union,
    "unnest": _unnest,
    "replace_with": _replace_with,
    "find_nearest": _find_nearest,
    "aggregate": _aggregate,
    "distinct": _distinct,
}
