import pytest

from harness.checks.matchers import (
    ABSENT,
    InvalidMatcherError,
    accepts,
    describe,
    is_subset,
    pattern,
)
from harness.model import MATCHERS, Json, JsonObject

ACCEPTED: list[tuple[JsonObject, Json, Json]] = [
    ({"any_of": [1, 2]}, 2, 3),
    ({"any_of": [{"glob": "a*"}, 7]}, "ab", "b"),
    ({"regex": "^S.l"}, "Sales", "sales"),
    ({"number": 3, "tolerance": 0.5}, 3.5, 3.6),
    ({"number": 3}, 3.0, "3"),
    ({"number": 1}, 1, True),
    ({"present": True}, None, ABSENT),
    ({"present": False}, ABSENT, 0),
    ({"absent": True}, ABSENT, ""),
    ({"absent": False}, "", ABSENT),
    ({"schema": {"type": "integer", "minimum": 3}}, 3, 2),
    ({"glob": "*.md"}, "a.md", "a.MD"),
    ({"glob": "*"}, "", 1),
    ({"contains": "b"}, "abc", "ABC"),
    ({"contains": {"id": 1}}, [{"id": 1, "n": 2}], [{"id": 2}]),
    ({"contains": "key"}, {"key": 1}, 5),
    ({"regex": "a"}, "a", ABSENT),
]


@pytest.mark.parametrize(("matcher", "good", "bad"), ACCEPTED, ids=str)
def test_each_matcher_takes_what_it_names(matcher: JsonObject, good: Json, bad: Json) -> None:
    assert accepts(matcher, good, is_subset)
    assert not accepts(matcher, bad, is_subset)
    assert describe(matcher)


def test_every_matcher_is_tried() -> None:
    tried = {next(iter(matcher)) for matcher, _, _ in ACCEPTED}
    assert tried == MATCHERS - {"equals"}, "which is a plain comparison"


@pytest.mark.parametrize(
    "matcher",
    [
        {"any_of": 1},
        {"regex": "("},
        {"regex": 1},
        {"number": "3"},
        {"number": 3, "tolerance": True},
        {"schema": {"type": "nothing"}},
        {"schema": 1},
    ],
    ids=str,
)
def test_a_matcher_of_no_use_is_told_so(matcher: JsonObject) -> None:
    with pytest.raises(InvalidMatcherError, match=r"case|schema|attribute|iterable"):
        accepts(matcher, "x", is_subset)


def test_patterns_take_linear_time() -> None:
    assert pattern("(a*)*b").search("a" * 5000) is False


def test_matchers_read_well() -> None:
    assert describe({"any_of": [1, 2]}) == "one of [1, 2]"
    assert describe({"absent": False}) == "anything"
