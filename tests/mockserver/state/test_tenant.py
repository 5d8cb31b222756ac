from datetime import UTC, datetime

import pytest

from mockserver.collections import Store
from mockserver.model import JsonObject
from mockserver.state import (
    Base,
    Clock,
    Ids,
    World,
    customer_id,
    is_customer,
    org_tree,
)


def unit(key: str, path: str, parent: str = "") -> tuple[str, JsonObject]:
    row = {"orgUnitId": f"id:{key}", "orgUnitPath": path, "name": path.rsplit("/", 1)[-1]}
    return key, row | ({"parentOrgUnitId": f"id:{parent}"} if parent else {})


UNITS = dict(
    [
        unit("03root", "/"),
        unit("03sales", "/Sales", "03root"),
        unit("03eng", "/Eng", "03root"),
        unit("03web", "/Eng/Web Team", "03eng"),
        unit("03ops", "/Eng/Ops", "03eng"),
    ]
)


@pytest.fixture
def world() -> World:
    moment = datetime(2026, 11, 1, tzinfo=UTC)
    tables = {"orgUnits": Store(UNITS), "customer": Store({"customer": {"id": "C01234567"}})}
    base = Base(tables=tables, times={}, captured_at=moment)
    clock = Clock("frozen", captured_at=moment, real=lambda: moment)
    return World(base, clock=clock, ids=Ids(1), session="s1")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("id:03eng", "03eng"),
        ("03eng", "03eng"),
        ("/Eng", "03eng"),
        ("Eng/Web Team", "03web"),
        ("/eng/web team/", "03web"),
        ("/", "03root"),
        ("", "03root"),
        ("/None", None),
        ("id:03none", None),
    ],
    ids=str,
)
def test_an_org_unit_is_found_by_every_name_clients_use(
    world: World, name: str, found: str | None
) -> None:
    assert org_tree(world).find(name) == found


def test_the_tree_knows_ancestors_and_descendants(world: World) -> None:
    tree = org_tree(world)
    assert tree.root == "03root"
    assert tree.ancestors("03web") == ("03web", "03eng", "03root")
    assert tree.ancestors("unknown") == ()
    assert tree.below("03root") == ("03eng", "03ops", "03web", "03sales")
    assert tree.below("03web") == ()
    assert tree.below("03eng") == ("03ops", "03web")
    assert [tree.children(each) for each in ("03root", "03eng", "03web", "")] == [
        ("03eng", "03sales"), ("03ops", "03web"), (), (),
    ]  # fmt: skip


def test_the_tree_follows_writes(world: World) -> None:
    before = org_tree(world)
    world.put("orgUnits", *unit("03new", "/Eng/New", "03eng"))
    assert org_tree(world).find("/Eng/New") == "03new"
    assert before.find("/Eng/New") is None


def test_the_customer_goes_by_its_id_and_its_alias(world: World) -> None:
    assert customer_id(world) == "C01234567"
    assert is_customer(world, "my_customer")
    assert is_customer(world, "C01234567")
    assert not is_customer(world, "C07654321")
