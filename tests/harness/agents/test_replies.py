from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.agents import AgentFailedError
from harness.agents.protocol import LONGEST_ERROR, shorten, well_formed
from harness.agents.replies import (
    DEEPEST,
    decode_json,
    is_reply,
    plain,
    read_args,
    read_reply,
    read_usage,
)
from harness.model import Usage


def read(value: Any) -> Any:
    return read_reply(value, turn=1, prompt="Why?")


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({"text": "It is."}, id="text"),
        pytest.param({"content": [{"type": "text", "text": "It is."}]}, id="content parts"),
        pytest.param({"message": {"role": "assistant", "content": "It is."}}, id="message"),
        pytest.param({"responseText": "It is."}, id="responseText"),
        pytest.param({"message": {"parts": [{"text": "It is."}, 7, {"type": "file"}]}}, id="parts"),
    ],
)
def test_the_text_is_found_under_the_names_that_agents_use(value: Any) -> None:
    """CEP-13."""
    assert read(value).text == "It is."


def test_everything_an_agent_may_say_is_read() -> None:
    reply = read(
        {
            "text": "It is.",
            "metadata": {"diagnosis": "d"},
            "rounds": 3,
            "finishReason": "stop",
            "usage": {"prompt_tokens": 9, "completion_tokens": 4, "cost": 0.25},
            "toolCalls": [
                {"name": "a", "args": {"x": 1}, "status": "ok", "step": 2, "id": "i"},
                {"toolName": "b", "input": '{"y": 2}', "error": "no"},
                {"function": {"name": "c", "arguments": "not json"}, "id": 7},
                {"name": "d", "result": 1},
                {"name": "e", "state": "output-error"},
                "f",
            ],
        }
    )
    shown = [(call.name, call.args, call.status, call.step, call.id) for call in reply.tool_calls]
    assert shown == [
        ("a", {"x": 1}, "ok", 2, "i"),
        ("b", {"y": 2}, "error", 0, ""),
        ("c", "not json", "unknown", 0, "7"),
        ("d", {}, "ok", 0, ""),
        ("e", {}, "error", 0, ""),
        ("f", {}, "unknown", 0, ""),
    ]
    assert (reply.metadata, reply.rounds, reply.finish) == ({"diagnosis": "d"}, 3, "stop")
    assert reply.usage == Usage(input_tokens=9, output_tokens=4, cost_usd=0.25)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        pytest.param([], "it is a list", id="no object"),
        pytest.param({}, "no fields", id="empty"),
        pytest.param({"foo": 1}, "an object with 'foo'", id="unknown fields"),
        pytest.param(
            {"toolCalls": [3]}, "a tool call of the reply is a int", id="call is no object"
        ),
        pytest.param({"toolCalls": [{"args": {}}]}, "has no name", id="nameless call"),
        pytest.param(
            {"toolCalls": [{"name": "f", "args": '{"a":' * 101 + "1" + "}" * 101}]},
            "more than 100 levels",
            id="deep arguments in text",
        ),
    ],
)
def test_a_reply_that_cannot_be_read_fails_the_agent(value: Any, said: str) -> None:
    with pytest.raises(AgentFailedError, match=said):
        read(value)


def test_what_makes_no_sense_says_nothing() -> None:
    reply = read({"metadata": "loose", "steps": True, "toolCalls": "none"})
    assert (reply.text, reply.metadata, reply.rounds, reply.tool_calls) == ("", None, None, ())
    assert read({"text": "x", "steps": [1, 2]}).rounds == 2
    assert read_usage("much") == Usage()
    assert read_args([1]) == "[1]"
    assert read({"text": "x", "rounds": 1e300}).rounds is None
    assert read_args("") == {}
    assert not is_reply({"answers": 1})


def test_a_cost_below_nothing_is_refused() -> None:
    with pytest.raises(AgentFailedError, match="less than nothing"):
        read_reply({"text": "a", "usage": {"cost": -0.5}}, turn=1, prompt="p")


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
        decode_json(text)
    with pytest.raises(ValueError, match="line 1 column"):
        decode_json("{")


def test_characters_that_were_cut_in_half_can_be_decoded() -> None:
    assert decode_json(b'{"a\\ud83e": "\\uddff"}') == {"a\ud83e": "\uddff"}


ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT)
def test_any_text_becomes_one_that_can_be_written(text: str) -> None:
    formed = well_formed(text)
    assert formed.encode().decode() == formed
    assert well_formed(formed) == formed


@given(st.text())
def test_good_text_stays_as_it_is(text: str) -> None:
    assert well_formed(text) == text


def test_halves_of_a_character_that_meet_are_one() -> None:
    assert well_formed("\ud83e" + "\uddff") == "\U0001f9ff"


@given(ANY_TEXT.map(lambda text: text * 400))
def test_an_error_is_short(text: str) -> None:
    assert len(shorten(text)) <= LONGEST_ERROR + 3
