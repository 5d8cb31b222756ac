import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.fronts.proxy_requests import (
    ProxyRequest,
    ProxyRequestError,
    authority,
    read_proxy_request,
)


def head(*lines: str) -> bytes:
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def basic(text: str) -> str:
    return "Proxy-Authorization: Basic " + base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    ("target", "host", "port", "shown"),
    [
        ("Logging.googleapis.com:443", "logging.googleapis.com", 443, "logging.googleapis.com:443"),
        ("example.com.:8443", "example.com", 8443, "example.com:8443"),
        ("[2001:db8::1]:443", "2001:db8::1", 443, "[2001:db8::1]:443"),
        ("192.0.2.1:1", "192.0.2.1", 1, "192.0.2.1:1"),
    ],
)
def test_connect_says_where_to(target: str, host: str, port: int, shown: str) -> None:
    found = read_proxy_request(head(f"CONNECT {target} HTTP/1.1", "Host: x"))
    assert found == ProxyRequest("CONNECT", host, port)
    assert found.authority == shown


@pytest.mark.parametrize(
    ("user", "session"),
    [("s1:x", "s1"), ("s1:", "s1"), ("s1", "s1"), ("ya29.mock~s2~0:x", "s2"), (":x", None)],
)
def test_the_user_is_a_session_or_a_token_of_one(user: str, session: str | None) -> None:
    assert read_proxy_request(head("CONNECT a.com:443 HTTP/1.1", basic(user))).user == session


def test_a_user_may_be_percent_encoded() -> None:
    found = read_proxy_request(head("CONNECT a.com:443 HTTP/1.0", basic("ya29.mock%7Es2%7E0:x")))
    assert found.user == "s2"


def test_a_plain_request_is_made_one_for_the_origin() -> None:
    found = read_proxy_request(
        head(
            "GET http://me@Metadata.google.internal:8080?a=b HTTP/1.1",
            "Host: other",
            "Metadata-Flavor: Google",
            "Proxy-Connection: keep-alive",
            "Connection: keep-alive",
            basic("s1:x"),
        )
    )
    assert (found.host, found.port, found.user) == ("metadata.google.internal", 8080, "s1")
    assert found.origin == head(
        "GET /?a=b HTTP/1.1",
        "Host: Metadata.google.internal:8080",
        "Metadata-Flavor: Google",
        "Connection: close",
    )


def test_credentials_sent_twice_are_none() -> None:
    with pytest.raises(ProxyRequestError) as caught:
        read_proxy_request(head("CONNECT a.com:443 HTTP/1.1", basic("a"), basic("b")))
    assert caught.value.status == 407


@given(st.binary(max_size=200))
def test_whatever_is_sent_is_read_or_refused(data: bytes) -> None:
    for sent in (data, b"CONNECT " + data + b" HTTP/1.1", b"GET http://" + data + b" HTTP/1.1"):
        status, port = 400, 1
        try:
            port = read_proxy_request(sent + b"\r\n\r\n").port
        except ProxyRequestError as error:
            status = error.status
        assert status in {400, 407, 505}
        assert 0 < port < 65536


@given(st.text(max_size=60))
def test_an_authority_is_read_back_from_what_it_is_shown_as(text: str) -> None:
    try:
        host, port = authority(text)
    except ProxyRequestError:
        return
    assert authority(ProxyRequest("CONNECT", host, port).authority) == (host, port)
