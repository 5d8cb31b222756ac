"""Batches, uploads, downloads and faults by the real Google client, against a real server."""

import asyncio
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httplib2
import orjson
import pytest
from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError
from googleapiclient.http import (
    BatchHttpRequest,
    MediaIoBaseDownload,
    MediaIoBaseUpload,
    set_user_agent,
)

from mockserver.client import MockServer
from mockserver.model import Fault, JsonObject, SessionInfo, SessionSpec
from tests.mockserver.apis.directory.conftest import RAW

MINE = {"customerId": "my_customer"}
CHUNK = 256 * 1024
CONTENT = bytes(range(256)) * 2500
HOST = "www.googleapis.com"


class ByHost(httplib2.Http):  # type: ignore[misc]
    """Sends every request to the server, with the host that it was meant for."""

    def __init__(self, url: str, session: str) -> None:
        super().__init__()
        self.redirect_codes -= {308}
        self._url, self._session = url, session

    def request(self, uri: str, *args: Any, **named: Any) -> Any:
        host, _, path = uri.partition("://")[2].partition("/")
        headers = {**(named.pop("headers", None) or {}), "X-Mock-Session": self._session}
        return super().request(
            f"{self._url}/{path}", *args, headers={**headers, "Host": host}, **named
        )


class Server:
    """A server of its own process."""

    def __init__(self, runner: asyncio.Runner, server: MockServer) -> None:
        self._runner = runner
        self._server = server
        self.clients: list[Any] = []

    def open(self, *faults: Fault) -> SessionInfo:
        return self._runner.run(self._server.open(SessionSpec(faults=faults)))

    def journal(self, session: SessionInfo) -> list[Any]:
        report = self._runner.run(self._server.close_session(session.id))
        return list(report.journal.entries)

    def admin(self, session: SessionInfo) -> Any:
        endpoint = {"api_endpoint": f"{session.base_url}/admin.googleapis.com/"}
        credentials = Credentials(token=session.token)  # type: ignore[no-untyped-call]
        self.clients.append(
            build("admin", "directory_v1", credentials=credentials, client_options=endpoint)
        )
        return self.clients[-1]

    def drive(self, session: SessionInfo) -> Any:
        return self.service(session, "drive", "v3")

    def service(self, session: SessionInfo, name: str, version: str) -> Any:
        http = ByHost(self._server.url, session.id)
        self.clients.append(build(name, version, http=set_user_agent(http, "agent/1")))
        return self.clients[-1]

    def raw(self, session: SessionInfo, url: str) -> tuple[int, bytes]:
        """Status and body of a plain GET."""
        self.clients.append(ByHost(self._server.url, session.id))
        answer, content = self.clients[-1].request(url)
        return int(answer.status), content

    def close(self) -> None:
        for client in self.clients:
            client.close()
        self._runner.run(self._server.close())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("suite")
    (folder / "base").mkdir()
    files = [{"id": "f1", "name": "notes.txt", "kind": "drive#file"}]
    told = {"bucket": "shop", "name": "told.txt"}
    storage = {"buckets": [{"id": "shop", "name": "shop"}], "objects": [told]}
    snapshot = {**RAW, "resources": {"drive:v3": {"files": files}, "storage:v1": storage}}
    (folder / "base" / "tenant.json").write_bytes(orjson.dumps(snapshot))
    with asyncio.Runner() as runner:
        opened = Server(runner, runner.run(MockServer.start(Path(folder))))
        yield opened
        opened.close()


class Answers:
    """What a batch called back with."""

    def __init__(self) -> None:
        self.found: dict[str, JsonObject] = {}
        self.failed: dict[str, int] = {}

    def __call__(self, name: str, answer: JsonObject, error: HttpError | None) -> None:
        if error is None:
            self.found[name] = answer
        else:
            self.failed[name] = int(error.resp.status)


def test_a_batch_answers_each_call_with_its_own_result(server: Server) -> None:
    session, answers = server.open(), Answers()
    units = server.admin(session).orgunits()
    batch = BatchHttpRequest(answers, f"{session.base_url}/admin.googleapis.com/batch")
    made = {"name": "Batched", "parentOrgUnitPath": "/"}
    batch.add(units.insert(**MINE, body=made), request_id="made")
    batch.add(units.get(**MINE, orgUnitPath="Batched"), request_id="found")
    batch.add(units.get(**MINE, orgUnitPath="Nowhere"), request_id="missing")
    batch.execute()
    assert {name: unit["name"] for name, unit in answers.found.items()} == {
        "made": "Batched",
        "found": "Batched",
    }
    assert answers.failed == {"missing": 404}
    journal = server.journal(session)
    assert [entry.method_id for entry in journal] == [
        "batch",
        "directory.orgunits.insert",
        "directory.orgunits.get",
        "directory.orgunits.get",
    ]
    assert {entry.parent for entry in journal[1:]} == {journal[0].seq}


def test_ids_of_any_length_come_back_whole(server: Server) -> None:
    session, answers = server.open(), Answers()
    drive = server.drive(session)
    ids = [f"{length} {'x' * length}"[:length] for length in range(3, 121)]
    ids += ["a + b", "with /, % and é " * 5]
    batch = drive.new_batch_http_request(callback=answers)
    for ident in ids:
        batch.add(drive.files().get(fileId="f1"), request_id=ident)
    batch.execute()
    assert (sorted(answers.found), answers.failed) == (sorted(ids), {})


def test_a_batch_goes_to_the_host_and_path_that_the_document_names(server: Server) -> None:
    session, answers = server.open(), Answers()
    drive = server.drive(session)
    batch = drive.new_batch_http_request(callback=answers)
    batch.add(drive.files().get(fileId="f1"), request_id="one")
    batch.add(drive.files().get(fileId="f2"), request_id="two")
    batch.execute()
    assert (answers.found["one"]["name"], answers.failed) == ("notes.txt", {"two": 404})
    assert server.journal(session)[0].path == "/batch/drive/v3"


def upload(drive: Any, content: bytes, **how: Any) -> Any:
    media = MediaIoBaseUpload(io.BytesIO(content), mimetype="application/x-test", **how)
    return drive.files().create(body={"name": "made.bin"}, media_body=media, fields="id,name,size")


def download(drive: Any, file_id: str) -> tuple[bytes, int]:
    target, chunks, done = io.BytesIO(), 0, False
    loader = MediaIoBaseDownload(target, drive.files().get_media(fileId=file_id), chunksize=CHUNK)
    while not done:
        _, done = loader.next_chunk()
        chunks += 1
    return target.getvalue(), chunks


@pytest.mark.parametrize("size", [0, 5, len(CONTENT)], ids=["nothing", "little", "much"])
def test_what_is_uploaded_with_its_metadata_is_downloaded(server: Server, size: int) -> None:
    drive = server.drive(server.open())
    made = upload(drive, CONTENT[:size]).execute()
    assert (made["name"], made["size"]) == ("made.bin", str(size))
    assert drive.files().get_media(fileId=made["id"]).execute() == CONTENT[:size]


def test_a_resumable_upload_and_a_download_in_chunks(server: Server) -> None:
    session = server.open()
    drive = server.drive(session)
    request = upload(drive, CONTENT, resumable=True, chunksize=CHUNK)
    progress, made = [], None
    while made is None:
        status, made = request.next_chunk()
        progress += [status.resumable_progress] if status else []
    assert progress == [CHUNK, 2 * CHUNK]
    assert made["size"] == str(len(CONTENT))
    assert download(drive, made["id"]) == (CONTENT, 3)
    statuses = [entry.status for entry in server.journal(session)]
    assert statuses == [200, 308, 308, 200, 206, 206, 206]


def test_a_resumable_upload_survives_a_reset_and_a_503(server: Server) -> None:
    method = "drive.files.create"
    lost = Fault(method=method, kind="reset", calls=(3,))
    busy = Fault(method=method, status=503, calls=(4,))
    drive = server.drive(server.open(lost, busy))
    request = upload(drive, CONTENT, resumable=True, chunksize=CHUNK)
    made, failures = None, 0
    while made is None:
        try:
            _, made = request.next_chunk()
        except (ConnectionError, httplib2.HttpLib2Error, HttpError):
            failures += 1
            assert failures < 9
    assert failures >= 1
    assert download(drive, made["id"])[0] == CONTENT


def test_a_stale_tag_is_the_clients_own_error(server: Server) -> None:
    users = server.admin(server.open()).orgunits()
    unit = users.get(**MINE, orgUnitPath="Eng").execute()
    request = users.patch(**MINE, orgUnitPath="Eng", body={"description": "new"})
    request.headers["If-Match"] = '"stale"'
    with pytest.raises(HttpError) as caught:
        request.execute()
    assert caught.value.status_code == 412
    request = users.patch(**MINE, orgUnitPath="Eng", body={"description": "new"})
    request.headers["If-Match"] = unit["etag"]
    assert request.execute()["description"] == "new"


def test_an_object_is_downloaded_by_both_of_its_paths(server: Server) -> None:
    session = server.open()
    objects = server.service(session, "storage", "v1").objects()
    media = MediaIoBaseUpload(io.BytesIO(CONTENT), "application/octet-stream")
    objects.insert(bucket="shop", body={"name": "in/deep.bin"}, media_body=media).execute()
    assert objects.get_media(bucket="shop", object="in/deep.bin").execute() == CONTENT
    path = "storage/v1/b/shop/o/in%2Fdeep.bin?alt=media"
    for url in (f"https://storage.googleapis.com/{way}{path}" for way in ("", "download/")):
        assert server.raw(session, url) == (200, CONTENT)


def test_media_that_a_fixture_does_not_hold_are_told_with_the_fixture(server: Server) -> None:
    session = server.open()
    url = "https://storage.googleapis.com/download/storage/v1/b/shop/o/told.txt?alt=media"
    status, body = server.raw(session, url)
    message = orjson.loads(body)["error"]["message"]
    assert status == 501
    assert '{"http":[{"url":"storage.googleapis.com/download/storage/v1/b/shop/o' in message
    assert server.raw(session, url.replace("told", "none"))[0] == 404
