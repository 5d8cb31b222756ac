import pytest

from mockserver.apis.monitoring.promql.functions import CALENDAR
from mockserver.apis.monitoring.promql.nodes import PromqlError
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


SHOWN = {"scalar": "1", "vector": "up", "matrix": "up[5m]", "string": '"a"'}
OPTIONAL = {"round": 1, "label_join": 1, **dict.fromkeys(CALENDAR, 1)}


@pytest.mark.parametrize("name", sorted(SIGNATURES))
def test_a_function_takes_as_many_arguments_as_it_says(name: str) -> None:
    takes = [SHOWN[kind] for kind in SIGNATURES[name].takes]
    least = len(takes) - OPTIONAL.get(name, 0)
    for count in range(len(takes) + 2):
        several = [*takes, *takes[-1:], "1"][:count]
        if least <= count <= len(takes) or (name == "label_join" and count >= least):
            parse(f"{name}({', '.join(several)})")
        else:
            with pytest.raises(PromqlError, match="argument"):
                parse(f"{name}({', '.join(several)})")
