import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from hypothesis import given

from mockserver.cassettes.files import (
    header_block,
    interaction_block,
    read_cassette,
    write_cassette,
)
from mockserver.cassettes.files.layout import (
    format_ms,
    group_headers,
    header_order,
    interaction_mapping,
    restore_order,
)
from mockserver.cassettes.files.native_yaml import head_and_rest, read_interactions
from mockserver.cassettes.files.values import (
    MisplacedError,
    list_of,
    mapping_of,
    member,
    status_of,
    text_of,
    value_text,
)
from mockserver.cassettes.files.writer import _mapping_lines, cassette_text, write_whole
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
from mockserver.errors import MockServerError
from mockserver.model import (
    Cassette,
    CassetteInfo,
    Chunk,
    Header,
    Interaction,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.storage.untrusted_yaml import load_yaml
from tests.cassette_strategies import BODIES, texts

TAPE = Cassette(
    "a",
    (Interaction(RecordedRequest("GET", "https://example.com/"), RecordedResponse(200, "OK")),),
)


@pytest.mark.parametrize("name", ["deep/a.yaml", "a.yml", "a.json"])
def test_the_name_chooses_the_format(tmp_path: Path, name: str) -> None:
    write_cassette(TAPE, tmp_path / name)
    assert read_cassette(tmp_path / name).interactions == TAPE.interactions
    assert (tmp_path / name).read_bytes().startswith(b"{" if "json" in name else b"version: 1\n")
    assert [path.name for path in (tmp_path / name).parent.iterdir()] == [Path(name).name]


def test_writing_the_same_twice_makes_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        write_cassette(TAPE, tmp_path / name)
    assert (tmp_path / "a.yaml").read_bytes() == (tmp_path / "b.yaml").read_bytes()


def test_what_cannot_be_written_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    write_cassette(TAPE, path)
    before = path.read_bytes()

    def pieces() -> Iterator[bytes]:
        yield b"half"
        raise OSError(28, os.strerror(28))

    with pytest.raises(MockServerError, match="No space left"):
        write_whole(path, pieces())
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["a.yaml"]


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x", encoding="utf-8")
    with pytest.raises(MockServerError, match="cannot be written"):
        write_cassette(TAPE, tmp_path / "a" / "b.yaml")


STREAM = Interaction(
    RecordedRequest("POST", "https://api.example.com/v1/ask?x=1", (("Accept", "*/*"),), b'{"a":1}'),
    RecordedResponse(
        200,
        "OK",
        (("Set-Cookie", "a=1"), ("Content-Type", "text/event-stream"), ("Set-Cookie", "b=2")),
        b"data: 1\n\ndata: 2\n\n",
        chunks=(Chunk(0.0, 9), Chunk(20.5, 9)),
        ended="reset",
    ),
    "2026-11-20T09:00:00Z",
    41.25,
    "assistant.ask",
)
WRITTEN = """\
- request:
    body: '{"a":1}'
    headers:
      Accept:
      - '*/*'
    method: POST
    uri: https://api.example.com/v1/ask?x=1
  response:
    body:
      string: |+
        data: 1

        data: 2

    headers:
      Set-Cookie:
      - a=1
      - b=2
      Content-Type:
      - text/event-stream
    status:
      code: 200
      message: OK
  recorded:
    at: '2026-11-20T09:00:00Z'
    duration_ms: 41.25
    method_id: assistant.ask
    chunks: [[0.0,9],[20.5,9]]
    response_header_order: [0,1,0]
    ended: reset
"""


def test_an_interaction_is_written_as_vcrpy_lays_it_out_with_our_facts_beside_it() -> None:
    assert interaction_block(STREAM).decode() == WRITTEN


def test_head_and_blocks_are_the_whole_file() -> None:
    info = CassetteInfo(recorded_by="mockserver 1", plan={"calls": [{"method": "a.b"}, [1], []]})
    tape = Cassette("a.yaml", (STREAM, STREAM), info)
    appended = header_block(info) + interaction_block(STREAM) * 2
    assert b"".join(cassette_text(tape)) == appended
    assert yaml.safe_load(appended)["recorded_with"]["plan"] == info.plan


def test_a_cassette_without_interactions_has_an_empty_list_that_vcrpy_can_read() -> None:
    text = b"".join(cassette_text(Cassette("a.yaml", ())))
    assert yaml.safe_load(text) == {"version": 1, "interactions": []}


def test_numbers_and_long_names_survive_yaml() -> None:
    extra = {"a": 1e16, "b": 1e-7, "c": 1.5, "n" * 2000: [[1.5, {"x": None}], True]}
    text = header_block(CassetteInfo(extra=extra)).decode()
    assert load_yaml(text, "a.yaml")["recorded_with"]["extra"] == extra


def test_a_header_with_a_name_of_any_length_is_written() -> None:
    name = "X-" + "y" * 3000
    request = RecordedRequest("GET", "https://example.com/", ((name, "1"),))
    text = interaction_block(Interaction(request, RecordedResponse(200))).decode()
    assert load_yaml(text, "a")[0]["request"]["headers"] == {name: ["1"]}


ONE = Interaction(
    RecordedRequest("GET", "https://example.com/", (("A", "1"), ("B", "2"))),
    RecordedResponse(200, "OK", (("A", "1"),), b"a\nb\n"),
    duration_ms=2.5,
)
TEXT = interaction_block(ONE).decode()


def test_what_we_wrote_is_read() -> None:
    assert read_interactions(TEXT * 2, 0) == (ONE, ONE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("      B:", "      A:"),
        ("      A:\n", ""),
        ("      - '2'\n", ""),
        ("      B:\n", "      B\n"),
        ("uri: https", "uri: 'https"),
        ("|\n", ">\n"),
        ("code: 200", "code: 0200"),
        ("duration_ms: 2.5", "duration_ms: 2.5e0"),
        ("duration_ms: 2.5", "duration_ms: 2.5\n    duration_ms: 2.5"),
        ("duration_ms: 2.5", "duration_ms:"),
        ("duration_ms: 2.5", "chunks: [[1,2]"),
        ("duration_ms: 2.5", "mood: [1]"),
        ("duration_ms: 2.5", "at: 12"),
        ("complete", "complete # really"),
        ("body: null", "body: ~"),
        ("body: null", "body: !!binary |\n        é"),
        ("        a\n", "         a\n"),
        ("        a\n", "        a\x85\n"),
        ("  recorded:", "  # by hand\n  recorded:"),
    ],
)
def test_any_other_writing_is_left_to_a_yaml_reader(old: str, new: str) -> None:
    assert old in TEXT
    assert read_interactions(TEXT.replace(old, new, 1), 0) is None


@pytest.mark.parametrize(
    "text",
    ["", "version: 1\n", "# a\nversion: 1\ninteractions:\n", "version: 1\ninteractions: []\n"],
)
def test_what_begins_otherwise_is_not_ours(text: str) -> None:
    assert head_and_rest(text) is None


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


@pytest.mark.parametrize(
    ("take", "value", "message", "hint"),
    [
        (text_of, 1, "expected a text, found a number", "put it in quotes"),
        (text_of, [], "expected a text, found an array", ""),
        (mapping_of, b"x", "expected a mapping, found bytes", ""),
        (list_of, {}, "expected a list, found an object", ""),
        (status_of, True, "True is no HTTP status", ""),
        (status_of, 1000, "1000 is no HTTP status", ""),
    ],
)
def test_a_value_of_another_kind_is_a_mistake_with_its_place(
    take: object, value: object, message: str, hint: str
) -> None:
    with pytest.raises(MisplacedError) as error:
        take(value, ("a", 1))  # type: ignore[operator]
    assert (error.value.place, error.value.message) == (("a", 1), message)
    assert error.value.hint == hint


def test_what_is_right_is_returned() -> None:
    assert text_of(b"\xe9", ()) == "é"
    assert list_of(None, ()) == []
    assert member({"a": 1}, "a", ()) == 1
    assert status_of(200, ()) == 200


def test_a_text_is_never_shown() -> None:
    assert value_text("secret") == "a string"


@pytest.mark.parametrize(
    "headers",
    [(), (("A", "1"),), (("A", "1"), ("A", "2")), (("A", "1"), ("B", "2"), ("A", "3"), ("a", "4"))],
    ids=["none", "one", "twice", "apart"],
)
def test_headers_come_back_in_their_order(headers: tuple[Header, ...]) -> None:
    assert restore_order(group_headers(headers), header_order(headers)) == headers


@pytest.mark.parametrize("order", [[0], [0, 0, 0], [0, 1], [-1, 0]])
def test_an_order_that_does_not_fit_is_none(order: list[int]) -> None:
    assert restore_order({"A": ["1", "2"]}, order) is None


def test_a_time_is_kept_to_the_microsecond() -> None:
    assert [format_ms(value) for value in (0.0, 1.23456, 1e16)] == ["0.0", "1.235", f"{10**16}.0"]


def test_a_body_that_is_no_text_has_no_string_so_that_nobody_plays_an_empty_one() -> None:
    item = interaction_mapping(
        Interaction(
            RecordedRequest("PUT", "https://h/", (), b"\xff"), RecordedResponse(200, body=b"\0")
        )
    )
    assert item["request"]["body"] == {"base64": "/w=="}
    assert item["response"]["body"] == {"base64": "AA=="}
    assert item["recorded"] == {"ended": "complete"}


@pytest.mark.parametrize("content", [b"", b"hi", bytes(range(256))], ids=len)
def test_binary_of_another_tool_stays_binary(content: bytes) -> None:
    lines = "\n".join(_mapping_lines({"theirs": content}, ""))
    assert yaml.safe_load(lines) == {"theirs": content}
