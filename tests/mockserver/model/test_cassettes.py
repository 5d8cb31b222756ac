from dataclasses import FrozenInstanceError

import pytest

from mockserver.model import Cassette, Chunk, Interaction, RecordedRequest, RecordedResponse


def test_what_was_recorded_does_not_change() -> None:
    interaction = Interaction(RecordedRequest("GET", "https://example.com/"), RecordedResponse(200))
    with pytest.raises(FrozenInstanceError):
        interaction.response.status = 500  # type: ignore[misc]


def test_equal_recordings_are_equal_whatever_cassette_holds_them() -> None:
    first, second = (
        Cassette("a.yaml", (Interaction(RecordedRequest("GET", "u"), RecordedResponse(204)),))
        for _ in range(2)
    )
    assert first == second
    assert hash(first.interactions) == hash(second.interactions)


def test_a_stream_is_whole_when_nothing_else_is_said() -> None:
    response = RecordedResponse(200, body=b"ab", chunks=(Chunk(0.0, 1), Chunk(5.5, 1)))
    assert sum(chunk.size for chunk in response.chunks) == len(response.body)
    assert response.ended == "complete"
