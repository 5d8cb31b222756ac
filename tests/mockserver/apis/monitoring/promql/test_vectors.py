import pytest

from mockserver.apis.monitoring.promql.engine import context_of, evaluate_range
from mockserver.apis.monitoring.promql.nodes import Matcher, PromqlError, Selector, Shift
from mockserver.apis.monitoring.promql.parser import parse
from mockserver.apis.monitoring.promql.vectors import (
    Line,
    Scalar,
    check_matcher,
    check_unique,
    labels_text,
    lines_with_samples,
    map_samples,
    matches,
    matches_text,
    only_labels,
    sample_places,
    select_lines,
    select_windows,
    step_moments,
    with_label,
    without_labels,
)
from tests.mockserver.apis.monitoring.promql.conftest import MINUTE, Given, over, track

NAME = ("__name__", "n")


def test_lines_of_equal_labels_become_one() -> None:
    lines = [Line((NAME,), [1, None]), Line((("__name__", "m"),), [None, 2])]
    assert map_samples(lines, lambda value: -value) == [Line((), [-1, -2])]


def test_two_samples_at_one_step_are_too_many() -> None:
    with pytest.raises(PromqlError, match="same labelset"):
        check_unique([Line((), [1]), Line((), [1])])


def test_empty_lines_are_left_out() -> None:
    assert lines_with_samples([Line((), [None]), Line((NAME,), [0])]) == [Line((NAME,), [0])]


def test_labels_are_shown() -> None:
    assert labels_text((("a", "1"), ("b", "2"))) == '{a="1", b="2"}'


LABELS = (("a", "1"), ("b", "2"))


@pytest.mark.parametrize(
    ("operator", "value", "expected"),
    [
        ("=", "1", True),
        ("!=", "1", False),
        ("=~", "1|2", True),
        ("=~", "1x", False),
        ("=~", "", False),
        ("!~", "1.*", False),
        ("!~", "x", True),
    ],
)
def test_matchers_are_anchored(operator: str, value: str, expected: bool) -> None:
    assert matches_text(Matcher("a", operator, value), "1") is expected
    assert matches([Matcher("a", operator, value)], LABELS) is expected


def test_an_absent_label_is_empty() -> None:
    assert matches([Matcher("c", "=", ""), Matcher("c", "!=", "x")], LABELS)


def test_expressions_are_compiled_or_refused() -> None:
    check_matcher(Matcher("a", "=", "("), ValueError)
    with pytest.raises(ValueError, match="error parsing regexp"):
        check_matcher(Matcher("a", "!~", "("), ValueError)


def test_labels_are_kept_dropped_and_set() -> None:
    assert without_labels(LABELS, "a", "c") == (("b", "2"),)
    assert only_labels(LABELS, ["a", "c"]) == (("a", "1"),)
    assert with_label(LABELS, "a", "9") == (("a", "9"), ("b", "2"))
    assert with_label(LABELS, "a", "") == (("b", "2"),)
    assert with_label((("b", "2"),), "a", "0") == (("a", "0"), ("b", "2"))


N = track("n", 1, 2, 3)


def test_moments_follow_offset_and_at() -> None:
    context = over(N, minutes=[1, 2])
    assert list(step_moments(Shift(), context)) == [MINUTE, 2 * MINUTE]
    assert list(step_moments(Shift(offset=MINUTE), context)) == [0, MINUTE]
    assert list(step_moments(Shift(at=5), context)) == [5, 5]
    assert list(step_moments(Shift(at="end", offset=1), context)) == [2 * MINUTE - 1] * 2


def test_places_are_the_last_samples() -> None:
    assert sample_places(N, [0, MINUTE, MINUTE + 1, 9 * MINUTE]) == [None, 0, 0, None]


def test_a_selector_without_samples_gives_no_line() -> None:
    node = parse("n")
    assert isinstance(node, Selector)
    assert select_lines(node, over(N, minutes=[20])) == []


def test_spans_are_open_at_their_start() -> None:
    found = select_windows(parse("n[1m]"), over(N, minutes=[2, 3]))
    assert [found.edges(each) for each in found.tracks] == [[(1, 2), (2, 3)]]


def test_steps_of_a_subquery_are_multiples() -> None:
    found = select_windows(parse("n[2m:1m]"), over(N, minutes=[2.5]))
    assert [list(each.times) for each in found.tracks] == [[MINUTE, 2 * MINUTE]]
    assert select_windows(parse("n[10s:1m]"), over(N, minutes=[2.5])).tracks == []


@pytest.mark.parametrize("query", ["n", "rate(n[1m])"])
def test_too_many_samples_are_not_computed(query: str) -> None:
    tracks = [track(f'n{{a="{number}"}}', 1) for number in range(600)]
    with pytest.raises(PromqlError, match="too many samples"):
        evaluate_range(parse(query), over(*tracks, minutes=range(10_000)))


def test_a_vector_is_no_range() -> None:
    with pytest.raises(PromqlError, match="expected a range vector"):
        select_windows(parse("n"), over(N, minutes=[1]))


def test_values_are_asked_for_by_their_kind() -> None:
    context = over(track("n", 7), minutes=[1])
    assert context.value(parse("2")) == Scalar([2.0])
    assert context.numbers(parse("2")) == [2.0]
    assert [line.values for line in context.lines(parse("n"))] == [[7]]
    with pytest.raises(PromqlError, match="expected an instant vector"):
        context.lines(parse("2"))
    with pytest.raises(PromqlError, match="expected a scalar"):
        context.numbers(parse("n"))


def test_the_caller_s_time_is_shifted() -> None:
    context = context_of(Given([]), [0, 60_000_000], shift=1_000_000)
    assert context.now() == [1.0, 61.0]
    assert (context.start, context.end) == (0, 60_000_000)
    assert list(step_moments(Shift(at=5_000_000), context)) == [4_000_000] * 2
