"""JSON texts keep every sign that is no secret."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.model import Json
from mockserver.redaction.readers.json_values import parse_json, redact_json_text


def _shout(value: Json) -> Json:
    if isinstance(value, dict):
        return {_shout(key): _shout(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_shout(item) for item in value]
    return "LOUD" if value == "quiet" else value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'{"a":"quiet","n":1}', b'{"a":"LOUD","n":1}'),
        (b'{"a": "quiet", "n": 1.0}', b'{"a": "LOUD", "n": 1.0}'),
        (b'{\n  "a": "quiet"\n}\n', b'{\n  "a": "LOUD"\n}\n'),
        (b'{\n    "a":  "quiet" , "e": 1e5}', b'{\n    "a":  "LOUD" , "e": 1e5}'),
        (b'{"b":"\\u00e9\\/","a" :"quiet"}', b'{"b":"\\u00e9\\/","a" :"LOUD"}'),
        (b'{"n":123456789012345678901234567890,"a":"quiet"}',
         b'{"n":123456789012345678901234567890,"a":"LOUD"}'),
        (b'{"quiet":NaN,"n":-0}', b'{"LOUD":NaN,"n":-0}'),
        ('{"b": "é", "a":"quiet"}'.encode(), '{"b": "é", "a":"LOUD"}'.encode()),
        (b'{"a":"\\ud800","b":"quiet"}', b'{"a":"\\ud800","b":"LOUD"}'),
    ],
    ids=["compact", "spaced", "pretty", "odd", "escaped", "big", "nan", "utf8", "surrogate"],
)  # fmt: skip
def test_only_what_is_replaced_changes(text: bytes, expected: bytes) -> None:
    assert redact_json_text(text, _shout) == expected


@pytest.mark.parametrize("text", [b'{"a":1}', b'[ "x" ]', b'{"a": 1.50}', b"null"])
def test_nothing_replaced_is_none(text: bytes) -> None:
    assert redact_json_text(text, _shout) is None


def test_a_hidden_value_of_a_key_that_comes_twice_is_gone() -> None:
    assert redact_json_text(b'{"a":"hidden","a":"seen"}', _shout) == b'{"a": "seen"}'


@pytest.mark.parametrize("text", [b"{", b"", b"[" * 100_000, b'{ "a":' * 3000])
def test_what_is_no_json_is_told(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        redact_json_text(text, _shout)


def test_deep_texts_of_odd_writing_are_told() -> None:
    deep = b"[ " * 5000 + b"NaN" + b"]" * 5000
    with pytest.raises(ValueError, match="deep"):
        parse_json(deep)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(value=JSON, indent=st.sampled_from([None, 1, 2, 4]), plain=st.booleans())
def test_any_text_means_what_the_redacted_value_means(
    value: Json, indent: int | None, *, plain: bool
) -> None:
    text = json.dumps({"q": "quiet", "v": value}, indent=indent, ensure_ascii=plain)
    made = redact_json_text(text.encode("utf-8", "surrogatepass"), _shout)
    assert made is not None
    assert json.loads(made) == _shout(json.loads(text))
