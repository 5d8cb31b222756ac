"""What never reaches a journal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.redaction.journal_redaction import (
    REDACTED,
    redact_journal_body,
    redact_journal_params,
    redact_journal_path,
)


@pytest.mark.parametrize(
    "name",
    ["key", "access_token", "$oauth_token", "token", "client-secret", "refreshToken", "PASSWORD"],
)
def test_a_secret_parameter_is_replaced(name: str) -> None:
    assert redact_journal_params({name: "s3cret"}) == {name: REDACTED}


@pytest.mark.parametrize("name", ["userKey", "pageToken", "tokenId", "customer"])
def test_a_parameter_that_only_sounds_secret_is_kept(name: str) -> None:
    assert redact_journal_params({name: "all"}) == {name: "all"}


def test_secrets_are_found_at_any_depth_of_a_body() -> None:
    body = {"users": [{"password": "hunter2", "name": "A"}], "key": "kept", "assertion": "ey.x"}

    assert redact_journal_body(body) == {
        "users": [{"password": REDACTED, "name": "A"}],
        "key": "kept",
        "assertion": REDACTED,
    }


def test_an_access_token_in_a_path_is_replaced() -> None:
    assert redact_journal_path("/v1/ya29.abc/x") == f"/v1/{REDACTED}/x"


@given(
    st.recursive(
        st.text() | st.integers(),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.sampled_from(["password", "name", "token"]), inner)
        ),
    )
)
def test_redacting_twice_changes_nothing(body: object) -> None:
    once = redact_journal_body(body)
    assert redact_journal_body(once) == once
