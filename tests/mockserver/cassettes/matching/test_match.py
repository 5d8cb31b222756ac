import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.cassettes.matching import Canonical, canonical, is_plain, loosened
from mockserver.model import MATCH_PARTS, Json, Match, RecordedRequest, pointer_path

JSON = (("Content-Type", "application/json"), ("Range", "bytes=0-1"), ("If-Match", "a"))
FORM = (("Content-Type", "application/x-www-form-urlencoded"),)


def asked(body: Json, query: str = "", headers: tuple[tuple[str, str], ...] = JSON) -> Canonical:
    content = body if isinstance(body, str) else json.dumps(body)
    url = f"https://api.example.com/a{query}"
    return canonical(RecordedRequest("POST", url, headers, content.encode()))


@pytest.mark.parametrize(
    ("one", "other", "match"),
    [
        (asked({"a": 1, "id": 2}), asked({"a": 1, "id": 3}), Match(ignore=("/body/id",))),
        (
            asked({"items": [{"id": 1}, {"id": 2}]}),
            asked({"items": [{"id": 3}, {}]}),
            Match(ignore=("/body/items/*/id",)),
        ),
        (asked([1, 2]), asked([3, 2]), Match(ignore=("/body/0",))),
        (asked({"a": [1]}), asked({"a": []}), Match(ignore=("/body/a/*",))),
        (asked({"a": {"b": 1}}), asked({"a": {}}), Match(ignore=("/body/a/*",))),
        (asked({"a~b/c": 1}), asked({}), Match(ignore=("/body/a~0b~1c",))),
        (asked({}, "?x=1&y=2"), asked({}, "?y=2"), Match(ignore=("/query/x",))),
        (asked({}), asked({}, headers=JSON[:1]), Match(ignore=("/headers/*",))),
        (asked("a=1&b=2", headers=FORM), asked("b=2", headers=FORM), Match(ignore=("/body/a",))),
        (asked({"a": None, "b": [{"c": None}]}), asked({"b": [{}]}), Match(null_is_absent=True)),
        (asked({"a": [{"x": 1}, 2]}), asked({"a": [2, {"x": 1}]}), Match(any_order=("/body/a",))),
        (asked({}, "?f=a&f=b"), asked({}, "?f=b&f=a"), Match(any_order=("/query/f",))),
        (asked({"a": 1}), asked("text"), Match(parts=("method", "path"))),
    ],
)  # fmt: skip
def test_two_requests_are_the_same_but_for_what_a_match_leaves_out(
    one: Canonical, other: Canonical, match: Match
) -> None:
    assert one != other
    assert loosened(one, Match()) != loosened(other, Match())
    assert loosened(one, match) == loosened(other, match)


def test_what_counts_of_a_request_is_left_as_it_was() -> None:
    request = asked({"a": [2, 1], "b": None})
    before = request.text()
    loosened(request, Match(ignore=("/body/a/*",), null_is_absent=True, any_order=("/body/a",)))
    assert request.text() == before


@pytest.mark.parametrize("pointer", ["body/a", "/path/a", "/body", "", "/"])
def test_a_pointer_that_leads_to_no_field_is_refused(pointer: str) -> None:
    with pytest.raises(ValueError, match="begin with /query/, /headers/ or /body/"):
        pointer_path(pointer)


def test_a_match_of_everything_is_plain() -> None:
    assert is_plain(None)
    assert is_plain(Match())
    assert not is_plain(Match(parts=("method",)))


VALUES = st.recursive(
    st.none() | st.integers(0, 3) | st.sampled_from(["a", "b"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab*0"), inner, max_size=3)
    ),
    max_leaves=8,
)
MATCHES = st.builds(
    Match,
    parts=st.lists(st.sampled_from(MATCH_PARTS), unique=True).map(tuple),
    ignore=st.lists(st.sampled_from(["/body/a", "/body/*/b", "/query/x"]), max_size=2).map(tuple),
    null_is_absent=st.booleans(),
    any_order=st.lists(st.sampled_from(["/body/a", "/body/*"]), max_size=2).map(tuple),
)


@given(VALUES, VALUES, MATCHES)
def test_what_is_equal_is_so_however_it_is_compared_and_twice_is_once(
    one: Json, other: Json, match: Match
) -> None:
    first, second = asked(one), asked(other)
    compared = loosened(first, match)
    assert loosened(asked(one), match) == compared
    if first == second:
        assert compared == loosened(second, match)
    assert loosened(compared, match) == compared
