import pytest

from harness.cases.grammar.matchers import checked
from harness.model import MATCHERS, Json

GOOD: list[Json] = [
    {"any_of": [1, {"glob": "a*"}]},
    {"regex": "^a"},
    {"number": 1.5, "tolerance": 0},
    {"present": False},
    {"absent": True},
    {"schema": {"type": "object"}},
    {"glob": "*"},
    {"contains": {"id": 1}},
    {"equals": {"regex": "("}},
]


@pytest.mark.parametrize("value", GOOD, ids=str)
def test_what_can_be_used_is_taken(value: Json) -> None:
    assert checked({"a": [value, 1, None]}) == {"a": [value, 1, None]}


def test_every_matcher_is_looked_at() -> None:
    assert {next(iter(value)) for value in GOOD} == MATCHERS


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ({"any_of": []}, "'any_of' needs a list"),
        ({"any_of": "a"}, "'any_of' needs a list"),
        ({"any_of": [{"regex": "("}]}, "not a regular expression"),
        ({"regex": ".*"}, "even an empty one"),
        ({"regex": 1}, "'regex' needs a text"),
        ({"number": True}, "need numbers"),
        ({"number": 1, "tolerance": -1}, "'tolerance' is below 0"),
        ({"present": "yes"}, "need true or false"),
        ({"absent": None}, "need true or false"),
        ({"schema": {"type": "nothing"}}, "not a JSON Schema"),
        ({"schema": []}, "'schema' needs a JSON Schema"),
        ({"glob": ""}, "'glob' needs a text"),
        ({"contains": ""}, "needs something to look for"),
        ({"contains": {"regex": "("}}, "not a regular expression"),
        ({"a": [{"b": {"regex": "("}}]}, "not a regular expression"),
    ],
    ids=str,
)
def test_what_could_never_be_used_is_refused(value: Json, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        checked(value)
