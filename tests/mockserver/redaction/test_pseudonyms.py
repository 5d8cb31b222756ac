"""Pseudonyms by kind."""

import pytest

from mockserver.redaction.pseudonyms import MAKERS, Pseudonyms, is_reserved

VALUES = [
    "ada@corp.io", "C03xq7b2k", "id:03ph8a2zx3qh4wr", "124062053255204345285", "my-project",
    "123456789012", "550e8400-e29b-41d4-a716-446655440000", "d41d8cd98f00b204e9800998ecf8427e",
    "10.1.2.3", "PF2X9K1", "AIzaSyA1234567890abcdefghijklmnopqrstuvw", "ya29.a0AfH6SM", "x",
    "Ada Lindqvist", "+49 170 1234567",
]  # fmt: skip


@pytest.mark.parametrize("kind", [*MAKERS, "device", "session"])
def test_a_pseudonym_is_final_and_the_same_for_the_same_key(kind: str) -> None:
    for value in VALUES:
        source = Pseudonyms(b"k")
        made = source.of(kind, value)
        assert source.of(kind, made) == made, value
        assert Pseudonyms(b"k").of(kind, value) == made, value


@pytest.mark.parametrize(
    ("kind", "value", "beginning", "length"),
    [
        ("customer", "C03xq7b2k", "C0z", 9),
        ("customer", "Corp", "redacted-id-", 28),
        ("org_unit", "id:03ph8a2zx3qh4wr", "id:03ph0000", 18),
        ("org_unit", "other", "redacted-id-", 28),
        ("account", "124062053255204345285", "1999", 21),
        ("account", "0a1b2c3d", "redacted-id-", 28),
        ("project", "my-project", "project-", 16),
        ("project", "123456789012", "9000", 12),
        ("project", "12", "12", 2),
        ("device", "12345", "12345", 5),
        ("device", "550e8400-e29b-41d4-a716-446655440000", "00000000-", 36),
    ],
)
def test_ids_keep_their_shape(
    source: Pseudonyms, kind: str, value: str, beginning: str, length: int
) -> None:
    made = source.of(kind, value)
    assert made.startswith(beginning)
    assert len(made) == length


@pytest.mark.parametrize("kind", ["device", "profile", "customer", "org_unit"])
@pytest.mark.parametrize("value", ["C03xq7b2k", "03ph8a2zx3qh4wr", "ada@corp.io"])
def test_an_id_is_the_same_in_whichever_field(source: Pseudonyms, kind: str, value: str) -> None:
    own = {"C": "customer", "0": "org_unit", "a": "email"}[value[0]]
    assert source.shaped_id(kind, value) == source.of(own, value)


@pytest.mark.parametrize(
    "text", ["198.18.4.4", "203.0.113.9", "ada@example.com", "sub.example.com", "my_customer",
             "00:00:00:00:00:00", "::1", "user-0123abcd@d01234567.example.com"],
)  # fmt: skip
def test_what_stands_for_nobody_is_known(text: str) -> None:
    assert is_reserved(text)


@pytest.mark.parametrize("text", ["10.0.0.1", "ada@corp.io", "corp.io", "C03xq7b2k"])
def test_what_stands_for_somebody_is_known(text: str) -> None:
    assert not is_reserved(text)
