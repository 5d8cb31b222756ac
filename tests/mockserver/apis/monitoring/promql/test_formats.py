from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.monitoring.promql.nodes import PromqlError, format_value, read_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("5m", 300), ("1h30m", 5400), ("1d", 86400), ("2w", 1209600), ("1y", 31536000), ("1.5", 1.5),
     ("500ms", 0.5), ("1m30s", 90)],
)  # fmt: skip
def test_durations(text: str, seconds: float) -> None:
    assert read_duration(text) == seconds * 1_000_000


@pytest.mark.parametrize("text", ["", "5", "m5", "5 m", "inf", "1h-1m"])
def test_what_is_no_duration(text: str) -> None:
    if text == "5":
        assert read_duration(text) == 5_000_000
        return
    with pytest.raises(PromqlError, match="cannot parse"):
        read_duration(text)


@given(st.floats())
def test_values_read_back_and_have_no_exponent(value: float) -> None:
    text = format_value(value)
    assert isnan(value) or float(text) == value
    assert isnan(value) or "e" not in text.lower()
