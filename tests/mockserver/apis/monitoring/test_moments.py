import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.monitoring.series import read_duration, read_time, write_time


@given(st.integers(min_value=0, max_value=10**16))
def test_what_is_written_is_read(moment: int) -> None:
    assert read_time(write_time(moment)) == moment


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-02T10:00:00+01:00",
        "2026-03-02T09:00:00Z",
        "2026-03-02T09:00:00.000Z",
        "2026-03-02T09:00:00.000000000Z",
    ],
)
def test_every_form_of_a_timestamp_is_read(text: str) -> None:
    assert write_time(read_time(text)) == "2026-03-02T09:00:00Z"


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-02T09:00:00Z", "2026-03-02"])
def test_what_is_no_timestamp_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_time(text)


@pytest.mark.parametrize("text", ["60", "1m", "xs"])
def test_a_duration_is_a_number_of_seconds(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_duration(text)
