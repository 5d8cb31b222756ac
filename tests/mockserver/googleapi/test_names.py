import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.collections import Index, Store
from mockserver.googleapi import ApiError, is_under, name_pattern, nearest, own_customer, parent_of
from mockserver.state import Base, Clock, Ids, World
from tests.tenants import CUSTOMER, NOW, TENANT

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


def test_the_most_similar_name_is_nearest() -> None:
    assert nearest("policies/akcard", ["policies/akcards", "policies/zz"]) == "policies/akcards"


def test_nothing_similar_is_no_name() -> None:
    assert nearest("policies/a", ["users"]) == ""


@pytest.fixture
def tenant() -> World:
    base = Base(tables=TENANT, times={}, captured_at=NOW)
    clock = Clock("frozen", captured_at=NOW, real=lambda: NOW)
    return World(base, clock=clock, ids=Ids(1), session="s1")


@pytest.mark.parametrize("name", ["my_customer", CUSTOMER])
def test_the_alias_becomes_the_real_customer(tenant: World, name: str) -> None:
    assert own_customer(tenant, f"customers/{name}") == f"customers/{CUSTOMER}"


def test_another_customer_is_forbidden(tenant: World) -> None:
    with pytest.raises(ApiError) as caught:
        own_customer(tenant, "customers/C0other")
    assert caught.value.status == 403


@pytest.mark.parametrize("count", [3, 3000])
def test_the_nearest_of_a_collection_is_found_by_key_and_by_another_name(count: int) -> None:
    rows = {f"{n}": {"address": f"User{n:05}@example.com"} for n in range(count)}
    by_address = Index(lambda _, row: (str(row["address"]).casefold(),))
    wanted = f"User{count - 1:05}@example.com"
    assert nearest(wanted[:-1], Store(rows), by_address, "address") == wanted
    assert nearest(f"{count - 1}x", Store(rows)) == f"{count - 1}"
