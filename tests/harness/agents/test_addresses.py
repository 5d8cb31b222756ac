import socket
from typing import Any

import pytest

from harness.agents import (
    AgentUnreachableError,
    Destinations,
    DriverOptions,
    Task,
    Transcript,
    checked_header,
    checked_url,
    live_endpoints,
    refuse_live,
)
from harness.agents.http import HttpAgent
from harness.errors import HarnessError


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:3100/api/chat",
        "https://agent.example.com",
        "http://[::1]:80/?a=b",
        "http://127.0.0.1/\u00fc",
    ],
)
def test_a_url_stays_as_it_was_written(url: str) -> None:
    assert checked_url(url, "") == url


@pytest.mark.parametrize(
    "url",
    [
        "nonsense", "ftp://127.0.0.1/", "http:///x", "http://[::1", "http://127.0.0.1:99999/",
        "http://127.0.0.1:0/", "http://exa mple/", "http://a\nb/", "http://127.0.0.1:x/", "",
        "http://a..b/", f"http://{'a' * 64}/",
    ],
)  # fmt: skip
def test_what_is_no_url_is_told_with_what_to_write(url: str) -> None:
    with pytest.raises(HarnessError, match="is no URL") as caught:
        checked_url(url, "http://localhost/")
    assert caught.value.hint == "http://localhost/"


def test_a_header_stays_as_it_was_written() -> None:
    assert checked_header("X-Key", "a:\tb c") == ("X-Key", "a:\tb c")


@pytest.mark.parametrize("name", ["", "X Y", "X\u00fc", "a:b", "a\n"])
def test_what_is_no_header_name_is_refused(name: str) -> None:
    with pytest.raises(HarnessError, match="is no header name"):
        checked_header(name, "x")


@pytest.mark.parametrize("value", ["se\ncret", "secr\u00e9t", "secret\x00"])
def test_a_value_that_cannot_be_sent_is_refused_and_never_told(value: str) -> None:
    with pytest.raises(HarnessError, match="the value of header X-Key") as caught:
        checked_header("X-Key", value)
    assert "ecr" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "live"),
    [
        ("https://admin.googleapis.com/admin", True),
        ("https://www.googleapis.com", True),
        ("http://metadata.google.internal", True),
        ("https://accounts.google.com/o/oauth2", True),
        ("http://127.0.0.1:8765/s/a/admin.googleapis.com/", False),
        ("https://notgoogleapis.com", False),
        ("admin.googleapis.com", False),
        ("http://[", False),
    ],
)
def test_live_google_hosts_are_recognised(value: str, live: bool) -> None:
    assert live_endpoints({"X": value}) == (("X",) if live else ())


def test_an_environment_that_leads_to_live_hosts_is_refused() -> None:
    """Pitfall 23."""
    with pytest.raises(HarnessError, match=r"live Google hosts: A .*--live"):
        refuse_live({"A": "https://admin.googleapis.com/?key=s3cret", "B": "x"})
    refuse_live({"B": "x"})


Chat = Any  # the ChatServer of conftest.py
Names = dict[str, list[list[str]]]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    """What names are at each look-up; the last answer stays."""
    known: Names = {}
    real = socket.getaddrinfo

    def looked_up(host: str, port: int, **more: Any) -> Any:
        if host not in known:
            return real(host, port, **more)
        found = known[host].pop(0) if len(known[host]) > 1 else known[host][0]
        if not found:
            raise socket.gaierror("no such name")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in found]

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    return known


@pytest.mark.parametrize(
    ("allowed", "addresses", "reached"),
    [
        ([], ["127.0.0.1"], True),
        ([], ["127.8.9.1", "::1"], True),
        ([], ["::ffff:127.0.0.1"], True),
        ([], ["10.0.0.5"], False),
        ([], ["::ffff:10.0.0.5"], False),
        ([], ["127.0.0.1", "10.0.0.5"], False),
        ([], ["0.0.0.0"], False),
        ([], ["169.254.169.254"], False),
        ([], ["fe80::1%eth0"], False),
        ([], [], False),
        (["agents.example.com"], ["10.0.0.5"], True),
        (["*.example.com"], ["203.0.113.5", "10.0.0.5"], True),
        (["example.com"], ["203.0.113.5"], False),
        (["agents.example.com"], ["169.254.169.254"], False),
        (["agents.example.com"], ["10.0.0.5", "0.0.0.0"], False),
        (["10.0.0.0/8"], ["10.0.0.5"], True),
        (["10.0.0.0/8"], ["10.0.0.5", "11.0.0.5"], False),
        (["169.254.169.254"], ["169.254.169.254"], True),
        (["fd00::/8"], ["fd00::5"], True),
    ],
    ids=str,
)
async def test_every_address_of_a_name_is_checked(
    names: Names, allowed: list[str], addresses: list[str], reached: bool
) -> None:
    names["agents.example.com"] = [addresses]
    destinations = Destinations(allowed)
    if reached:
        assert await destinations.addresses("agents.example.com", 80) == addresses
    else:
        with pytest.raises(HarnessError):
            await destinations.addresses("agents.example.com", 80)


@pytest.mark.parametrize("host", ["", "a" * 300, "a..b", "a\0b", "\udcff", "é" * 70, "[::"])
async def test_what_is_no_name_has_no_address(host: str) -> None:
    with pytest.raises(HarnessError, match="has no address"):
        await Destinations().addresses(host, 80)


@pytest.mark.parametrize("allowed", ["", "a b", "http://x", "x/8", "x:80"])
def test_what_is_no_host_cannot_be_allowed(allowed: str) -> None:
    with pytest.raises(HarnessError, match="is no host"):
        Destinations([allowed])


async def test_a_name_that_is_led_elsewhere_after_the_check_is_not_followed(
    chat: Chat, make_task: Any, names: Names
) -> None:
    names["agents.example.com"] = [["127.0.0.1"], ["192.0.2.1"]]
    destinations = Destinations()
    await destinations.addresses("agents.example.com", 80)
    with pytest.raises(AgentUnreachableError, match=r"192\.0\.2\.1, and agents may not be reached"):
        await converse(chat.url.replace("127.0.0.1", "agents.example.com"), make_task, destinations)
    assert chat.seen == []


async def test_the_request_goes_to_the_address_and_names_the_host(
    chat: Chat, answer: Any, make_task: Any, names: Names
) -> None:
    names["agents.example.com"] = [["::1", "127.0.0.1"]]  # nobody listens at the first
    chat.answers = [answer('{"text": "Blocked."}', "application/json")]
    url = chat.url.replace("127.0.0.1", "agents.example.com")
    made = await converse(url, make_task, Destinations())
    assert made.replies[0].text == "Blocked."


async def test_no_redirect_is_followed(chat: Chat, answer: Any, make_task: Any) -> None:
    chat.answers = [b"HTTP/1.1 307 Temporary Redirect\r\nLocation: http://192.0.2.1/\r\n"
                    b"Content-Length: 0\r\n\r\n"]  # fmt: skip
    with pytest.raises(AgentUnreachableError, match="HTTP 307"):
        await converse(chat.url, make_task, Destinations())


async def test_proxies_of_the_environment_are_not_asked(
    chat: Chat, answer: Any, make_task: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://192.0.2.1:9")
    chat.answers = [answer('{"text": "Blocked."}', "application/json")]
    assert (await converse(chat.url, make_task, Destinations())).replies[0].text == "Blocked."


async def converse(url: str, make_task: Any, destinations: Destinations) -> Transcript:
    driver = HttpAgent(url, DriverOptions(retries=0, destinations=destinations))
    task: Task = make_task()
    made = Transcript()
    try:
        await driver.converse(task, made)
    finally:
        await driver.close()
    return made
