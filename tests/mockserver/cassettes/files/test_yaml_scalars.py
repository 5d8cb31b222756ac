import json

import pytest
import yaml
from hypothesis import given

from mockserver.cassettes.files.yaml_scalars import (
    body_text,
    is_plain,
    quote,
    read_binary,
    read_block,
    read_flow,
    read_scalar,
    scalar,
    write_body,
)
from tests.cassette_strategies import BODIES, texts


@given(BODIES)
def test_every_body_is_exact_to_the_byte(body: bytes) -> None:
    for loader in (yaml.SafeLoader, yaml.CSafeLoader):
        read = yaml.load(f"a:{write_body(body, 2)}\nb: 1\n", loader)["a"]
        assert (read.encode() if isinstance(read, str) else read) == body


@pytest.mark.parametrize(
    ("body", "written"),
    [
        (b"", " ''"),
        (b"it's", " 'it''s'"),
        (b'{\n "a": 1\n}\n', ' |\n  {\n   "a": 1\n  }'),
        (b"data: 1\n\ndata: 2\n\n", " |+\n  data: 1\n\n  data: 2\n"),
        (b"a\nb", " |-\n  a\n  b"),
        (b"--x\r\nA: 1\r\n", ' "--x\\r\\n\\\n  A: 1\\r\\n"'),
        (b"\xff\x00", " !!binary |\n  /wA="),
        (b"\t", " '\t'"),
        (b" a\nb\n", ' " a\\n\\\n  b\\n"'),
    ],
    ids=["empty", "short", "pretty", "stream", "no end", "multipart", "binary", "tab", "indented"],
)
def test_bodies_are_written_so_that_a_reviewer_can_read_them(body: bytes, written: str) -> None:
    assert write_body(body, 2) == written


def test_long_json_on_one_line_is_broken_into_members() -> None:
    value = {"kind": "users", "users": [{"id": "1", "tags": [1, 2]}, {"id": "2"}], "x": "y" * 80}
    for body in (json.dumps(value), json.dumps(value, separators=(",", ":"))):
        lines = write_body(body.encode(), 4).splitlines()
        assert len(lines) == 11
        assert lines[4].lstrip().startswith(r"\"id\":")
        assert yaml.safe_load("a:" + write_body(body.encode(), 4))["a"] == body


def test_controls_are_no_text() -> None:
    assert body_text(b"\x1b[0m") is None
    assert body_text(b"\r\n\t") == "\r\n\t"


@pytest.mark.parametrize(
    ("sign", "lines"),
    [("-", "  a\n\n"), ("", "  a\n\n"), ("-", "   a\n"), ("-", "a\n"), ("", ""), ("", "  \ta\n")],
)
def test_blocks_that_depend_on_a_reader_s_rules_are_not_read(sign: str, lines: str) -> None:
    assert read_block(sign, lines, "  ") is None


def test_what_is_no_base64_or_no_scalar_of_ours_is_not_read() -> None:
    assert read_binary("é\n") is None
    assert read_flow("'a\nb'") is None
    assert read_flow('"a\nb"') is None
    assert read_flow('"a\\\n   b"') == "ab"


@given(texts(lines=True))
def test_every_text_is_read_as_it_was_by_any_yaml_reader_and_by_ours(text: str) -> None:
    written = scalar(text)
    assert "\n" not in written
    assert yaml.safe_load(f"- {written}") == [text]
    assert yaml.load(f"{written}: 1", yaml.CSafeLoader) == {text: 1}
    assert read_scalar(written) == text
    assert read_scalar(quote(text)) == text


@pytest.mark.parametrize(
    "text", ["", "1", "No", "null", "a: b", "a #b", "a:", "- a", "a  b", "é", "*a", "~"]
)
def test_what_could_be_anything_but_a_text_is_not_plain(text: str) -> None:
    assert not is_plain(text)
    assert read_scalar(text) is None


@pytest.mark.parametrize(
    "written", ["'", "'a", "'a'b'", '"', '"a', '"\\ud83d\\ude00"', '"a" "b"', "12", "a: b"]
)
def test_what_we_would_not_write_is_not_read(written: str) -> None:
    assert read_scalar(written) is None
