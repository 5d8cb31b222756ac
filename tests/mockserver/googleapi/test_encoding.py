from typing import Any

import orjson
import pytest
from google.cloud import monitoring_v3
from google.logging.type import log_severity_pb2
from hypothesis import given
from hypothesis import strategies as st

from mockserver.googleapi import Catalog, Method, encode, parse_document, with_enum_numbers
from mockserver.googleapi.encoding import enum_name
from mockserver.model import JsonObject

LONG = {"type": "string", "format": "int64"}
SCHEMAS = {
    "Page": {
        "type": "object",
        "properties": {
            "items": {"type": "array", "items": {"$ref": "Item"}},
            "total": LONG,
            "size": {"type": "integer", "format": "int32"},
        },
    },
    "Item": {
        "type": "object",
        "properties": {
            "count": {"type": "string", "format": "uint64"},
            "counts": {"type": "array", "items": LONG},
            "inner": {"$ref": "Item"},
            "value": {"type": "object", "additionalProperties": {"type": "any"}},
            "open": {"type": "object"},
            "any": {"type": "any"},
        },
    },
    "Sums": {"type": "object", "properties": {"by": {"$ref": "Map"}, "size": {"type": "integer"}}},
    "Map": {"type": "object", "additionalProperties": LONG},
    "Plain": {"type": "object", "properties": {"name": {"type": "string"}}},
}


def method(response: str | None) -> Method:
    raw: JsonObject = {"id": "x.get", "httpMethod": "GET", "path": "v1"}
    if response:
        raw["response"] = {"$ref": response}
    document = {"name": "x", "version": "v1", "rootUrl": "https://x.googleapis.com/"}
    return parse_document({**document, "schemas": SCHEMAS, "methods": {"a": raw}}).methods["x.get"]


def written(body: JsonObject, response: str | None = None) -> JsonObject:
    text = encode(body, pretty=False, method=method(response) if response else None)
    return dict(orjson.loads(text))


def test_answers_are_indented_by_two_spaces_and_end_with_a_newline() -> None:
    assert encode({"a": [1], "b": {}}, pretty=True) == b'{\n  "a": [\n    1\n  ],\n  "b": {}\n}\n'


def test_answers_can_be_short() -> None:
    assert encode({"a": [1]}, pretty=False) == b'{"a":[1]}'


@pytest.mark.parametrize("pretty", [True, False])
def test_what_is_unset_is_left_out(pretty: bool) -> None:
    body = {"a": None, "b": [], "c": {"d": None}, "e": [{"f": []}, []], "g": 0, "h": "", "i": False}
    left = {"c": {}, "e": [{}, []], "g": 0, "h": "", "i": False}
    assert orjson.loads(encode(body, pretty=pretty)) == left


def test_text_that_looks_unset_stays() -> None:
    body = {"a": 'null and "x": null and []', '": null': "x"}
    assert orjson.loads(encode(body, pretty=True)) == body


def test_64_bit_integers_become_text() -> None:
    body = {
        "total": 5,
        "size": 6,
        "items": [{"count": 7, "counts": [8, "9"], "inner": {"count": 1}}],
    }
    assert written(body, "Page") == {
        "total": "5",
        "size": 6,
        "items": [{"count": "7", "counts": ["8", "9"], "inner": {"count": "1"}}],
    }


def test_64_bit_integers_in_a_map_become_text() -> None:
    assert written({"by": {"x": 1}, "size": 2}, "Sums") == {"by": {"x": "1"}, "size": 2}


@pytest.mark.parametrize("name", ["value", "open"])
def test_free_form_values_stay_as_they_are(name: str) -> None:
    item = {name: {"count": 5, "null": None, "empty": []}, "count": 6}
    left = {name: item[name], "count": "6"}
    assert written({"items": [item]}, "Page") == {"items": [left]}


def test_a_field_the_schema_does_not_know_stays() -> None:
    assert written({"x": {"y": None, "z": 1}, "total": 1}, "Page") == {"x": {"z": 1}, "total": "1"}


def test_a_method_without_an_answer_is_written_like_any_object() -> None:
    assert written({"a": None, "b": 1}, None) == {"b": 1}
    assert orjson.loads(encode({"a": None}, pretty=False, method=method(None))) == {}


@given(st.integers(min_value=-(2**53), max_value=2**53))
def test_every_64_bit_integer_is_written_as_text(number: int) -> None:
    for pretty in (True, False):
        body = orjson.loads(encode({"total": number}, pretty=pretty, method=method("Page")))
        assert body == {"total": str(number)}


@given(st.dictionaries(st.text(max_size=3), st.text() | st.booleans() | st.integers(0, 9)))
def test_what_has_nothing_unset_comes_back_as_it_was(body: dict[str, str | bool | int]) -> None:
    assert orjson.loads(encode(body, pretty=True, method=method("Plain"))) == body


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog(preferred=[("logging", "v2"), ("monitoring", "v3")], supplements=[])


def numbered(catalog: Catalog, method_id: str, body: dict[str, Any]) -> dict[str, Any]:
    method = catalog.method(method_id)
    assert method is not None
    return with_enum_numbers(body, method)


def test_numbers_are_those_of_the_client_libraries(catalog: Catalog) -> None:
    for name, number in log_severity_pb2.LogSeverity.items():
        entry = {"severity": name, "jsonPayload": {"severity": name}, "labels": {"a": name}}
        body = numbered(catalog, "logging.entries.list", {"entries": [entry]})
        assert body["entries"] == [{**entry, "severity": number}]


def test_nested_enums_and_lists_of_them_are_written_as_numbers(catalog: Catalog) -> None:
    series = {"metricKind": "GAUGE", "valueType": "DISTRIBUTION", "points": [{"interval": {}}]}
    body = numbered(catalog, "monitoring.projects.timeSeries.list", {"timeSeries": [series]})
    assert body["timeSeries"][0]["metricKind"] == 1
    assert body["timeSeries"][0]["valueType"] == 5


def test_enums_that_do_not_count_from_0_are_those_of_the_client_library(catalog: Catalog) -> None:
    method = catalog.method("monitoring.projects.timeSeries.list")
    assert method is not None
    for parameter, enum in (
        ("aggregation.perSeriesAligner", monitoring_v3.Aggregation.Aligner),
        ("aggregation.crossSeriesReducer", monitoring_v3.Aggregation.Reducer),
    ):
        names = method.parameters[parameter].enum
        numbers = {str(name): int(member) for name, member in enum.__members__.items()}
        assert {name: enum_name(names, number) for name, number in numbers.items()} == {
            name: name for name in numbers
        }


def test_a_name_that_the_document_does_not_list_stays(catalog: Catalog) -> None:
    body = {"entries": [{"severity": "LOUD"}]}
    assert numbered(catalog, "logging.entries.list", body) == body


def test_elsewhere_names_stay(catalog: Catalog) -> None:
    body = {"versions": [{"channel": "STABLE"}]}
    assert numbered(catalog, "versionhistory.platforms.channels.versions.list", body) == body


@pytest.mark.parametrize(
    ("names", "number", "name"),
    [
        (("A", "B"), 1, "B"),
        (("A", "B"), 2, None),
        (("COLOR_UNSPECIFIED", "YELLOW", "RED"), 4, "YELLOW"),
        (("COLOR_UNSPECIFIED", "YELLOW", "RED"), 1, None),
    ],
    ids=str,
)
def test_a_number_is_read_as_the_name_it_has(
    names: tuple[str, ...], number: int, name: str | None
) -> None:
    assert enum_name(names, number) == name
