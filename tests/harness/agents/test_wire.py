import pytest

from harness.agents import checked_header, checked_url
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
