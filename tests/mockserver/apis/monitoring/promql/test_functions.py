from math import nan

import pytest

from mockserver.apis.monitoring.promql.functions import FUNCTIONS
from mockserver.apis.monitoring.promql.signatures import SIGNATURES
from tests.mockserver.apis.monitoring.promql.conftest import along, at, same, track

G = [track('g{a="1"}', -2.5), track('g{a="2"}', 4.4)]


def test_every_signature_has_its_function() -> None:
    assert set(FUNCTIONS) == set(SIGNATURES)


@pytest.mark.parametrize(
    ("query", "one", "two"),
    [
        ("abs(g)", 2.5, 4.4),
        ("ceil(g)", -2, 5),
        ("floor(g)", -3, 4),
        ("round(g)", -2, 4),
        ("round(g, 0.5)", -2.5, 4.5),
        ("clamp(g, -1, 3)", -1, 3),
        ("clamp_min(g, 0)", 0, 4.4),
        ("clamp_max(g, 0)", -2.5, 0),
        ("sgn(g)", -1, 1),
    ],
)
def test_functions_of_a_sample(query: str, one: float, two: float) -> None:
    assert at(query, *G) == {"{a=1}": one, "{a=2}": two}


def test_the_order_of_a_vector_can_be_asked_for() -> None:
    for query, order in (("sort(g)", ["1", "2"]), ("sort_desc(g)", ["2", "1"])):
        found = at(query, *G)
        assert isinstance(found, dict)
        assert list(found) == [f"g{{a={each}}}" for each in order]


def test_what_is_absent_is_told_with_the_labels_that_are_sure() -> None:
    assert at('absent(none{a="1",b!="2",c=~"3"})') == {"{a=1}": 1}
    assert at('absent(none{a="1",a="2"})') == {"": 1}
    assert at("absent(sum(none))") == {"": 1}
    assert at("absent(g)", *G) == {}
    assert along("absent(n)", track("n", None, 2), minutes=[1, 2, 7]) == {"": "1 _ 1"}


def test_numbers_become_vectors_and_back() -> None:
    assert at("vector(3)") == {"": 3}
    found = at("scalar(g)", *G)
    assert isinstance(found, float)
    assert same(found, nan)
    assert at("pi() > bool 3") == 1.0


def test_times_of_samples() -> None:
    count = track("n", 1, 2, None)
    assert at("timestamp(n)", count, minute=3) == {"": 120}
    assert at("timestamp(n offset 2m)", count, minute=3) == {"": 60}
    assert at("timestamp(n + 0)", count, minute=3) == {"": 180}


def test_calendars_are_utc() -> None:
    moment = track("t", 1772442000.0)  # Monday, 2026-03-02 09:00
    for name, value in (
        ("minute", 0),
        ("hour", 9),
        ("day_of_week", 1),
        ("day_of_month", 2),
        ("day_of_year", 61),
        ("days_in_month", 31),
        ("month", 3),
        ("year", 2026),
    ):
        assert at(f"{name}(t)", moment) == {"": value}
    assert at("year()") == {"": 1970}


def test_labels_are_replaced_and_joined() -> None:
    assert at('label_replace(g{a="1"}, "b", "x-$1", "a", "(.*)")', *G) == {"g{a=1,b=x-1}": -2.5}
    assert at('label_join(g{a="1"}, "b", "-", "a", "a")', *G) == {"g{a=1,b=1-1}": -2.5}
