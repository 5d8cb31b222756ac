import pytest

from mockserver.apis.monitoring.promql.parser import parse
from mockserver.apis.monitoring.promql.signatures import AGGREGATORS, SIGNATURES, kind_of


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("1", "scalar"),
        ('"a"', "string"),
        ("up", "vector"),
        ("up[5m]", "matrix"),
        ("up[5m:]", "matrix"),
        ("-up", "vector"),
        ("1 + 1", "scalar"),
        ("1 + up", "vector"),
        ("sum(up)", "vector"),
        ("time()", "scalar"),
        ("rate(up[5m])", "vector"),
    ],
)
def test_every_expression_has_a_kind(query: str, kind: str) -> None:
    assert kind_of(parse(query)) == kind


def test_no_name_is_a_function_and_an_aggregation() -> None:
    assert not set(SIGNATURES) & set(AGGREGATORS)
