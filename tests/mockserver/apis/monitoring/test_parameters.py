from datetime import timedelta

import pytest

from mockserver.apis.monitoring.parameters import (
    alignment_period,
    enum_parameter,
    now_micros,
    parameter_at,
    query_interval,
    repeated_parameter,
)
from mockserver.googleapi import ApiError, Call
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import NOW


def call(world: World, **params: object) -> Call:
    named: JsonObject = {key.replace("__", "."): value for key, value in params.items()}
    return Call("monitoring.x", named, {}, world)


def test_flat_and_nested_parameters_are_the_same(project: World) -> None:
    flat = call(project, interval__endTime="2026-03-02T09:00:00Z")
    nested = call(project, interval={"endTime": "2026-03-02T09:00:00Z"})
    assert parameter_at(flat, "interval.endTime") == parameter_at(nested, "interval.endTime")
    assert query_interval(flat) == query_interval(nested)
    assert parameter_at(nested, "interval.endTime.x") is None


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (12, "ALIGN_MEAN"),
        ("24", "ALIGN_COUNT_FALSE"),
        ("ALIGN_RATE", "ALIGN_RATE"),
        (0, "ALIGN_NONE"),
        (None, ""),
    ],
)
def test_enums_have_names_and_numbers(project: World, value: object, name: str) -> None:
    asked = call(project, aggregation={"perSeriesAligner": value})
    assert enum_parameter(asked, "aggregation.perSeriesAligner") == name


@pytest.mark.parametrize("value", [5, "ALIGN_ODD"])
def test_an_unknown_enum_is_refused(project: World, value: object) -> None:
    with pytest.raises(ApiError, match="not one of the values"):
        enum_parameter(
            call(project, aggregation={"perSeriesAligner": value}), "aggregation.perSeriesAligner"
        )


def test_periods_are_a_minute_to_two_years(project: World) -> None:
    assert alignment_period(call(project, a__alignmentPeriod="60s"), "a") == 60_000_000
    longest = 104 * 7 * 24 * 60 * 60
    asked = call(project, a__alignmentPeriod=f"{longest}s")
    assert alignment_period(asked, "a") == longest * 1_000_000
    with pytest.raises(ApiError, match="at most 104 weeks"):
        alignment_period(call(project, a__alignmentPeriod=f"{longest + 1}s"), "a")


def test_the_present_is_the_session_s(project: World) -> None:
    before = now_micros(call(project))
    project.clock.advance(timedelta(seconds=2))
    assert now_micros(call(project)) - before == 2_000_000
    assert before == NOW.timestamp() * 1_000_000


def test_one_text_is_a_list_of_one(project: World) -> None:
    assert repeated_parameter(call(project, a="x"), "a") == ["x"]
    assert repeated_parameter(call(project), "a") == []
