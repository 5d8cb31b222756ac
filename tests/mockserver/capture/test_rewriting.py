import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.capture.upstream import StreamRewriter, UrlRewriter, may_hold_urls

LIVE, OWN = "https://api.example.com", "http://127.0.0.1:8766"
REWRITING = UrlRewriter(LIVE, OWN)


@pytest.mark.parametrize(
    ("content", "rewritten"),
    [
        pytest.param(b"at https://api.example.com/v1 ", b"at http://127.0.0.1:8766/v1 ", id="path"),
        pytest.param(b'"https://api.example.com"', b'"http://127.0.0.1:8766"', id="end"),
        pytest.param(
            b"https:\\/\\/api.example.com\\/v1", b"http:\\/\\/127.0.0.1:8766\\/v1", id="escaped"
        ),
        pytest.param(b"at https://api.example.com. ", b"at http://127.0.0.1:8766. ", id="sentence"),
    ],
)
def test_urls_of_the_upstream_lead_to_the_proxy(content: bytes, rewritten: bytes) -> None:
    assert REWRITING.whole(content) == rewritten


@pytest.mark.parametrize(
    "content",
    [
        b"https://api.example.com.evil.example/",
        b"https://api.example.community/",
        b"https://api.example.com:8443/",
        b"http://api.example.com/",
    ],
)
def test_another_origin_stays(content: bytes) -> None:
    assert REWRITING.whole(content) == content


def test_headers_of_the_connection_stay() -> None:
    headers = (("Host", LIVE), ("Location", f"{LIVE}/a"))
    assert REWRITING.headers(headers) == (("Host", LIVE), ("Location", f"{OWN}/a"))


@given(
    st.lists(
        st.sampled_from([b"https://api.example.com", b"https://api.exam", b"/x", b" ", b"h", b"."])
    ),
    st.lists(st.integers(1, 9)),
)
def test_a_stream_is_rewritten_as_a_whole_would_be(parts: list[bytes], cuts: list[int]) -> None:
    content = b" ".join(parts)
    rewriter, passed, start = StreamRewriter(REWRITING), b"", 0
    for size in [*cuts, len(content)]:
        passed += rewriter.feed(content[start : start + size])
        start += size
    assert passed + rewriter.end() == REWRITING.whole(content)


def test_what_cannot_be_an_origin_is_passed_on_at_once() -> None:
    assert StreamRewriter(REWRITING).feed(b"data: hello\n\n") == b"data: hello\n\n"


@pytest.mark.parametrize(
    ("media", "found"), [("application/json", True), ("image/png", False), ("text/html", True)]
)
def test_only_texts_hold_urls(media: str, found: bool) -> None:
    assert may_hold_urls([("Content-Type", media)]) is found
