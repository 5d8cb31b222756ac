import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from mockserver.cassettes.files import (
    header_block,
    interaction_block,
    read_cassette,
    write_cassette,
)
from mockserver.cassettes.files.writing import cassette_text, write_whole
from mockserver.errors import MockServerError
from mockserver.model import (
    Cassette,
    CassetteInfo,
    Chunk,
    Interaction,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.storage.untrusted_yaml import load_yaml

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
