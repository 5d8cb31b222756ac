"""Who answers in a session."""

import pytest

from mockserver.model import SessionSpec
from mockserver.sessions.session import with_sources


@pytest.mark.parametrize(
    ("spec", "sources"),
    [
        (SessionSpec(), ("stub", "state")),
        (SessionSpec(cassettes=("a",)), ("stub", "cassette", "state")),
        (SessionSpec(cassettes=("a",), sources=("cassette",)), ("cassette",)),
    ],
    ids=["usual", "with cassettes", "as said"],
)
def test_cassettes_answer_where_they_are_named_unless_it_says_otherwise(
    spec: SessionSpec, sources: tuple[str, ...]
) -> None:
    assert with_sources(spec).sources == sources
