from hypothesis import given
from hypothesis import strategies as st

from mockserver.googleapi import etag

values = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=4)


@given(values)
def test_the_order_of_fields_does_not_change_an_etag(value: dict[str, int | str]) -> None:
    value = {
        key: item for key, item in value.items() if not isinstance(item, int) or abs(item) < 2**63
    }
    assert etag(value) == etag(dict(reversed(value.items())))


def test_a_resource_keeps_its_etag_when_it_carries_it() -> None:
    resource = {"id": "1", "name": "Sales"}
    assert etag({**resource, "etag": etag(resource)}) == etag(resource)


def test_another_value_has_another_etag() -> None:
    assert etag({"name": "Sales"}) != etag({"name": "Support"})


def test_an_etag_is_quoted() -> None:
    assert etag({}).startswith('"')
    assert etag({}).endswith('"')
