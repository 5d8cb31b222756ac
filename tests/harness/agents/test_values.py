from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.agents import AgentFailedError
from harness.agents.values import DEEPEST, decoded, plain

LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats()
    | st.text(st.characters(exclude_categories=()))
)  # fmt: skip
TEXTS = st.text(st.characters(exclude_categories=()), max_size=5)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4)
)


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@given(VALUES)
def test_whatever_is_plain_can_be_written_and_read_again(value: Any) -> None:
    kept = plain(value)
    assert orjson.loads(orjson.dumps(kept)) == kept
    assert plain(kept) == kept


@given(VALUES)
def test_what_json_can_say_is_not_changed(value: Any) -> None:
    try:
        known = orjson.loads(orjson.dumps(value))
    except orjson.JSONEncodeError:
        return
    assert plain(known) == known


def test_depth_is_bounded() -> None:
    assert plain(nested(DEEPEST)) == nested(DEEPEST)
    with pytest.raises(AgentFailedError, match="more than 100 levels"):
        plain(nested(DEEPEST + 1))


def test_a_value_that_holds_itself_is_refused() -> None:
    value: dict[str, Any] = {}
    value["self"] = value
    with pytest.raises(AgentFailedError, match="levels deep"):
        plain(value)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        pytest.param({"a": {1, 2}}, "holds a set", id="set"),
        pytest.param(b"a", "holds a bytes", id="bytes"),
        pytest.param({1: 2}, "a key that is a int", id="key"),
    ],
)
def test_what_json_does_not_have_fails_the_agent(value: Any, said: str) -> None:
    with pytest.raises(AgentFailedError, match=said):
        plain(value)


@pytest.mark.parametrize(
    ("number", "kept"),
    [(2**63, 2**63), (10**30, 1e30), (10**400, None), (float("inf"), None), (1.5, 1.5)],
)
def test_numbers_are_kept_as_json_has_them(number: float, kept: float | None) -> None:
    assert plain([number]) == [kept]


@pytest.mark.parametrize(
    "text",
    ["[" * 5000 + "]" * 5000, '["\\ud83e",' + "[" * 5000 + "]" * 5000 + "]"],
    ids=["plain", "behind half a character"],
)
def test_text_that_is_nested_too_deeply_is_told_apart_from_text_that_is_no_json(text: str) -> None:
    with pytest.raises(AgentFailedError, match="levels deep"):
        decoded(text)
    with pytest.raises(ValueError, match="line 1 column"):
        decoded("{")


def test_characters_that_were_cut_in_half_can_be_decoded() -> None:
    assert decoded(b'{"a\\ud83e": "\\uddff"}') == {"a\ud83e": "\uddff"}
