"""Pipelines: stages, expressions and aggregations over the documents of an Enterprise database."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.apis.firestore import API
from mockserver.apis.firestore.values import value_of_json
from mockserver.googleapi import ApiError
from mockserver.model import Json, JsonObject
from tests.mockserver.apis.firestore.conftest import DATABASE, ROOT, Firestore
from tests.tenants import world

BOOKS: JsonObject = {
    "books/a": {
        "title": "Ash",
        "year": 1970,
        "rating": 4.5,
        "tags": ["x", "y"],
        "by": {"n": "Ann"},
    },
    "books/b": {"title": "Bay", "year": 1980, "rating": 3, "tags": [], "by": {"n": "Bob"}},
    "books/c": {"title": "Cay", "year": None, "rating": {"doubleValue": "NaN"}, "tags": "x"},
    "books/a/books/d": {"title": "Dew", "at": {"timestampValue": "2026-01-02T03:04:05.678900Z"}},
}


def enterprise(documents: JsonObject) -> Firestore:
    made = world(API, firestore={DATABASE: documents})
    row = {"name": DATABASE, "databaseEdition": "ENTERPRISE"}
    made.put("firestore:v1/databases", DATABASE, row)
    return Firestore(made)


def path(name: str) -> JsonObject:
    return {"fieldReferenceValue": name}


def call(name: str, *arguments: Any) -> JsonObject:
    """A function; texts that begin with a dot are fields, other plain values are constants."""
    return {"functionValue": {"name": name, "args": [argument(each) for each in arguments]}}


def argument(given: Any) -> JsonObject:
    if isinstance(given, str) and given.startswith("."):
        return path(given[1:])
    if isinstance(given, dict) and len(given) == 1 and next(iter(given)).endswith("Value"):
        return given
    return value_of_json(given)


def named(**expressions: Any) -> JsonObject:
    return {"mapValue": {"fields": {key: argument(each) for key, each in expressions.items()}}}


def stage(name: str, *arguments: Any, **options: Any) -> JsonObject:
    told = {key: argument(each) for key, each in options.items()}
    return {"name": name, "args": [argument(each) for each in arguments], "options": told}


def order(expression: Any, direction: str = "ascending") -> JsonObject:
    return named(expression=expression, direction=direction)


ALL = stage("collection", {"referenceValue": "/books"})
TITLES = stage("select", named(title=".title"))


def plain(value: JsonObject) -> Json:
    kind, inner = next(iter(value.items()))
    match kind:
        case "integerValue":
            return int(inner)
        case "arrayValue":
            return [plain(each) for each in inner.get("values") or ()]
        case "mapValue":
            return {name: plain(each) for name, each in (inner.get("fields") or {}).items()}
        case _:
            return inner


def execute(made: Firestore, *stages: JsonObject, **options: Any) -> list[JsonObject]:
    told = {key: argument(each) for key, each in options.items()}
    body = {"structuredPipeline": {"pipeline": {"stages": list(stages)}, "options": told}}
    (answer,) = made.ask("executePipeline", body)
    return [
        {name: plain(each) for name, each in (row.get("fields") or {}).items()}
        for row in answer["results"]
    ]


@pytest.fixture(scope="module")
def books() -> Firestore:
    return enterprise(BOOKS)


STAGES: Mapping[str, tuple[Sequence[JsonObject], list[JsonObject]]] = {
    "where": ([ALL, stage("where", call("equal", ".title", "Bay")), TITLES], [{"title": "Bay"}]),
    "where by an index and by more": (
        [ALL, stage("where", call("and", call("greater_than", ".year", 1900),
                                  call("not_equal", ".title", "Ash"))), TITLES],
        [{"title": "Bay"}],
    ),
    "of nothing at all": ([stage("collection", {"referenceValue": "/none"})], []),
    "group": (
        [stage("collection_group", {"referenceValue": ""}, "books"), stage("sort", order(".title")),
         TITLES, stage("offset", 3)],
        [{"title": "Dew"}],
    ),
    "documents": (
        [stage("documents", {"referenceValue": "/books/c"}, {"referenceValue": "/no/no"}), TITLES],
        [{"title": "Cay"}],
    ),
    "database": ([stage("database"), stage("aggregate", named(n=call("count")))], [{"n": 4}]),
    "add, remove": (
        [ALL, stage("limit", 1), stage("add_fields", named(up=call("to_upper", ".title"))),
         stage("remove_fields", path("tags"), path("by.n"), path("no"), path("rating"))],
        [{"title": "Ash", "year": 1970, "by": {}, "up": "ASH"}],
    ),
    "sort, what is absent first": (
        [ALL, stage("sort", order(".by.n", "descending"), order(".title")), TITLES],
        [{"title": "Bay"}, {"title": "Ash"}, {"title": "Cay"}],
    ),
    "unnest": (
        [ALL, stage("unnest", path("tags"), path("tag"), index_field=path("at")),
         stage("select", named(tag=".tag", at=".at"))],
        [{"tag": "x", "at": 0}, {"tag": "y", "at": 1}, {"tag": "x", "at": None}],
    ),
    "union": (
        [ALL, stage("limit", 1), stage("union", {"pipelineValue": {"stages": [ALL]}}), TITLES],
        [{"title": "Ash"}, {"title": "Ash"}, {"title": "Bay"}, {"title": "Cay"}],
    ),
    "replace": (
        [ALL, stage("limit", 1), stage("replace_with", path("by"), "full_replace")], [{"n": "Ann"}]
    ),
    "distinct": (
        [ALL, stage("distinct", named(kind=call("type", ".tags"))), stage("sort", order(".kind"))],
        [{"kind": "array"}, {"kind": "string"}],
    ),
    "groups": (
        [ALL, stage("aggregate", named(n=call("count"), most=call("maximum", ".year"),
                                       of=call("count_distinct", ".title")),
                    named(old=call("less_than", ".year", 1975))),
         stage("sort", order(".old"))],
        [{"old": False, "n": 2, "most": 1980, "of": 2},
         {"old": True, "n": 1, "most": 1970, "of": 1}],
    ),
    "groups of nothing": (
        [stage("collection", {"referenceValue": "/none"}),
         stage("aggregate", named(n=call("count"), s=call("sum", ".x"), a=call("average", ".x")))],
        [{"n": 0, "s": 0, "a": None}],
    ),
    "samples": ([ALL, stage("sample", 0, "documents")], []),
}  # fmt: skip


@pytest.mark.parametrize("name", STAGES)
def test_stages_take_rows_and_give_rows(books: Firestore, name: str) -> None:
    stages, expected = STAGES[name]
    assert execute(books, *stages) == expected


VALUES: Mapping[str, tuple[JsonObject, Json]] = {
    "what is absent equals nothing": (call("equal", ".no", None), False),
    "what is absent is unlike all": (call("not_equal", ".no", 1), True),
    "null equals null": (call("equal", None, None), True),
    "numbers of two types": (call("equal", 1, 1.0), True),
    "two types are not in order": (call("less_than", 1, "a"), False),
    "nor the other way": (call("greater_than_or_equal", 1, "a"), False),
    "one of several": (call("equal_any", ".year", [1, 1970]), True),
    "and of null": (call("and", True, None), None),
    "and of false and null": (call("and", None, False), False),
    "or of true and null": (call("or", None, True), True),
    "xor": (call("xor", True, True, True), True),
    "absent, else": (call("if_absent", ".no", 7), 7),
    "error, else": (call("if_error", call("divide", 1, 0), "none"), "none"),
    "is an error": (call("is_error", call("char_length", 5)), True),
    "conditional": (call("conditional", call("exists", ".year"), "y", "n"), "y"),
    "division of whole numbers": (call("divide", -7, 2), -3),
    "remainder": (call("mod", -7, 2), -1),
    "division by zero": (call("divide", 1.0, 0), "Infinity"),
    "half away from zero": (call("round", -2.5), -3.0),
    "places": (call("round", 2.345, 1), 2.3),
    "null through": (call("add", 1, None), None),
    "power": (call("pow", 2, 10), 1024.0),
    "extremes pass null over": (call("maximum", None, 3, 7), 7),
    "item from the end": (call("array_get", ".tags", -1), "y"),
    "items": (call("array_contains_all", ".tags", ["y", "x"]), True),
    "arrays": (call("array_concat", ".tags", call("array", 1)), ["x", "y", 1]),
    "maps": (call("map_merge", ".by", call("map", "n", 1)), {"n": 1}),
    "no key": (call("map_get", ".by", "no"), "absent"),
    "like": (call("like", "a.b\nc", "a.%c"), True),
    "regular expression": (call("regex_contains", "Ash", "(?i)S"), True),
    "part": (call("substring", "Ashen", 1, 2), "sh"),
    "join": (call("join", ".tags", "-"), "x-y"),
    "split": (call("split", "a,b", ","), ["a", "b"]),
    "bytes": (call("byte_length", "é"), 2),
    "time": (call("timestamp_to_unix_millis", {"timestampValue": "1970-01-01T00:00:01.5Z"}), 1500),
    "later": (
        call("timestamp_add", {"timestampValue": "2026-02-28T00:00:00Z"}, "day", 1),
        "2026-03-01T00:00:00Z",
    ),
    "id": (call("document_id", path("__name__")), "a"),
    "collection": (call("collection_id", path("__name__")), "books"),
}


@pytest.mark.parametrize("name", VALUES)
def test_functions_compute_what_the_reference_says(books: Firestore, name: str) -> None:
    expression, expected = VALUES[name]
    made = call("if_absent", expression, "absent")
    first = [stage("documents", {"referenceValue": "/books/a"})]
    (row,) = execute(books, *first, stage("select", named(found=made)))
    assert row["found"] == expected


REFUSED: Mapping[str, tuple[Sequence[JsonObject], int, str]] = {
    "no stage": ([], 400, "at least one stage"),
    "no source": ([TITLES], 400, "cannot start"),
    "two sources": ([ALL, ALL], 400, "must be the first"),
    "an unknown stage": ([ALL, stage("teleport")], 501, "the stage 'teleport'"),
    "an unknown function": ([ALL, stage("where", call("f"))], 501, "the function 'f'"),
    "too few arguments": ([ALL, stage("where", call("equal", 1))], 400, "takes 2 arguments, not 1"),
    "an error of values": ([ALL, stage("where", call("to_upper", 1))], 400, "text in place 1"),
    "no accumulator": ([ALL, stage("aggregate", named(), named(a=".a"))], 400, "requires at least"),
    "a text that no document holds": (
        [ALL, stage("select", named(a=call("string_repeat", "ab", 2**20)))], 400, "is larger",
    ),
    "rows without end": (
        [ALL, *[stage("unnest", call("array", *range(60)), path("a")) for _ in range(3)]], 400,
        "at most 100000 rows",
    ),
    "a limit below zero": ([ALL, stage("limit", -1)], 400, "not negative"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused_in_words(books: Firestore, name: str) -> None:
    stages, status, words = REFUSED[name]
    with pytest.raises(ApiError, match=words) as refused:
        execute(books, *stages)
    assert refused.value.status == status


def test_a_database_of_the_standard_edition_has_no_pipelines() -> None:
    made = Firestore(world(API, firestore={DATABASE: BOOKS}))
    with pytest.raises(ApiError, match="only allowed on ENTERPRISE mode"):
        execute(made, ALL)


def test_what_was_read_is_told_when_it_is_asked_for(books: Firestore) -> None:
    body = {
        "structuredPipeline": {
            "pipeline": {"stages": [ALL, stage("limit", 2)]},
            "options": {"explain_options": named(mode="analyze")},
        }
    }
    (answer,) = books.ask("executePipeline", body)
    assert "results returned: 2\n  documents read: 2" in answer["explainStats"]["data"]["value"]
    with pytest.raises(ApiError, match="not supported"):
        execute(books, ALL, explain_options=named(mode="explain"))


def test_a_transaction_that_read_by_a_pipeline_is_aborted_by_a_change() -> None:
    made = enterprise(BOOKS)
    body = {"structuredPipeline": {"pipeline": {"stages": [ALL]}}, "newTransaction": {}}
    (answer,) = made.ask("executePipeline", body)
    made.set("books/a", title={"stringValue": "Oak"})
    with pytest.raises(ApiError, match="contention"):
        made.write(
            {"delete": f"{ROOT}/books/b"},
            transaction=answer["transaction"],
        )


NAMES = st.sampled_from(["equal", "less_than", "greater_than_or_equal"])
NUMBERS = st.lists(st.integers(-3, 3) | st.none() | st.sampled_from(["a", "b"]), max_size=8)


@settings(max_examples=40, deadline=None)
@given(NUMBERS, NAMES, st.integers(-3, 3))
def test_conditions_that_an_index_answers_find_what_a_scan_finds(
    values: list[Json], name: str, wanted: int
) -> None:
    made = enterprise({f"c/{at}": {"v": each} for at, each in enumerate(values)})
    first, condition = stage("collection", {"referenceValue": "/c"}), call(name, ".v", wanted)
    everything = stage("where", call("or", condition, condition))  # which no index answers
    assert execute(made, first, stage("where", condition)) == execute(made, first, everything)
