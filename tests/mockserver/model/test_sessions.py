import pytest
from pydantic import ValidationError

from mockserver.model import SessionSpec


def test_a_session_is_like_the_live_api_unless_told_otherwise() -> None:
    spec = SessionSpec()
    assert (spec.profile, spec.clock, spec.sources) == (
        "google", "shift", ("stub", "state", "document"),
    )  # fmt: skip


@pytest.mark.parametrize(
    "fields",
    [
        {"id": "../x"},
        {"id": "a" * 129},
        {"secret": "a" * 31},
        {"secret": "x" * 32},
        {"clock": "sundial"},
        {"profile": "loose"},
        {"sources": ["internet"]},
        {"fixtures": []},
    ],
    ids=str,
)
def test_a_session_that_cannot_be_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        SessionSpec.model_validate(fields)
