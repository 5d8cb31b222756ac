"""The language by golden cases, whose values are computed by hand."""

from math import inf, isnan, nan

import pytest

from mockserver.apis.monitoring.promql.engine import evaluate_instant
from mockserver.apis.monitoring.promql.nodes import PromqlError
from mockserver.apis.monitoring.promql.parser import parse
from mockserver.apis.monitoring.promql.vectors import Matrix
from tests.mockserver.apis.monitoring.promql.conftest import MINUTE, along, at, over, same, track

UP = [
    track('up{job="a",zone="x"}', 1, 2, 3, 4, 5),
    track('up{job="a",zone="y"}', 10, 20, 30, 40, 50),
    track('up{job="b",zone="x"}', 100, 200, None, None, 500),
]
COUNT = [track('n{c="1"}', 0, 60, 120, 180, 240), track('n{c="2"}', 10, 70, 5, 65, 125)]
BUCKETS = [
    track('b{le="1"}', 0, 0, 0, 0, 10),
    track('b{le="2"}', 0, 0, 0, 0, 30),
    track('b{le="+Inf"}', 0, 0, 0, 0, 40),
]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("1 + 2 * 3 ^ 2", 19.0),
        ("-2 ^ 2", -4.0),
        ("2 ^ 3 ^ 2", 512.0),
        ("(1 + 2) * 3 % 4", 1.0),
        ("1 / 0", float("inf")),
        ("0x1F + 5m", 331.0),
        ("1 > bool 2", 0.0),
        ("+1.5e2", 150.0),
        ("time()", 300.0),
        ("scalar(up{zone='y'}) - 1", 49.0),
        ('"a\\tb"', "a\tb"),
    ],
)
def test_numbers_and_texts(query: str, expected: object) -> None:
    assert at(query, *UP) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('up{zone="y"}', {"up{job=a,zone=y}": 50}),
        ('{__name__=~"u.", job!="a"}', {"up{job=b,zone=x}": 500}),
        ('up{zone!~"x|z"}', {"up{job=a,zone=y}": 50}),
        ('up{none=""} > 100', {"up{job=b,zone=x}": 500}),
        ("up offset 4m", {"up{job=a,zone=x}": 1, "up{job=a,zone=y}": 10, "up{job=b,zone=x}": 100}),
        ('up{zone="y"} offset -1m', {"up{job=a,zone=y}": 50}),
        ('up{zone="y"} @ 120', {"up{job=a,zone=y}": 20}),
        ('up{zone="y"} @ 120 offset 1m', {"up{job=a,zone=y}": 10}),
        ("none", {}),
        ("-up{zone='y'}", {"{job=a,zone=y}": -50}),
        ("up{zone='y'} * 2", {"{job=a,zone=y}": 100}),
        ("100 - up{zone='y'}", {"{job=a,zone=y}": 50}),
        ("up > 5 < 100", {"up{job=a,zone=y}": 50}),
        ("10 < up{zone='y'}", {"up{job=a,zone=y}": 50}),
        ("up{job='a'} >= bool 50", {"{job=a,zone=x}": 0, "{job=a,zone=y}": 1}),
        ("sum(up)", {"": 555}),
        ("sum by (job) (up)", {"{job=a}": 55, "{job=b}": 500}),
        ("sum without (zone) (up)", {"{job=a}": 55, "{job=b}": 500}),
        ("avg(up) by (zone)", {"{zone=x}": 252.5, "{zone=y}": 50}),
        ("min(up)", {"": 5}),
        ("max by (zone, none) (up)", {"{zone=x}": 500, "{zone=y}": 50}),
        ("count(up)", {"": 3}),
        ("group(up)", {"": 1}),
        ("stddev(up{job='a'})", {"": 22.5}),
        ("stdvar(up{job='a'})", {"": 506.25}),
        ("quantile(0.5, up)", {"": 50}),
        ("topk(1, up)", {"up{job=b,zone=x}": 500}),
        ("bottomk(2, up)", {"up{job=a,zone=x}": 5, "up{job=a,zone=y}": 50}),
        ("topk by (job) (1, up)", {"up{job=b,zone=x}": 500, "up{job=a,zone=y}": 50}),
        ("topk(0, up)", {}),
        ('count_values("v", up > bool 10)', {"{v=0}": 1, "{v=1}": 2}),
        ("up{job='a'} and on (zone) up{job='b'}", {"up{job=a,zone=x}": 5}),
        ("up{job='a'} unless on (zone) up{job='b'}", {"up{job=a,zone=y}": 50}),
        ("up{job='b'} or up{zone='y'}", {"up{job=b,zone=x}": 500, "up{job=a,zone=y}": 50}),
        ("up{job='a'} / ignoring (job) up{job='b'}", {"{zone=x}": 0.01}),
        ("up{job='a'} + on (zone) up{job='b'}", {"{zone=x}": 505}),
        (
            "up / on (job) group_left sum by (job) (up)",
            {"{job=a,zone=x}": 5 / 55, "{job=a,zone=y}": 50 / 55, "{job=b,zone=x}": 1},
        ),
        (
            "sum by (job) (up{job='b'}) * on () group_right () up{job='a'}",
            {"{job=a,zone=x}": 2500, "{job=a,zone=y}": 25000},
        ),
        (
            "up{job='a'} * on (zone) group_left (job) up{job='b'}",
            {"{job=b,zone=x}": 2500},
        ),
        ("up{job='a'} == on (job, zone) up", {"{job=a,zone=x}": 5, "{job=a,zone=y}": 50}),
    ],
)
def test_instant_vectors(query: str, expected: object) -> None:
    assert at(query, *UP) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("rate(n{c='1'}[2m])", {"{c=1}": 1}),
        ("increase(n{c='1'}[4m])", {"{c=1}": 240}),
        ("irate(n[3m])", {"{c=1}": 1, "{c=2}": 1}),
        ("delta(n{c='1'}[2m])", {"{c=1}": 120}),
        ("idelta(n{c='1'}[2m])", {"{c=1}": 60}),
        ("deriv(n{c='1'}[5m])", {"{c=1}": 1}),
        ("predict_linear(n{c='1'}[5m], 60)", {"{c=1}": 300}),
        ("resets(n[5m])", {"{c=1}": 0, "{c=2}": 1}),
        ("changes(n{c='1'}[3m])", {"{c=1}": 2}),
        ("avg_over_time(n{c='1'}[3m])", {"{c=1}": 180}),
        ("min_over_time(n[3m])", {"{c=1}": 120, "{c=2}": 5}),
        ("max_over_time(n[3m])", {"{c=1}": 240, "{c=2}": 125}),
        ("sum_over_time(n{c='1'}[2m])", {"{c=1}": 420}),
        ("count_over_time(n{c='1'}[2m])", {"{c=1}": 2}),
        ("last_over_time(n{c='1'}[2m])", {"n{c=1}": 240}),
        ("stddev_over_time(n{c='1'}[2m])", {"{c=1}": 30}),
        ("stdvar_over_time(n{c='1'}[2m])", {"{c=1}": 900}),
        ("mad_over_time(n{c='1'}[3m])", {"{c=1}": 60}),
        ("present_over_time(n[1m])", {"{c=1}": 1, "{c=2}": 1}),
        ("quantile_over_time(0.5, n{c='1'}[3m])", {"{c=1}": 180}),
        ("sum(rate(n[4m]))", {"": pytest.approx(1 + 125 / 180)}),
        ("max_over_time(rate(n{c='1'}[2m])[3m:1m])", {"{c=1}": 1}),
        ("sum_over_time(n{c='1'}[3m:])", {"{c=1}": 540}),
        ("avg_over_time(n{c='1'}[2m:1m] offset 1m)", {"{c=1}": 150}),
        ("absent_over_time(n[1m])", {}),
        ('absent_over_time(none{a="1",b=~"x"}[1m])', {"{a=1}": 1}),
        ("histogram_quantile(0.5, b)", {"": 1.5}),
        ("histogram_quantile(0.9, sum by (le) (b))", {"": 2}),
        ("histogram_quantile(0.25, rate(b[4m]))", {"": 1}),
        ("rate(none[5m])", {}),
    ],
)
def test_ranges(query: str, expected: object) -> None:
    assert at(query, *COUNT, *BUCKETS) == expected


def test_a_selector_looks_back_five_minutes_and_not_further() -> None:
    sparse = track("s", 7, None, None, None, None, None, None)
    assert along("s", sparse, minutes=[0.5, 1, 5.99, 6, 7]) == {"s": "_ 7 7 _ _"}


def test_every_step_of_a_range_is_evaluated() -> None:
    assert along("sum(up) > 11", *UP) == {"": "111 222 233 244 555"}
    assert along("up{job='b'} - up{job='b'} offset 1m", *UP) == {"{job=b,zone=x}": "_ 100 0 0 300"}
    assert along("up{zone='y'} @ end() - up{zone='y'} @ start()", *UP) == {
        "{job=a,zone=y}": "40 40 40 40 40"
    }
    assert along("vector(time())", minutes=[1, 2]) == {"": "60 120"}
    assert along("3") == {"": "3 3 3 3 3"}


def test_a_range_vector_is_answered_as_it_is() -> None:
    value = evaluate_instant(parse("up{zone='y'}[2m]"), over(*UP, minutes=[5]))
    assert isinstance(value, Matrix)
    assert [(each.times, each.values) for each in value.tracks] == [
        ([4 * MINUTE, 5 * MINUTE], [40, 50])
    ]


@pytest.mark.parametrize("query", ["up[5m]", '"a"', "up[5m:1m]"])
def test_a_range_of_ranges_is_refused(query: str) -> None:
    with pytest.raises(PromqlError, match="must be Scalar or instant Vector"):
        along(query, *UP)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("up{job='a'} + on (job) up{job='a'}", "found duplicate series for the match group"),
        ("up{zone='x'} + on () vector(1)", "many-to-one matching must be explicit"),
        ("sum_over_time(vector(1)[100y:1s])", "too many samples"),
        ('label_replace(up, "zone", "z", "", "")', "same labelset"),
        ("-{__name__=~'.+'}", "same labelset"),
        ('up + label_join(up, "0", "", "zone")', "invalid destination label name"),
    ],
)
def test_what_cannot_be_carried_out_is_an_execution_error(query: str, words: str) -> None:
    other = track('down{job="a",zone="x"}', 1, 1, 1, 1, 1)
    with pytest.raises(PromqlError, match=words) as caught:
        at(query, *UP, other)
    assert caught.value.kind == "execution"


X = [track('x{a="1"}', 6), track('x{a="2"}', 8)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("7 % 4", 3),
        ("1 % 0", float("nan")),
        ("0 / 0", float("nan")),
        ("-1 / 0", float("-inf")),
        ("10 ^ 400", float("inf")),
        ("-8 ^ 0.5", -(8**0.5)),
        ("0 ^ -1", float("inf")),
        ("(0 - 8) ^ 0.5", float("nan")),
        ("1 atan2 1", 0.7853981633974483),
        ("1 == bool 1", 1),
        ("1 != bool 1", 0),
        ("1 <= bool 1", 1),
        ("2 < bool 1", 0),
    ],
)
def test_arithmetic(query: str, expected: float) -> None:
    found = at(query)
    assert isinstance(found, float)
    assert same(found, expected)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("x == 6", {"x{a=1}": 6}),
        ("6 != x", {"x{a=2}": 8}),
        ("x != bool 6", {"{a=1}": 0, "{a=2}": 1}),
        ("6 >= bool x", {"{a=1}": 1, "{a=2}": 0}),
        ("x > x", {}),
        ("x >= bool x", {"{a=1}": 1, "{a=2}": 1}),
        ("x and x > 6", {"x{a=2}": 8}),
        ("x or on () x", {"x{a=1}": 6, "x{a=2}": 8}),
        ("x unless x", {}),
    ],
)
def test_comparisons_and_sets(query: str, expected: dict[str, float]) -> None:
    assert at(query, *X) == expected


def test_lines_that_follow_each_other_are_one_counterpart() -> None:
    tracks = [
        track('x{a="1"}', *range(1, 8)),
        track('y{a="1",v="old"}', 10, None, None, None, None, None, None),
        track('y{a="1",v="new"}', None, None, None, None, None, None, 20),
    ]
    assert along("y * ignoring (v) group_left sum by (a) (y)", *tracks, minutes=[1, 7]) == {
        "{a=1,v=old}": "100 _",
        "{a=1,v=new}": "_ 400",
    }
    assert along("x + ignoring (v) y", *tracks, minutes=[1, 7]) == {"{a=1}": "11 27"}


def test_texts_are_not_combined() -> None:
    with pytest.raises(PromqlError, match="binary expression must contain only"):
        at('"a" + "b"')


N = [track('n{a="1"}', 1, nan), track('n{a="2"}', 5, 2), track('n{a="3"}', None, 3)]


def test_no_number_counts_last() -> None:
    assert along("topk(2, n)", *N, minutes=[1, 2]) == {
        "n{a=1}": "1 _",
        "n{a=2}": "5 2",
        "n{a=3}": "_ 3",
    }
    assert along("min(n)", *N, minutes=[1, 2]) == {"": "1 2"}
    assert along("max(n)", *N, minutes=[1, 2]) == {"": "5 3"}
    only = at("max(n)", track("n", nan), minute=1)
    assert isinstance(only, dict)
    assert isnan(only[""])


def test_parameters_may_change_from_step_to_step() -> None:
    assert along("quantile(scalar(q), n{a!='1'})", *N, track("q", 0, 1), minutes=[1, 2]) == {
        "": "5 3"
    }
    assert along("bottomk(scalar(q), n{a!='1'})", *N, track("q", 0, 1), minutes=[1, 2]) == {
        "n{a=2}": "_ 2"
    }


def test_infinities_add_up() -> None:
    rows = [track('n{a="1"}', inf), track('n{a="2"}', -inf)]
    found = at("sum(n)", *rows, minute=1)
    assert isinstance(found, dict)
    assert isnan(found[""])
    assert at("sum(n)", rows[0], minute=1) == {"": inf}


def test_values_are_counted_at_every_step() -> None:
    rows = [track('n{a="1"}', 1, 2), track('n{a="2"}', 1, None)]
    assert along('count_values("v", n)', *rows, minutes=[1, 2]) == {"{v=1}": "2 1", "{v=2}": "_ 1"}
    assert along('count_values by (a) ("v", n{a="1"})', *rows, minutes=[1]) == {"{a=1,v=1}": "1"}
