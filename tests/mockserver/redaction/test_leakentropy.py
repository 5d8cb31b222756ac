import base64
import textwrap

import pytest

from mockserver.redaction.unknown_secrets import find_random_texts

RANDOM = b"Zx8Qp0vN3rT6yB1kM9wL4sD7"
LOWER = b"q7w3x9k2m5z8v1b4n6p0r3t7y2h5j8d1"


@pytest.mark.parametrize("text", [RANDOM, LOWER, RANDOM[:12] + b"-" + RANDOM[12:]])
def test_what_is_random_is_found(text: bytes) -> None:
    assert list(find_random_texts(b'{"a": "' + text + b'"}')) == [(7, text)]


@pytest.mark.parametrize(
    "text",
    [
        b"OrganizationalUnitsListResponseV1Beta2",
        b"gke-prod-eu-default-pool-3c1d9e2f-7h2k",
        b"projects/shop-prod/locations/europe-west1/clusters/prod-eu",
        b"07f37c94ae2815c5fc2ee19a52675bf3ac2591f423a6ab7b9340ea68e6814ccc",
        b"00000000-1111-2222-3333-444444444444",
        b"1234567890123456789012345678901234567890",
        b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        RANDOM * 30,
    ],
    ids=["words", "pod", "path", "hash", "uuid", "number", "one letter", "content"],
)
def test_what_is_no_secret_is_left(text: bytes) -> None:
    assert not list(find_random_texts(text))


def test_content_that_was_wrapped_is_left_but_not_a_line_alone() -> None:
    coded = base64.b64encode(bytes((at * 89 + at // 7) % 256 for at in range(200)))
    wrapped = "\n".join(textwrap.wrap(coded.decode(), 76)).encode()
    assert not list(find_random_texts(wrapped))
    assert list(find_random_texts(b"a\n" + coded[:76] + b"\nb\n"))
