from math import inf, isclose, isnan, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.monitoring.promql.functions import (
    CALENDAR,
    FUNCTIONS,
    MATHS,
    RANGE_FUNCTIONS,
    bucket_quantile,
    clamp,
    label_join,
    label_replace,
    predict_linear,
    quantile,
    round_to,
)
from mockserver.apis.monitoring.promql.nodes import PromqlError
from mockserver.apis.monitoring.promql.signatures import SIGNATURES
from mockserver.apis.monitoring.promql.vectors import Line
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


BUCKETS = [(1.0, 10.0), (2.0, 30.0), (inf, 40.0)]


@pytest.mark.parametrize(
    ("share", "buckets", "expected"),
    [
        (0.5, BUCKETS, 1.5),
        (0.25, BUCKETS, 1.0),
        (0.125, BUCKETS, 0.5),
        (0.99, BUCKETS, 2.0),
        (0.0, BUCKETS, 0.0),
        (-1, BUCKETS, -inf),
        (2, BUCKETS, inf),
        (nan, BUCKETS, nan),
        (0.5, [(1.0, 10.0), (2.0, 30.0)], nan),
        (0.5, [(inf, 10.0)], nan),
        (0.5, [(1.0, 0.0), (inf, 0.0)], nan),
        (0.5, [(-1.0, 10.0), (inf, 10.0)], -1.0),
        (0.5, [(1.0, 30.0), (2.0, 10.0), (inf, 40.0)], 2 / 3),
        (0.5, [(1.0, 5.0), (1.0, 5.0), (inf, 10.0)], 0.5),
        (0.0, [(-1.0, 10.0), (inf, 10.0)], -1.0),
        (1.0, BUCKETS, 2.0),
        (0.0, [(1.0, 0.0), (2.0, 4.0), (inf, 4.0)], 1.0),
        (0.5, [(0.0, 1.0), (4.0, 3.0), (inf, 4.0)], 2.0),
    ],
)
def test_quantiles_of_buckets(
    share: float, buckets: list[tuple[float, float]], expected: float
) -> None:
    assert same(bucket_quantile(share, buckets), expected)


def test_lines_without_a_bound_are_left_out() -> None:
    tracks = [
        track('b{le="1"}', 1),
        track('b{le="+Inf"}', 1),
        track("b", 5),
        track('b{le="x"}', 5),
    ]
    assert at("histogram_quantile(1, b)", *tracks, minute=1) == {"": 1}


@given(
    st.lists(st.integers(0, 100), min_size=3, max_size=6),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_quantiles_rise_with_the_share(counts: list[int], one: float, other: float) -> None:
    bounds = [*(float(at) for at in range(1, len(counts))), inf]
    totals = [float(sum(counts[: at + 1])) for at in range(len(counts))]
    buckets = list(zip(bounds, totals, strict=True))
    low, high = sorted((one, other))
    if totals[-1]:
        assert bucket_quantile(low, buckets) <= bucket_quantile(high, buckets) + 1e-9


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("sqrt", 9, 3),
        ("sqrt", -1, nan),
        ("ln", 0, -inf),
        ("ln", -1, nan),
        ("log2", 8, 3),
        ("log10", 1000, 3),
        ("exp", 1000, inf),
        ("log2", 0, -inf),
        ("log10", 0, -inf),
        ("sqrt", 0, 0),
        ("sinh", -1000, -inf),
        ("sinh", 1000, inf),
        ("cosh", -1000, inf),
        ("atanh", 1, nan),
        ("ceil", inf, inf),
        ("floor", nan, nan),
        ("sgn", 0, 0),
        ("sgn", nan, nan),
        ("acos", 2, nan),
        ("deg", 0, 0),
        ("rad", 0, 0),
    ],
)
def test_functions_answer_where_they_are_not_defined(
    name: str, value: float, expected: float
) -> None:
    assert same(MATHS[name](value), expected)


@pytest.mark.parametrize(
    ("value", "to", "expected"),
    [(2.5, 1, 3), (-2.5, 1, -2), (7, 5, 5), (inf, 1, inf), (1, 0, nan), (nan, 1, nan)],
)
def test_rounding(value: float, to: float, expected: float) -> None:
    assert same(round_to(value, to), expected)


def test_clamping() -> None:
    assert clamp(5, 1, 3) == 3
    assert same(clamp(nan, 1, 3), nan)
    assert same(clamp(1, nan, 3), nan)


@pytest.mark.parametrize("value", [nan, inf, 1e300])
def test_what_is_no_time_has_no_calendar(value: float) -> None:
    assert same(CALENDAR["hour"](value), nan)


LINES = [Line((("a", "x-1"), ("b", "y")), [1.0])]


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (("c", "$1", "a", "(.).*"), {"a": "x-1", "b": "y", "c": "x"}),
        (("c", "${1}z$$", "a", "(.).*"), {"a": "x-1", "b": "y", "c": "xz$"}),
        (("c", "$n", "a", "(?P<n>.).*"), {"a": "x-1", "b": "y", "c": "x"}),
        (("c", "$9", "a", ".*"), {"a": "x-1", "b": "y"}),
        (("c", "$1", "a", "(x)"), {"a": "x-1", "b": "y"}),
        (("b", "", "a", ".*"), {"a": "x-1"}),
        (("c", "n", "none", ""), {"a": "x-1", "b": "y", "c": "n"}),
    ],
)
def test_a_label_is_set_where_the_expression_matches(
    names: tuple[str, ...], labels: dict[str, str]
) -> None:
    assert dict(label_replace(LINES, names)[0].labels) == labels


def test_labels_are_joined() -> None:
    assert dict(label_join(LINES, ("c", "+", "a", "none", "b"))[0].labels)["c"] == "x-1++y"


@pytest.mark.parametrize("names", [("1c", "", "a", ""), ("", "", "a", "")])
def test_a_name_that_is_none_is_refused(names: tuple[str, ...]) -> None:
    with pytest.raises(PromqlError, match=r"invalid destination label name in label_replace"):
        label_replace(LINES, names)
    with pytest.raises(PromqlError, match=r"invalid destination label name in label_join"):
        label_join(LINES, names)


def test_an_expression_that_is_none_is_refused() -> None:
    with pytest.raises(PromqlError, match="invalid regular expression"):
        label_replace(LINES, ("c", "", "a", "("))


def same_up_to(found: object, expected: float) -> bool:
    return isinstance(found, dict) and isclose(found[""], expected)


def test_a_rate_over_one_sample_takes_the_one_before() -> None:
    count = track("n", 0, 30, 90)
    assert at("rate(n[1m])", count, minute=3) == {"": 1}
    assert at("increase(n[30s])", count, minute=3) == {"": 30}
    assert at("irate(n[1m])", count, minute=3) == {"": 1}
    assert at("rate(n[1m])", count, minute=1) == {}


def test_a_sample_that_is_long_gone_does_not_join() -> None:
    count = track("n", 0, None, None, None, None, None, None, 60)
    assert at("rate(n[1m])", count, minute=8) == {}


def test_a_counter_is_not_extrapolated_below_zero() -> None:
    count = track("n", None, None, 10, 70)
    # 10 of 60 a minute: it began ten seconds before the third minute
    assert same_up_to(at("increase(n[4m])", count, minute=4), 70)


def test_far_edges_are_extrapolated_by_half_a_step() -> None:
    gauge = track("g", None, None, 10, 20, None, None)
    assert same_up_to(at("delta(g[6m])", gauge, minute=6), 10 * (1 + 0.5 + 0.5))


@pytest.mark.parametrize("name", sorted(set(RANGE_FUNCTIONS) - {"absent_over_time"}))
def test_nothing_comes_of_no_samples(name: str) -> None:
    takes = {"scalar": "0.5", "matrix": "n[1m]"}
    arguments = ", ".join(takes[kind] for kind in SIGNATURES[name].takes)
    assert at(f"{name}({arguments})", track("n", 1), minute=3) == {}


@pytest.mark.parametrize(
    ("share", "values", "expected"),
    [
        (0.0, [3, 1, 2], 1),
        (1.0, [3, 1, 2], 3),
        (0.75, [1, 2, 3], 2.5),
        (-0.1, [1], -inf),
        (1.1, [1], inf),
    ],
)
def test_quantiles(share: float, values: list[float], expected: float) -> None:
    assert quantile(share, values) == expected


def test_quantiles_of_nothing_are_no_numbers() -> None:
    assert isnan(quantile(0.5, []))
    assert isnan(quantile(nan, [1]))


def test_a_line_needs_two_points() -> None:
    assert predict_linear(track("g", 1), 0, 1, (0, 60_000_000), 10) is None


@given(st.integers(0, 1000), st.integers(2, 12), st.integers(14, 40))
def test_the_rate_of_a_steady_counter_is_its_slope(slope: int, span: int, count: int) -> None:
    counter = track("n", *(slope * (each + 20) for each in range(count)))
    found = along(f"rate(n[{span}m]) * 60", counter, minutes=[count - 0.5, count])
    assert all(isclose(float(each), slope) for each in found[""].split())


@given(st.lists(st.lists(st.integers(0, 100), min_size=5, max_size=5), min_size=1, max_size=4))
def test_sums_of_groups_add_up_to_the_sum(rows: list[list[int]]) -> None:
    tracks = [track(f'n{{a="{number % 2}",b="{number}"}}', *row) for number, row in enumerate(rows)]
    total = along("sum by () (n)", *tracks)
    assert along("sum(sum by (a) (n))", *tracks) == total
    assert along("avg(n) * count(n)", *tracks).keys() == total.keys()
    assert [int(each) for each in total[""].split()] == [
        sum(column) for column in zip(*rows, strict=True)
    ]
