import json
from pathlib import Path
from typing import Any

import pytest

from mockserver.cassettes.files import write_cassette
from mockserver.cassettes.foreign import FORMATS, har_of, read_foreign
from mockserver.cassettes.foreign import formats as module
from mockserver.errors import FormatError
from mockserver.model import Cassette, Interaction, RecordedRequest, RecordedResponse

UPSTREAM = "https://api.example.com"
TAPE = Cassette(
    "a", (Interaction(RecordedRequest("GET", f"{UPSTREAM}/a"), RecordedResponse(200, body=b"hi")),)
)
MAPPING = {
    "request": {"method": "GET", "url": "/a"},
    "response": {"status": 200, "bodyFileName": "hi.txt"},
}
RUBY = f"""\
http_interactions:
- request: {{method: get, uri: {UPSTREAM}/a}}
  response: {{status: {{code: 200, message: ''}}, body: {{string: hi}}}}
"""
POSTMAN = {
    "info": {"_postman_id": "1"},
    "item": [{"name": "a", "request": f"{UPSTREAM}/a", "response": [{"code": 200, "body": "hi"}]}],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One recording in every format."""
    write_cassette(TAPE, tmp_path / "ours.yaml")
    write_cassette(TAPE, tmp_path / "ours.json")
    (tmp_path / "a.har").write_bytes(har_of(TAPE))
    (tmp_path / "ruby.yml").write_text(RUBY, encoding="utf-8")
    (tmp_path / "postman.json").write_text(json.dumps(POSTMAN), encoding="utf-8")
    (tmp_path / "mappings").mkdir()
    (tmp_path / "__files").mkdir()
    (tmp_path / "mappings" / "a.json").write_text(json.dumps(MAPPING), encoding="utf-8")
    (tmp_path / "mapping.json").write_text(json.dumps({"mappings": [MAPPING]}), encoding="utf-8")
    (tmp_path / "__files" / "hi.txt").write_text("hi", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("ours.yaml", "cassette"),
        ("ours.json", "cassette"),
        ("a.har", "HAR"),
        ("ruby.yml", "Ruby VCR"),
        ("postman.json", "Postman"),
        ("mappings/a.json", "WireMock"),
        ("mapping.json", "WireMock"),
        ("", "WireMock"),
    ],
)
def test_a_recording_is_recognised_by_its_content(folder: Path, name: str, known: str) -> None:
    cassette, imported = read_foreign(folder / name, upstream=UPSTREAM)
    assert imported.format == known
    assert known in FORMATS
    assert cassette.interactions == TAPE.interactions


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[1]", "no recording that we know (known: cassette, polly.js, HAR"),
        ("", "no recording that we know"),
        ('{"log": {"entries": [1]}}', "#/log/entries/0: expected a mapping"),
        ("http_interactions:\n- 1\n", "#/http_interactions/0: expected a mapping"),
        ('{"data": {"pairs": 1}}', "#/data/pairs: expected a list, found a number"),
        ("a: !!python/name:os.system ''", ":1:4: has the tag"),
        ("{", "not JSON"),
        (json.dumps(MAPPING), "names only a path (say --upstream https://HOST)"),
    ],
    ids=["other", "empty", "har", "yaml", "pairs", "tag", "torn", "no upstream"],
)
def test_what_cannot_be_read_is_told_with_its_place(
    tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "a"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(FormatError) as error:
        read_foreign(path)
    assert message in str(error.value)


@pytest.mark.parametrize("name", ["../secret", "/etc/hostname", "none"])
def test_no_mapping_names_a_file_outside(folder: Path, name: str) -> None:
    (folder / "secret").write_text("x", encoding="utf-8")
    mapping: dict[str, Any] = {**MAPPING, "response": {"status": 200, "bodyFileName": name}}
    (folder / "mapping.json").write_text(json.dumps(mapping), encoding="utf-8")
    with pytest.raises(FormatError, match="#/response/bodyFileName: no file"):
        read_foreign(folder / "mapping.json", upstream=UPSTREAM)


def test_a_folder_must_hold_mappings(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"has no mappings/\*\.json"):
        read_foreign(tmp_path, upstream=UPSTREAM)
    (tmp_path / "mappings").mkdir()
    (tmp_path / "mappings" / "a.json").write_text("{}", encoding="utf-8")
    with pytest.raises(FormatError, match="is no mapping"):
        read_foreign(tmp_path, upstream=UPSTREAM)


def test_yaml_has_a_limit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST_FOREIGN", 10)
    with pytest.raises(FormatError, match="larger than"):
        read_foreign(folder / "ruby.yml")
