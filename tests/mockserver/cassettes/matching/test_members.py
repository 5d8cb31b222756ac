import pytest

from mockserver.cassettes.matching.canonical import drop_member, mask_times, with_whole_numbers
from mockserver.model import Json


@pytest.mark.parametrize(
    ("value", "path", "expected"),
    [
        ({"a": 1, "b": 2}, ("a",), {"b": 2}),
        ({"a": [{"b": 1}, {"c": 2}, 3]}, ("a", "*", "b"), {"a": [{}, {"c": 2}, 3]}),
        ({"a": {"x": {"b": 1}, "y": 2}}, ("a", "*", "b"), {"a": {"x": {}, "y": 2}}),
        ({"a": 1}, ("a", "b"), {"a": 1}),
        ({"a": [1]}, ("a", "b", "c"), {"a": [1]}),
        ([1], ("a",), [1]),
    ],
)
def test_a_member_is_taken_out_wherever_its_path_leads(
    value: Json, path: tuple[str, ...], expected: Json
) -> None:
    drop_member(value, path)
    assert value == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-11-20T09:00:00Z", "<time>"),
        ("a 2026-11-20 b 2026-11-20 09:00+01:00 c", "a <time> b <time> c"),
        ("1763629200", "<time>"),
        (1763629200, "<time>"),
        (1763629200123, "<time>"),
        (1763629200.5, "<time>"),
        (17, 17),
        ("version 1.2.3", "version 1.2.3"),
        (None, None),
    ],
    ids=repr,
)
def test_times_of_day_are_masked_and_nothing_else(value: Json, expected: Json) -> None:
    holder = {"a": value}
    mask_times(holder, ("a",))
    mask_times(holder, ("b",))
    assert holder == {"a": expected}


def test_a_whole_number_is_written_in_one_way() -> None:
    found = with_whole_numbers({"a": [1.0, 2.5, 1e300, "1.0", True]}, 9)
    assert [type(item) for item in found["a"]] == [int, float, float, str, bool]


@pytest.mark.parametrize("number", [2.0**53, -(2.0**53)])
def test_a_number_that_is_not_exact_stays_a_fraction(number: float) -> None:
    assert type(with_whole_numbers(number, 0)) is int
    assert type(with_whole_numbers(2 * number, 0)) is float


@pytest.mark.parametrize(
    ("deep", "deeper"),
    [([[1.0]], [[[]]]), ({"a": {"b": 1.0}}, {"a": {"b": {}}}), ([{}], [{"a": []}])],
)
def test_what_is_nested_too_deeply_is_refused(deep: Json, deeper: Json) -> None:
    assert with_whole_numbers(deep, 2) == deep
    with pytest.raises(ValueError, match="too deeply"):
        with_whole_numbers(deeper, 2)
