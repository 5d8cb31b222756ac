"""What was replaced."""

import pytest

from mockserver.redaction import Secret, SeenSecrets, unseal_secrets


def test_it_shows_nothing() -> None:
    seen = SeenSecrets()
    seen.note("email", "ada@corp.io", "user-1@example.com")
    assert "ada" not in f"{seen} {next(iter(seen.secrets()))}"


def test_a_value_is_noted_once() -> None:
    seen = SeenSecrets()
    assert seen.note("email", "a", "b")
    assert not seen.note("token", "a", "c")
    assert len(seen) == 1


def test_those_after_a_place_are_the_new_ones() -> None:
    seen = SeenSecrets()
    seen.note("email", "a", "1")
    seen.note("cookie", "dark", "2", findable=False)
    before = len(seen)
    seen.note("email", "b", "3")
    assert list(seen.secrets(before)) == [Secret("email", "b")]
    assert list(seen.secrets()) == [Secret("email", "a"), Secret("email", "b")]
    assert list(seen.pseudonyms()) == ["1", "2", "3"]


def test_the_owner_of_the_key_finds_the_way_back() -> None:
    seen = SeenSecrets()
    seen.note("email", "ada@corp.io", "user-1@example.com")
    sealed = seen.seal(b"key")
    assert b"ada" not in sealed
    assert unseal_secrets(sealed, b"key") == {"user-1@example.com": Secret("email", "ada@corp.io")}
    with pytest.raises(ValueError, match="another key"):
        unseal_secrets(sealed, b"other")
