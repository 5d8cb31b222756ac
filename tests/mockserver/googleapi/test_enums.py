"""Enums as numbers and as names."""

from typing import Any

import pytest
from google.cloud import monitoring_v3
from google.logging.type import log_severity_pb2

from mockserver.googleapi import Catalog, with_enum_numbers
from mockserver.googleapi.encoding import enum_name


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
