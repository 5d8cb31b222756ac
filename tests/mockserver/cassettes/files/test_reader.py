import json
import logging
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.cassettes.files import read_cassette
from mockserver.cassettes.files.native_yaml import head_and_rest, read_interactions
from mockserver.cassettes.files.parser import bytes_of, headers_of, interaction_of, interactions_of
from mockserver.cassettes.files.reader import cassette_from
from mockserver.cassettes.files.values import MisplacedError
from mockserver.cassettes.files.writer import cassette_json, cassette_text
from mockserver.errors import FormatError
from mockserver.model import Cassette, CassetteInfo, Chunk
from mockserver.storage.untrusted_yaml import load_yaml
from tests.cassette_strategies import CASSETTES

PATH = Path("tape.yaml")
ONE = """\
version: 1
interactions:
- request: {body: null, headers: {}, method: GET, uri: 'https://example.com/'}
  response:
    body: {string: hello}
    headers: {}
    status: {code: 200, message: OK}
"""


def slowly(text: str) -> Cassette:
    """As a YAML reader reads it."""
    items, info = interactions_of(load_yaml(text, "tape.yaml"))
    read = tuple(interaction_of(item, (number,)) for number, item in enumerate(items))
    return Cassette("tape.yaml", read, info)


@pytest.mark.slow
@given(CASSETTES)
@settings(max_examples=60)
def test_what_is_written_is_read_the_fast_way_and_as_any_yaml_reader_does(tape: Cassette) -> None:
    text = b"".join(cassette_text(tape)).decode()
    head = head_and_rest(text)
    if tape.interactions:
        assert head is not None
        assert read_interactions(text, head[1]) == tape.interactions
    assert slowly(text) == tape
    assert cassette_from(text.encode(), PATH) == tape
    assert yaml.safe_load(text) == yaml.load(text, yaml.CSafeLoader)


@given(CASSETTES)
@settings(max_examples=25)
def test_json_holds_the_same(tape: Cassette) -> None:
    assert cassette_from(cassette_json(tape), PATH) == tape


@pytest.mark.slow
@given(CASSETTES, st.data())
@settings(max_examples=80)
def test_a_changed_file_is_read_as_a_yaml_reader_does_or_not_the_fast_way(
    tape: Cassette, data: st.DataObject
) -> None:
    text = b"".join(cassette_text(tape)).decode()
    place = data.draw(st.integers(0, len(text)))
    put = data.draw(
        st.sampled_from(["", " ", "\n", "'", '"', "#", ": ", "- ", "\\", "1", "é", "\t"])
    )
    changed = text[:place] + put + text[place + data.draw(st.integers(0, 3)) :]
    try:
        expected = slowly(changed)
    except (FormatError, MisplacedError):
        with pytest.raises(FormatError):
            cassette_from(changed.encode(), PATH)
    else:
        assert cassette_from(changed.encode(), PATH) == expected


def written(folder: Path, content: str | bytes, name: str = "tape.yaml") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{this}: &{this} [{', '.join([f'*{last}'] * 9)}]\n"
    for last, this in zip("abcdefg", "bcdefgh", strict=True)
)


def facts(text: str) -> str:
    return f"{ONE}  recorded: {{{text}}}\n"


REFUSED = [
    ("empty", "", "tape.yaml:1: expected a mapping, found null"),
    ("no mapping", "- 1\n- 2\n", "tape.yaml:1: expected a mapping, found an array"),
    ("no version", "interactions: []\n", "tape.yaml:1: has no `version`"),
    ("future version", "version: 2\ninteractions: []\n", "tape.yaml:1: has version 2; this"),
    ("no list", "version: 1\ninteractions: 5\n", ":2: expected a list, found a number"),
    ("no interactions", "version: 1\n", "tape.yaml:1: has no `interactions`"),
    ("older than 1", "- request: {}\n  response: {}\n", "is from before vcrpy 1.0"),
    ("no uri", ONE.replace(", uri:", ", url:"), ":3: interaction 1, request.url: a request has"),
    ("no method", ONE.replace(" method: GET,", ""), ":3: interaction 1, request: has no `method`"),
    ("no response", ONE.replace("response:", "x:"), ":3: interaction 1: has no `response`"),
    ("status", ONE.replace("code: 200", "code: x"), ":7: interaction 1, response.status.code: a"),
    ("no status", ONE.replace("code: 200", "code: 2000"), "status.code: 2000 is no HTTP status"),
    ("typed header", ONE.replace("{}\n", "{A: [1]}\n"), ":6: interaction 1, response.headers.A: "),
    ("header", ONE.replace("{}\n", "[A]\n"), "expected a name and a value, found a string"),
    ("headers", ONE.replace("{}\n", "A\n"), "response.headers: expected a mapping, found a str"),
    ("body", ONE.replace("hello", "[1]"), ":5: interaction 1, response.body.string: expected a"),
    ("base64", ONE.replace("string: hello", "base64: '='"), "response.body.base64: is not base64"),
    (
        "python tag",
        ONE.replace("hello", "!!python/name:os.system ''"),
        ":5:20: has the tag '!!pyth",
    ),
    ("unknown tag", ONE.replace("hello", "!thing x"), "has the tag '!thing'"),
    ("pieces", ONE.replace("hello", "!!python/object/apply:builtins.iter {args: [[1]]}"), ":5:20"),
    ("torn", ONE[:-20] + "'", "not YAML"),
    ("control", ONE.replace("hello", "\x01"), "tape.yaml"),
    ("no base64", ONE.replace("hello", "!!binary é"), "tape.yaml"),
    ("number", ONE + f"x: {'1' * 9999}\n", "tape.yaml:8:4: not YAML: this is no int"),
    ("bomb", BOMB + ONE, "aliases that stand for too much"),
    ("alias to itself", ONE + "x: &x [*x]\n", ":8: aliases that stand for too much"),
    ("nested", "[" * 100_000, "tape.yaml"),
    ("not UTF-8", "caf\udce9", "tape.yaml:1: not UTF-8"),
    ("unknown fact", facts("endde: complete"), ":8: interaction 1, recorded.endde: unknown fact"),
    ("unknown end", facts("ended: well"), "ended: 'well' is none of complete"),
    ("chunks that lie", facts("chunks: [[0.0, 4]]"), "do not add up to the 5 bytes of the body"),
    ("no chunks", facts("chunks: [4]"), "expected [milliseconds, bytes], found 4"),
    ("order", facts("request_header_order: [3]"), "request_header_order does not fit"),
    ("fact", facts("at: 5"), "at: a number cannot stand here"),
    ("info", ONE + "recorded_with: {plan: x}\n", ":8: expected a mapping, found a string"),
]


@pytest.mark.parametrize(
    ("content", "message"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_a_hostile_or_broken_file_is_an_error_with_its_place(
    tmp_path: Path, content: str, message: str
) -> None:
    with pytest.raises(FormatError) as error:
        read_cassette(written(tmp_path, content.encode(errors="surrogateescape")))
    assert message in str(error.value)
    assert "tape.yaml" in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"version": 1,\n "interactions": [}', "tape.json:2:19: not JSON"),
        ('{"version": 1, "interactions": [{"request": {}}]}', "tape.json#/interactions/0: has no"),
        ('{"version": 9}', "tape.json#/version: has version 9"),
        (b'{"version": "\xe9"}', "tape.json:1: not UTF-8"),
    ],
    ids=["torn", "missing key", "version", "coding"],
)
def test_json_is_refused_with_line_or_pointer(
    tmp_path: Path, content: str | bytes, message: str
) -> None:
    with pytest.raises(FormatError) as error:
        read_cassette(written(tmp_path, content, "tape.json"))
    assert message in str(error.value)


def test_a_file_that_is_not_there_or_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read: No such file"):
        read_cassette(tmp_path / "none.yaml")
    with pytest.raises(FormatError, match="is not a regular file"):
        read_cassette(tmp_path)
    with pytest.raises(FormatError, match="is not a regular file"):
        read_cassette(Path("/dev/zero"))


def test_a_file_that_is_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "huge.yaml"
    with path.open("wb") as file:
        file.truncate(2 << 30)
    with pytest.raises(FormatError, match="larger than 1024 MiB"):
        read_cassette(path)
    monkeypatch.setattr("mockserver.cassettes.files.reader.LARGEST_FOREIGN", 100)
    with pytest.raises(FormatError, match="not as this program writes it"):
        read_cassette(written(tmp_path, ONE))


def test_harmless_aliases_are_followed(tmp_path: Path) -> None:
    text = ONE.replace("headers: {}\n", "headers: {A: &a [x], B: *a}\n")
    tape = read_cassette(written(tmp_path, text))
    assert tape.interactions[0].response.headers == (("A", "x"), ("B", "x"))


def test_what_else_a_file_says_is_kept(tmp_path: Path) -> None:
    tape = read_cassette(written(tmp_path, ONE + "metadata: {seed: 1}\n"))
    assert tape.info == CassetteInfo(extra={"metadata": {"seed": 1}})


@pytest.mark.parametrize("cut", [1, 40, 200, 300])
def test_a_torn_recording_keeps_its_whole_interactions(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, cut: int
) -> None:
    tape = slowly(ONE)
    pieces = list(cassette_text(Cassette("", tape.interactions * 3, CassetteInfo())))
    torn = b"".join(pieces)[:-cut]
    with caplog.at_level(logging.WARNING):
        read = read_cassette(written(tmp_path, torn, "tape.recording.yaml"))
    assert read.interactions == tape.interactions * (2 if cut < 250 else 1)
    assert "is left out" in caplog.text
    if cut > 1:
        with pytest.raises(FormatError):
            read_cassette(written(tmp_path, torn, "tape.yaml"))


def test_a_whole_recording_is_read_whole_and_one_without_interactions_is_empty(
    tmp_path: Path,
) -> None:
    tape = slowly(ONE)
    whole = b"".join(cassette_text(tape))
    assert read_cassette(written(tmp_path, whole, "a.recording.yaml")).interactions
    head = b"version: 1\ninteractions:\n"
    for torn in (head, head + b"- requ"):
        assert read_cassette(written(tmp_path, torn, "a.recording.yaml")).interactions == ()


def test_a_cassette_of_vcrpy_with_httpx_before_version_6_is_read(tmp_path: Path) -> None:
    value = {
        "version": 1,
        "interactions": [
            {
                "request": {"method": "GET", "uri": "https://h/", "body": "", "headers": {}},
                "response": {
                    "http_version": "HTTP/1.1",
                    "status_code": 200,
                    "headers": [["A", "1"]],
                    "content": "hi",
                },
            }
        ],
    }
    response = read_cassette(written(tmp_path, json.dumps(value))).interactions[0].response
    assert (response.status, response.headers, response.body) == (200, (("A", "1"),), b"hi")


REQUEST = {"method": "GET", "uri": "https://h/", "body": None, "headers": None}


def test_a_response_may_lack_reason_and_headers() -> None:
    answer = {"status": {"code": 204, "message": None}, "body": {"string": None}}
    response = interaction_of({"request": REQUEST, "response": answer}, ()).response
    assert (response.status, response.reason, response.headers, response.body) == (204, "", (), b"")


def test_facts_are_put_where_they_belong() -> None:
    answer = {"status": {"code": 200}, "body": {"string": b"abc"}}
    facts = {"chunks": [[0, 1], [2.5, 2]], "duration_ms": 3, "request_coding": "br"}
    item = {"request": REQUEST, "response": answer, "recorded": facts}
    interaction = interaction_of(item, ())
    assert interaction.response.chunks == (Chunk(0.0, 1), Chunk(2.5, 2))
    assert (interaction.duration_ms, interaction.request.coding) == (3.0, "br")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, b""),
        ("é", "é".encode()),
        (b"\xff", b"\xff"),
        ({"string": "a"}, b"a"),
        ({"base64": "AA=="}, b"\0"),
    ],
    ids=["nothing", "text", "bytes", "string", "base64"],
)
def test_bodies_are_bytes(value: Any, expected: bytes) -> None:
    assert bytes_of(value, ()) == expected


@pytest.mark.parametrize(
    "value",
    [
        {"A": "1", "B": ["2", b"3"]},
        [["A", "1"], ("B", "2"), ["B", "3"]],
        {"A": ("1",), "B": ["2", "3"]},
    ],
    ids=["mapping", "pairs", "tuples"],
)
def test_headers_are_pairs(value: Any) -> None:
    assert headers_of(value, ()) == (("A", "1"), ("B", "2"), ("B", "3"))


def test_the_hint_for_a_later_version_names_a_newer_program() -> None:
    with pytest.raises(MisplacedError) as error:
        interactions_of({"version": 2, "interactions": []})
    assert "install that one" in error.value.hint
    with pytest.raises(MisplacedError) as error:
        interactions_of({"version": "one", "interactions": []})
    assert error.value.hint == ""


def test_facts_that_a_newer_program_tells_are_kept() -> None:
    _, info = interactions_of(
        {"version": 1, "recorded_with": {"mood": "good"}, "interactions": None}
    )
    assert info.extra == {"mood": "good"}


@pytest.mark.parametrize(
    ("match", "place", "says"),
    [
        ([], ("match",), "expected a mapping, found an array"),
        ({"ignored": []}, ("match", "ignored"), "a match has no 'ignored'"),
        ({"parts": ["uri"]}, ("match", "parts", 0), "no part is 'uri'"),
        ({"ignore": ["body/a"]}, ("match", "ignore", 0), "begin with /query/"),
        ({"any_order": "x"}, ("match", "any_order"), "expected a list"),
        ({"null_is_absent": 1}, ("match", "null_is_absent"), "expected true or false"),
    ],
)
def test_a_match_that_cannot_be_read_has_its_place(
    match: Any, place: tuple[str | int, ...], says: str
) -> None:
    with pytest.raises(MisplacedError, match=says) as error:
        interactions_of({"version": 1, "match": match, "interactions": []})
    assert error.value.place == place
