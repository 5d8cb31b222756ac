import pytest

from mockserver.apis.logging import API
from mockserver.apis.logging.state import known_parent, sources
from mockserver.googleapi import ApiError
from mockserver.state import World
from tests.mockserver.apis.logging.conftest import ENTRIES, SHOP
from tests.tenants import world


def test_names_mean_parents_and_each_is_read_once(shop: World) -> None:
    names = ["projects/111", "folders/7", "organizations/8", "billingAccounts/9", "folders/7"]
    found = [source.parent for source in sources(shop, names)]
    assert found == [SHOP, "folders/7", "organizations/8", "billingAccounts/9"]


@pytest.mark.parametrize(
    ("names", "status"),
    [
        ([], 400),
        (["projects/p"] * 101, 400),
        (["shop"], 400),
        (["projects/shop/logs/x"], 400),
        (["projects/nobody"], 403),
        ([f"{SHOP}/locations/eu/buckets/none/views/_AllLogs"], 404),
        ([f"{SHOP}/locations/global/buckets/_Default/views/none"], 404),
    ],
    ids=str,
)
def test_what_cannot_be_read_from_is_refused(shop: World, names: list[str], status: int) -> None:
    with pytest.raises(ApiError) as caught:
        sources(shop, names)
    assert caught.value.status == status


def test_an_unknown_project_names_the_nearest(shop: World) -> None:
    with pytest.raises(ApiError) as caught:
        known_parent(shop, "projects/shopp")
    assert caught.value.miss is not None
    assert caught.value.miss.nearest == "shop"


def test_without_projects_every_project_is_known() -> None:
    assert known_parent(world(API, logEntries=ENTRIES), "projects/any") == "projects/any"


def test_a_project_with_log_entries_is_known(shop: World) -> None:
    shop.put("logEntries", "k", {**ENTRIES[0], "logName": "projects/logged/logs/x"})
    assert known_parent(shop, "projects/logged") == "projects/logged"
