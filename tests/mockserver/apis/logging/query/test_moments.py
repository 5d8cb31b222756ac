import pytest

from mockserver.apis.logging.query.values import duration_ns, plain_ns, time_ns

NOON = 1_795_083_379_000_000_000


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("2026-11-19T10:16:19Z", NOON),
        ("2026-11-19T10:16:19.866742+0000", NOON + 866_742_000),
        ("2026-11-19T12:16:19.123456789+02:00", NOON + 123_456_789),
        ("2026-11-19t10:16:19,5z", NOON + 500_000_000),
        ("2026-11-19 10:16:19", NOON),
        ("2026-11-19T10:16Z", NOON - 19 * 10**9),
        ("2026-11-19", NOON - 36_979 * 10**9),
        ("2026-11-19T11:16:19.5+01", NOON + 500_000_000),
        ("1969-12-31T23:59:59.5Z", -500_000_000),
    ],
    ids=repr,
)
def test_timestamps_are_read_in_all_forms_that_clients_send(text: str, ns: int) -> None:
    assert time_ns(text) == ns


@pytest.mark.parametrize(
    "text",
    ["", "now", "2026-13-01", "2026-11-19T25:00:00Z", "2026-11-19T10:16:19.Z",
     "2026-11-19T10:16:19.0123456789Z", "2026-11-19T10:16:19.1x3Z"],
    ids=repr,
)  # fmt: skip
def test_what_is_no_timestamp_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        time_ns(text)


def test_only_the_usual_form_is_read_fast() -> None:
    assert plain_ns("2026-11-19T10:16:19.25Z") == NOON + 250_000_000
    assert plain_ns("2026-11-19T10:16:19.²Z") is None
    assert plain_ns("2026-11-19T10:16:19.25") is None


@pytest.mark.parametrize(
    ("text", "ns"),
    [("1.5s", 1_500_000_000), ("500ms", 500_000_000), ("2", 2 * 10**9), ("-3us", -3_000),
     (".5s", 500_000_000), ("1h", 3600 * 10**9), ("1.25m", 75 * 10**9), ("7ns", 7)],
    ids=repr,
)  # fmt: skip
def test_durations_are_whole_nanoseconds(text: str, ns: int) -> None:
    assert duration_ns(text) == ns


@pytest.mark.parametrize("text", ["", "s", "5 s", "1w", "x"], ids=repr)
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a duration"):
        duration_ns(text)
