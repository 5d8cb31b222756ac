import base64
import gzip
import json

import pytest

from mockserver.redaction import encodings
from mockserver.redaction.encodings import decoded_layers

TEXT = b"ann.lovelace@corp.test"


def test_codings_inside_codings_are_undone() -> None:
    inner = base64.urlsafe_b64encode(gzip.compress(TEXT.replace(b"@", b"%40"))).decode()
    content = json.dumps(json.dumps({"a": inner})).encode()
    assert any(TEXT in layer.content for layer in decoded_layers(content))


def test_the_first_reading_is_the_content() -> None:
    first = next(decoded_layers(TEXT))
    assert (first.content, first.form, first.cut) == (TEXT, (), False)


def test_a_budget_that_does_not_reach_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encodings, "_ROOM", 10)
    monkeypatch.setattr(encodings, "_TIMES", 0)
    assert [layer.cut for layer in decoded_layers(TEXT)] == [True]


def test_it_ends_at_some_depth() -> None:
    content = TEXT
    for _ in range(encodings.DEEPEST + 3):
        content = base64.b64encode(content)
    assert max(len(layer.form) for layer in decoded_layers(content)) <= encodings.DEEPEST + 2


def noise(size: int) -> bytes:
    return bytes(place * place * 7 + place // 5 & 0xFF for place in range(size))


@pytest.mark.parametrize(
    "inside",
    [TEXT, base64.b64encode(TEXT), TEXT.replace(b"@", b"%40"), gzip.compress(TEXT)],
    ids=["plain", "base64", "percent", "gzip"],
)
@pytest.mark.parametrize("size", [40, 9000])
def test_what_stands_between_other_bytes_is_read(inside: bytes, size: int) -> None:
    around = b"\xfe\x90" + noise(size) + b"\x00"
    content = b'{"b64_json": "' + base64.b64encode(around + inside + around[::-1]) + b'"}'
    assert any(TEXT in layer.content for layer in decoded_layers(content))


def test_of_large_noise_the_texts_alone_are_read_further() -> None:
    content = base64.b64encode(noise(9000) + b"%41" * 20)
    layers = list(decoded_layers(content))
    assert sum(len(layer.content) for layer in layers) < 6 * len(content)


def test_fractions_of_numbers_are_no_runs() -> None:
    content = json.dumps([0.0123456789012345678, -0.98765432109876543]).encode()
    assert [layer.form for layer in decoded_layers(content)] == [()]
    assert len(list(decoded_layers(b"v1.3132333435363738x"))) > 1
