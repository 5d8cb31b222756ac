import pytest

from mockserver.capture.recordings import RecordMode


@pytest.mark.parametrize(
    ("mode", "there", "plays", "records"),
    [
        pytest.param("none", True, True, False, id="none plays"),
        pytest.param("once", False, False, True, id="once records where nothing is"),
        pytest.param("once", True, True, False, id="once plays what is there"),
        pytest.param("new_episodes", False, False, True, id="new episodes of nothing"),
        pytest.param("new_episodes", True, True, True, id="new episodes plays and records"),
        pytest.param("all", True, False, True, id="all never plays"),
        pytest.param("refresh", True, False, True, id="refresh never plays"),
    ],
)
def test_a_mode_says_what_is_played_and_what_is_recorded(
    mode: str, there: bool, plays: bool, records: bool
) -> None:
    found = RecordMode(mode)
    assert (found.plays(there=there), found.records(there=there)) == (plays, records)
