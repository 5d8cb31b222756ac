"""Hundreds of planted secrets on many endpoints, captured through real clients, then replayed."""

import json
import sys
import threading
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any, Self
from urllib.parse import urlsplit

import ahocorasick
import httpx
import pytest

from mockserver.cassettes.files import read_cassette
from mockserver.model import Cassette, Interaction
from tests.acceptance.canary import forms
from tests.acceptance.manifold import BY_CLIENT, CLIENTS, ENDPOINTS, PEOPLE, ROWS, Manifold, Row
from tests.acceptance.replay_server import replay_server
from tests.captures import KEY, CaptureProcess
from tests.clients.running import run
from tests.mockserver.redaction.planted import everything

pytestmark = pytest.mark.slow

_PROGRAMS = Path(__file__).parent / "programs"
_SHORTEST = 8
"""Shorter ones stand in bytes by chance; they are looked for in their own interactions."""


def _finder() -> Any:
    found = ahocorasick.Automaton()
    secrets = {row.planted.secret: row.name for row in ROWS if row.planted}
    secrets |= {people.ids[1]: f"e-mail of {one}" for one, people in PEOPLE.items()}
    secrets |= {each: f"page of {one}" for one, people in PEOPLE.items() for each in people.tokens}
    for secret, name in secrets.items():
        for form in forms(secret):
            if len(form) >= _SHORTEST:
                found.add_word(form.decode("latin-1"), name)
    found.make_automaton()
    return found


FINDER = _finder()


def left_in(content: bytes) -> set[str]:
    """What of the planted secrets is whole in a content, however it is written."""
    return {name for _, name in FINDER.iter(content.decode("latin-1"))}


class Watch:
    """Looks at the files of a folder again and again.

    Attributes:
        found: What was ever in one of them.
        looks: How many contents it has read.
    """

    def __init__(self, folder: Path) -> None:
        self.found: set[tuple[str, str]] = set()
        self.looks = 0
        self._folder = folder
        self._sizes: dict[Path, tuple[int, int]] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def look(self) -> None:
        """Read each file that is not as it was."""
        for path in self._folder.rglob("*"):
            try:
                stat = path.stat()
                mark = (stat.st_size, stat.st_mtime_ns)
                if not path.is_file() or self._sizes.get(path) == mark:
                    continue
                content = path.read_bytes()
            except FileNotFoundError:  # it got another name
                continue
            self._sizes[path] = mark
            self.looks += 1
            self.found |= {(path.name, name) for name in left_in(content)}

    def _watch(self) -> None:
        while not self._over.is_set():
            self.look()
            sleep(0.1)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self.look()


def converse(client: str, base: str, folder: Path) -> Any:
    """What a client's program got of its rows and of its people."""
    calls = folder / f"{client}.json"
    calls.write_text(json.dumps([row.call() for row in BY_CLIENT[client]]), encoding="utf-8")
    node = client == "fetch"
    runner = ("node", str(_PROGRAMS / "calls.mjs")) if node else (
        sys.executable, str(_PROGRAMS / "calls.py"))  # fmt: skip
    done = run((*runner, client, base, f"/v1/org-{client}", str(calls)), {}, folder)
    return done.facts


@dataclass
class Captured:
    """What a capture left.

    Attributes:
        file: The cassette.
        status: The exit status.
        said: What it said on both of its outputs.
        got: What each client got through the proxy.
        watch: What was seen in its files.
        origin: The live API.
    """

    file: Path
    status: int
    said: str
    got: dict[str, Any]
    watch: Watch
    origin: str

    @property
    def cassette(self) -> Cassette:
        return read_cassette(self.file)


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Captured:
    folder, own = tmp_path_factory.mktemp("capture"), tmp_path_factory.mktemp("clients")
    options = ("--cassette=many.yaml", "--verbose")
    with (
        Manifold() as api,
        Watch(folder) as watch,
        CaptureProcess(folder, "--upstream", api.url, *options) as capture,
    ):
        got = {client: converse(client, capture.url, own) for client in CLIENTS}
        status = capture.end()
    said = capture.output + capture.messages
    return Captured(folder / "many.yaml", status, said, got, watch, api.url)


@pytest.fixture(scope="module")
def replay(captured: Captured, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server that has nothing but the recording."""
    folder = tmp_path_factory.mktemp("replay")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOCKSERVER_REDACTION_KEY", KEY)
        with replay_server(captured.file, folder / "server.log") as url:
            yield url


def recorded(captured: Captured) -> list[tuple[Row, Interaction]]:
    """Each row with its interaction; those of the people, that follow each client's, left out."""
    kept = [
        each for each in captured.cassette.interactions
        if "/v1/org-" not in urlsplit(each.request.url).path
    ]  # fmt: skip
    return list(zip((row for rows in BY_CLIENT.values() for row in rows), kept, strict=True))


def test_hundreds_of_secrets_are_planted_on_seventy_endpoints() -> None:
    assert sum(row.planted is not None for row in ROWS) > 400
    assert sum(row.planted is None for row in ROWS) > 200
    assert len(ENDPOINTS) >= 70
    for row in ROWS:
        if row.planted:
            content = everything(row.message)
            assert row.planted.secret in row.planted.read(content), row.name


def test_the_capture_is_saved_with_every_interaction(captured: Captured) -> None:
    assert captured.status == 0, captured.said
    assert captured.file.is_file()
    assert len(recorded(captured)) == len(ROWS)


def test_each_client_gets_through_the_capture_what_the_api_answers(captured: Captured) -> None:
    others = [
        row.name
        for client, rows in BY_CLIENT.items()
        for row, (status, body) in zip(rows, captured.got[client]["answers"], strict=True)
        if (status, b64decode(body)) != (row.message.response.status, row.message.response.body)
    ]
    assert others == []


def test_no_secret_is_whole_in_any_file_at_any_moment(captured: Captured) -> None:
    assert captured.watch.looks > 10
    assert captured.watch.found == set()
    assert left_in(captured.said.encode()) == set()


def test_each_secret_is_gone_from_its_own_interaction(captured: Captured) -> None:
    left = [
        row.name
        for row, one in recorded(captured)
        if row.planted and row.planted.secret in row.planted.read(everything(one))
    ]
    assert left == []


def test_no_harmless_value_is_changed(captured: Captured) -> None:
    changed = [
        (row.name, one.response.body)
        for row, one in recorded(captured)
        if row.planted is None and one.response.body != row.message.response.body
    ]
    assert changed == []


@pytest.mark.parametrize("client", CLIENTS)
def test_each_client_finds_its_pages_and_people(captured: Captured, client: str) -> None:
    walk = {"pages": 3, "people": 6, "linked": 3, "joined": [True] * 12}
    assert captured.got[client]["walk"] == walk


@pytest.mark.parametrize("client", CLIENTS)
def test_each_client_works_on_the_replay(
    captured: Captured, replay: str, client: str, tmp_path: Path
) -> None:
    got = converse(client, f"{replay}/s/default", tmp_path)
    of_client = [each for each in recorded(captured) if each[0] in BY_CLIENT[client]]
    others = [
        (row.name, status, b64decode(body)[:300])
        for (row, one), (status, body) in zip(of_client, got["answers"], strict=True)
        if (status, b64decode(body)) != (one.response.status, one.response.body)
    ]
    assert others == []
    assert got["walk"] == captured.got[client]["walk"]


def test_no_secret_is_whole_in_the_journal_of_the_replay(replay: str) -> None:
    journal = httpx.get(f"{replay}/_mock/sessions/default/journal", trust_env=False)
    assert len(journal.raise_for_status().json()["entries"]) > 600
    assert left_in(journal.content) == set()
