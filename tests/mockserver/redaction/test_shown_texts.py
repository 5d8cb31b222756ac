"""Texts that people are shown."""

import pytest

from mockserver.redaction import hide_credentials


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("password: Winter2026 here, password: Summer2027 there", "[...] here, [...] there"),
        ("password: Winter2026", "[...]"),
        ("the password is wrong, the token: expired", None),
        ("AKIAIOSFODNN7EXAMPLE of it and AKIAIOSFODNN7EXAMPL2", "[...] of it and [...]"),
        ("key AKIAIOSFODNN7EXAMPLE, password: Winter2026.", "key [...], [...]."),
        ("", None),
    ],
)
def test_each_credential_is_hidden_and_the_words_about_them_stay(
    text: str, shown: str | None
) -> None:
    assert hide_credentials(text, "[...]") == (text if shown is None else shown)
