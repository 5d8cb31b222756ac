"""Planted secrets in gRPC calls and WebSockets, captured by the forward proxy, then replayed."""

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

import grpc
import httpx
import pytest
import trustme
from google.cloud.logging_v2.types import ListLogEntriesRequest, ListLogEntriesResponse
from google.protobuf import json_format
from websockets.sync.client import connect
from websockets.sync.server import ServerConnection, serve

from mockserver.cassettes.files import read_cassette
from tests.acceptance.manifold import ROWS, Row
from tests.acceptance.replay_server import replay_server
from tests.acceptance.test_canary_clients import Watch, left_in
from tests.captures import KEY, CaptureProcess
from tests.mockserver.redaction.planted import ALNUM, chars

pytestmark = pytest.mark.slow

LIST = "/google.logging.v2.LoggingServiceV2/ListLogEntries"
PAGE = 40


def _entries() -> Iterator[tuple[Row, dict[str, Any]]]:
    """What log entries can hold: the objects and the plain texts of the tables."""
    for row in ROWS:
        answer = row.message.response
        media = dict(answer.headers).get("Content-Type", "")
        entry: dict[str, Any] = {"logName": "projects/shop/logs/app"}
        entry["insertId"] = chars(f"entry {row.url}", ALNUM, 16)
        if media == "application/json" and answer.body.startswith(b"{"):
            yield row, entry | {"jsonPayload": json.loads(answer.body)}
        elif media == "text/plain" and answer.body:
            yield row, entry | {"textPayload": answer.body.decode()}


ENTRIES = tuple(_entries())
TOKENS = tuple(
    chars(f"log page {start}", ALNUM + "-_", 60) for start in range(PAGE, len(ENTRIES), PAGE)
)
SAID = ROWS[0].planted.secret if ROWS[0].planted else ""
"""A token that a WebSocket says, too."""


class Logs(grpc.GenericRpcHandler):  # type: ignore[misc]
    """A live API that lists entries, by page or by one's id."""

    def service(self, details: Any) -> Any:
        return grpc.unary_unary_rpc_method_handler(self.listed) if details.method == LIST else None

    def listed(self, content: bytes, _: Any) -> bytes:
        asked = ListLogEntriesRequest.deserialize(content)
        entries = [entry for _, entry in ENTRIES]
        answer: dict[str, Any]
        if asked.filter:
            wanted = asked.filter.split('"')[1]
            answer = {"entries": [each for each in entries if each["insertId"] == wanted]}
        else:
            page = TOKENS.index(asked.page_token) + 1 if asked.page_token else 0
            answer = {"entries": entries[page * PAGE : (page + 1) * PAGE]}
            if (page + 1) * PAGE < len(entries):
                answer["nextPageToken"] = TOKENS[page]
        made = json_format.ParseDict(answer, ListLogEntriesResponse.pb()())
        return bytes(made.SerializeToString())


def talk(target: str, proxy: str, trusted: Path) -> list[dict[str, Any]]:
    """All entries of all pages; those of each page's first entry, by its id, follow at the end."""
    trust = grpc.ssl_channel_credentials(trusted.read_bytes())
    with grpc.secure_channel(target, trust, (("grpc.http_proxy", proxy),)) as channel:
        call = channel.unary_unary(LIST)

        def ask(**options: str) -> dict[str, Any]:
            request = ListLogEntriesRequest(resource_names=["projects/shop"], **options)
            metadata = (("x-api-key", SAID),)
            content = call(ListLogEntriesRequest.serialize(request), metadata=metadata, timeout=180)
            answer = ListLogEntriesResponse.pb().FromString(content)
            made: dict[str, Any] = json_format.MessageToDict(answer)
            return made

        entries, page = [], ask()
        entries += page["entries"]
        while token := page.get("nextPageToken", ""):
            page = ask(page_token=token)
            entries += page["entries"]
        for entry in entries[::PAGE]:
            entries += ask(filter=f'insertId="{entry["insertId"]}"').get("entries", [])
        return entries


def holds(row: Row, entry: dict[str, Any]) -> bool:
    """Whether an entry has what was planted, however its row codes it."""
    content = entry.get("textPayload") or json.dumps(entry["jsonPayload"], ensure_ascii=False)
    return row.planted is not None and row.planted.secret in row.planted.read(content.encode())


def echo(connection: ServerConnection) -> None:
    for message in connection:
        connection.send(message)


@dataclass
class Captured:
    """What a capture left, and what its clients got."""

    file: Path
    target: str
    status: int
    said: str
    got: list[dict[str, Any]]
    echoed: list[str | bytes]
    watch: Watch


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Captured]:
    folder, own = tmp_path_factory.mktemp("capture"), tmp_path_factory.mktemp("tls")
    authority = trustme.CA()
    leaf = authority.issue_cert("127.0.0.1")
    authority.cert_pem.write_to_path(own / "ca.pem")
    pair = (leaf.private_key_pem.bytes(), leaf.cert_chain_pems[0].bytes())
    server = grpc.server(ThreadPoolExecutor(2), handlers=(Logs(),))
    port = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([pair]))
    server.start()
    with (
        ExitStack() as exits,
        pytest.MonkeyPatch.context() as patch,
        serve(echo, "127.0.0.1", 0) as sockets,
        Watch(folder) as watch,
    ):
        exits.callback(server.stop, None)
        Thread(target=sockets.serve_forever, daemon=True).start()
        place = f"127.0.0.1:{sockets.socket.getsockname()[1]}"
        patch.setenv("UNDERSTUDY_HOME", str(own / "home"))
        patch.setenv("MOCKSERVER_REDACTION_KEY", KEY)
        options = ("--forward", "--cassette=logs.yaml", f"--upstream-ca={own / 'ca.pem'}")
        with CaptureProcess(folder, *options, "--verbose") as capture:
            proxy = capture.block["HTTPS_PROXY"]
            trusted = Path(capture.block["GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"])
            got = talk(f"127.0.0.1:{port}", proxy, trusted)
            with connect(f"ws://{place}/live?access_token={SAID}", proxy=capture.url) as client:
                client.send(f"my password is {SAID}")
                echoed = [client.recv()]
            status = capture.end()
        said = capture.output + capture.messages
        target = f"127.0.0.1:{port}"
        yield Captured(folder / "logs.yaml", target, status, said, got, echoed, watch)


@pytest.fixture(scope="module")
def replayed(
    captured: Captured, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The URL of a server that has nothing but the recording, and what the same client got."""
    log = tmp_path_factory.mktemp("replay") / "server.log"
    with replay_server(captured.file, log) as url:
        asked = [sys.executable, "-m", "mockserver", "env", "--url", url, "--session=default",
                 "--format=json"]  # fmt: skip
        block = json.loads(subprocess.run(asked, capture_output=True, check=True).stdout)
        trusted = Path(block["GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"])
        yield url, talk(captured.target, block["HTTPS_PROXY"], trusted)


def test_more_than_250_secrets_go_over_grpc() -> None:
    assert sum(holds(row, entry) for row, entry in ENTRIES) > 250
    assert sum(row.planted is None for row, _ in ENTRIES) > 120


def test_the_clients_get_through_the_capture_what_the_apis_answer(captured: Captured) -> None:
    assert captured.got[: len(ENTRIES)] == [entry for _, entry in ENTRIES]
    assert captured.got[len(ENTRIES) :] == captured.got[: len(ENTRIES) : PAGE]
    assert captured.echoed == [f"my password is {SAID}"]


def test_calls_are_recorded_and_the_websocket_is_named(captured: Captured) -> None:
    assert captured.status == 0, captured.said
    pages = len(range(0, len(ENTRIES), PAGE))
    assert len(read_cassette(captured.file).interactions) == 2 * pages
    assert "WebSocket http://127.0.0.1" in captured.said


def test_no_secret_is_whole_in_any_file_at_any_moment(captured: Captured) -> None:
    assert captured.watch.found == set()
    assert left_in(captured.said.encode()) == set()
    content = captured.file.read_text(encoding="utf-8") + captured.said
    assert [token for token in TOKENS if token in content] == []


def test_the_replay_has_pages_and_joins_no_secret_and_every_harmless_value(
    captured: Captured, replayed: tuple[str, list[dict[str, Any]]]
) -> None:
    _, got = replayed
    assert got[len(ENTRIES) :] == got[: len(ENTRIES) : PAGE]
    pairs = list(zip(ENTRIES, got[: len(ENTRIES)], strict=True))
    assert [row.name for (row, _), made in pairs if holds(row, made)] == []
    payloads = [
        (row.name, [(each.get("jsonPayload"), each.get("textPayload")) for each in (entry, made)])
        for (row, entry), made in pairs
        if row.planted is None
    ]
    assert [(name, both) for name, both in payloads if both[0] != both[1]] == []


def test_no_secret_is_whole_in_the_journal_of_the_replay(
    replayed: tuple[str, list[dict[str, Any]]],
) -> None:
    journal = httpx.get(f"{replayed[0]}/_mock/sessions/default/journal", trust_env=False)
    assert LIST in journal.raise_for_status().text
    assert left_in(journal.content) == set()
