import json

import pytest
import yaml

from mockserver.redaction.leaks import Places

CASSETTE = {
    "version": 1,
    "recorded_with": {"key": "HEAD1"},
    "interactions": [
        {
            "request": {"body": "BODY1", "headers": {"X": ["HEADER1"]}, "uri": "https://URL1"},
            "response": {"body": {"string": "line\n\nTEXT1"}, "status": {"code": 200}},
        },
        {"request": {"body": '{"request": [1, {"a": "BODY2"}]}'}, "response": {"x": "OTHER2"}},
    ],
}
EXPECTED = {
    "HEAD1": "header",
    "BODY1": "interaction 1, request body",
    "HEADER1": "interaction 1, request headers",
    "URL1": "interaction 1, request URL",
    "TEXT1": "interaction 1, response body",
    "BODY2": "interaction 2, request body",
    "OTHER2": "interaction 2, response",
}


@pytest.mark.parametrize(
    "text",
    [
        yaml.safe_dump(CASSETTE, sort_keys=False),
        yaml.safe_dump(CASSETTE),
        yaml.safe_dump(CASSETTE, width=20, default_style='"'),
        json.dumps(CASSETTE),
        json.dumps(CASSETTE, indent=2),
    ],
    ids=["vcrpy", "sorted", "quoted", "one line", "indented"],
)
@pytest.mark.parametrize("word", EXPECTED, ids=str)
def test_a_place_is_line_interaction_and_part(text: str, word: str) -> None:
    content = text.encode()
    at = content.index(word.encode())
    line = content.count(b"\n", 0, at) + 1
    assert Places(content).where(at) == f"line {line}, {EXPECTED[word]}"


def test_an_entry_of_a_har_file_is_told() -> None:
    har = {"log": {"entries": [{}, {"request": {"postData": {"text": "HERE"}}}]}}
    content = json.dumps(har).encode()
    assert Places(content).where(content.index(b"HERE")) == "line 1, interaction 2, request body"


def test_keys_that_are_no_words_of_cassettes_are_never_told() -> None:
    content = b'{"ann@corp.test": {"hunter2": "HERE"}}'
    assert Places(content).where(content.index(b"HERE")) == "line 1"


@pytest.mark.parametrize("content", [b"}]},{[:", b'{"a', b"", b'{"a": [1, [[[[[[[2]]]]]]]]}'])
def test_what_is_no_json_has_lines_all_the_same(content: bytes) -> None:
    assert Places(content).where(max(0, len(content) - 1)) == "line 1"
