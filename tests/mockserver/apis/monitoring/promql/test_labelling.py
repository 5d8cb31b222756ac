import pytest

from mockserver.apis.monitoring.promql import PromqlError
from mockserver.apis.monitoring.promql.functions import label_join, label_replace
from mockserver.apis.monitoring.promql.vectors import Line

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
