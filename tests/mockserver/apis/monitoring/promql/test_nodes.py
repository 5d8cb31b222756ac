from typing import get_args

from mockserver.apis.monitoring.promql.nodes import (
    KIND_NAMES,
    Kind,
    Matching,
    PromqlError,
    Shift,
    execution,
)


def test_every_kind_has_a_name() -> None:
    assert set(KIND_NAMES) == set(get_args(Kind))


def test_nothing_is_shifted_and_everything_matched_unless_told() -> None:
    assert Shift() == Shift(0, None)
    assert Matching() == Matching(on=False, labels=(), many="", include=())


def test_errors_are_of_two_kinds() -> None:
    assert PromqlError("a").kind == "bad_data"
    assert (str(execution("b")), execution("b").kind) == ("b", "execution")
