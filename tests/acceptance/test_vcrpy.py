"""vcrpy plays what we write and we read what vcrpy writes, with the same client code."""

import gzip
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
import requests
import vcr
import vcr.errors
from typing_extensions import override

from mockserver.cassettes.files import read_cassette, write_cassette
from mockserver.cassettes.files.body_files import BodyWriter
from mockserver.model import Cassette, Chunk, Interaction, RecordedRequest, RecordedResponse
from tests.patience import PATIENCE_S

PNG = bytes(range(256))
ANSWERS: dict[str, tuple[bytes, str, bool]] = {
    "/json": (b'{"a": 1, "b": ["\xc3\xa9"]}', "application/json", False),
    "/pretty": (b'{\n  "a": 1\n}\n', "application/json", False),
    "/gzip": (b'{"packed": true}', "application/json", True),
    "/binary": (PNG, "image/png", False),
    "/lines": (b"a\r\n\r\n b\t\n", "text/plain", False),
    "/empty": (b"", "text/plain", False),
}
SHIPPED = [
    path
    for path in sorted((Path(__file__).parents[2] / "cassettes").rglob("*.yaml"))
    if path.read_bytes().startswith(b"version: 1\n")
]
Asked = tuple[int, bytes, list[str]]
Client = Callable[[str, str], Asked]


class Upstream(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body, media, packed = ANSWERS[self.path.partition("?")[0]]
        sent = gzip.compress(body) if packed else body
        self.send_response(200)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(len(sent)))
        self.send_header("Set-Cookie", "a=1")
        self.send_header("Set-Cookie", "b=2")
        if packed:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(sent)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    @override
    def log_message(self, *_: Any) -> None:
        """Says nothing."""


@pytest.fixture(scope="module")
def upstream() -> Iterator[str]:
    """A live server of this test's own."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def by_httpx(method: str, url: str) -> Asked:
    sent = {"sent": 1} if method == "POST" else None
    with httpx.Client() as client:
        response = client.request(method, url, json=sent)
    return response.status_code, response.content, response.headers.get_list("set-cookie")


def by_requests(method: str, url: str) -> Asked:
    import requests

    sent = {"sent": 1} if method == "POST" else None
    with requests.Session() as session:
        response = session.request(method, url, json=sent)
    cookies = sorted(f"{cookie.name}={cookie.value}" for cookie in response.cookies)
    return response.status_code, response.content, cookies


def by_httplib2(method: str, url: str) -> Asked:
    import httplib2

    http = httplib2.Http()
    body = '{"sent": 1}' if method == "POST" else None
    response, content = http.request(url, method, body=body)
    http.close()
    return response.status, content, response["set-cookie"].split(", ")


CLIENTS: dict[str, Client] = {
    "httpx": by_httpx,
    "requests": by_requests,
    "httplib2": by_httplib2,
}
BODIES: dict[Client, list[str]] = {by_httpx: [], by_requests: ["body"], by_httplib2: ["body"]}
"""httpx sends an empty body where the others send none; vcrpy's matcher `body` tells them apart."""
CALLS = [("GET", path) for path in ANSWERS] + [("POST", "/json?x=1")]


def ask(client: Client, base: str) -> list[Asked]:
    return [client(method, base + path) for method, path in CALLS]


def playing(path: Path, serializer: str = "yaml") -> Any:
    recorder = vcr.VCR(record_mode="none", serializer=serializer)
    return recorder.use_cassette(str(path))


@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
def test_what_vcrpy_records_we_read_and_what_we_write_of_it_vcrpy_plays(
    tmp_path: Path, upstream: str, client: Client
) -> None:
    theirs, ours = tmp_path / "theirs.yaml", tmp_path / "ours.yaml"
    with vcr.VCR().use_cassette(str(theirs)):
        live = ask(client, upstream)
    cassette = read_cassette(theirs)
    assert [item.request.url for item in cassette.interactions] == [
        upstream + path for _, path in CALLS
    ]
    write_cassette(cassette, ours)
    assert read_cassette(ours).interactions == cassette.interactions
    with playing(ours):
        assert ask(client, upstream) == live


@pytest.fixture
def recorded() -> Cassette:
    """A cassette as our recorder makes it: bodies opened, facts beside them."""
    items = []
    for method, path in CALLS:
        body, media, packed = ANSWERS[path.partition("?")[0]]
        headers = (
            ("Content-Type", media),
            ("Set-Cookie", "a=1"),
            ("Content-Length", str(len(body))),
            ("Set-Cookie", "b=2"),
        )
        sent = b'{"sent": 1}' if method == "POST" else b""
        asked = RecordedRequest(method, f"https://api.example.com{path}", (), sent)
        chunks = (Chunk(0.0, len(body)),) if body else ()
        coding = "gzip;level=9" if packed else ""
        answer = RecordedResponse(200, "OK", headers, body, coding, chunks)
        items.append(Interaction(asked, answer, "2026-11-20T09:00:00Z", 1.5, "a.b"))
    return Cassette("ours", tuple(items))


@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
def test_vcrpy_plays_what_our_recorder_writes(
    tmp_path: Path, recorded: Cassette, client: Client
) -> None:
    write_cassette(recorded, tmp_path / "ours.yaml")
    recorder = vcr.VCR(record_mode="none", match_on=["method", "uri", *BODIES[client]])
    with recorder.use_cassette(str(tmp_path / "ours.yaml")) as cassette:
        answers = ask(client, "https://api.example.com")
        assert cassette.all_played
    bodies = [ANSWERS[path.partition("?")[0]][0] for _, path in CALLS]
    assert answers == [(200, body, ["a=1", "b=2"]) for body in bodies]


def test_vcrpy_plays_our_json_as_well(tmp_path: Path, recorded: Cassette) -> None:
    text = Cassette("a", tuple(item for item in recorded.interactions if item.response.body != PNG))
    write_cassette(text, tmp_path / "ours.json")
    with playing(tmp_path / "ours.json", "json"):
        assert by_httpx("GET", "https://api.example.com/pretty")[1] == ANSWERS["/pretty"][0]


def test_vcrpy_says_so_when_a_json_cassette_holds_bytes(tmp_path: Path, recorded: Cassette) -> None:
    write_cassette(recorded, tmp_path / "ours.json")
    with playing(tmp_path / "ours.json", "json"), pytest.raises(KeyError):
        by_httpx("GET", "https://api.example.com/binary")


def test_vcrpy_keeps_to_an_empty_cassette(tmp_path: Path) -> None:
    write_cassette(Cassette("a", ()), tmp_path / "ours.yaml")
    with (
        playing(tmp_path / "ours.yaml"),
        pytest.raises(vcr.errors.CannotOverwriteExistingCassetteException),
    ):
        by_httpx("GET", "https://api.example.com/json")


def test_bodies_that_were_sent_from_files_and_piece_by_piece_are_read(
    tmp_path: Path, upstream: str
) -> None:
    import io

    import requests

    path = tmp_path / "theirs.yaml"
    with vcr.VCR().use_cassette(str(path)):
        requests.post(f"{upstream}/json", data=io.BytesIO(b"from a file"), timeout=PATIENCE_S)
    assert "!!python/object/new:_io.BytesIO" in path.read_text(encoding="utf-8")
    assert read_cassette(path).interactions[0].request.body == b"from a file"


@pytest.mark.slow
def test_pytest_recording_plays_ours(tmp_path: Path, recorded: Cassette) -> None:
    import subprocess
    import sys

    folder = tmp_path / "cassettes" / "test_it"
    write_cassette(recorded, folder / "test_plays.yaml")
    (tmp_path / "test_it.py").write_text(
        "import httpx, pytest\n"
        "@pytest.mark.vcr\n"
        "@pytest.mark.block_network\n"
        "def test_plays():\n"
        "    response = httpx.get('https://api.example.com/gzip')\n"
        "    assert response.json() == {'packed': True}\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", SHIPPED, ids=[path.stem for path in SHIPPED])
def test_every_cassette_of_this_project_is_one_of_vcrpy(name: Path) -> None:
    from vcr.persisters.filesystem import FilesystemPersister
    from vcr.serializers import yamlserializer

    requests, responses, *_ = FilesystemPersister.load_cassette(name, yamlserializer)
    ours = read_cassette(name).interactions
    assert [request.uri for request in requests] == [item.request.url for item in ours]
    assert [response["body"]["string"] for response in responses] == [
        item.response.body for item in ours
    ]


@pytest.mark.parametrize("name", ["a.yaml", "a.json"])
def test_a_body_in_a_file_costs_vcrpy_that_one_interaction(tmp_path: Path, name: str) -> None:
    writer = BodyWriter(tmp_path / "a.bodies")
    writer.write(PNG * 10)
    file = writer.finish()
    urls = [f"https://api.example.com/{number}" for number in range(3)]
    made = [
        Interaction(RecordedRequest("GET", urls[0]), RecordedResponse(200, "OK", file=file)),
        Interaction(RecordedRequest("GET", urls[1]), RecordedResponse(200, "OK", body=b"one")),
        Interaction(RecordedRequest("PUT", urls[2], file=file), RecordedResponse(200, body=b"two")),
    ]
    write_cassette(Cassette(name, tuple(made)), tmp_path / name)
    played = vcr.use_cassette(
        str(tmp_path / name), record_mode="none", serializer=name.partition(".")[2]
    )
    with played:
        assert requests.get(urls[1], timeout=PATIENCE_S).content == b"one"
        assert requests.put(urls[2], data=b"x", timeout=PATIENCE_S).content == b"two"
        with pytest.raises(KeyError, match="string"):
            requests.get(urls[0], timeout=PATIENCE_S)
