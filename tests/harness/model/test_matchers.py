import pytest

from harness.model import MATCHERS, Json, literal, literal_args, matcher_name


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"regex": "x"}, "regex"),
        ({"number": 1, "tolerance": 2}, "number"),
        ({"regex": "x", "glob": "y"}, ""),
        ({"tolerance": 2}, ""),
        ({"folder": "x"}, ""),
        ({}, ""),
        ("regex", ""),
        ([{"regex": "x"}], ""),
    ],
    ids=str,
)
def test_a_matcher_is_an_object_with_one_key_that_is_known(value: Json, name: str) -> None:
    assert matcher_name(value) == name


def test_a_literal_holds_no_matcher() -> None:
    for name in MATCHERS:
        assert literal([{name: 1}]) == [{"equals": {name: 1}}]
    assert literal_args({"regex": {"glob": "x"}}) == {"regex": {"equals": {"glob": "x"}}}
