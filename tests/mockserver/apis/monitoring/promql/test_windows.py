import pytest

from mockserver.apis.monitoring.promql import PromqlError, evaluate_range, parse
from mockserver.apis.monitoring.promql.nodes import Selector, Shift
from mockserver.apis.monitoring.promql.vectors import moments, places, selected, windows
from tests.mockserver.apis.monitoring.promql.conftest import MINUTE, over, track

N = track("n", 1, 2, 3)


def test_moments_follow_offset_and_at() -> None:
    context = over(N, minutes=[1, 2])
    assert list(moments(Shift(), context)) == [MINUTE, 2 * MINUTE]
    assert list(moments(Shift(offset=MINUTE), context)) == [0, MINUTE]
    assert list(moments(Shift(at=5), context)) == [5, 5]
    assert list(moments(Shift(at="end", offset=1), context)) == [2 * MINUTE - 1] * 2


def test_places_are_the_last_samples() -> None:
    assert places(N, [0, MINUTE, MINUTE + 1, 9 * MINUTE]) == [None, 0, 0, None]


def test_a_selector_without_samples_gives_no_line() -> None:
    node = parse("n")
    assert isinstance(node, Selector)
    assert selected(node, over(N, minutes=[20])) == []


def test_spans_are_open_at_their_start() -> None:
    found = windows(parse("n[1m]"), over(N, minutes=[2, 3]))
    assert [found.edges(each) for each in found.tracks] == [[(1, 2), (2, 3)]]


def test_steps_of_a_subquery_are_multiples() -> None:
    found = windows(parse("n[2m:1m]"), over(N, minutes=[2.5]))
    assert [list(each.times) for each in found.tracks] == [[MINUTE, 2 * MINUTE]]
    assert windows(parse("n[10s:1m]"), over(N, minutes=[2.5])).tracks == []


@pytest.mark.parametrize("query", ["n", "rate(n[1m])"])
def test_too_many_samples_are_not_computed(query: str) -> None:
    tracks = [track(f'n{{a="{number}"}}', 1) for number in range(600)]
    with pytest.raises(PromqlError, match="too many samples"):
        evaluate_range(parse(query), over(*tracks, minutes=range(10_000)))


def test_a_vector_is_no_range() -> None:
    with pytest.raises(PromqlError, match="expected a range vector"):
        windows(parse("n"), over(N, minutes=[1]))
