"""A live API full of planted secrets, recorded through the real command line, then replayed."""

import asyncio
import json
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from mockserver.cassettes.files import read_cassette
from mockserver.client import MockServer
from mockserver.model import Cassette, Json, SessionSpec
from tests.acceptance.canary import SECRETS, STEPS, Canary, Got, converse, forms
from tests.acceptance.replay_server import replay_server
from tests.captures import KEY, CaptureProcess

pytestmark = pytest.mark.slow

_CONNECTION = frozenset({"connection", "transfer-encoding", "content-length", "date"})


@dataclass
class Captured:
    """What a capture left.

    Attributes:
        folder: Where it ran.
        live: What the client got of the live API, without a proxy.
        through: What it got through the proxy.
        origin: The live API.
        said: What the capture said.
        cassette: What it recorded.
    """

    folder: Path
    live: dict[str, Got]
    through: dict[str, Got]
    origin: str
    proxy: str
    said: str
    cassette: Cassette


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Captured:
    folder = tmp_path_factory.mktemp("canary")
    with Canary() as canary:
        live = converse(canary.url)
        options = ("--upstream", canary.url, "--cassette=canary.yaml", "--verbose")
        with CaptureProcess(folder, *options) as capture:
            through = converse(capture.url)
            status = capture.end()
            said = capture.output + capture.messages
        assert status == 0, said
        cassette = read_cassette(folder / "canary.yaml")
        return Captured(folder, live, through, canary.url, capture.url, said, cassette)


@pytest.fixture(scope="module")
def replay(captured: Captured, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server that has nothing but the recording."""
    folder = tmp_path_factory.mktemp("replay")
    cassette = captured.folder / "canary.yaml"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOCKSERVER_REDACTION_KEY", KEY)
        with replay_server(cassette, folder / "server.log") as url:
            yield url


def left_in(content: bytes) -> list[str]:
    """The names of the secrets that are in a content, however they are written."""
    return [
        name for name, value in SECRETS.items() if any(form in content for form in forms(value))
    ]


def shape(value: Json) -> Json:
    """A JSON value with its texts left out."""
    if isinstance(value, dict):
        return [shape(item) for item in value.values()]
    if isinstance(value, list):
        return [shape(item) for item in value]
    return "" if isinstance(value, str) else value


def expected(captured: Captured, url: str) -> dict[str, tuple[int, bytes]]:
    """What each step is to get of a replay at a URL: what was recorded, with the URL's origin."""
    own, origin = url.encode(), captured.origin.encode()
    return {
        name: (one.response.status, one.response.body.replace(origin, own))
        for name, one in zip(STEPS, captured.cassette.interactions, strict=True)
    }


def told(got: dict[str, Got]) -> dict[str, tuple[int, bytes]]:
    return {name: (each.status, each.body) for name, each in got.items()}


def test_at_least_sixty_secrets_are_planted_and_sent() -> None:
    assert len(SECRETS) >= 60


def test_the_client_gets_of_the_proxy_what_the_api_answers(captured: Captured) -> None:
    for name, live in captured.live.items():
        through = captured.through[name]
        lead_here = live.body.replace(captured.origin.encode(), captured.proxy.encode())
        assert (through.status, through.body) == (live.status, lead_here), name
        names = [header for header, _ in live.headers if header not in _CONNECTION]
        assert [header for header, _ in through.headers if header not in _CONNECTION] == names


def test_no_secret_is_in_any_file_nor_in_what_was_said(captured: Captured) -> None:
    assert left_in(captured.said.encode()) == []
    files = [path for path in captured.folder.rglob("*") if path.is_file()]
    assert {path.name: left_in(path.read_bytes()) for path in files} == {
        "canary.yaml": [],
        "messages.log": [],
    }


def test_redaction_keeps_what_is_no_secret(captured: Captured) -> None:
    """CEP-66: structure, counts and states stay; only texts are others."""
    for name, one in zip(STEPS, captured.cassette.interactions, strict=True):
        live = captured.live[name].body
        if live.startswith(b"{") and name != "lines":
            assert shape(json.loads(one.response.body)) == shape(json.loads(live)), name


def test_equal_secrets_have_equal_pseudonyms_wherever_they_stand(captured: Captured) -> None:
    by_name = dict(zip(STEPS, captured.cassette.interactions, strict=True))
    page, following = by_name["page"].response, by_name["next_page"].request
    token = json.loads(page.body)["nextPageToken"]
    assert following.url.endswith(f"pageToken={token}")
    customer = json.loads(by_name["key"].response.body)["customerId"]
    assert f"/customers/{customer}/" in by_name["path"].request.url


def test_the_same_client_replays_in_order(captured: Captured, replay: str) -> None:
    assert told(converse(replay)) == expected(captured, f"{replay}/s/default")


async def journal_of(url: str) -> str:
    async with await MockServer.attach(url) as server:
        info = await server.open(SessionSpec(cassettes=("canary",)))
        await asyncio.to_thread(converse, info.base_url)
        return (await server.close_session(info.id)).model_dump_json()


async def test_no_secret_is_in_a_journal_of_the_replay(replay: str) -> None:
    assert left_in((await journal_of(replay)).encode()) == []


def opened(replay: str) -> str:
    made = httpx.post(f"{replay}/_mock/sessions", json={"cassettes": ["canary"]}, trust_env=False)
    url: str = made.raise_for_status().json()["base_url"]
    return url


def test_the_same_client_replays_shuffled_in_eight_sessions_at_once(
    captured: Captured, replay: str
) -> None:
    urls = [opened(replay) for _ in range(8)]
    orders = []
    for number in range(8):
        order = list(STEPS)
        random.Random(number).shuffle(order)
        orders.append(order)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(converse, urls, orders))
    for url, got in zip(urls, answers, strict=True):
        assert told(got) == {name: expected(captured, url)[name] for name in got}
