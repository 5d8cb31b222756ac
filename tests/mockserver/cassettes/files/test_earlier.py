"""Cassettes as earlier versions of this program wrote them (`earlier/`), the oldest first.

All say the same; the second also says how requests are compared, the third has a body in a file.
"""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from mockserver.capture.recordings import RecordMode, save_cassette
from mockserver.cassettes.files import read_cassette, write_cassette
from mockserver.cassettes.files.body_files import read_body
from mockserver.errors import CaptureError, FormatError
from mockserver.model import (
    CassetteInfo,
    Chunk,
    Interaction,
    Match,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.redaction import InteractionSanitizer
from tests.wires import redactor

FOLDER = Path(__file__).with_name("earlier")
EARLIER = sorted(path for path in FOLDER.glob("*/library.*") if path.is_file())
LIBRARY = "https://api.library.example.com"
JSON = (("Content-Type", "application/json"),)
INFO = CassetteInfo(
    recorded_at="2026-11-20T10:00:00Z",
    recorded_by="mockserver 0.1.0",
    key_id="0123456789abcdef",
    upstream=LIBRARY,
    revisions={"library:v1": "20261101"},
    plan={"calls": [{"id": "books"}]},
    extra={"about": "a sample"},
)
INTERACTIONS = (
    Interaction(
        RecordedRequest(
            "GET",
            f"{LIBRARY}/v1/books?limit=2&q=caf%C3%A9",
            (("Accept", "application/json"), ("X-Two", "a"), ("X-Two", "b")),
        ),
        RecordedResponse(
            200,
            "OK",
            (*JSON, ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")),
            '{"books": [{"id": "BK1", "title": "Über: \'quotes\', \\"more\\" # no'
            ' comment"}]}'.encode(),
        ),
        "2026-11-20T10:00:00.000Z",
        12.5,
        "library.books.list",
    ),
    Interaction(
        RecordedRequest("POST", f"{LIBRARY}/v1/loans", JSON, b'{"bookId": "BK2", "member": "M1"}'),
        RecordedResponse(201, "Created", JSON, b'{"id": "L1",\n "note": "two\\nlines"}\n'),
        "2026-11-20T10:00:01.250Z",
        7.0,
    ),
    Interaction(
        RecordedRequest("GET", f"{LIBRARY}/v1/covers/BK1"),
        RecordedResponse(200, "OK", (("Content-Type", "image/png"),), bytes(range(0, 256, 5))),
        "2026-11-20T10:00:02.000Z",
        3.25,
    ),
    Interaction(
        RecordedRequest("GET", f"{LIBRARY}/v1/events"),
        RecordedResponse(
            200,
            "OK",
            (("Content-Type", "text/event-stream"),),
            b"data: one\n\ndata: two\n\n",
            chunks=(Chunk(1.5, 11), Chunk(20.25, 11)),
            ended="reset",
        ),
        "2026-11-20T10:00:03.000Z",
        21.0,
    ),
    Interaction(
        RecordedRequest("GET", f"{LIBRARY}/v1/members"),
        RecordedResponse(200, "OK", JSON, b'{"members": []}', coding="gzip"),
        "2026-11-20T10:00:04.000Z",
        2.0,
    ),
    Interaction(
        RecordedRequest("DELETE", f"{LIBRARY}/v1/loans/L1"),
        RecordedResponse(204, "No Content"),
        "2026-11-20T10:00:05.000Z",
        1.0,
    ),
)
TEXT = b"a long page of text, kept beside"


@pytest.mark.parametrize("path", EARLIER, ids=lambda path: f"{path.parent.name}{path.suffix}")
def test_a_cassette_says_what_it_said_and_is_written_as_it_was(tmp_path: Path, path: Path) -> None:
    read = read_cassette(path)
    version = int(path.parent.name)
    match = None if version == 1 else Match(parts=("method", "path", "query"))
    assert read.info == replace(INFO, match=match)
    assert read.interactions[: len(INTERACTIONS)] == INTERACTIONS
    files = [each.response.file for each in read.interactions[len(INTERACTIONS) :]]
    assert [read_body(file) for file in files if file] == ([TEXT] if version == 3 else [])
    write_cassette(read, tmp_path / path.name)
    assert (tmp_path / path.name).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("name", ["library.yaml", "library.json"])
def test_a_cassette_of_a_later_version_is_refused_and_stays(tmp_path: Path, name: str) -> None:
    """Also where a capture was to add to it."""
    path = Path(shutil.copy(FOLDER / "1" / name, tmp_path))
    if path.suffix == ".json":
        path.write_text(json.dumps(json.loads(path.read_bytes()) | {"version": 2}), "utf-8")
    else:
        path.write_text(path.read_text("utf-8").replace("version: 1", "version: 2", 1), "utf-8")
    content = path.read_bytes()
    with pytest.raises(FormatError, match="has version 2; this program reads") as refused:
        read_cassette(path)
    assert "install that one" in f"{refused.value} {refused.value.hint}"
    recording = Path(shutil.copy(FOLDER / "1/library.yaml", tmp_path / "new.recording.yaml"))
    with pytest.raises(CaptureError, match="has version 2"):
        save_cassette(recording, path, RecordMode.NEW_EPISODES, InteractionSanitizer(redactor()))
    assert path.read_bytes() == content
    assert recording.exists()
