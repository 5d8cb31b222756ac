"""`understudy cassette stub`: what a replay missed is written, redacted."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from mockserver.cassettes.files import read_cassette, write_cassette
from mockserver.cli.main import app
from mockserver.errors import MockServerError
from mockserver.model import CassetteInfo, Interaction
from mockserver.testing import CassettePlayer
from tests.tapes import ORIGIN, cassette, recorded, written

URL = f"{ORIGIN}/v1/units/2"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", "a key of these tests")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["cassette", "stub", *arguments], catch_exceptions=False)


def added(file: Path) -> Interaction:
    return read_cassette(file).interactions[-1]


def test_the_missing_recording_is_added_like_the_nearest_one(tmp_path: Path) -> None:
    file = written(tmp_path, [recorded()])
    result = run(str(file), "get", URL, "--like", "1")
    assert result.output == f"{file}: added #2 GET {URL}, answered with 200\n"
    assert added(file).response == recorded().response
    assert CassettePlayer(file).play(recorded(path="/v1/units/2").request).number == 2


def test_the_answer_can_be_given(tmp_path: Path) -> None:
    file, body = written(tmp_path, [recorded()]), tmp_path / "body.json"
    body.write_text('{"name": "second"}', encoding="utf-8")
    run(str(file), "GET", URL, "--like", "1", "--status", "203", "--body", f"@{body}")
    response = added(file).response
    assert (response.status, response.body) == (203, b'{"name": "second"}')


def test_a_request_with_a_body_is_added_to_a_new_cassette(tmp_path: Path) -> None:
    file = tmp_path / "new.yaml"
    run(str(file), "POST", URL, "--data", '{"mail": "alice.liddell@corp-internal.io"}')
    request = added(file).request
    assert b"corp-internal" not in request.body
    assert request.headers[0] == ("Content-Type", "application/json")
    assert added(file).response.body == b"{}"


def test_a_recording_stands_where_it_is_played_with_the_headers_that_count(tmp_path: Path) -> None:
    file = written(tmp_path, [recorded(), recorded("POST")])
    result = run(str(file), "GET", URL, "--before", "2", "--header", "Range: bytes=0-1")
    assert "added #2" in result.output
    methods = [each.request.method for each in read_cassette(file).interactions]
    assert methods == ["GET", "GET", "POST"]
    assert read_cassette(file).interactions[1].request.headers == (("Range", "bytes=0-1"),)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["GET", URL, "--before", "2"], "tape.yaml has no recording 2"),
        (["GET", URL, "--header", "Range"], "--header 'Range' is no header"),
        (["GET", URL, "--header", ": x"], "--header ': x' is no header"),
        (["GET", "/v1/units"], "is no whole URL"),
        (["GET", URL, "--like", "7"], "tape.yaml has no recording 7"),
        (["GET", URL, "--body", "@missing.json"], "--body @missing.json: No such file"),
    ],
)
def test_what_cannot_be_written_is_told(tmp_path: Path, arguments: list[str], says: str) -> None:
    file = written(tmp_path, [recorded()])
    with pytest.raises(MockServerError) as error:
        run(str(file), *arguments)
    assert says in str(error.value)


def test_secrets_are_not_mixed_with_pseudonyms_of_another_key(tmp_path: Path) -> None:
    file = tmp_path / "tape.yaml"
    made = cassette(recorded())
    other = CassetteInfo(key_id="0123abcd")
    write_cassette(type(made)(made.name, made.interactions, other), file)
    run(str(file), "GET", URL)
    with pytest.raises(MockServerError, match="was redacted with key 0123abcd"):
        run(str(file), "GET", f"{URL}?mail=alice.liddell@corp-internal.io")
    assert len(read_cassette(file).interactions) == 2
