import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.googleapi import is_under, name_pattern, parent_of

PATTERN = name_pattern("projects/{project}/locations/{location}/things/{thing}")
WORDS = st.text("abc-.1", min_size=1, max_size=5).filter(lambda text: text != "-")


@given(WORDS, WORDS, WORDS)
def test_a_name_made_under_a_parent_is_of_its_pattern(one: str, two: str, last: str) -> None:
    name = PATTERN.name(f"projects/{one}/locations/{two}", last)
    assert PATTERN.captures(name) == {"project": one, "location": two, "thing": last}
    assert parent_of(name, 2) == f"projects/{one}/locations/{two}"


@pytest.mark.parametrize(
    "name", ["projects/p", "x/p/locations/l/things/t", "projects//locations/l/things/t"]
)
def test_other_names_are_not_of_the_pattern(name: str) -> None:
    assert PATTERN.captures(name) is None


def test_a_variable_stands_for_a_collection_too() -> None:
    pattern = name_pattern("{kind}/{id}/buckets/{bucket}")
    assert pattern.captures("folders/7/buckets/b") == {"kind": "folders", "id": "7", "bucket": "b"}


def test_a_name_without_a_parent_is_collection_and_id() -> None:
    assert name_pattern("things/{thing}").name("", "a") == "things/a"


@pytest.mark.parametrize(
    ("wanted", "parent", "under"),
    [
        ("projects/p", "projects/p", True),
        ("projects/-", "projects/p", True),
        ("projects/-/locations/eu", "projects/p/locations/us", False),
        ("projects/p", "projects/p/locations/eu", False),
        ("folders/-", "projects/p", False),
    ],
    ids=str,
)
def test_a_dash_is_every_id(wanted: str, parent: str, under: bool) -> None:
    assert is_under(wanted, parent) is under
