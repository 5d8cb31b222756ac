import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from mockserver.cassettes.files import read_cassette, write_cassette
from mockserver.cassettes.files.writing import write_whole
from mockserver.errors import MockServerError
from mockserver.model import Cassette, Interaction, RecordedRequest, RecordedResponse

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
