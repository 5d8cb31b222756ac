"""Texts within texts."""

import gzip
from base64 import b64encode, urlsafe_b64encode

import pytest

from mockserver.redaction.readers.texts import (
    has_encoded_runs,
    redact_compressed,
    redact_encoded_runs,
    redact_percent_words,
)


def _redact(text: str) -> str:
    return text.replace("hunter2", "a longer thing")


SAID = b"it is hunter2 ???>>>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b64encode(SAID).decode(), b64encode(_redact(SAID.decode()).encode()).decode()),
        (
            urlsafe_b64encode(SAID).decode().rstrip("="),
            urlsafe_b64encode(_redact(SAID.decode()).encode()).decode().rstrip("="),
        ),
        (SAID.hex(), _redact(SAID.decode()).encode().hex()),
        (SAID.hex().upper(), _redact(SAID.decode()).encode().hex().upper()),
        (
            "files/" + SAID.hex() + "/x",
            "files/" + _redact(SAID.decode()).encode().hex() + "/x",
        ),
    ],
    ids=["base64", "url-safe", "hex", "HEX", "segment"],
)
def test_a_run_is_coded_again_as_it_was(text: str, expected: str) -> None:
    assert redact_encoded_runs(f"see {text}!", _redact) == f"see {expected}!"


def test_gzip_in_base64_is_opened() -> None:
    made = redact_compressed(gzip.compress(SAID), _redact)
    assert made is not None
    assert b"hunter2" not in gzip.decompress(made)


@pytest.mark.parametrize(
    "content",
    [b"\x1f\x8bdamaged", gzip.compress(b"plain", mtime=0), b"\xff\xfe", b"a\x00b", b"plain"],
)
def test_what_holds_nothing_stays(content: bytes) -> None:
    assert redact_compressed(content, _redact) is None


@pytest.mark.parametrize("text", ["a/b/c", "aGVsbG8gd29ybGQ=", "abcdefghijklm", "-_-_-_+/+/+/"])
def test_runs_of_nothing_stay(text: str) -> None:
    assert redact_encoded_runs(text, _redact) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("q=say%20hunter2&x", "q=say%20a%20longer%20thing&x"),
        ("100%", "100%"),
        ("%FF%FEhunter2", "%FF%FEhunter2"),
        ("a%20b", "a%20b"),
    ],
)
def test_percent_coded_words_are_coded_again(text: str, expected: str) -> None:
    assert redact_percent_words(text, _redact) == expected


def test_whether_anything_may_be_opened_is_cheap_to_say() -> None:
    assert has_encoded_runs("abcdefghijklmnop")
    assert has_encoded_runs("a%20b")
    assert not has_encoded_runs("just words")
