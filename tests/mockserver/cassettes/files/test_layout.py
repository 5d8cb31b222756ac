import pytest

from mockserver.cassettes.files.layout import (
    format_ms,
    group_headers,
    header_order,
    interaction_mapping,
    restore_order,
)
from mockserver.model import Header, Interaction, RecordedRequest, RecordedResponse


@pytest.mark.parametrize(
    "headers",
    [(), (("A", "1"),), (("A", "1"), ("A", "2")), (("A", "1"), ("B", "2"), ("A", "3"), ("a", "4"))],
    ids=["none", "one", "twice", "apart"],
)
def test_headers_come_back_in_their_order(headers: tuple[Header, ...]) -> None:
    assert restore_order(group_headers(headers), header_order(headers)) == headers


@pytest.mark.parametrize("order", [[0], [0, 0, 0], [0, 1], [-1, 0]])
def test_an_order_that_does_not_fit_is_none(order: list[int]) -> None:
    assert restore_order({"A": ["1", "2"]}, order) is None


def test_a_time_is_kept_to_the_microsecond() -> None:
    assert [format_ms(value) for value in (0.0, 1.23456, 1e16)] == ["0.0", "1.235", f"{10**16}.0"]


def test_a_body_that_is_no_text_has_no_string_so_that_nobody_plays_an_empty_one() -> None:
    item = interaction_mapping(
        Interaction(
            RecordedRequest("PUT", "https://h/", (), b"\xff"), RecordedResponse(200, body=b"\0")
        )
    )
    assert item["request"]["body"] == {"base64": "/w=="}
    assert item["response"]["body"] == {"base64": "AA=="}
    assert item["recorded"] == {"ended": "complete"}
