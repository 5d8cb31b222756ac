import pytest

from mockserver.apis.monitoring.promql.nodes import Matcher
from mockserver.apis.monitoring.promql.vectors import (
    compiled,
    matches,
    matches_text,
    only,
    with_label,
    without,
)

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
    compiled(Matcher("a", "=", "("), ValueError)
    with pytest.raises(ValueError, match="error parsing regexp"):
        compiled(Matcher("a", "!~", "("), ValueError)


def test_labels_are_kept_dropped_and_set() -> None:
    assert without(LABELS, "a", "c") == (("b", "2"),)
    assert only(LABELS, ["a", "c"]) == (("a", "1"),)
    assert with_label(LABELS, "a", "9") == (("a", "9"), ("b", "2"))
    assert with_label(LABELS, "a", "") == (("b", "2"),)
    assert with_label((("b", "2"),), "a", "0") == (("a", "0"), ("b", "2"))
