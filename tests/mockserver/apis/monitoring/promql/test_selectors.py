import pytest

from mockserver.apis.monitoring.promql import NAME, Matcher, PromqlError, parse, parse_selector
from mockserver.apis.monitoring.promql.nodes import Node, Range, Selector, Shift, Subquery
from mockserver.apis.monitoring.promql.parser import number

MINUTE = 60_000_000
UP = Selector((Matcher(NAME, "=", "up"),))


@pytest.mark.parametrize(
    ("query", "node"),
    [
        ("up{}", UP),
        ('{"up"}', UP),
        (
            '{"a.b/c", x="1",}',
            Selector((Matcher("__name__", "=", "a.b/c"), Matcher("x", "=", "1"))),
        ),
        ("up[1h30m]", Range(UP, 90 * MINUTE)),
        ("up[60]", Range(UP, MINUTE)),
        ("up[5m:]", Subquery(UP, 5 * MINUTE, 0)),
        ("up[5m:1m]", Subquery(UP, 5 * MINUTE, MINUTE)),
        ("up offset 5m", Selector(UP.matchers, Shift(5 * MINUTE))),
        ("up[1m] offset -5m", Range(Selector(UP.matchers, Shift(-5 * MINUTE)), MINUTE)),
        ("up[5m:1m] @ end()", Subquery(UP, 5 * MINUTE, MINUTE, Shift(0, "end"))),
        ("up @ -1.5", Selector(UP.matchers, Shift(0, -1_500_000))),
    ],
)
def test_selectors_are_read(query: str, node: Node) -> None:
    assert parse(query) == node


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("{}", "must contain at least one non-empty matcher"),
        ('{a=~".*"}', "must contain at least one non-empty matcher"),
        ('up{"down"}', "metric name must not be set twice"),
        ("up{a}", "expected label matching operator"),
        ("up{a=b}", 'unexpected identifier "b" in label matching, expected string'),
        ('up{a="b" c="d"}', 'unexpected identifier "c" inside braces'),
        ('up{a=~"("}', "error parsing regexp"),
        ("up[]", "expected duration"),
        ("up[0s]", "duration must be greater than 0"),
        ("up[5m", "unexpected end of input in range selector"),
        ("1[5m]", "ranges only allowed for vector selectors"),
        ("time()[5m:1m]", "subquery is only allowed on instant vector"),
        ("up[5m][5m]", "ranges only allowed for vector selectors"),
        ("sum(up) offset 5m", "offset modifier must be preceded by"),
        ("up @ up", "expected timestamp"),
        ("up @ start(", "unexpected end of input"),
    ],
)
def test_selectors_that_cannot_be_are_refused(query: str, words: str) -> None:
    with pytest.raises(PromqlError) as caught:
        parse(query)
    assert words in str(caught.value)


@pytest.mark.parametrize("text", ["up[5m]", "1", "up offset 5m", "sum(up)"])
def test_only_a_plain_selector_chooses_series(text: str) -> None:
    with pytest.raises(PromqlError, match="expected a series selector"):
        parse_selector(text)


def test_numbers_may_be_hexadecimal() -> None:
    assert (number("0x10"), number("1e3"), number(".5")) == (16, 1000, 0.5)
