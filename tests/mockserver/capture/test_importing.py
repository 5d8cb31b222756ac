import gzip
from pathlib import Path

import pytest

from mockserver.capture.recordings import redact_recording, write_redacted
from mockserver.cassettes.files import read_cassette
from mockserver.errors import LeakError, MockServerError
from mockserver.model import (
    Cassette,
    CassetteInfo,
    Chunk,
    Header,
    Interaction,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.redaction import Redactor, RuleSet

MAIL = "jane.roe@acme-widgets.dev"


@pytest.fixture
def redactor() -> Redactor:
    """One with the common rules."""
    return Redactor(RuleSet.default(), b"a key for tests")


def tape(
    body: bytes, info: CassetteInfo | None = None, headers: tuple[Header, ...] = ()
) -> Cassette:
    request = RecordedRequest("GET", "https://example.com/")
    given = (("Content-Type", "application/json"), *headers)
    response = RecordedResponse(200, "OK", given, body)
    return Cassette("a.yaml", (Interaction(request, response),), info or CassetteInfo())


@pytest.mark.parametrize("name", ["a.yaml", "a.json"])
def test_secrets_in_coded_bodies_are_replaced_too(
    tmp_path: Path, redactor: Redactor, name: str
) -> None:
    packed = gzip.compress(f'{{"mail": "{MAIL}"}}'.encode())
    coded = tape(packed, headers=(("Content-Encoding", "gzip"),))
    assert write_redacted(coded, tmp_path / name, redactor).replaced == 1
    made = read_cassette(tmp_path / name)
    assert made.info.key_id == redactor.key_id
    assert made.interactions[0].response.coding.startswith("gzip")
    assert MAIL.encode() not in made.interactions[0].response.body
    assert b".example.com" in made.interactions[0].response.body


def test_what_a_cassette_says_of_itself_is_redacted(redactor: Redactor) -> None:
    info = CassetteInfo(extra={"by": MAIL}, plan={"as": MAIL}, upstream=f"https://h/{MAIL}")
    made = redact_recording(tape(b"{}", info), redactor)
    assert MAIL not in repr(made.info)


def test_a_cassette_of_another_key_is_refused(redactor: Redactor) -> None:
    with pytest.raises(MockServerError, match="was redacted with key 00000000"):
        redact_recording(tape(b"{}", CassetteInfo(key_id="00000000")), redactor)


def test_nothing_is_written_where_a_secret_is_left(tmp_path: Path, redactor: Redactor) -> None:
    redactor.redact_text(f"write to {MAIL}")
    hidden = tape(b"{}", CassetteInfo(revisions={"a:v1": MAIL}))
    with pytest.raises(LeakError) as error:
        write_redacted(hidden, tmp_path / "a.yaml", redactor)
    assert MAIL not in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_what_is_coded_already_or_came_in_pieces_stays(redactor: Redactor) -> None:
    request = RecordedRequest("POST", "https://example.com/", (), b"{}", "gzip;level=6")
    response = RecordedResponse(200, body=b"{}", chunks=(Chunk(0.0, 2),))
    made = redact_recording(Cassette("a", (Interaction(request, response),)), redactor)
    assert made.interactions == (Interaction(request, response),)
