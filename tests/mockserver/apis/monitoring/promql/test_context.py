import pytest

from mockserver.apis.monitoring.promql import PromqlError, Scalar, context_of, parse
from tests.mockserver.apis.monitoring.promql.conftest import Given, over, track


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
