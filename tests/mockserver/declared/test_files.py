from pathlib import Path

import pytest

from mockserver.declared.files import read_declarations
from mockserver.errors import InvalidFilesError


def put(folder: Path, name: str, text: str) -> None:
    path = folder / "apis" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def wrong(folder: Path, text: str) -> str:
    put(folder, "travel.yaml", text)
    with pytest.raises(InvalidFilesError) as caught:
        read_declarations(folder)
    return str(caught.value).replace(str(folder), "")


def test_short_forms_become_long_ones(tmp_path: Path) -> None:
    put(
        tmp_path,
        "travel.json",
        '{"api": "travel", "base_path": "/v1/", "errors": "problem+json", "idempotency": "Once",'
        ' "collections": {"flights": {"filters": {"from": "origin"}, "sort": "order", "search":'
        ' "s", "unique": ["a", ["b", "c"]], "paging": "token", "parent": "trips"},'
        ' "trips": {"filters": true}}}',
    )
    (file,) = read_declarations(tmp_path)
    flights, trips = file.declaration.collections.values()
    assert file.declaration.base_path == "/v1"
    assert file.declaration.errors.style == "problem+json"
    assert file.declaration.idempotency
    assert file.declaration.idempotency.header == "Once"
    assert flights.filters["from"].field == "origin"
    assert trips.filters["*"].field == "*"
    assert flights.unique == (("a",), ("b", "c"))
    assert flights.sort
    assert flights.sort.param == "order"
    assert flights.search
    assert flights.search.param == "s"
    assert flights.parent
    assert flights.parent.collection == "trips"
    assert flights.paging
    assert flights.paging.next == "nextPageToken"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("api: 7", "/apis/travel.yaml:1#/api: must be text"),
        ("- api", "/apis/travel.yaml: expected an object, found an array"),
        (
            "api: a\ncolections: {}",
            "/apis/travel.yaml:2#/colections: unknown field 'colections'"
            " (did you mean 'collections'?)",
        ),
        (
            "api: a\ncollections:\n  b:\n    fliters: {}",
            "/apis/travel.yaml:4#/collections/b/fliters: unknown field 'fliters'"
            " (did you mean 'filters'?)",
        ),
        (
            "api: a\ncollections:\n  b:\n    filters:\n      x: {op: ~}",
            "/apis/travel.yaml:5#/collections/b/filters/x: the field 'field' is missing",
        ),
        (
            "api: a\nauth: {header: X, bearer: true}",
            "/apis/travel.yaml:2#/auth: names 2 ways to send a key: exactly one of header, bearer,"
            " basic and query is needed",
        ),
        ("api: tools", "the name 'tools' is taken"),
        ("api: a\nhosts: [x.googleapis.com]", ":2#/hosts/0: x.googleapis.com is emulated from"),
        ("api: a\nenv: {a-b: c}", "/env/a-b: is no name of an environment variable"),
        ("api: a\ncollections: {b: {parent: c}}", "#/collections/b/parent: no collection 'c'"),
        ("api: a\ncollections: {b: {parent: b}}", "nested in each other in a circle"),
        (
            "api: a\ncollections: {b: {refs: {c: flight.id}}, flights: {}}",
            "/collections/b/refs/c: no collection 'flight'; such as flights.id (did you mean"
            " 'flights'?)",
        ),
        (
            "api: a\ncollections: {b: {refs: {c: b.x}}}",
            "'x' is neither the key of 'b' nor unique there (its key is 'id')",
        ),
        (
            "api: a\ncollections:\n  b: {refs: {c: {to: b.id, on_delete: drop}}}",
            ":3#/collections/b/refs/c/on_delete",
        ),
        (
            "api: a\ncollections:\n  b: {created: at, versions: {at: number}}",
            ":3#/collections/b: the field 'at' would hold a time and a version",
        ),
        (
            "api: a\ncollections:\n  b: {created: at, defaults: {at: x}}",
            ":3#/collections/b: the field 'at' holds a time, and has a default",
        ),
        (
            "api: a\ncollections:\n  b:\n    filters: {x: y}\n    schema:"
            " {additionalProperties: false}",
            ":4#/collections/b: the filter 'y' is a field that the schema lacks",
        ),
        (
            "api: a\ncollections: {b: {actions: {c: {path: POST /x}}}}",
            "/actions/c/path: /x has 0 placeholders: 1 are needed",
        ),
        ("api: a\ncollections: {b: {accepted: {path: /x}}}", "the path has no {job}"),
        (
            "api: a\nhandlers: {b: {route: GET /x, handler: 'm:f'}}",
            "/handlers/b/handler: names a Python function, which only a trusted suite may",
        ),
        ("api: a\nopenapi: *x", "aliases that stand for too much"),
        ("a: &a [1]\n" + "".join(f"{n}: &{n} [*a, *a]\n" for n in range(9)) + "b: !!python/x y",
         "has the tag"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_file_line_and_pointer(
    tmp_path: Path, text: str, expected: str
) -> None:
    assert expected in wrong(tmp_path, text)


def test_everything_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    put(tmp_path, "other.json", '{"api": "a", "x": 1}')
    said = wrong(tmp_path, "api: b\ncollections: {c: {y: 1, z: 2}}")
    assert [line.split(":")[0] for line in said.splitlines()] == ["/apis/other.json"] + [
        "/apis/travel.yaml"
    ] * 2


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ('{"$ref": "#"}', "refers to itself without an end"),
        (
            '{"$ref": "http://x.example.com/a.json"}',
            "refers to 'http://x.example.com/a.json', which is on the network",
        ),
        ('{"$ref": "../../../x.json"}', "which cannot be read"),
        ('{"$ref": "#/$defs/a"}', "refers to '#/$defs/a', which is not there"),
        ('{"type": "strng"}', "#/type: 'strng' is not valid"),
        ('{"properties": {"a": {"pattern": "("}}}', "'(' is not a 'regex'"),
        ("[]", "is no JSON Schema"),
        ("{", "not JSON"),
    ],
)
def test_a_schema_that_cannot_be_used_is_refused(
    tmp_path: Path, schema: str, expected: str
) -> None:
    put(tmp_path, "schemas/row.json", schema)
    said = wrong(tmp_path, "api: a\ncollections:\n  b: {schema: schemas/row.json}")
    assert said.startswith("/apis/travel.yaml:3#/collections/b/schema: the schema cannot be used")
    assert expected in said


def test_a_schema_outside_the_suite_is_refused(tmp_path: Path) -> None:
    (tmp_path / "row.json").write_text("{}", encoding="utf-8")
    inner = tmp_path / "suite"
    assert "leaves the suite's folder" in wrong(
        inner, "api: a\ncollections: {b: {schema: ../../row.json}}"
    )


def test_references_between_files_of_the_suite_are_followed(tmp_path: Path) -> None:
    put(tmp_path, "schemas/row.json", '{"properties": {"a": {"$ref": "more/name.yaml#/$defs/n"}}}')
    put(tmp_path, "schemas/more/name.yaml", "$defs: {n: {type: string, minLength: 2}}")
    put(tmp_path, "a.yaml", "api: a\ncollections: {b: {schema: schemas/row.json}}")
    (file,) = read_declarations(tmp_path)
    schema = file.schemas["collections", "b"]
    assert schema.problems({"a": "xy"}) == []
    assert schema.problems({"a": 1, "b": 2}) == [("/a", "1 is not of type 'string'")]
    assert schema.known_fields == {"a"}
