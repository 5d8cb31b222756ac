import pytest

from mockserver.apis.monitoring.promql import PromqlError
from mockserver.apis.monitoring.promql.vectors import Line, labels_text, mapped, present, unique

NAME = ("__name__", "n")


def test_lines_of_equal_labels_become_one() -> None:
    lines = [Line((NAME,), [1, None]), Line((("__name__", "m"),), [None, 2])]
    assert mapped(lines, lambda value: -value) == [Line((), [-1, -2])]


def test_two_samples_at_one_step_are_too_many() -> None:
    with pytest.raises(PromqlError, match="same labelset"):
        unique([Line((), [1]), Line((), [1])])


def test_empty_lines_are_left_out() -> None:
    assert present([Line((), [None]), Line((NAME,), [0])]) == [Line((NAME,), [0])]


def test_labels_are_shown() -> None:
    assert labels_text((("a", "1"), ("b", "2"))) == '{a="1", b="2"}'
