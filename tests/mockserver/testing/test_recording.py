"""Live answers recorded inside a test, and played back."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
from typing_extensions import override

from mockserver.cassettes.files import read_cassette
from mockserver.errors import MockServerError, ReplayMissError
from mockserver.testing import RecordingTransport
from mockserver.testing.recording import Mode
from tests.tapes import ORIGIN

SECRET = "alice.liddell@corp-internal.io"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", "a key of these tests")


class Upstream(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body in two pieces, that may break off."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    @override
    def __iter__(self) -> Iterator[bytes]:
        yield b'{"mail": "'
        if self.error:
            raise self.error
        yield SECRET.encode() + b'"}'

    @override
    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self:
            yield piece


def live(error: Exception | None = None) -> httpx.MockTransport:
    headers = {"content-type": "application/json"}
    return httpx.MockTransport(
        lambda request: httpx.Response(200, headers=headers, stream=Upstream(error))
    )


def asked(file: Path, mode: Mode, path: str = "/v1/me") -> httpx.Response:
    with httpx.Client(
        transport=RecordingTransport(file, live(), mode=mode), base_url=ORIGIN
    ) as client:
        return client.get(path, headers={"authorization": "Bearer abcdefghijklmnop123456"})


def test_once_records_and_then_plays_without_what_is_secret(tmp_path: Path) -> None:
    file = tmp_path / "me.yaml"
    assert SECRET in asked(file, "once").text
    assert SECRET not in file.read_text(encoding="utf-8")
    (made,) = read_cassette(file).interactions
    assert sum(chunk.size for chunk in made.response.chunks) == len(made.response.body)
    played = asked(file, "once")
    assert played.headers["x-mock-source"] == "cassette"
    assert SECRET not in played.text
    with pytest.raises(ReplayMissError):
        asked(file, "once", "/v1/other")


def test_new_episodes_are_recorded_behind_what_is_there(tmp_path: Path) -> None:
    file = tmp_path / "me.yaml"
    asked(file, "once")
    assert "x-mock-source" in asked(file, "new_episodes").headers
    assert "x-mock-source" not in asked(file, "new_episodes", "/v1/other").headers
    urls = [each.request.url for each in read_cassette(file).interactions]
    assert urls == [f"{ORIGIN}/v1/me", f"{ORIGIN}/v1/other"]


def test_nothing_is_recorded_where_nothing_may_be(tmp_path: Path) -> None:
    with pytest.raises(MockServerError, match="none"):
        RecordingTransport(tmp_path / "me.yaml", mode="none")


async def test_an_asynchronous_client_is_recorded_too(tmp_path: Path) -> None:
    file = tmp_path / "me.yaml"
    for _ in range(2):
        transport = RecordingTransport(file, live())
        async with httpx.AsyncClient(transport=transport, base_url=ORIGIN) as client:
            assert (await client.get("/v1/me")).status_code == 200
    assert len(read_cassette(file).interactions) == 1


@pytest.mark.parametrize(
    ("error", "ended"),
    [(httpx.ReadTimeout("silent"), "timeout"), (httpx.ReadError("gone"), "reset")],
)
def test_how_an_answer_broke_off_is_recorded(tmp_path: Path, error: Exception, ended: str) -> None:
    file = tmp_path / "me.yaml"
    transport = RecordingTransport(file, live(error))
    client = httpx.Client(transport=transport, base_url=ORIGIN)
    with client, pytest.raises(type(error)):
        client.get("/v1/me")
    (made,) = read_cassette(file).interactions
    assert (made.response.ended, made.response.body) == (ended, b'{"mail": "')


@pytest.mark.parametrize(
    ("error", "ended"),
    [(httpx.ReadTimeout("silent"), "timeout"), (httpx.ReadError("gone"), "reset")],
)
async def test_how_it_broke_off_is_recorded_asynchronously(
    tmp_path: Path, error: Exception, ended: str
) -> None:
    file = tmp_path / "me.yaml"
    transport = RecordingTransport(file, live(error))
    async with httpx.AsyncClient(transport=transport, base_url=ORIGIN) as client:
        with pytest.raises(type(error)):
            await client.get("/v1/me")
    assert read_cassette(file).interactions[0].response.ended == ended
