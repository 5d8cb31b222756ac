from math import inf, isnan, nan

from tests.mockserver.apis.monitoring.promql.conftest import along, at, track

N = [track('n{a="1"}', 1, nan), track('n{a="2"}', 5, 2), track('n{a="3"}', None, 3)]


def test_no_number_counts_last() -> None:
    assert along("topk(2, n)", *N, minutes=[1, 2]) == {
        "n{a=1}": "1 _",
        "n{a=2}": "5 2",
        "n{a=3}": "_ 3",
    }
    assert along("min(n)", *N, minutes=[1, 2]) == {"": "1 2"}
    assert along("max(n)", *N, minutes=[1, 2]) == {"": "5 3"}
    only = at("max(n)", track("n", nan), minute=1)
    assert isinstance(only, dict)
    assert isnan(only[""])


def test_parameters_may_change_from_step_to_step() -> None:
    assert along("quantile(scalar(q), n{a!='1'})", *N, track("q", 0, 1), minutes=[1, 2]) == {
        "": "5 3"
    }
    assert along("bottomk(scalar(q), n{a!='1'})", *N, track("q", 0, 1), minutes=[1, 2]) == {
        "n{a=2}": "_ 2"
    }


def test_infinities_add_up() -> None:
    rows = [track('n{a="1"}', inf), track('n{a="2"}', -inf)]
    found = at("sum(n)", *rows, minute=1)
    assert isinstance(found, dict)
    assert isnan(found[""])
    assert at("sum(n)", rows[0], minute=1) == {"": inf}


def test_values_are_counted_at_every_step() -> None:
    rows = [track('n{a="1"}', 1, 2), track('n{a="2"}', 1, None)]
    assert along('count_values("v", n)', *rows, minutes=[1, 2]) == {"{v=1}": "2 1", "{v=2}": "_ 1"}
    assert along('count_values by (a) ("v", n{a="1"})', *rows, minutes=[1]) == {"{a=1,v=1}": "1"}
